"""python -m ulpgate: the command line, with this interpreter for subjects that are Python functions."""
from __future__ import annotations

import os
import sys

from ._home import HOME


def main() -> None:
    program = os.path.join(HOME, "ulpgate")
    os.environ.setdefault("ULPGATE_PYTHON", sys.executable)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
