"""How long it takes to the first verdict, and how long `import anaphor` and `anaphor --help` take.

Usage: python benchmarks/start/run.py [--no-first] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "empty": ["-c", "pass"],
    "import": ["-c", "import anaphor"],
    "help": ["-m", "anaphor.cli.main", "--help"],
    "version": ["-m", "anaphor.cli.main", "--version"],
    "score_help": ["-m", "anaphor.cli.main", "score", "--help"],
    "meta_help": ["-m", "anaphor.cli.main", "meta", "--help"],
    "task_help": ["-m", "anaphor.cli.main", "task", "--help"],
    "align_help": ["-m", "anaphor.cli.main", "align", "--help"],
    "import_sacrebleu": ["-c", "import sacrebleu"],
}
#: The commands of a new user with a checkout: the second shows verdicts without a reference, with a reason.
FIRST = ("pip install CHECKOUT", "anaphor demo")


def processor_seconds() -> float:
    """What all child processes have used so far; other work on the machine does not change it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def milliseconds(arguments: list[str], repeats: int = 15) -> float:
    """The median processor time of several runs, in processes of their own."""
    # An installed package is compiled to bytecode once: here by a first run.
    with tempfile.TemporaryDirectory() as folder:
        outside = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**outside, "PYTHONPYCACHEPREFIX": folder}
        times = []
        for _ in range(repeats + 1):
            start = processor_seconds()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
            times.append(1000 * (processor_seconds() - start))
    return statistics.median(times[1:])


def copy_checkout(target: Path) -> None:
    """The files that git knows, as a fresh clone has them, changes included."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


def first_verdict() -> list[dict[str, object]]:
    """Every command of `FIRST` in a new environment and an empty folder, with its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        checkout, files = Path(folder, "checkout"), Path(folder, "files")
        copy_checkout(checkout)
        files.mkdir()
        venv.create(Path(folder, "venv"), with_pip=True)
        outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment = {**outside, "PATH": f"{folder}/venv/bin:{os.environ['PATH']}"}
        rows: list[dict[str, object]] = []
        for command in FIRST:
            arguments = shlex.split(command.replace("CHECKOUT", str(checkout)))
            cpu, wall = processor_seconds(), time.perf_counter()
            done = subprocess.run(
                arguments, cwd=files, env=environment, check=True, capture_output=True, text=True
            )
            wall, cpu = time.perf_counter() - wall, processor_seconds() - cpu
            rows.append({"command": command, "wall_s": round(wall, 1), "cpu_s": round(cpu, 1)})
        assert re.search(r"^ +rejected .*does not agree", done.stdout, re.MULTILINE), done.stdout
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-first", action="store_true", help="leave the first verdict as it was recorded")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    found = {name: milliseconds(arguments) for name, arguments in PROGRAMS.items()}
    target = Path(__file__).parent / "results" / "start.json"
    report = {
        "benchmark": "start",
        "import_ms": found["import"] - found["empty"],
        "help_ms": found["help"],
        "version_ms": found["version"],
        **{f"{name}_ms": found[name] for name in ("score_help", "meta_help", "task_help", "align_help")},
        "empty_python_ms": found["empty"],
        "import_sacrebleu_ms": found["import_sacrebleu"] - found["empty"],
        "first_verdict": json.loads(target.read_text())["first_verdict"]
        if options.no_first
        else first_verdict(),
        "python": sys.version.split()[0],
        "cpus": os.cpu_count(),
    }
    print(json.dumps(report))
    if options.write:
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
