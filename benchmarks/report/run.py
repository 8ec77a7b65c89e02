"""Score, compare and report the English-German systems of WMT 2021 in one command.

Usage: python benchmarks/report/run.py [--systems 10 20] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ARCHIVE = DATA / "wmt21-news" / "wmt21_en-de_de-en_fr-de.tar.gz"
RESULTS = Path(__file__).resolve().parent / "results"


def score_command(texts: Path, systems: int, folder: Path) -> list[str]:
    """The one command, for the first systems by name."""
    outputs = sorted((texts / "system-outputs").glob("newstest2021.en-de.hyp.*.de"))[:systems]
    return [
        *("score", "--pair", "en-de", "--paired", "--cards"),
        *("--source", str(texts / "sources" / "newstest2021.en-de.src.en")),
        *("--reference", str(texts / "references" / "newstest2021.en-de.ref.A.de")),
        *("--candidate", *(f"{path.name.split('.')[3]}={path}" for path in outputs)),
        *("--output", str(folder / "result.json"), "--report", str(folder / "report.html")),
    ]


def measure(arguments: list[str]) -> dict[str, float]:
    """Time and memory of one command in a process of its own, which measures itself."""
    program = [sys.executable, __file__, "--worker", *arguments]
    start = time.perf_counter()
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stderr.splitlines()[-1])
    return {"wall_s": round(time.perf_counter() - start, 2), **found}


def worker(arguments: list[str]) -> None:
    from anaphor.cli.main import main as command

    code = command(arguments)
    used = resource.getrusage(resource.RUSAGE_SELF)
    told = {"cpu_s": round(used.ru_utime + used.ru_stime, 2), "peak_mb": round(used.ru_maxrss / 1024, 1)}
    print(json.dumps(told), file=sys.stderr)
    sys.exit(code)


def run(texts: Path, systems: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = measure(score_command(texts, systems, folder))
        page = measure(["report", str(folder / "result.json"), "--output", str(folder / "again.html")])
        return {
            "systems": systems,
            "score_compare_report": whole,
            "report": page,
            "page_mb": round((folder / "report.html").stat().st_size / 1e6, 3),
            "result_mb": round((folder / "result.json").stat().st_size / 1e6, 3),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, nargs="+", default=[10, 20])
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    if not ARCHIVE.is_file():
        sys.exit(f"{ARCHIVE} is not there; set ANAPHOR_DATA to the folder that has it")
    report: dict[str, Any] = {"benchmark": "report", "python": sys.version.split()[0], "cpus": os.cpu_count()}
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(ARCHIVE) as tar:
            tar.extractall(name, filter="data")
        report["runs"] = [run(Path(name) / "txt", systems) for systems in options.systems]
    text = json.dumps(report, indent=2) + "\n"
    print(text, end="")
    if options.write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "report.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2:])
    main()
