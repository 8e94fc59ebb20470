"""python -m ulpgate.child MODULE:FUNCTION...: serves one function to ulpgate, which starts it. Not for use by hand."""
from __future__ import annotations

import os
import sys
from typing import Any

from . import _core
from ._subject import parse_text, versions


def main() -> int:
    if len(sys.argv) != 2:
        print("ulpgate.child: run by ulpgate, not by hand", file=sys.stderr)
        return 2
    sys.path.insert(0, os.getcwd())

    def load() -> Any:
        subject = parse_text(sys.argv[1])
        return subject.core(subject.text.removeprefix("python:").split("@")[0], versions(subject.tensors))

    return int(_core.serve(load))


if __name__ == "__main__":
    sys.exit(main())
