"""check: a function held to a contract."""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._core import Settings
from ._home import HOME
from ._report import Explanation, Report
from ._subject import Subject, subject_of, versions
from ._types import contract_type


def check(
    fn: Callable[..., Any],
    op: str = "q_a_layernorm",
    dtype: object = "bfloat16",
    contract: str | None = None,
    *,
    tensors: str | None = None,
    out: bool | None = None,
    isolate: bool = False,
    d: int | Sequence[int] | None = None,
    profiles: Sequence[str] = (),
    seed: int = 7,
    rows: int | None = None,
    quick: bool = False,
    probes: bool = True,
    activations: str | None = None,
    timeout: float | None = None,
) -> Report:
    """Calls ``fn(x, w, eps)`` on generated rows and says whether every output is one that the contract allows.

    fn        takes x [rows, d] and w [d] as tensors on the CPU and a float, and returns y. It may move them to a device and must
              move the result back. It must not keep or change its inputs.
    op        final_norm, q_a_layernorm or kv_a_layernorm: shapes, strides and eps of that norm in Kimi K2.
    dtype     of x: "bfloat16", "float16", "float32", or a framework's own.
    contract  what it claims: "cast_first", "f32_gain", or any text of ``python -m ulpgate list contracts``. None: it claims nothing,
              and the report says which contract its outputs keep.
    tensors   what fn is given: "torch", "jax", "numpy" (bfloat16 of ml_dtypes) or "dlpack" (an object with ``__dlpack__``). None: torch
              or jax where the program has imported it, else numpy.
    out       true: ``fn(x, w, y, eps)`` writes to y. Then poisons and canaries watch y too.
    isolate   runs fn, which must be importable by name, in a child process behind guard pages; a crash is then a verdict.
    d, profiles, seed, rows, quick, probes, activations   as the flags of ``python -m ulpgate gate``.
    timeout   seconds of CPU a call, with isolate only.

    A wrong argument is a ValueError or TypeError; whatever fn does is in the report.
    """
    subject, settings = _prepare(fn, op, dtype, contract, tensors, out)
    settings.d = [d] if isinstance(d, int) else list(d or ())
    settings.profiles, settings.seed, settings.rows = list(profiles), seed, rows or 0
    settings.quick, settings.probes, settings.activations = quick, probes, activations or ""
    settings.timeout = timeout or 0
    return _run(subject, settings, isolate)


def replay(
    fn: Callable[..., Any],
    case: str,
    *,
    tensors: str | None = None,
    out: bool | None = None,
    isolate: bool = False,
) -> Report:
    """One case again, by its line: what a failing report's ``replay`` says."""
    op, kind, rest = case.split("/", 2)
    claim = next((part[len("contract=") :] for part in rest.split("/") if part.startswith("contract=")), None)
    subject, settings = _prepare(fn, op, kind, claim, tensors, out)
    settings.lines = [case]
    report = _run(subject, settings, isolate)
    if report.exit in (2, 3):
        raise ValueError("; ".join(report.json["results"][0]["findings"]) if report.json["results"] else report.what)
    return report


def explain(
    fn: Callable[..., Any],
    op: str = "q_a_layernorm",
    dtype: object = "bfloat16",
    contract: str | None = None,
    *,
    tensors: str | None = None,
    out: bool | None = None,
    d: int | Sequence[int] | None = None,
    behaviour: bool = False,
) -> Explanation:
    """Which arithmetic fn computes: contract, form of the mean and root, order of the sum, and a model that gives its bits.

    behaviour: also what stays the same from call to call, over threads, batches, offsets and strides.
    """
    subject, settings = _prepare(fn, op, dtype, contract, tensors, out)
    settings.d = [1536] if d is None else [d] if isinstance(d, int) else list(d)
    settings.quick = True
    text, data = _core.explain(settings, subject.core(subject.text, versions(subject.tensors)), behaviour)
    return Explanation(text, json.loads(data))


def _prepare(
    fn: Callable[..., Any], op: str, dtype: object, contract: str | None, tensors: str | None, out: bool | None
) -> tuple[Subject, Settings]:
    kind = contract_type(dtype)
    if op not in ("final_norm", "q_a_layernorm", "kv_a_layernorm"):
        raise ValueError(f"op={op!r}: final_norm, q_a_layernorm or kv_a_layernorm")
    subject = subject_of(fn, () if contract is None else (_core.whole_contract(kind, contract),), tensors, out)
    settings = Settings()
    settings.home, settings.subject, settings.ops, settings.types = HOME, subject.text, [op], [kind]
    return subject, settings


def _run(subject: Subject, settings: Settings, isolate: bool) -> Report:
    if isolate:
        if not subject.importable:
            raise ValueError(f"isolate=True: {subject.text} cannot be imported by another process: define it at the top of a module")
        return Report(_isolated(settings), subject, settings, None)
    core = subject.core(subject.text, versions(subject.tensors))
    return Report(_core.run(settings, core), subject, settings, core)


def _isolated(settings: Settings) -> _core.Run:
    """With this interpreter and its sys.path."""
    import os
    import sys

    changed = {"ULPGATE_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        return _core.run(settings, None)
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
