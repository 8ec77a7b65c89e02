"""How long `import anaphor` and `anaphor --help` take, beside an empty Python.

Usage: python benchmarks/start/run.py [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = {
    "empty": ["-c", "pass"],
    "import": ["-c", "import anaphor"],
    "help": ["-m", "anaphor.cli.main", "--help"],
    "import_sacrebleu": ["-c", "import sacrebleu"],
}


def milliseconds(arguments: list[str], repeats: int = 15) -> float:
    """The median of several runs, in processes of their own."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    found = {name: milliseconds(arguments) for name, arguments in PROGRAMS.items()}
    report = {
        "benchmark": "start",
        "import_ms": found["import"] - found["empty"],
        "help_ms": found["help"],
        "empty_python_ms": found["empty"],
        "import_sacrebleu_ms": found["import_sacrebleu"] - found["empty"],
        "python": sys.version.split()[0],
        "cpus": os.cpu_count(),
    }
    print(json.dumps(report))
    if options.write:
        target = Path(__file__).parent / "results" / "start.json"
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
