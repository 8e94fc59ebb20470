"""Assertions for tests."""
from __future__ import annotations

import json
import os
import shutil
import struct
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._check import check
from ._core import Settings
from ._home import HOME
from ._report import Report
from ._subject import Subject
from ._types import Array, contract_type, numpy_type

_STORED = {"bf16": "BF16", "fp16": "F16", "f32": "F32"}

observers: list[Callable[[Report], None]] = []
"""Called with every report that an assertion makes: the pytest plugin counts them."""


def assert_admissible(
    actual: Any,
    x: Any = None,
    w: Any = None,
    *,
    contract: str | None = "cast_first",
    eps: float = 1e-6,
    op: str = "q_a_layernorm",
    dtype: object = None,
    save: str | None = None,
    **options: Any,
) -> Report:
    """Fails unless every output is one that the contract allows.

    actual is a function (options then are those of ``check``), or the output y [rows, d] that a kernel gave for x [rows, d] and gain
    w [d] (None: ones) with eps; arrays are of torch, JAX or NumPy, on the CPU. The message says how many outputs are outside, the first and
    the worst of them with what is allowed there, what arithmetic reproduces the rows, and how to replay. Arrays that fail are kept in
    the folder ``save`` (default: a new temporary one) for the replay. Gives the report back.
    """
    __tracebackhide__ = True
    if callable(actual) and x is None:
        report = check(actual, op, "bfloat16" if dtype is None else dtype, contract, **options)
    else:
        if options:
            raise TypeError(f"{sorted(options)[0]}: for functions only; arrays are judged as they are")
        report = _of_arrays(actual, x, w, contract, eps, op, dtype, save)
    for observer in observers:
        observer(report)
    if not report:
        raise AssertionError(message(report))
    return report


def message(report: Report) -> str:
    """Why a report is no pass."""
    if report.verdict in ("skipped", "refused", "not_loaded"):
        return f"ulpgate: {report.subject}: nothing was tested: {report.verdict}: {report.what}"
    if report.verdict != "inadmissible":
        return f"ulpgate: {report.subject}: {report.verdict}: {report.what}\n  replay      {report.replay}\n  {report.applies}"
    result = report.json["results"][0]
    lines = [f"ulpgate: {report.subject} is not {report.contract} ({result['op']}): {result['cases']['failing']} of {result['cases']['run']} cases fail"]
    witness = report.witness
    if witness is not None:
        lines.append(f"  mismatches  {witness.mismatches:,} of {witness.elements:,} outputs of the first failing case are outside what is allowed")
        if witness.first is None or witness.worst is None:
            lines.append(f"  row         {witness.row}: each output is possible, and no one r gives them all")
        else:
            lines += [f"  first       {witness.first}", f"  worst       {witness.worst}"]
    lines += [f"  reason      {result['reason']}"] if result.get("reason") else []
    lines += [f"  it computes {line}" for line in report.explanation] or ["  it computes nothing that is listed"]
    lines += [f"  fix         {report.fix}"] if report.fix else []
    lines.append(f"  replay      {report.replay}")
    return "\n".join(lines)


def _array(value: Any, kind: str) -> Array:
    if hasattr(value, "detach"):  # torch: NumPy has no bfloat16 of its own
        torch = __import__("torch")
        value = value.detach().cpu().contiguous()
        if value.dtype == torch.bfloat16:
            value = value.view(torch.int16).numpy().view(numpy_type("bf16"))
    array = np.asarray(value)
    wanted = numpy_type(kind)
    if array.dtype != wanted:
        raise TypeError(f"an array of {array.dtype}, wanted is {wanted}: convert it, or give the contract types (w=, y=)")
    return np.ascontiguousarray(array)


def _save(path: str, tensors: dict[str, tuple[str, Array]], metadata: dict[str, str]) -> None:
    header: dict[str, Any] = {"__metadata__": metadata}
    at = 0
    for name, (kind, array) in tensors.items():
        header[name] = {"dtype": _STORED[kind], "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for _, array in tensors.values():
            f.write(array.tobytes())


def _types_of(contract: str) -> tuple[str, str, str]:
    """x, w and y of a whole contract's first member."""
    words = contract.split("+")[0].split(",")
    named = dict(word.split("=", 1) for word in words[1:] if "=" in word)
    x = words[0]
    w = named.get("w", x)
    return x, w, named.get("y", x if w == x else "f32")


def _of_arrays(y: Any, x: Any, w: Any, contract: str | None, eps: float, op: str, dtype: object, save: str | None) -> Report:
    if x is None:
        raise TypeError("x is missing: the input that gave these outputs")
    kind = contract_type(getattr(x, "dtype", "bfloat16") if dtype is None else dtype)
    claim = _core.whole_contract(kind, contract or "")
    x_type, w_type, y_type = _types_of(claim)
    rows, out = _array(x, x_type), _array(y, y_type)
    if rows.ndim < 2:
        rows, out = rows.reshape(1, -1), out.reshape(1, -1)
    d = rows.shape[-1]
    rows, out = rows.reshape(-1, d), out.reshape(-1, out.shape[-1])
    if out.shape != rows.shape:
        raise ValueError(f"y has shape {out.shape}, x has {rows.shape}")
    gain = None if w is None else _array(w, w_type).reshape(-1)
    if gain is not None and gain.shape != (d,):
        raise ValueError(f"w has {gain.size} values, x has {d} columns")
    folder = save or tempfile.mkdtemp(prefix="ulpgate-")
    os.makedirs(os.path.join(folder, "out"), exist_ok=True)
    inputs = {"x": (x_type, rows)} | ({} if gain is None else {"w": (w_type, gain)})
    file = os.path.abspath(os.path.join(folder, "000.safetensors"))
    _save(file, inputs, {"eps": float(eps).hex()})
    _save(os.path.join(folder, "out", "000.safetensors"), {"y": (y_type, out)}, {"name": "arrays", "contract": claim})
    line = f"{op}/{x_type}/{d}" + ("" if claim == x_type else f"/contract={claim.removeprefix(x_type + ',')}")
    line += ("/gain=ones" if gain is None else "") + f"/eps={float(eps).hex()}/rows={rows.shape[0]}/file={file}"
    manifest = {"case": line, "hash": _core.hash_of(line), "types": _types_text(x_type, w_type, y_type)}
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as f:
        json.dump({"schema": "ulpgate.export/1", "cases": [manifest | {"inputs": "000.safetensors", "outputs": "out/000.safetensors"}]}, f)
    settings = Settings()
    settings.home, settings.subject = HOME, f"files:{os.path.abspath(folder)}"
    report = Report(_core.run(settings, None), Subject(_no_function, (claim,), text=settings.subject, importable=True), settings, None)
    if report and save is None:
        shutil.rmtree(folder)
    return report


def _types_text(x: str, w: str, y: str) -> str:
    return x + (f",w={w}" if w != x else "") + (f",y={y}" if y != (x if w == x else "f32") else "")


def _no_function(*_: Any) -> Any:
    raise TypeError("the outputs are arrays: there is no function")


__all__ = ["assert_admissible", "message"]
