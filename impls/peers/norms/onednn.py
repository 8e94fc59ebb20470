"""oneDNN's layer normalisation with the RMS flag: onednn.c, compiled against the oneDNN of this Python (PyPI: onednn, onednn-devel)."""
import pathlib
import re
import shutil
import subprocess
import sys

PREFIX = pathlib.Path(sys.prefix)
HERE = pathlib.Path(__file__).resolve().parent
HEADER = PREFIX / "include" / "oneapi" / "dnnl" / "dnnl_version.h"
if not HEADER.exists() or not (PREFIX / "lib" / "libdnnl.so").exists():
    raise ImportError("no oneDNN with headers in this Python's prefix (PyPI: onednn, onednn-devel)")
NUMBERS = dict(re.findall(r"#define DNNL_VERSION_(MAJOR|MINOR|PATCH) (\d+)", HEADER.read_text()))
VERSION = "oneDNN " + ".".join(NUMBERS[k] for k in ("MAJOR", "MINOR", "PATCH"))
ZERO = ("a zero loses its sign: src/cpu/ref_layer_normalization.cpp:118, `sm * (s - v_mean) + shift_val` adds 0 where no shift is asked for, and -0 + 0 is +0")
KERNELS = [
    {"name": "oneDNN, reference", "variant": "@reference", "types": {"f32": "f32_gain,assoc=x_rw,by=div", "bf16": "f32_gain"},
     "source": "src/cpu/ref_layer_normalization.cpp, `sm = scale / sqrt_variance`", "inadmissible": {"f32": ZERO, "bf16": ZERO},
     "elsewhere": ["--op", "final_norm", "--d", "1536", "--profile", "gaussian", "--profile", "outlier"], "flags": ["--op", "final_norm", "--d", "1536"]},
    {"name": "oneDNN, JIT", "types": {"f32": "f32_gain"}, "source": "src/cpu/x64/jit_uni_layer_normalization.cpp, `x * inv_sqrtvar`, then the gain",
     "flags": ["--op", "final_norm", "--d", "1536"]},
]


def build(folder):
    """The library. It is judged as final_norm, whose rows lie d apart: reports/findings/onednn_row_strides.md."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    library = pathlib.Path(folder, "onednn.so")
    lib = PREFIX / "lib"
    subprocess.run(
        [compiler, f'-DULPGATE_OPENCL="{lib / "libintelocl.so"}"', "-std=gnu11", "-O2", "-shared", "-fPIC", f"-I{HERE.parents[1]}", f"-I{PREFIX / 'include'}", str(HERE / "onednn.c"), "-o", str(library),
         f"-L{lib}", "-ldnnl", f"-Wl,-rpath,{lib}", "-Wl,--disable-new-dtags", "-Wl,--allow-shlib-undefined"], check=True)
    return str(library)
