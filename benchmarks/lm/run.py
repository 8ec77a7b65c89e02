"""How fast is the n-gram estimator, how much memory does it take, and does it agree with kenlm?

Usage: python benchmarks/lm/run.py [--write] [--lines N]

Prints one JSON line for every measurement. lmplz is measured where it is on the PATH, kenlm's scorer where
the Python package is installed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.core import Where
from anaphor.core.engine import warn_without_native
from anaphor.languages import Tokenizer, load_language
from anaphor.recipes.lm.language_model import load_lm, perplexity, word_scores
from anaphor.recipes.lm.training import LmTrainingOptions, train_lm
from anaphor.task.streams import read_lines

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
HELD_OUT = 5000
MEMORY = 256 << 20
SHARES = (8, 4, 2, 1)
Report = dict[str, Any]


def prepare(folder: Path, lines: int) -> Report:
    """The French side of Europarl, tokenised: all but the last lines for training, those for testing."""
    words = Tokenizer(load_language("fr")).words
    path = DATA / "europarl" / "europarl.en-fr.docs.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        next(file)
        raw = [line.rstrip("\n").split("\t")[4] for line in islice(file, lines + HELD_OUT)]
    text = [" ".join(words(line)) + "\n" for line in raw]
    training = text[:-HELD_OUT]
    for share in SHARES:
        part = training[: len(training) // share]
        (folder / f"train-{share}.fr").write_text("".join(part), encoding="utf-8")
    (folder / "test.fr").write_text("".join(text[-HELD_OUT:]), encoding="utf-8")
    return {"lines": len(training)}


def estimate(text: Path, model: Path) -> Report:
    """Train in this process; its peak of memory is that of the work."""
    start = time.perf_counter()
    lines = ((Where(str(text), number), line) for number, line in read_lines(text))
    trained = train_lm(lines, model, LmTrainingOptions(memory=MEMORY))
    seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "tokens": trained.tokens,
        "ngrams": sum(trained.ngrams),
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "tokens_a_second": trained.tokens / seconds,
        "peak_mb": usage.ru_maxrss / 1024,
    }


def run_lmplz(text: Path, model: Path) -> Report:
    """The same by lmplz with the same memory for sorting."""
    start = time.perf_counter()
    with text.open("rb") as source, model.open("wb") as target:
        command = ["lmplz", "-o", "5", "-S", f"{MEMORY >> 20}M", "-T", str(model.parent)]
        subprocess.run(command, stdin=source, stdout=target, stderr=subprocess.DEVNULL, check=True)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }


def score(text: Path, model: Path, scorer: str) -> Report:
    """Load a model and find the perplexity of a text."""
    start = time.perf_counter()
    loaded = load_lm(model, scorer=scorer)
    ready = time.perf_counter()
    sentences = [line.split() for _, line in read_lines(text)]
    begin = time.perf_counter()
    found = perplexity(loaded, sentences)
    seconds = time.perf_counter() - begin
    return {
        **asdict(found),
        "perplexity": found.perplexity,
        "load_seconds": ready - start,
        "tokens_a_second": found.tokens / seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def agree(text: Path, ours: Path, theirs: Path) -> Report:
    """The largest difference of the score of a sentence between our scorer and kenlm's."""
    models = load_lm(ours, scorer="own"), load_lm(theirs, scorer="kenlm")
    differences = []
    for _, line in read_lines(text):
        totals = [sum(word_scores(model, line.split())) for model in models]
        differences.append(abs(totals[0] - totals[1]))
    return {"sentences": len(differences), "largest_difference": max(differences)}


JOBS: dict[str, Callable[..., Report]] = {
    "prepare": prepare,
    "estimate": estimate,
    "lmplz": run_lmplz,
    "score": score,
    "agree": agree,
}


def measure(job: str, *arguments: str | int | Path) -> Report:
    """Run a job in a process of its own, so that its peak of memory is its own."""
    command = [sys.executable, __file__, "--job", job, *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: Report = json.loads(done.stdout)
    return found


def argument(text: str) -> str | int | Path:
    if text in ("own", "kenlm"):
        return text
    return int(text) if text.isdigit() else Path(text)


def measurements(folder: Path) -> Iterator[Report]:
    whole, test, mapped, arpa = (folder / name for name in ("train-1.fr", "test.fr", "fr.lm", "fr.arpa"))
    for share in SHARES:
        yield {"what": "train", "output": "lm", **measure("estimate", folder / f"train-{share}.fr", mapped)}
    yield {"what": "train", "output": "arpa", **measure("estimate", whole, arpa)}
    yield {"what": "score", "scorer": "own", "model": "ours, lm", **measure("score", test, mapped, "own")}
    kenlm = find_spec("kenlm") is not None
    if kenlm:
        yield {"what": "score", "scorer": "kenlm", "model": "ours", **measure("score", test, arpa, "kenlm")}
        yield {"what": "agreement", **measure("agree", test, mapped, arpa)}
    if shutil.which("lmplz"):
        theirs = folder / "lmplz.arpa"
        yield {"what": "train", "output": "lmplz", **measure("lmplz", whole, theirs)}
        if kenlm:
            yield {
                "what": "score",
                "scorer": "kenlm",
                "model": "lmplz",
                **measure("score", test, theirs, "kenlm"),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the results under results/")
    parser.add_argument("--lines", type=int, default=10**9, help="train on so many lines at most")
    parser.add_argument("--job", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(JOBS[options.job[0]](*map(argument, options.job[1:]))))
        return
    machine = {"python": sys.version.split()[0], "cpus": os.cpu_count()}
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        measure("prepare", folder, options.lines)
        for report in measurements(Path(folder)):
            lines.append(json.dumps({"benchmark": "lm", **report, **machine}))
            print(lines[-1], flush=True)
    if options.write:
        target = Path(__file__).parent / "results" / "lm.jsonl"
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
