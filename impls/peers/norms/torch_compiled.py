"""The same two under torch.compile: Inductor's C++ for this CPU."""
import types

import torch
import transformers
import ulpgate
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3RMSNorm

VERSION = f"transformers {transformers.__version__}, torch {torch.__version__}"
INDUCTOR = ("torch/_inductor/config.py, `emulate_precision_casts = False`: Inductor keeps what it fuses in float32, so the cast "
            "before the gain is gone: compiled, the class no longer computes what it computes in eager mode")
# Every eps and many a shape is compiled anew: few rows, and no search for the order.
FEW = {"flags": ["--op", "q_a_layernorm", "--d", "1536", "--profile", "gaussian", "--profile", "outlier"], "explain": None}
KERNELS = [
    {"function": "deepseek", "name": "DeepseekV3RMSNorm, torch.compile", "types": {"bf16": "f32_gain"}, "source": INDUCTOR, **FEW},
    {"function": "functional", "name": "F.rms_norm, torch.compile", "types": {"bf16": "f32_gain"},
     "source": "torch/_decomp, as in eager mode: one cast, after the gain", **FEW},
]
torch._dynamo.config.recompile_limit = 64


@ulpgate.kernel("bf16", "fp16", "f32", tensors="torch")
@torch.compile(dynamic=True, fullgraph=True)
def deepseek(x, w, eps):
    return DeepseekV3RMSNorm.forward(types.SimpleNamespace(weight=w, variance_epsilon=eps), x)


@ulpgate.kernel("bf16", "fp16", "f32", tensors="torch")
@torch.compile(dynamic=True, fullgraph=True)
def functional(x, w, eps):
    return torch.nn.functional.rms_norm(x, w.shape, w, eps)
