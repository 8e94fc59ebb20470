"""What a check found."""
from __future__ import annotations

import html
import json
import shlex
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Settings
from ._types import Array, value, values

if TYPE_CHECKING:
    from ._subject import Subject

IN_PROCESS = (
    "called in this process: inputs are compared after each call and canaries stand around them{}; guard pages, time limits and "
    "restarts after a crash do not apply (isolate=True runs an importable function in a child)"
)
ISOLATED = "called in a child process: guard pages, two poisons, time limits and restarts apply"


@dataclass(frozen=True)
class Mismatch:
    """An output outside what the contract allows at its element."""

    row: int
    col: int
    got: float
    allowed: tuple[float, float]  # every value of the type from the one to the other
    got_word: int
    allowed_words: tuple[int, int]
    steps: int  # values of the type between got and the nearest allowed one

    def __str__(self) -> str:
        lo, hi = self.allowed_words
        allowed = f"{lo:04x} ({self.allowed[0]!r})" if lo == hi else f"{lo:04x}..{hi:04x} ({self.allowed[0]!r} to {self.allowed[1]!r})"
        return f"[{self.row}, {self.col}]   allowed {allowed}   got {self.got_word:04x} ({self.got!r})   {self.steps} steps outside"


@dataclass(frozen=True)
class Witness:
    """The failing row, as arrays in the types of its tensors (bfloat16 of ml_dtypes)."""

    case: str
    row: int
    col: int  # -1: no one element fails, the row does
    x: Array
    w: Array | None
    y: Array
    allowed_lo: Array | None  # by column
    allowed_hi: Array | None
    arrays: dict[str, Array]  # these and all others, by the tensor's name
    mismatches: int  # of the whole case
    elements: int
    first: Mismatch | None
    worst: Mismatch | None


class Report:
    """Verdict, explanation and witness of one check. True where everything tested is allowed and something was."""

    def __init__(self, run: _core.Run, subject: Subject, settings: Settings, function: _core.Function | None) -> None:
        self._run, self._subject, self._settings, self._function = run, subject, settings, function
        self.json: dict[str, Any] = json.loads(run.json())
        """The run in the schema ulpgate.run/1, as ``gate --json`` writes it."""

    def __bool__(self) -> bool:
        return self._run.exit == 0

    @property
    def exit(self) -> int:
        """What the command line would exit with."""
        return self._run.exit

    @property
    def subject(self) -> str:
        return self._subject.text

    @property
    def _result(self) -> dict[str, Any]:
        results = self.json["results"]
        return dict(results[0]) if results else {}

    @property
    def verdict(self) -> str:
        """pass, inadmissible, corrupted, unstable, crashed, hung, mistrusted, unsupported, refused, skipped or not_loaded."""
        if self.json["not_loaded"]:
            return "not_loaded"
        return str(self._result.get("verdict", "skipped"))

    @property
    def contract(self) -> str:
        """What it was held to, or what was inferred."""
        return str(self._result.get("claim", ""))

    @property
    def inferred(self) -> bool:
        return bool(self._result.get("inferred", False))

    @property
    def what(self) -> str:
        """The first failure, or why nothing was tested, in one line; "" for a pass."""
        reasons = [s["reason"] for s in self.json["not_loaded"] + self.json["skipped"]]
        return str(self._result.get("what") or (reasons[0] if reasons else ""))

    @property
    def explanation(self) -> list[str]:
        """What reproduces all its rows bit for bit, a line each; several: these rows do not tell them apart."""
        mark = "  it computes "
        return [line[len(mark) :] for line in self._run.text().splitlines() if line.startswith(mark)]

    @property
    def names(self) -> list[str]:
        """Faults that were named, and contracts that explain every row."""
        said = self._result.get("explanation", {})
        return list(said.get("names") or []) + [str(e) for e in said.get("equal") or []]

    @property
    def fix(self) -> str | None:
        found = self._result.get("fix")
        return None if found is None else str(found)

    @property
    def rows(self) -> int:
        return int(self._result.get("rows", 0))

    @property
    def worst_ulp(self) -> float:
        return float(self._result["error"]["ulp"]["worst"]) if self._result else float("nan")

    @property
    def would_have_seen(self) -> str:
        return str(self._result["would_have_seen"]["text"]) if self._result else ""

    @property
    def applies(self) -> str:
        """Which of ulpgate's protections held during this check."""
        if self._function is None:
            return ISOLATED
        return IN_PROCESS.format(", and around y, which holds a poison before it" if self._subject.out else "; y is the function's own")

    @property
    def case(self) -> str | None:
        """The failing case as a line."""
        failures = self._result.get("failures") or []
        return str(failures[0]["case"]) if failures else None

    @property
    def replay(self) -> str | None:
        """What runs the failing case again: a command where another process can import the function, else Python."""
        argv = self._result.get("replay") or []
        if not argv:
            return None
        if self._subject.importable:
            return "python -m " + shlex.join(str(a) for a in argv)
        return f"ulpgate.replay({self._subject.text.split(':')[2].split('@')[0]}, {self.case!r})"

    @cached_property
    def witness(self) -> Witness | None:
        """The failing row; runs the case again. None where no output was judged wrong."""
        if self.case is None or self.verdict != "inadmissible":
            return None
        settings = Settings()
        settings.home, settings.subject, settings.lines = self._settings.home, self._settings.subject, [self.case]
        seen = _core.look(settings, self._function)
        arrays = {name: values(kind, words) for name, (kind, words) in seen["arrays"].items()}
        kind = seen["arrays"]["y"][0]
        first, worst = (_mismatch(kind, seen[k]) for k in ("first", "worst"))
        shown = self._result.get("witness") or {}
        return Witness(
            self.case, int(shown.get("row", -1)), int(shown.get("col", -1)), arrays["x"], arrays.get("w"), arrays["y"],
            arrays.get("allowed_lo"), arrays.get("allowed_hi"), arrays, int(seen["outside"]), int(seen["elements"]), first, worst,
        )

    def text(self) -> str:
        """As the command line prints it, and which protections held."""
        said = self._run.text().rstrip("\n").replace("ulpgate replay ", "python -m ulpgate replay ")
        return f"{said}\n{self.applies}"

    __str__ = text

    def __repr__(self) -> str:
        said = [self.contract, self.what if self.verdict != "inadmissible" else "", "computes " + self.explanation[0] if self.explanation else ""]
        return f"<ulpgate.Report {self.verdict}: {self.subject}: {'; '.join(s for s in said if s)}>"

    def html(self) -> str:
        """A page of its own, as ``gate --html`` writes it."""
        return self._run.html()

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html())}" style="width:100%;height:36em;border:0"></iframe><p>{html.escape(self.applies)}</p>'


def _mismatch(kind: str, at: dict[str, int]) -> Mismatch | None:
    if at["row"] < 0:
        return None
    lo, hi, got = at["allowed_lo"], at["allowed_hi"], at["got"]
    return Mismatch(at["row"], at["col"], value(kind, got), (value(kind, lo), value(kind, hi)), got, (lo, hi), at["steps"])


@dataclass(frozen=True)
class Explanation:
    """Which arithmetic a function computes."""

    text: str
    json: dict[str, Any]  # schema ulpgate.explain/1

    def __str__(self) -> str:
        return self.text
