"""A folder as FlashInfer-Bench's documents describe it: definitions and workloads of rmsnorm."""
from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from ulpgate import flashinfer_bench
from ulpgate.flashinfer_bench import Unreadable, read

REFERENCE = "import torch\n\ndef run(hidden_states, weight):\n    EPS = 1e-6\n    raise SystemExit('never run')\n"


def definition(name: str = "rmsnorm_h64", dtype: str = "bfloat16", **inputs: object) -> dict[str, object]:
    tensors = {"hidden_states": {"shape": ["batch_size", "hidden_size"], "dtype": dtype}, "weight": {"shape": ["hidden_size"], "dtype": dtype}, **inputs}
    return {"name": name, "op_type": "rmsnorm", "axes": {"batch_size": {"type": "var"}, "hidden_size": {"type": "const", "value": 64}},
            "inputs": tensors, "outputs": {"output": {"shape": ["batch_size", "hidden_size"], "dtype": dtype}}, "reference": REFERENCE}


def workload(rows: int = 3, name: str = "rmsnorm_h64", **inputs: object) -> dict[str, object]:
    sources = inputs or {"hidden_states": {"type": "random"}, "weight": {"type": "random"}}
    return {"definition": name, "solution": None, "evaluation": {"tolerance": 0.5},
            "workload": {"uuid": "0", "axes": {"batch_size": rows}, "inputs": sources}}


def dumped(key: str) -> dict[str, str]:
    return {"type": "safetensors", "path": "blob/a.safetensors", "tensor_key": key}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for sub in ("definitions/rmsnorm", "workloads/rmsnorm", "blob"):
        (tmp_path / sub).mkdir(parents=True)
    rng = np.random.default_rng(1)
    tensors = {"x": rng.standard_normal((3, 64)), "w": rng.standard_normal(64)}
    header, data = {}, b""
    for key, values in tensors.items():
        words = values.astype(ml_dtypes.bfloat16).tobytes()
        header[key] = {"dtype": "BF16", "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(words)]}
        data += words
    text = json.dumps(header).encode()
    (tmp_path / "blob/a.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    write(tmp_path, [definition()], [workload()])
    return tmp_path


def write(folder: Path, definitions: list[dict[str, object]], lines: list[object]) -> None:
    for d in definitions:
        (folder / "definitions/rmsnorm" / f"{d['name']}.json").write_text(json.dumps(d))
    (folder / "workloads/rmsnorm/rmsnorm_h64.jsonl").write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))


def test_shapes_eps_and_dumped_tensors_become_cases(folder: Path) -> None:
    write(folder, [], [workload(1000), "", workload(hidden_states=dumped("x"), weight=dumped("w"), eps={"type": "scalar", "value": 1e-5})])
    made = read(folder, folder / "out", most=8)
    assert made.left_out == []
    assert made.cases[0] == f"final_norm/bf16/64/profile=gaussian/eps={1e-6.hex()}/rows=8/seed=0"
    assert made.cases[1] == f"final_norm/bf16/64/eps={1e-5.hex()}/rows=3/file={folder / 'out' / '001.safetensors'}"
    assert "0.5" not in "".join(made.cases) # nothing of its tolerance


def test_the_command_line_gates_them(folder: Path) -> None:
    write(folder, [], [workload(), workload(hidden_states=dumped("x"), weight=dumped("w"))])
    done = subprocess.run([sys.executable, "-m", "ulpgate.flashinfer_bench", folder, folder / "out"], capture_output=True, text=True)
    assert done.returncode == 0 and "2 cases in" in done.stdout, done.stderr
    for claim, rc in (("cast_first", 0), ("f32_gain", 1)):
        gate = subprocess.run([sys.executable, "-m", "ulpgate", "gate", "scalar", f"@{folder / 'out' / 'cases.txt'}", "--contract", claim], capture_output=True, text=True)
        assert gate.returncode == rc, gate.stdout + gate.stderr


def test_what_is_not_read_is_counted(folder: Path) -> None:
    residual = {"shape": ["batch_size", "hidden_size"], "dtype": "bfloat16"}
    write(folder, [definition("fused", residual=residual), definition("fp8", "float8_e4m3fn")], [workload(name="fused"), workload(name="fp8"), workload(name="none")])
    made = read(folder, folder / "out")
    assert made.cases == [] and len(made.left_out) == 3
    for why, said in zip(made.left_out, ("fused: has inputs hidden_states, weight, residual", "fp8: dtype 'float8_e4m3fn'", "none: no such definition")):
        assert said in why and "rmsnorm_h64.jsonl:" in why


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", ":1: not JSON"),
        ("[]", ":1: an object is needed, this is list"),
        (workload(-1), "-1 rows"),
        (workload("many"), '"batch_size" is no int'),  # type: ignore[arg-type]
        (workload(hidden_states=dumped("x"), weight={"type": "random"}), "both random or both of safetensors are read"),
        (workload(hidden_states=dumped("y"), weight=dumped("w")), '"y" is missing'),
        (workload(4, hidden_states=dumped("x"), weight=dumped("w")), "hidden_states [3, 64] and weight [64]: [4, 64] and [64] are said"),
        (workload(hidden_states={**dumped("x"), "path": "blob/none"}, weight=dumped("w")), "No such file"),
        (workload(hidden_states={"type": "random"}, weight={"type": "random"}, eps={"type": "scalar", "value": "1e-6"}), "no eps"),
        ({"definition": "rmsnorm_h64"}, '"workload" is missing'),
    ],
)
def test_bad_lines_say_what_and_where(folder: Path, line: object, says: str) -> None:
    write(folder, [], [line])
    with pytest.raises(Unreadable, match="rmsnorm_h64.jsonl:1|a.safetensors") as failed:
        read(folder, folder / "out")
    assert says in str(failed.value)


def test_bad_definitions_say_what_and_where(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, [{**definition(), "axes": {}}], [])
    with pytest.raises(Unreadable, match='rmsnorm_h64.json: axes: "hidden_size" is missing'):
        read(folder, folder / "out")
    monkeypatch.setattr(sys, "argv", ["flashinfer_bench", str(folder / "none"), str(folder / "out")])
    assert flashinfer_bench.main() == 2 and "holds no definition" in capsys.readouterr().err
