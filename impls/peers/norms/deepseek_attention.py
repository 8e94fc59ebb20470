"""transformers' DeepSeek-V3 attention up to q, from a small random-weight configuration, through files (deepseek_query.py)."""
import torch
import transformers
import transformers.models.deepseek_v3.modeling_deepseek_v3  # noqa: F401

VERSION = f"transformers {transformers.__version__}, torch {torch.__version__}"
KERNELS = [{
    "name": "DeepseekV3Attention up to q_nope and q_pe, PyTorch eager", "types": {"bf16": "cast_first", "fp16": "cast_first", "f32": "cast_first"},
    "export": ["mla_query", "--d", "64"], "script": "../deepseek_query.py", "flags": [], "explain": [],
    "source": "transformers/models/deepseek_v3/modeling_deepseek_v3.py:441, `q_states = self.q_b_proj(self.q_a_layernorm(self.q_a_proj(hidden_states)))`, then viewed, transposed and split",
}]
