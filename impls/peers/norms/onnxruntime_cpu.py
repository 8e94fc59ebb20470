"""onnxruntime's CPU provider: the kernel SimplifiedLayerNormalization, and the operator RMSNormalization of opset 23."""
import functools

import onnx
import onnxruntime
import ulpgate
from onnx import TensorProto, helper

VERSION = f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}"
SOURCE = ("f32: onnxruntime/core/mlas/lib/layernorm_kernel_avx2.cpp, `MlasLayerNormKernelAvx2`: 8 lanes by FMA, joined by halving, `1.0f / denom`, then x "
          "times it times the gain; rows of less than 8 divide (core/providers/cpu/nn/layer_norm_impl.cc, `ComputeJob`). fp16 widened, with one cast: its "
          "vector kernel was not read, its lanes are those that explain reads off")
KERNELS = [
    {"function": "simplified", "name": "onnxruntime, SimplifiedLayerNormalization", "types": {"fp16": "f32_gain", "f32": "f32_gain"}, "source": SOURCE},
    {"function": "operator", "name": "onnxruntime, RMSNormalization (opset 23)", "types": {"fp16": "f32_gain", "f32": "f32_gain"}, "source": SOURCE},
]
TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16}


@functools.lru_cache(maxsize=4096)
def session(op, opset, kind, eps):
    node = helper.make_node(op, ["x", "w"], ["y"], axis=-1, epsilon=eps)
    graph = helper.make_graph(
        [node], "norm", [helper.make_tensor_value_info("x", kind, [None, None]), helper.make_tensor_value_info("w", kind, [None])],
        [helper.make_tensor_value_info("y", kind, [None, None])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def run(op, opset, x, w, eps):
    return session(op, opset, TYPES[x.dtype.name], eps).run(None, {"x": x, "w": w})[0] if len(x) else x


@ulpgate.kernel("fp16", "f32", tensors="numpy")
def simplified(x, w, eps):
    return run("SimplifiedLayerNormalization", 17, x, w, eps)


@ulpgate.kernel("fp16", "f32", tensors="numpy")
def operator(x, w, eps):
    return run("RMSNormalization", 23, x, w, eps)
