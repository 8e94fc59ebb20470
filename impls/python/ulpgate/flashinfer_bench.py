"""Workloads of FlashInfer-Bench as cases: python -m ulpgate.flashinfer_bench FOLDER OUT, then ulpgate gate SUBJECT @OUT/cases.txt.

FOLDER holds definitions/**/NAME.json and workloads/**/NAME.jsonl, as FlashInfer-Bench's documents of definitions and workloads describe
them. Read are RMSNorm definitions (inputs hidden_states and weight) and, of their workloads, shapes, eps and dumped tensors; a random
input becomes a generated one. What the folder says of evaluations and tolerances is not read: a case has none.
"""
from __future__ import annotations

import argparse
import ast
import json
import os
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ._types import Array, contract_type, numpy_type
from .testing import _STORED, _save

NAMES = {"hidden_states": "x", "input": "x", "weight": "w"}
HEADER_LIMIT = 100_000_000


class Unreadable(ValueError):
    """What is wrong with a file, and where."""


@dataclass
class Workloads:
    cases: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # and why


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as e:
        raise Unreadable(f"{where}: not JSON: {e}") from e
    if not isinstance(found, dict):
        raise Unreadable(f"{where}: an object is needed, this is {type(found).__name__}")
    return found


def _member(found: dict[str, Any], key: str, kind: type, where: str) -> Any:
    if not isinstance(found.get(key), kind) or isinstance(found[key], bool):
        raise Unreadable(f"{where}: \"{key}\" is {'missing' if key not in found else 'no ' + kind.__name__}")
    return found[key]


def _eps_of(reference: str) -> float | None:
    """The constant EPS of the definition's reference, which is Python: read, never run."""
    try:
        tree = ast.parse(reference)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id.lower() in ("eps", "epsilon") for t in node.targets):
            if isinstance(node.value, ast.Constant) and isinstance(node.value.value, (int, float)):
                return float(node.value.value)
    return None


@dataclass(frozen=True)
class Definition:
    name: str
    type: str
    d: int
    eps: float | None
    file: str


def _definition(path: Path) -> Definition | str:
    """Or why it is left out."""
    where = str(path)
    found = _object(path.read_text(encoding="utf-8"), where)
    name = str(_member(found, "name", str, where))
    inputs, axes = _member(found, "inputs", dict, where), _member(found, "axes", dict, where)
    tensors = [k for k in inputs if k != "eps"]
    if str(_member(found, "op_type", str, where)) != "rmsnorm":
        return f"{name}: no rmsnorm"
    if sorted(NAMES.get(k, k) for k in tensors) != ["w", "x"]:
        return f"{name}: has inputs {', '.join(tensors)}: hidden_states and weight are read"
    x = next(k for k in tensors if NAMES[k] == "x")
    types, shape = {str(_member(inputs[k], "dtype", str, f"{where}: {k}")) for k in tensors}, _member(inputs[x], "shape", list, f"{where}: {x}")
    if len(types) != 1 or len(shape) != 2:
        return f"{name}: {', '.join(sorted(types))} in {len(shape)} dimensions: one type and two dimensions are read"
    try:
        kind = contract_type(types.pop())
    except ValueError as e:
        return f"{name}: {e}"
    axis = _member(axes, str(shape[1]), dict, f"{where}: axes")
    d = _member(axis, "value", int, f"{where}: axes: {shape[1]}")
    if d < 1:
        raise Unreadable(f"{where}: axes: {shape[1]}: {d} columns")
    return Definition(name, kind, d, _eps_of(str(found.get("reference", ""))), where)


def _tensor(root: Path, source: dict[str, Any], kind: str, where: str) -> Array:
    key = _member(source, "tensor_key", str, where)
    path = root / _member(source, "path", str, where)
    try:
        with open(path, "rb") as f:
            size = struct.unpack("<Q", f.read(8))[0]
            if size > HEADER_LIMIT:
                raise Unreadable(f"{path}: a header of {size} bytes")
            header = _object(f.read(size).decode("utf-8"), str(path))
            entry = _member(header, key, dict, str(path))
            begin, end = _member(entry, "data_offsets", list, f"{path}: {key}")
            f.seek(8 + size + begin)
            words = f.read(end - begin)
    except (OSError, struct.error, UnicodeDecodeError, TypeError) as e:
        raise Unreadable(f"{where}: {path}: {e}") from e
    shape = _member(entry, "shape", list, f"{path}: {key}")
    if entry.get("dtype") != _STORED[kind]:
        raise Unreadable(f"{path}: {key} is {entry.get('dtype')}, the definition says {_STORED[kind]}")
    if len(words) != end - begin or len(words) != int(np.prod(shape, dtype=np.int64)) * numpy_type(kind).itemsize:
        raise Unreadable(f"{path}: {key}: {len(words)} bytes for shape {shape}")
    return np.frombuffer(words, dtype=numpy_type(kind)).reshape(shape)


def _case(root: Path, out: Path, definition: Definition, line: dict[str, Any], where: str, most: int, index: int) -> str:
    workload = _member(line, "workload", dict, where)
    axes, inputs = _member(workload, "axes", dict, where), _member(workload, "inputs", dict, where)
    if len(axes) != 1:
        raise Unreadable(f"{where}: axes {', '.join(axes) or 'none'}: one, the batch, is needed")
    rows = _member(axes, next(iter(axes)), int, f"{where}: axes")
    if rows < 0:
        raise Unreadable(f"{where}: {rows} rows")
    eps = inputs.get("eps", {}).get("value", definition.eps)
    if not isinstance(eps, (int, float)) or isinstance(eps, bool) or not 0 <= eps < 1e30:
        raise Unreadable(f"{where}: no eps: neither an input of the workload nor a constant EPS of the reference in {definition.file}")
    sources = {NAMES[k]: _member(inputs, k, dict, f"{where}: inputs") for k in inputs if k in NAMES}
    kinds = {k: str(v.get("type")) for k, v in sources.items()}
    text = f"final_norm/{definition.type}/{definition.d}"
    if set(kinds.values()) == {"random"}:
        return f"{text}/profile=gaussian/eps={float(eps).hex()}/rows={min(rows, most)}/seed={index}"
    if sorted(sources) != ["w", "x"] or set(kinds.values()) != {"safetensors"}:
        raise Unreadable(f"{where}: inputs are {kinds}: both random or both of safetensors are read")
    x, w = (_tensor(root, sources[k], definition.type, where) for k in ("x", "w"))
    if x.shape != (rows, definition.d) or w.shape != (definition.d,):
        raise Unreadable(f"{where}: hidden_states {list(x.shape)} and weight {list(w.shape)}: [{rows}, {definition.d}] and [{definition.d}] are said")
    file = (out / f"{index:03}.safetensors").resolve()
    _save(str(file), {"x": (definition.type, x[:most]), "w": (definition.type, w)}, {"eps": float(eps).hex()})
    return f"{text}/eps={float(eps).hex()}/rows={min(rows, most)}/file={file}"


def read(folder: str | os.PathLike[str], out: str | os.PathLike[str], most: int = 512) -> Workloads:
    """Cases of every workload, at most ``most`` rows of each; dumped tensors are copied to ``out``. Unreadable says what is wrong where."""
    root, made = Path(folder), Workloads()
    definitions = {p.stem: _definition(p) for p in sorted((root / "definitions").rglob("*.json"))}
    if not definitions:
        raise Unreadable(f"{root}/definitions holds no definition (*.json): a folder of FlashInfer-Bench is needed")
    Path(out).mkdir(parents=True, exist_ok=True)
    for path in sorted((root / "workloads").rglob("*.jsonl")):
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            where = f"{path}:{number}"
            if not text.strip():
                continue
            line = _object(text, where)
            name = str(_member(line, "definition", str, where))
            definition = definitions.get(name, f"{name}: no such definition in {root}/definitions")
            if isinstance(definition, str):
                made.left_out.append(f"{where}: {definition}")
            else:
                made.cases.append(_case(root, Path(out), definition, line, where, most, len(made.cases)))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ulpgate.flashinfer_bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--rows", type=int, default=512, metavar="N", help="at most so many rows of a workload (default 512)")
    a = parser.parse_args()
    try:
        made = read(a.folder, a.out, a.rows)
    except (Unreadable, OSError) as e:
        print(f"ulpgate: {e}", file=sys.stderr)
        return 2
    for why in made.left_out:
        print(f"SKIPPED: {why}", file=sys.stderr)
    part = Path(a.out) / "cases.txt.part"
    part.write_text("".join(case + "\n" for case in made.cases), encoding="utf-8")
    os.replace(part, Path(a.out) / "cases.txt")
    print(f"{len(made.cases)} cases in {a.out}/cases.txt, {len(made.left_out)} workloads left out")
    return 0 if made.cases else 5


if __name__ == "__main__":
    sys.exit(main())
