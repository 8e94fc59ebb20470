"""Functions that the tests beside this file check: by name, so that a child process can import them."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import torch

import ulpgate


def spec(x: Any, w: Any, eps: float) -> Any:
    h = x.to(torch.float32)
    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)
    return w * h.to(x.dtype)


def rms_norm(x: Any, w: Any, eps: float) -> Any:
    return torch.nn.functional.rms_norm(x, x.shape[-1:], w, eps)


@ulpgate.kernel("bf16,cast_first", tensors="torch", out=True)
def into(x: Any, w: Any, y: Any, eps: float) -> None:
    y.copy_(spec(x, w, eps))


def unwritten(x: Any, w: Any, y: Any, eps: float) -> None:
    y[:, :-1] = spec(x, w, eps)[:, :-1]


def past_the_end(x: Any, w: Any, y: Any, eps: float) -> None:
    into(x, w, y, eps)
    if y.numel():
        last = y.data_ptr() + 2 * ((y.shape[0] - 1) * y.stride(0) + y.shape[1])
        ctypes.c_uint16.from_address(last).value = 1


def changes_x(x: Any, w: Any, eps: float) -> Any:
    y = spec(x, w, eps)
    x.copy_(y)
    return y


def wrong_type(x: Any, w: Any, eps: float) -> Any:
    return spec(x, w, eps).float()


def wrong_shape(x: Any, w: Any, eps: float) -> Any:
    return spec(x, w, eps)[:, 1:]


def nothing(x: Any, w: Any, eps: float) -> None:
    return None


def raises(x: Any, w: Any, eps: float) -> Any:
    raise RuntimeError("no such kernel")


def not_even(x: Any, w: Any, eps: float) -> Any:
    if x.shape[-1] % 2:
        raise ulpgate.Refused("d is odd")
    return spec(x, w, eps)


def refuses(x: Any, w: Any, eps: float) -> Any:
    raise NotImplementedError


def interrupted(x: Any, w: Any, eps: float) -> Any:
    raise KeyboardInterrupt


def segfaults(x: Any, w: Any, eps: float) -> Any:
    ctypes.string_at(0)


def flushes(x: Any, w: Any, eps: float) -> Any:
    torch.set_flush_denormal(True)
    return spec(x, w, eps)


def in_numpy(x: Any, w: Any, eps: float) -> Any:
    h = x.astype(np.float32)
    with np.errstate(all="ignore"):
        v = np.square(h).mean(-1, keepdims=True, dtype=np.float32) + np.float32(eps)
        return (h * (np.float32(1) / np.sqrt(v))).astype(x.dtype) * w


def of_dlpack(x: Any, w: Any, eps: float) -> Any:
    return spec(torch.from_dlpack(x), torch.from_dlpack(w), eps)


class DeepseekV3RMSNorm(torch.nn.Module):
    """As in modeling_deepseek.py: a module with its own gain, which a check replaces."""

    def __init__(self, d: int, eps: float) -> None:
        super().__init__()
        self.weight, self.eps = torch.nn.Parameter(torch.ones(d)), eps

    def forward(self, x: Any) -> Any:
        return spec(x, self.weight, self.eps)


def module(x: Any, w: Any, eps: float) -> Any:
    norm = DeepseekV3RMSNorm(x.shape[-1], eps)
    norm.weight.data = w
    return norm(x)
