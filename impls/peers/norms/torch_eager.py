"""transformers' DeepseekV3RMSNorm, PyTorch eager."""
import torch
import transformers
import ulpgate
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3RMSNorm

VERSION = f"transformers {transformers.__version__}, torch {torch.__version__}"
KERNELS = [{
    "function": "rms_norm", "name": "DeepseekV3RMSNorm, PyTorch eager", "types": {"bf16": "cast_first", "fp16": "cast_first", "f32": "cast_first"},
    "source": "transformers/models/deepseek_v3/modeling_deepseek_v3.py:52, `return self.weight * hidden_states.to(input_dtype)`",
}]


@ulpgate.kernel("bf16", "fp16", "f32", tensors="torch")
def rms_norm(x, w, eps):
    norm = DeepseekV3RMSNorm(w.numel(), eps)
    norm.weight.data = w
    with torch.no_grad():
        return norm(x)
