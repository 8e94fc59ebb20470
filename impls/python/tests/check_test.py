"""ulpgate.check on real torch: what it finds, what it says, what it survives."""
from __future__ import annotations

import json
import re
import struct
import subprocess
import sys

import ml_dtypes
import norms
import numpy as np
import pytest
import torch

import ulpgate

QUICK = {"quick": True, "d": 1536}


@pytest.mark.parametrize("dtype", ["bfloat16", torch.float16, "float32"])
def test_the_specification_keeps_its_contract(dtype: object) -> None:
    report = ulpgate.check(norms.spec, dtype=dtype, contract="cast_first", tensors="torch", **QUICK)
    assert report and report.verdict == "pass" and report.exit == 0
    assert report.rows > 100 and report.witness is None and report.replay is None
    assert "r off by" in report.would_have_seen


def test_what_claims_nothing_is_told_what_it_computes() -> None:
    report = ulpgate.check(norms.rms_norm, tensors="torch", **QUICK)
    assert report and report.inferred and report.contract.startswith("bf16,f32_gain")


def test_a_wrong_claim_fails_with_what_it_computes() -> None:
    report = ulpgate.check(norms.rms_norm, contract="cast_first", tensors="torch", **QUICK)
    assert not report and report.verdict == "inadmissible" and report.exit == 1
    assert report.explanation[0].startswith("f32_gain: T(x·r·w): one r a row reproduces")
    assert report.fix == "round n to bf16 before the gain, or claim f32_gain"
    assert "is not cast_first" in str(report)
    assert "inadmissible" in repr(report) and "f32_gain" in repr(report) and "\n" not in repr(report)


def test_the_witness_is_the_failing_row() -> None:
    seen = ulpgate.check(norms.rms_norm, contract="cast_first", tensors="torch", **QUICK).witness
    assert seen is not None and seen.x.dtype == ml_dtypes.bfloat16 and seen.x.shape == seen.y.shape == (1536,)
    x, w = (torch.from_numpy(a.view(np.int16)).view(torch.bfloat16) for a in (seen.x, seen.w))
    right, fused = norms.spec(x[None], w, 1e-6)[0], norms.rms_norm(x[None], w, 1e-6)[0]
    assert fused.view(torch.int16).numpy().tobytes() == seen.y.tobytes()
    lo, hi = (a.astype(np.float32) for a in (seen.allowed_lo, seen.allowed_hi))
    assert ((lo <= right.float().numpy()) & (right.float().numpy() <= hi)).all()
    y = seen.y.astype(np.float32)
    outside = (y < lo) | (y > hi)
    assert outside[seen.col] and outside.sum() > 0
    assert seen.first.row == seen.row and seen.first.col == np.flatnonzero(outside)[0]
    assert seen.first.got == y[seen.first.col] and seen.first.allowed == (lo[seen.first.col], hi[seen.first.col])
    assert seen.mismatches >= outside.sum() and seen.worst.steps >= seen.first.steps >= 1


def test_replay_runs_the_failing_case_again() -> None:
    report = ulpgate.check(norms.rms_norm, contract="cast_first", tensors="torch", **QUICK)
    again = ulpgate.replay(norms.rms_norm, report.case, tensors="torch")
    assert again.verdict == "inadmissible" and again.case.split("/h=")[0] == report.case.split("/h=")[0]
    assert report.replay.startswith("python -m ulpgate replay python:norms:rms_norm:torch@bf16,cast_first q_a_layernorm/bf16/1536/")
    assert ulpgate.check(lambda x, w, e: norms.rms_norm(x, w, e), contract="cast_first", tensors="torch", **QUICK).replay.startswith("ulpgate.replay(")
    with pytest.raises(ValueError, match="its tensors made here have h="):
        _ = ulpgate.replay(norms.rms_norm, re.sub("h=[0-9a-f]{16}", "h=0000000000000001", report.case), tensors="torch")


@pytest.mark.parametrize(
    ("fn", "out", "verdict", "what"),
    [
        (norms.unwritten, True, "corrupted", "left row 0 col 1535 of y unwritten"),
        (norms.past_the_end, True, "corrupted", "wrote byte 0 past the end of y"),
        (norms.changes_x, False, "corrupted", "wrote to its input x at byte"),
        (norms.wrong_type, False, "crashed", "TypeError: y is float32, wanted is bfloat16"),
        (norms.wrong_shape, False, "crashed", "ValueError: y has shape (8, 1535), wanted is (8, 1536)"),
        (norms.nothing, False, "crashed", "TypeError: it returned no y; a function that writes to y instead is checked with out=True"),
        (norms.raises, False, "crashed", "RuntimeError: no such kernel"),
        (norms.refuses, False, "refused", ""),
    ],
)
def test_what_a_function_does_wrong_is_a_verdict(fn: object, out: bool, verdict: str, what: str) -> None:
    report = ulpgate.check(fn, contract="cast_first", tensors="torch", out=out, **QUICK)
    assert not report and report.verdict in (verdict, "skipped") and what in report.what
    assert "guard pages, time limits and restarts after a crash do not apply" in str(report)


def test_refused_cases_are_counted_and_the_others_judged() -> None:
    report = ulpgate.check(norms.not_even, contract="cast_first", tensors="torch", quick=True, d=[1535, 1536])
    assert report and report.json["results"][0]["cases"]["refused"] > 0


def test_an_interrupt_reaches_the_caller() -> None:
    with pytest.raises(KeyboardInterrupt):
        ulpgate.check(norms.interrupted, tensors="torch", **QUICK)


def test_flushed_denormals_are_the_functions_own() -> None:
    before = torch.tensor([2.0**-149])
    assert not ulpgate.check(norms.flushes, contract="cast_first", tensors="torch", quick=True)  # bf16 subnormals
    try:
        assert (before * 1).item() == before.item(), "the caller's mode was changed"
    finally:
        torch.set_flush_denormal(False)


def test_numpy_dlpack_and_modules() -> None:
    for fn, tensors in ((norms.in_numpy, "numpy"), (norms.of_dlpack, "dlpack"), (norms.module, "torch")):
        report = ulpgate.check(fn, contract="cast_first", tensors=tensors, **QUICK)
        assert report, str(report)


def test_a_gain_wider_than_x() -> None:
    def wide(x: torch.Tensor, w: torch.Tensor, eps: float) -> torch.Tensor:
        assert w.dtype == torch.float32
        return norms.spec(x, w, eps)

    assert ulpgate.check(wide, contract="cast_first,w=f32", tensors="torch", **QUICK).contract == "bf16,cast_first,w=f32"


def test_declared_claims_and_the_command_line() -> None:
    report = ulpgate.check(norms.into, **QUICK)
    assert report and report.contract == "bf16,cast_first" and "poison" in report.applies
    gate = [sys.executable, "-m", "ulpgate", "gate", "--op", "q_a_layernorm", "--type", "bf16", "--d", "1536", "--quick"]
    run = subprocess.run([*gate, "python:norms:rms_norm:torch", "--contract", "cast_first", "--json", "-"], capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    result = json.loads(run.stdout)["results"][0]
    assert result["verdict"] == "inadmissible" and "bf16,f32_gain,assoc=xr_w" in result["explanation"]["equal"]
    again = subprocess.run([sys.executable, "-m", "ulpgate", *result["replay"][1:]], capture_output=True, text=True)
    assert again.returncode == 1 and "f32_gain" in again.stdout
    missing = subprocess.run([*gate, "python:norms:no_such"], capture_output=True, text=True)
    assert missing.returncode == 4 and "ImportError: module 'norms' has no attribute 'no_such'" in missing.stdout + missing.stderr


def test_isolated() -> None:
    report = ulpgate.check(norms.segfaults, contract="cast_first", tensors="numpy", isolate=True, **QUICK)
    assert report.verdict == "crashed" and report.what == "Segmentation fault at address 0x0" and report.exit == 4
    assert report.applies.startswith("called in a child process: guard pages")
    assert ulpgate.check(norms.in_numpy, contract="cast_first", tensors="numpy", isolate=True, **QUICK)
    with pytest.raises(ValueError, match="cannot be imported by another process"):
        ulpgate.check(lambda x, w, eps: x, isolate=True)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"op": "layer_norm"}, ValueError, "final_norm, q_a_layernorm or kv_a_layernorm"),
        ({"dtype": "float64"}, ValueError, "bfloat16, float16 or float32"),
        ({"contract": "cast_frist"}, ValueError, "cast_first"),
        ({"contract": "fp16,cast_first"}, ValueError, "is of fp16, dtype says bf16"),
        ({"tensors": "tf"}, ValueError, "one of torch, jax, numpy, dlpack"),
        ({"profiles": ["no_such"]}, ValueError, "no_such"),
    ],
)
def test_wrong_arguments_are_told(options: dict[str, object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ulpgate.check(norms.spec, **options)
    with pytest.raises(TypeError, match="not callable"):
        ulpgate.check(3)


def test_html_holds_the_page() -> None:
    report = ulpgate.check(norms.spec, contract="cast_first", tensors="torch", **QUICK)
    assert report.html().startswith("<!DOCTYPE html>") or "<html" in report.html()
    assert report._repr_html_().startswith("<iframe srcdoc=") and report._repr_html_().count("<iframe") == 1


def test_explain_recovers_the_order() -> None:
    said = ulpgate.explain(norms.in_numpy, tensors="numpy", d=512)
    assert "cast_first" in said.text and said.json["schema"] == "ulpgate.explain/1"


def test_a_word_of_each_type_is_read_as_stored() -> None:
    for name, word, value in (("bf16", 0x3FC0, 1.5), ("fp16", 0x3E00, 1.5), ("f32", struct.unpack("<I", struct.pack("<f", 1.5))[0], 1.5)):
        assert ulpgate._types.value(name, word) == value
