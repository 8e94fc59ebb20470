"""Unsloth's Triton kernel in Triton's interpreter: its file alone, since the package asks for a GPU when it is imported."""
import os

os.environ["TRITON_INTERPRET"] = "1"
import importlib.metadata
import importlib.util
import pathlib
import sys
import types

import torch
import triton
import ulpgate

VERSION = f"unsloth {importlib.metadata.version('unsloth')}, triton {triton.__version__}"
INTERPRETER = ("triton/runtime/interpreter.py: `cast_impl` (line 562) cuts float32 to bfloat16 instead of rounding it, and `binary_op` "
               "(line 599) multiplies the 16-bit words of bfloat16 as integers. The kernel is not at fault: its fp16 and f32 pass")
KERNELS = [{
    "function": "rms_norm", "name": "Unsloth", "types": {"fp16": "cast_first", "bf16": "cast_first"},
    "source": "unsloth/kernels/rms_layernorm.py:61, `normed.to(W_row.dtype)` before the gain", "inadmissible": {"bf16": INTERPRETER},
    "flags": ["--op", "q_a_layernorm", "--rows", "2"], "explain": ["--op", "q_a_layernorm", "--d", "512"],
}]


def load():
    """unsloth/kernels/rms_layernorm.py in a package whose other modules are empty."""
    kernels = pathlib.Path(importlib.util.find_spec("unsloth").submodule_search_locations[0], "kernels")
    package = types.ModuleType("unsloth_kernels")
    package.__path__ = [str(kernels)]
    utils = types.ModuleType("unsloth_kernels.utils")
    utils.__getattr__ = lambda name: None
    sys.modules.update({"unsloth_kernels": package, "unsloth_kernels.utils": utils})
    return importlib.import_module("unsloth_kernels.rms_layernorm")


module = load()


@ulpgate.kernel("bf16", "fp16", "f32", tensors="torch")
def rms_norm(x, w, eps):
    x = x.contiguous()
    y, r = torch.empty_like(x), torch.empty(len(x))
    if len(x):
        d = x.shape[1]
        module._rms_layernorm_forward[(len(x),)](
            y, x, w, r, d, d, 1, 1, d, eps, False, BLOCK_SIZE=triton.next_power_of_2(d))
    return y
