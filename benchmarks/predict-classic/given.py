"""The two released files of predictions for teddev of 2015, scored like our own runs: the marks to reach.

Usage: python benchmarks/predict-classic/given.py FOLDER [--write]

FOLDER is that of data.py. The files are of the official baseline and of one participant.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from score import score_run, write_results

from anaphor.core import LanguagePair
from anaphor.task import read_predictions, task_classes

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
GIVEN = {
    "file of the official baseline, 2015": "teddev.kenlm-baseline.predictions.tsv",
    "file of a participant, 2015": "teddev.participant.predictions.tsv",
}


def run_of(name: str, file: str) -> dict[str, Any]:
    """A run as score.py takes it."""
    classes = task_classes(LanguagePair.parse("en-fr"), year=2016)
    labels = read_predictions(DATA / "discomt2015-task" / file, classes=classes)
    run = {"recipe": name, "variant": "", "pair": "en-fr", "style": 2015, "year": 2016, "train_slots": None}
    return {**run, "test": "teddev", "seed": None, "labels": [" ".join(line) for line in labels], "note": ""}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="keep the results under results/")
    options = parser.parse_args()
    runs = [score_run(run_of(name, file), options.folder / "split") for name, file in GIVEN.items()]
    print(json.dumps(runs, ensure_ascii=False))
    if options.write:
        write_results(RESULTS / "given.en-fr.2015.json", runs, "benchmarks/predict-classic/given.py")


if __name__ == "__main__":
    main()
