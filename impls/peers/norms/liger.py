"""Liger's Triton kernel in its three casting modes, in Triton's interpreter.

The interpreter hands scalars over as Python floats and has no libdevice: Scalar and rsqrt below stand in for what a compiled
kernel gets. Its sums are NumPy's.
"""
import os

os.environ["TRITON_INTERPRET"] = "1"
import importlib.metadata

import liger_kernel.ops.rms_norm as liger
import triton
import triton.language as tl
import ulpgate

VERSION = f"liger_kernel {importlib.metadata.version('liger_kernel')}, triton {triton.__version__}"
INTERPRETER = ("triton/runtime/interpreter.py: `cast_impl` (line 562) cuts float32 to bfloat16 instead of rounding it, and `binary_op` "
               "(line 599) multiplies the 16-bit words of bfloat16 as integers. The kernel is not at fault: its fp16 and f32 pass")
LINES = "liger_kernel/ops/rms_norm.py:137-155, "
FEW = {"flags": ["--op", "q_a_layernorm", "--rows", "2"], "explain": ["--op", "q_a_layernorm", "--d", "512"]}
KERNELS = [
    {"function": "llama", "name": "Liger, casting mode llama", "types": {"fp16": "cast_first", "bf16": "cast_first"},
     "source": LINES + "`X_row.to(X_row_dtype)` before the gain", "inadmissible": {"bf16": INTERPRETER}, **FEW},
    {"function": "gemma", "name": "Liger, casting mode gemma", "types": {"fp16": "f32_gain"},
     "source": LINES + "`Y_row.to(X_row_dtype)` after the gain", **FEW},
    {"function": "none", "name": "Liger, casting mode none", "types": {"f32": "f32_gain", "fp16": "none"},
     "source": LINES + "no cast: squares, sum and root in T",
     "inadmissible": {"fp16": "liger_kernel/ops/rms_norm.py:111-128: with no cast, squares and their sum are of T; no contract that ulpgate proves has them so"}, **FEW},
]


class Scalar(float):
    def to(self, dtype):
        return tl.full((), float(self), dtype)


@triton.jit
def rsqrt(v):
    return tl.math.rsqrt(v)


liger.rsqrt = rsqrt


def mode(name):
    @ulpgate.kernel("bf16", "fp16", "f32", tensors="torch")
    def rms_norm(x, w, eps):
        if not len(x):
            return x
        return liger.rms_norm_forward(x.contiguous(), w, Scalar(eps), Scalar(0), name, True)[0]

    return rms_norm


llama, gemma, none = mode("llama"), mode("gemma"), mode("none")
