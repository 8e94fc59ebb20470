# Compiles a norm written in Triton to PTX, without a GPU: triton_norm.py OUT.ptx CAPABILITY.
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def rms_norm(x, w, y, x_row, y_row, d, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < d
    v = tl.load(x + row * x_row + column, mask=inside, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / d + eps)
    g = tl.load(w + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * y_row + column, (v * r * g).to(tl.bfloat16), mask=inside)


signature = {"x": "*bf16", "w": "*bf16", "y": "*bf16", "x_row": "i64", "y_row": "i64", "d": "i32", "eps": "fp32", "BLOCK": "constexpr"}
source = ASTSource(fn=rms_norm, signature=signature, constexprs={"BLOCK": 2048})
kernel = triton.compile(source, target=GPUTarget("cuda", int(sys.argv[2]), 32), options={"num_warps": 4})
with open(sys.argv[1], "w") as out:
    out.write(kernel.asm["ptx"])
