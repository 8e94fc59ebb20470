"""Types: their names in contracts and in frameworks, and words as NumPy arrays."""
from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_NAMES = {"bfloat16": "bf16", "bf16": "bf16", "float16": "fp16", "fp16": "fp16", "half": "fp16", "float32": "f32", "f32": "f32", "float": "f32"}
_NUMPY: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16, "bfloat16": ml_dtypes.bfloat16, "fp16": np.float16, "float16": np.float16, "f32": np.float32,
    "float32": np.float32, "e4m3": ml_dtypes.float8_e4m3fn, "float8_e4m3fn": ml_dtypes.float8_e4m3fn, "i8": np.int8, "int8": np.int8,
}


def contract_type(dtype: object) -> str:
    """bf16, fp16 or f32: of "bfloat16", torch.bfloat16, numpy's or JAX's dtypes."""
    text = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    name = _NAMES.get(str(text).rsplit(".", 1)[-1])
    if name is None:
        raise ValueError(f"dtype {dtype!r}: bfloat16, float16 or float32 is needed")
    return name


def numpy_type(name: str) -> Any:
    return np.dtype(_NUMPY[name])


def values(name: str, words: Array) -> Array:
    """Words of a type as an array of that type."""
    return words.view(numpy_type(name))


def value(name: str, word: int) -> float:
    kind = numpy_type(name)
    return float(np.array([word], dtype=f"u{kind.itemsize}").view(kind)[0])
