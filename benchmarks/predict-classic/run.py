"""How fast and how large the linear recipes are: training, prediction, memory.

Usage: python benchmarks/predict-classic/run.py FOLDER [--recipes NAME ...] [--style 2016] [--slots 150000]
           [--asked 96000] [--write]

FOLDER is that of data.py; English-French, or English-German for a recipe that is for no French. A recipe
learns in a process of its own from as many placeholders as asked for, some documents again where the file is
too small; `anaphor predict run` then answers a file cut from the beginning of the training file, or all of
it, from start to end of the program. Times are by the clock; `cpu` ones are of the processor, worker
processes with it, for machines that other work shares. Memory is that of the largest process. A file has
about four segments a placeholder.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair, TaskSegment
from anaphor.core.engine import warn_without_native
from anaphor.predict.data import read_segments, sample_documents
from anaphor.predict.families import build_predictor
from anaphor.recipes.recipe import load_recipe
from anaphor.task import TaskClasses, task_classes
from anaphor.task.files import documents_beside

RESULTS = Path(__file__).parent / "results"
LINEAR = (
    "uhelsinki-2016",
    "anaphor-local",
    "uu-stymne-2016-1step",
    "uu-stymne-2016",
    "uu-stymne16-2017",
    "anaphor-linear",
    "uedin-2016",
    "cuni-2016",
)
PAIRS = ("en-fr", "en-de")
GIGABYTE = 1 << 30


def pair_of(recipe: str) -> str:
    """The pair that a recipe is measured on."""
    return next(pair for pair in PAIRS if pair in load_recipe(recipe).pairs)


def classes_of(pair: str, style: int) -> TaskClasses:
    return task_classes(LanguagePair.parse(pair), year=style)


def enough(path: Path, classes: TaskClasses, slots: int) -> tuple[TaskSegment, ...]:
    """Training segments with the number of placeholders asked for; a file that is too small is repeated."""
    train = read_segments(str(path), classes=classes)
    whole, rest = divmod(slots, sum(len(segment.slots) for segment in train))
    return (*train * whole, *(sample_documents(train, slots=rest, seed=1) if rest else ()))


def _training(options: argparse.Namespace, recipe: str) -> Path:
    path: Path = options.folder / "split" / f"{pair_of(recipe)}.{options.style}.train.tsv.gz"
    return path


def train(options: argparse.Namespace, recipe: str) -> dict[str, Any]:
    """Seconds to read and to learn, and the most memory that a process had."""
    start = time.perf_counter()
    classes = classes_of(pair_of(recipe), options.style)
    segments = enough(_training(options, recipe), classes, options.slots)
    read = time.perf_counter()
    build_predictor(load_recipe(recipe).settings).fit(segments, classes=classes).save(options.model)
    done = time.perf_counter()
    return {
        "slots": sum(len(segment.slots) for segment in segments),
        "reading_s": round(read - start, 2),
        "training_s": round(done - read, 2),
        "file_to_model_s": round(done - start, 2),
        **_used(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN),
    }


def predict(options: argparse.Namespace, recipe: str) -> dict[str, Any]:
    """Placeholders a second of `anaphor predict run`, starting the program and writing answers included."""
    with tempfile.TemporaryDirectory() as name:
        asked = Path(name) / "asked.tsv"
        slots, segments = _cut(_training(options, recipe), options.asked, asked)
        command = [sys.executable, "-m", "anaphor.cli.main", "predict", "run", str(options.model), str(asked)]
        start = time.perf_counter()
        subprocess.run([*command, "--output", str(Path(name) / "answers.tsv")], check=True)
        spent = time.perf_counter() - start
    used = _used(resource.RUSAGE_CHILDREN)
    return {
        "slots": slots,
        "segments": segments,
        "file_to_answer_s": round(spent, 2),
        "slots_per_s": round(slots / spent),
        "slots_per_cpu_s": round(slots / used["cpu_s"]),
        **used,
    }


def _cut(path: Path, slots: int, asked: Path) -> tuple[int, int]:
    """Write the first lines that have so many placeholders, with their documents; how many these are."""
    with gzip.open(path) as lines, gzip.open(documents_beside(path)) as ids:
        pairs = list(_first(zip(lines, ids, strict=True), slots))
    asked.write_bytes(b"".join(line for line, _ in pairs))
    documents_beside(asked).write_bytes(b"".join(document for _, document in pairs))
    return sum(line.count(b"REPLACE_") for line, _ in pairs), len(pairs)


def _first(pairs: Iterable[tuple[bytes, bytes]], slots: int) -> Iterator[tuple[bytes, bytes]]:
    total = 0
    for line, document in pairs:
        yield line, document
        total += line.count(b"REPLACE_")
        if total >= slots:
            return


def _used(*whose: int) -> dict[str, float]:
    usage = [resource.getrusage(one) for one in whose]
    return {
        "cpu_s": round(sum(one.ru_utime + one.ru_stime for one in usage), 2),
        "memory_gb": round(max(one.ru_maxrss for one in usage) * 1024 / GIGABYTE, 2),
    }


def _apart(*arguments: str) -> dict[str, Any]:
    """The same script in a process of its own, so that memory is that of one step."""
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(options: argparse.Namespace, recipe: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        given = [str(options.folder), "--recipes", recipe, "--slots", str(options.slots)]
        given += ["--asked", str(options.asked), "--style", str(options.style)]
        given += ["--model", str(Path(name) / "model")]
        trained = _apart(*given, "--step", "train")
        predicted = _apart(*given, "--step", "predict")
        return {"recipe": recipe, "pair": pair_of(recipe), "train": trained, "predict": predicted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--recipes", nargs="+", default=LINEAR)
    parser.add_argument("--style", type=int, default=2016, choices=(2015, 2016))
    parser.add_argument("--slots", type=int, default=150_000, help="placeholders to learn from")
    parser.add_argument("--asked", type=int, default=96_000, help="placeholders to predict")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    parser.add_argument("--step", choices=("train", "predict"), help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step is not None:
        step = train if options.step == "train" else predict
        print(json.dumps(step(options, options.recipes[0])))
    else:
        found: dict[str, Any] = {"load_before": os.getloadavg()[0], "cores": os.cpu_count()}
        found["style"] = options.style
        found["recipes"] = [measure(options, recipe) for recipe in options.recipes]
        print(json.dumps(found, indent=2))
        if options.write:
            path = RESULTS / f"speed.{options.style}.json"
            path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
