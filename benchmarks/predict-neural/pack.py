"""Turn split files into packs: `python benchmarks/predict-neural/pack.py SPLIT PACK [--slots 50000]`.

Source (and word forms of the target) are analysed here, so that training needs neither analysers nor text.
Training data is sampled by whole documents; development and test data stay as they are.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from packing import write_pack

from anaphor.core import Alignment, LanguagePair, Slot, TaskSegment
from anaphor.predict.data import sample_documents
from anaphor.recipes.neural.contexts import ContextReader
from anaphor.task import TaskClasses, task_classes
from anaphor.task.lines import parse_segment

YEAR = 2016  # classes of the tables, word forms of 2015 included: ça counts as cela


def main() -> None:
    options = _options()
    options.pack.mkdir(parents=True, exist_ok=True)
    for data in options.data:
        pair, style = data.split(".")
        classes = task_classes(LanguagePair.parse(pair), year=YEAR)
        reader = ContextReader(classes.pair, forms=style == "2015", classes=classes.classes)
        facts = {"pair": pair, "style": int(style), "year": YEAR, "classes": classes.classes, "slots": {}}
        for path in sorted(options.split.glob(f"{data}.*.tsv.gz")):
            part = path.name.split(".")[2]
            begun = time.monotonic()
            most = options.slots if part == "train" else options.dev if part == "dev" else None
            segments, lines = _segments(path, classes, most)
            contexts = reader.read(segments)
            out = options.pack / f"{data}.{part}.xz"
            write_pack(out, contexts, lines)
            facts["slots"][part] = len(contexts.slots)
            megabytes, seconds = out.stat().st_size / 1e6, time.monotonic() - begun
            print(
                f"{out.name}: {len(contexts.slots)} slots, {megabytes:.1f} MB, {seconds:.0f} s",
                flush=True,
            )
        (options.pack / f"{data}.json").write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Turn split files into packs.")
    parser.add_argument("split", type=Path)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--slots", type=int, default=50000, help="slots of training, by whole documents")
    parser.add_argument("--dev", type=int, default=2000, help="slots of development, by whole documents")
    everything = ["en-fr.2015", "en-fr.2016", "fr-en.2016", "en-de.2016", "de-en.2016", "es-en.2016"]
    parser.add_argument("--data", nargs="+", default=everything)
    return parser.parse_args()


def _segments(path: Path, classes: TaskClasses, most: int | None) -> tuple[list[TaskSegment], list[int]]:
    """The segments that a slot looks at, and the number of slots of every line."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n") for line in file]
    documents = (
        gzip.decompress(Path(str(path).replace(".tsv.gz", ".doc-ids.gz")).read_bytes()).decode().split("\n")
    )
    counts = [len(row.partition("\t")[0].split()) for row in rows]
    kept = range(len(rows)) if most is None else _capped(counts, documents, most)
    needed = set(_needed(kept, counts))
    segments = []
    for i in sorted(needed):
        segment = parse_segment(rows[i], str(path), i + 1, classes=classes)
        segments.append(
            TaskSegment(segment.source, segment.target, segment.slots, segment.alignment, documents[i])
        )
    return segments, counts


def _capped(counts: list[int], documents: list[str], most: int) -> list[int]:
    """The lines that `sample_documents` keeps, found by their numbers without reading them."""
    stand_ins = [
        TaskSegment((str(i),), (), (Slot(0, 0),) * count, Alignment(), documents[i])
        for i, count in enumerate(counts)
    ]
    return [int(segment.source[0]) for segment in sample_documents(stand_ins, slots=most, seed=1)]


def _needed(kept: Iterable[int], counts: list[int]) -> Iterator[int]:
    """Lines with slots, and those before them."""
    lines = set(kept)
    for i in lines:
        if counts[i]:
            yield from {i, i - 1} & lines


if __name__ == "__main__":
    main()
