"""pytest: a fixture ``ulpgate``, flags, and a line of the summary that says what was judged.

    def test_norm(ulpgate):
        ulpgate.assert_admissible(my_norm, contract="cast_first", d=1536)
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from . import testing
from ._check import check
from ._report import Report


@dataclass
class Ulpgate:
    """``check`` and ``assert_admissible`` with the flags of this run as defaults."""

    quick: bool = False
    seed: int = 7
    verdicts: Counter[str] = field(default_factory=Counter)

    def _options(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"quick": self.quick, "seed": self.seed, **given}

    def check(self, fn: Any, *args: Any, **options: Any) -> Report:
        report = check(fn, *args, **self._options(options))
        self.verdicts[report.verdict] += 1
        return report

    def assert_admissible(self, actual: Any, x: Any = None, w: Any = None, **options: Any) -> Report:
        __tracebackhide__ = True
        return testing.assert_admissible(actual, x, w, **(self._options(options) if x is None else options))


_key = pytest.StashKey[Ulpgate]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ulpgate")
    group.addoption("--ulpgate-quick", action="store_true", help="a part of the rows of every check")
    group.addoption("--ulpgate-seed", type=int, default=7, metavar="N", help="of the generated rows (default 7)")


def pytest_configure(config: pytest.Config) -> None:
    state = Ulpgate(quick=config.getoption("--ulpgate-quick"), seed=config.getoption("--ulpgate-seed"))
    config.stash[_key] = state
    testing.observers.append(lambda report: state.verdicts.update([report.verdict]))


def pytest_unconfigure(config: pytest.Config) -> None:
    testing.observers.clear()


@pytest.fixture
def ulpgate(request: pytest.FixtureRequest) -> Ulpgate:
    """check and assert_admissible with --ulpgate-quick and --ulpgate-seed."""
    return request.config.stash[_key]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    verdicts = config.stash[_key].verdicts
    if verdicts:
        said = ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items()))
        terminalreporter.write_line(f"ulpgate: {said}" + (" (a part of the rows: --ulpgate-quick)" if config.stash[_key].quick else ""))
