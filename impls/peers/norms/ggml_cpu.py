"""ggml's rms_norm followed by mul, on its CPU backend. It has float32 only."""
import ctypes

import ggml
import importlib.metadata
import numpy as np
import ulpgate

VERSION = f"ggml {ggml.ggml_version().decode()} (ggml_python {importlib.metadata.version('ggml_python')})"
KERNELS = [{
    "function": "rms_norm", "name": "ggml, ggml_rms_norm and ggml_mul", "types": {"f32": "cast_first"},
    "source": "ggml/src/ggml-cpu/ops.cpp, `ggml_compute_forward_rms_norm_f32`: a double sum (ggml_float), 1.0f/sqrtf(mean + eps), then the gain",
}]


@ulpgate.kernel("f32", tensors="numpy")
def rms_norm(x, w, eps):
    y = np.empty(x.shape, np.float32)
    rows, d = x.shape
    if not rows:
        return y
    context = ggml.ggml_init(ggml.ggml_init_params(mem_size=(1 << 20) + 16 * (x.size + d), mem_buffer=None, no_alloc=False))
    try:
        a = ggml.ggml_new_tensor_2d(context, ggml.GGML_TYPE_F32, d, rows)
        b = ggml.ggml_new_tensor_1d(context, ggml.GGML_TYPE_F32, d)
        result = ggml.ggml_mul(context, ggml.ggml_rms_norm(context, a, eps), b)
        graph = ggml.ggml_new_graph(context)
        ggml.ggml_build_forward_expand(graph, result)
        for tensor, array in ((a, np.ascontiguousarray(x)), (b, w)):
            ctypes.memmove(ggml.ggml_get_data(tensor), array.ctypes.data, array.nbytes)
        if ggml.ggml_graph_compute_with_ctx(context, graph, 1):
            raise RuntimeError("ggml_graph_compute_with_ctx failed")
        ctypes.memmove(y.ctypes.data, ggml.ggml_get_data(result), y.nbytes)
    finally:
        ggml.ggml_free(context)
    return y
