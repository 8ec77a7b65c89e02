"""How fast and how large the linear recipes are: training, prediction, memory.

Usage: python benchmarks/predict-classic/run.py FOLDER [--recipes NAME ...] [--slots 150000] [--write]

FOLDER is that of data.py; English-French in the style of 2016. A recipe learns in a process of its own from
as many placeholders as asked for, some documents twice where the file is too small; another process loads
the model and predicts development and test file. Times are by the clock; `cpu` ones are of the processor, for
machines that other work shares. A file has about four segments a placeholder, and most of the time from file
to answer goes into parsing those without any; so both rates are told.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from anaphor.cli.predict_data import read_segments
from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.capping import capped
from anaphor.predict.families import build_predictor, load_model
from anaphor.predict.recipe import load_recipe
from anaphor.task import task_classes

RESULTS = Path(__file__).parent / "results"
LINEAR = ("anaphor-local", "uhelsinki-2016", "uu-stymne-2016-1step", "anaphor-linear")
PAIR, STYLE = "en-fr", 2016
GIGABYTE = 1 << 30


def enough(folder: Path, slots: int) -> tuple[TaskSegment, ...]:
    """Training segments with the number of placeholders asked for; a file that is too small is repeated."""
    classes = task_classes(LanguagePair.parse(PAIR), year=2016)
    train = read_segments(str(folder / "split" / f"{PAIR}.{STYLE}.train.tsv.gz"), classes=classes)
    there = sum(len(segment.slots) for segment in train)
    if slots <= there:
        return capped(train, slots=slots, seed=1)
    return (*train, *capped(train, slots=slots - there, seed=1))


def train(folder: Path, recipe: str, slots: int, model: Path) -> dict[str, Any]:
    """Seconds to read and to learn, and the most memory that the process had."""
    start = time.perf_counter()
    classes = task_classes(LanguagePair.parse(PAIR), year=2016)
    segments = enough(folder, slots)
    read, used = time.perf_counter(), time.process_time()
    build_predictor(load_recipe(recipe).settings).fit(segments, classes=classes).save(model)
    return {
        "slots": sum(len(segment.slots) for segment in segments),
        "reading_s": round(read - start, 2),
        "training_s": round(time.perf_counter() - read, 2),
        "training_cpu_s": round(time.process_time() - used, 2),
        "memory_gb": round(_memory(), 2),
    }


def predict(folder: Path, model: Path) -> dict[str, Any]:
    """Placeholders a second from the file to the last answer, the model being loaded before."""
    loaded = load_model(model)
    paths = [folder / "split" / f"{PAIR}.{STYLE}.{part}.tsv.gz" for part in ("dev", "test")]
    start = time.perf_counter()
    segments = [segment for path in paths for segment in read_segments(str(path), classes=None)]
    read, used = time.perf_counter(), time.process_time()
    slots = sum(map(len, loaded.predict(segments)))
    done, spent = time.perf_counter(), time.process_time()
    return {
        "slots": slots,
        "segments": len(segments),
        "slots_per_s_from_file": round(slots / (done - start)),
        "slots_per_s": round(slots / (done - read)),
        "slots_per_cpu_s": round(slots / (spent - used)),
        "memory_gb": round(_memory(), 2),
    }


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIGABYTE


def _apart(*arguments: str) -> dict[str, Any]:
    """The same script in a process of its own, so that memory is that of one step."""
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(folder: Path, recipe: str, slots: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        model = str(Path(name) / "model")
        given = [str(folder), "--recipes", recipe, "--slots", str(slots), "--model", model]
        trained = _apart(*given, "--step", "train")
        return {"recipe": recipe, "train": trained, "predict": _apart(*given, "--step", "predict")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--recipes", nargs="+", default=LINEAR)
    parser.add_argument("--slots", type=int, default=150_000)
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    parser.add_argument("--step", choices=("train", "predict"), help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step == "train":
        print(json.dumps(train(options.folder, options.recipes[0], options.slots, options.model)))
    elif options.step == "predict":
        print(json.dumps(predict(options.folder, options.model)))
    else:
        found: dict[str, Any] = {"load_before": os.getloadavg()[0], "cores": os.cpu_count()}
        found["recipes"] = [measure(options.folder, recipe, options.slots) for recipe in options.recipes]
        print(json.dumps(found, indent=2))
        if options.write:
            (RESULTS / "speed.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
