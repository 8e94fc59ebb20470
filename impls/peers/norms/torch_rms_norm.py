"""torch.nn.functional.rms_norm."""
import torch
import ulpgate

VERSION = f"torch {torch.__version__}"
KERNELS = [{
    "function": "rms_norm", "name": "F.rms_norm, PyTorch eager", "types": {"bf16": "f32_gain", "fp16": "f32_gain", "f32": "f32_gain"},
    "source": "aten/src/ATen/native/layer_norm.cpp, `rms_norm_composite`: the gain multiplies the upcast result, then one cast",
}]


@ulpgate.kernel("bf16", "fp16", "f32", tensors="torch")
def rms_norm(x, w, eps):
    return torch.nn.functional.rms_norm(x, w.shape, w, eps)
