"""assert_admissible and the pytest plugin."""
from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import norms
import numpy as np
import pytest
import torch

from ulpgate.testing import assert_admissible

pytest_plugins = ["pytester"]


@pytest.fixture
def data() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return torch.randn(4, 1536).bfloat16(), torch.rand(1536).bfloat16()


def test_arrays_that_are_right(data: tuple[torch.Tensor, torch.Tensor]) -> None:
    x, w = data
    assert assert_admissible(norms.spec(x, w, 1e-6), x, w).rows == 4
    assert assert_admissible(norms.spec(x[None], w, 1e-5), x[None], w, eps=1e-5)
    y = norms.in_numpy(x.float().numpy(), w.float().numpy(), 1e-6)
    assert assert_admissible(y, x.float().numpy(), w.float().numpy(), contract=None).contract.startswith("f32,")


def test_one_wrong_element_is_found_and_can_be_replayed(data: tuple[torch.Tensor, torch.Tensor], tmp_path: Path) -> None:
    x, w = data
    y = norms.spec(x, w, 1e-6).clone()
    y.view(torch.int16)[2, 7] += 3
    with pytest.raises(AssertionError) as failed:
        assert_admissible(y, x, w, save=str(tmp_path))
    said = str(failed.value)
    assert "is not bf16,cast_first" in said and "1 of 6,144 outputs" in said and "it computes nothing that is listed" in said
    allowed = norms.spec(x, w, 1e-6).view(torch.int16)[2, 7].item() & 0xFFFF
    assert re.search(rf"first       \[2, 7\]   allowed {allowed:04x} .*got {allowed + 3:04x} .*3 steps outside", said)
    assert "worst       [2, 7]" in said
    replay = said.split("replay      python ")[1].splitlines()[0]
    again = subprocess.run([sys.executable, *shlex.split(replay)], capture_output=True, text=True)
    assert again.returncode == 1 and "row 2 col 7" in again.stdout, again.stdout + again.stderr
    assert sorted(os.listdir(tmp_path)) == ["000.safetensors", "manifest.json", "out"]


def test_a_function_with_a_wrong_claim() -> None:
    with pytest.raises(AssertionError) as failed:
        assert_admissible(norms.rms_norm, tensors="torch", quick=True, d=1536)
    said = str(failed.value)
    for part in ("is not bf16,cast_first", "cases fail", "mismatches", "first       [", "worst       [", "it computes f32_gain: T(x·r·w)", "fix         round n to bf16",
                 "replay      python -m ulpgate replay python:norms:rms_norm"):
        assert part in said, part


def test_what_was_not_tested_does_not_pass() -> None:
    with pytest.raises(AssertionError, match="nothing was tested"):
        assert_admissible(norms.refuses, tensors="torch", quick=True, d=1536)


def test_wrong_arrays_are_told(data: tuple[torch.Tensor, torch.Tensor]) -> None:
    x, w = data
    with pytest.raises(TypeError, match="x is missing"):
        assert_admissible(x)
    with pytest.raises(ValueError, match="w has 3 values, x has 1536 columns"):
        assert_admissible(x, x, w[:3])
    with pytest.raises(TypeError, match="an array of float32, wanted is bfloat16"):
        assert_admissible(x.float(), x, w)
    with pytest.raises(TypeError, match="for functions only"):
        assert_admissible(x, x, w, quick=True)
    with pytest.raises(ValueError, match="y has shape"):
        assert_admissible(x[:2], x, w)
    assert np.isfinite(x.float().numpy()).all()


def test_the_plugin_fails_a_wrong_claim_and_counts(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    pytester.makepyfile(
        """
        import norms, ulpgate as package
        def test_right(ulpgate):
            ulpgate.assert_admissible(norms.spec, contract="cast_first", tensors="torch", d=1536)
        def test_wrong(ulpgate):
            ulpgate.assert_admissible(norms.rms_norm, contract="cast_first", tensors="torch", d=1536)
        def test_truth(ulpgate):
            assert ulpgate.check(norms.rms_norm, contract="cast_first", tensors="torch", d=1536)
        """
    )
    result = pytester.runpytest_subprocess("--ulpgate-quick")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*it computes f32_gain: T(x*", "*replay *python:norms:rms_norm:torch@bf16,cast_first*", "*ulpgate.Report inadmissible*",
                                 "ulpgate: 2 inadmissible, 1 pass (a part of the rows: --ulpgate-quick)"])
