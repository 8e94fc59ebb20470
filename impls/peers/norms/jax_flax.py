"""flax.linen.RMSNorm on the CPU: op by op, and compiled as one by XLA."""
import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import flax
import flax.linen
import jax
import ulpgate

VERSION = f"flax {flax.__version__}, jax {jax.__version__}"
FLUSH = ("XLA's CPU runtime sets FTZ and DAZ: subnormals count as 0 (in JAX's list of sharp bits; XLA says so in xla/service/llvm_ir/llvm_util.cc, "
         "`denormal-fp-math` `preserve-sign`)")
SOURCE = "flax/linen/normalization.py:203-230, `mul = lax.rsqrt(var + epsilon)`, `mul *= scale`, `y *= mul`, cast last"
ELSEWHERE = {"elsewhere": ["--op", "q_a_layernorm", "--profile", "outlier", "--profile", "integer"], "inadmissible": {"bf16": FLUSH, "f32": FLUSH}, "source": SOURCE}
KERNELS = [
    {"function": "eager", "name": "flax.linen.RMSNorm, JAX op by op", "types": {"fp16": "f32_gain,assoc=x_rw", "bf16": "f32_gain", "f32": "f32_gain,assoc=x_rw"}, **ELSEWHERE},
    {"function": "jit", "name": "flax.linen.RMSNorm, jax.jit", "types": {"fp16": "f32_gain,assoc=x_rw", "bf16": "f32_gain", "f32": "f32_gain,assoc=x_rw"}, **ELSEWHERE},
]


def norm(x, w, eps):
    return flax.linen.RMSNorm(epsilon=eps, dtype=x.dtype, param_dtype=w.dtype).apply({"params": {"scale": w}}, x)


@ulpgate.kernel("bf16", "fp16", "f32", tensors="jax")
def eager(x, w, eps):
    return norm(x, w, eps)


@functools.partial(jax.jit, static_argnums=2)
def compiled(x, w, eps):
    return norm(x, w, eps)


@ulpgate.kernel("bf16", "fp16", "f32", tensors="jax")
def jit(x, w, eps):
    return compiled(x, w, eps)
