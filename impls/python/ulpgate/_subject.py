"""A Python function as a subject: which tensors it takes, what it is called, and the call itself."""
from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from . import _core
from ._types import numpy_type, values

FRAMEWORKS = ("torch", "jax", "numpy", "dlpack")
F = TypeVar("F", bound=Callable[..., Any])


class Refused(Exception):
    """Raise it in a kernel for a shape or type that it does not take: the case is counted as refused, not as wrong.

    NotImplementedError means the same.
    """


@dataclass(frozen=True)
class Declared:
    contracts: tuple[str, ...] = ()
    tensors: str | None = None
    out: bool = False


def kernel(*contracts: str, tensors: str | None = None, out: bool = False) -> Callable[[F], F]:
    """Says on a function what it claims and takes, for ``check`` and for ``python -m ulpgate gate python:MODULE:FUNCTION``.

    contracts: texts such as "bf16,cast_first", one for each type it takes. The others as in ``check``.
    """

    def mark(fn: F) -> F:
        setattr(fn, "__ulpgate__", Declared(contracts, _framework(tensors), out))
        return fn

    return mark


def _framework(name: str | None) -> str | None:
    if name is not None and name not in FRAMEWORKS:
        raise ValueError(f"tensors={name!r}: one of {', '.join(FRAMEWORKS)}")
    return name


def _loaded_framework() -> str:
    """That of the program that calls: the first one it has imported."""
    return next((name for name in ("torch", "jax") if name in sys.modules), "numpy")


@dataclass(frozen=True)
class Subject:
    """fn(x, w, eps) gives y; with out, fn(x, w, y, eps) writes it.

    x is [rows, d], w is [d] (None where the contract has no gain). Further inputs that a contract asks for come by name
    (residual=, beta=); then the result is a mapping or a sequence of the outputs in the order y, residual_out, rstd.
    """

    fn: Callable[..., Any]
    contracts: tuple[str, ...]
    tensors: str = "numpy"
    out: bool = False
    text: str = "python:function"
    importable: bool = False

    def call(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any], eps: float, width: int) -> None:
        given = {name: self._tensor(memory) for name, memory in inputs.items()}
        x, w = given.pop("x"), given.pop("w", None)
        if self.out:
            wanted = {name: self._tensor(memory) for name, memory in outputs.items()}
            y = wanted.pop("y")
            self.fn(x, w, y, eps, **given, **wanted)
            return
        result = self.fn(x, w, eps, **given)
        if isinstance(result, Mapping):
            named = dict(result)
        elif isinstance(result, (tuple, list)):
            named = dict(zip(outputs, result))
        else:
            named = {"y": result}
        missing = [name for name in outputs if named.get(name) is None]
        if missing:
            raise TypeError(f"it returned no {missing[0]}; a function that writes to y instead is checked with out=True")
        for name, memory in outputs.items():
            _store(memory, named[name])

    def _tensor(self, memory: Any) -> Any:
        if self.tensors == "torch":
            return importlib.import_module("torch").from_dlpack(memory.dlpack())
        if self.tensors == "dlpack":
            return memory.dlpack()
        array = values(memory.dtype, memory.words())
        return importlib.import_module("jax.numpy").array(array, copy=True) if self.tensors == "jax" else array

    def core(self, name: str, version: str) -> Any:
        return _core.Function(self.call, (Refused, NotImplementedError), list(self.contracts), name, version)


def _store(memory: Any, result: Any) -> None:
    if isinstance(result, np.ndarray):
        if result.dtype != numpy_type(memory.dtype):
            raise TypeError(f"{memory.name} is {result.dtype}, wanted is {memory.dtype}: a result of another type needs a contract that says y=")
        memory.store_words(result.view(f"u{result.dtype.itemsize}"))
        return
    if getattr(result, "requires_grad", False):
        result = result.detach()
    if not hasattr(result, "__dlpack__"):
        raise TypeError(f"{memory.name} is {type(result).__name__}: a tensor with __dlpack__ or a NumPy array is needed")
    memory.store(result)


def _find(module: str, qualname: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


def _text(fn: Callable[..., Any], subject: Subject) -> tuple[str, bool]:
    """python:MODULE:FUNCTION with what differs from the defaults, and whether another process can import it."""
    module, qualname = getattr(fn, "__module__", None) or "", getattr(fn, "__qualname__", type(fn).__name__)
    importable = bool(module) and module != "__main__" and "<" not in qualname
    if importable:
        try:
            importable = _find(module, qualname) is fn
        except (ImportError, AttributeError):
            importable = False
    declared = getattr(fn, "__ulpgate__", Declared())
    text = f"python:{module or '__main__'}:{qualname}"
    if subject.tensors != (declared.tensors or "numpy"):
        text += f":{subject.tensors}"
    if subject.out != declared.out:
        text += ":out"
    if tuple(subject.contracts) != tuple(declared.contracts):
        text += "@" + subject.contracts[0] if len(subject.contracts) == 1 else ""
    return text, importable


def subject_of(fn: Callable[..., Any], contracts: Sequence[str], tensors: str | None, out: bool | None) -> Subject:
    """contracts: whole texts; empty: as the function declares, else nothing is claimed of any type."""
    if not callable(fn):
        raise TypeError(f"{fn!r} is not callable: a function of x, w and eps is needed")
    declared = getattr(fn, "__ulpgate__", Declared())
    said = tuple(contracts) or declared.contracts or ("bf16", "fp16", "f32")
    subject = Subject(fn, said, _framework(tensors) or declared.tensors or _loaded_framework(), declared.out if out is None else out)
    text, importable = _text(fn, subject)
    return replace(subject, text=text, importable=importable)


def parse_text(text: str) -> Subject:
    """MODULE:FUNCTION[:TENSORS][:out][@CONTRACT], imported. What is wrong with it as an ImportError or a ValueError."""
    path, _, contract = text.partition("@")
    words = path.split(":")
    if len(words) < 2 or not all(words):
        raise ValueError(f"python:{text}: python:MODULE:FUNCTION is needed")
    try:
        fn = _find(words[0], words[1])
    except AttributeError as e:
        raise ImportError(str(e)) from e
    rest = set(words[2:])
    unknown = rest - {*FRAMEWORKS, "out"}
    if unknown:
        raise ValueError(f"python:{text}: '{unknown.pop()}' is none of {', '.join(FRAMEWORKS)}, out")
    tensors = next((w for w in FRAMEWORKS if w in rest), None)
    declared = getattr(fn, "__ulpgate__", Declared())
    contracts = (contract,) if contract else ()
    return replace(subject_of(fn, contracts, tensors or declared.tensors or "numpy", declared.out or "out" in rest), text=f"python:{text}")


def versions(framework: str) -> str:
    module = sys.modules.get(framework)
    found = f"{framework} {getattr(module, '__version__', '?')}, " if module is not None else ""
    return f"{found}Python {sys.version.split()[0]}"
