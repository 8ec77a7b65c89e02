"""Run a tool or a benchmark with the models of the plain installation: `anaphor-research` is not found.

    python tools/plain.py benchmarks/verdict/fit.py --write
    python tools/plain.py tools.detector.ship STUDENT.npz --classes classes.json

It takes the path of a script or the name of a module, with its arguments. What is written to the folder of
the models in use then goes to `src/anaphor`. Processes that the script starts are not affected.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    # With this entry, the import system finds no package of this name.
    sys.modules["anaphor_research"] = None  # type: ignore[assignment]
    del sys.argv[0]
    script = sys.argv[0]
    # As Python does: a script finds its neighbours, a module what is in the current folder.
    sys.path[0] = str(Path(script).resolve().parent) if script.endswith(".py") else str(Path.cwd())
    if script.endswith(".py"):
        runpy.run_path(script, run_name="__main__")
    else:
        runpy.run_module(script, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
