"""How many pronouns `accept` judges in a second, and how its memory grows with the length of a document.

    python benchmarks/verdict/speed.py [--write]

The texts of the demo are repeated into one document of 2,500 and of 10,000 lines, each in its own process.
Alignments are given, so that only finding pronouns, predicting, detecting and judging are timed: with neither
network, with the predictor, with the detector, and with both.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any

from anaphor import demo
from anaphor.core import LanguagePair, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text, read_inputs
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment

HERE = Path(__file__).parent
LINES = (2_500, 10_000)


def one_document(lines: int) -> Inputs:
    """The first system of the demo, repeated."""
    files = demo.files(alignments=True)
    given = read_inputs(files, LanguagePair.parse(demo.WITH_REFERENCE.pair))
    name, text = next(iter(given.candidates.items()))
    links = Path(files.candidate_alignments[0]).read_text(encoding="utf-8").splitlines()
    repeated = "\n".join(islice(cycle(links), lines)) + "\n"
    alignment = AlignmentFile.of(parse_pharaoh(repeated.encode(), path="links"), path="links")
    return Inputs(
        source=Text.of(list(islice(cycle(given.source.lines), lines)), path="source"),
        references=(),
        candidates={name: Text.of(list(islice(cycle(text.lines), lines)), path=name)},
        candidate_alignments={name: alignment},
        documents=("one",) * lines,
    )


def measure(lines: int, predictor: str, detector: str) -> dict[str, Any]:
    inputs = one_document(lines)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    settings = Settings(
        pair="en-fr",
        metrics=("accept",),
        samples=0,
        options={"accept_predictor": predictor, "accept_detector": detector},
    )
    wall, cpu = time.perf_counter(), time.process_time()
    result = evaluate_experiment(Experiment.of(inputs, settings))
    seconds, cpu = time.perf_counter() - wall, time.process_time() - cpu
    pronouns = len(result.systems[0].verdicts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "lines": lines,
        "predictor": predictor,
        "detector": detector,
        "pronouns": pronouns,
        "per second": round(pronouns / seconds),
        "per second of processor": round(pronouns / cpu),
        "peak MB": round(peak / 1024),
        "more than the texts MB": round((peak - before) / 1024),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", nargs=3, metavar=("LINES", "PREDICTOR", "DETECTOR"))
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(int(options.one[0]), *options.one[1:])))
        return
    rows = []
    for predictor, detector in product(("ignore", "use"), repeat=2):
        for lines in LINES:
            command = [sys.executable, __file__, "--one", str(lines), predictor, detector]
            rows.append(
                json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            )
            print(rows[-1])
    if options.write:
        path = HERE / "results" / "speed.json"
        path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
