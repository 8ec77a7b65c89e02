"""How fast raw parallel text becomes a file of the prediction task, with the built-in analyser.

Usage: python benchmarks/task/run.py [--segments 40000] [--workers 2] [--pair en-fr] [--train] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.align import AlignerChoice
from anaphor.align.aligners import BuiltInAligner
from anaphor.core import LanguagePair
from anaphor.core.engine import warn_without_native
from anaphor.task.prepare.plan import PreparationPlan
from anaphor.task.prepare.preparation import LinkConfig, Preparation
from anaphor.task.prepare.texts import ParallelTable, TextPair

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
FILES = {"en-fr": "fr", "fr-en": "fr", "en-de": "de", "de-en": "de", "es-en": "es"}
#: What the aligner of the runs without training has learned from.
LEARNED = 20_000


def processor_seconds() -> float:
    """Seconds that this process and its finished children have worked."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def timed(work: Callable[[], object], segments: int) -> dict[str, float]:
    """Segments a second by the clock, and by processor time if it were spread over two cores evenly."""
    clock, processor = time.perf_counter(), processor_seconds()
    work()
    wall, busy = time.perf_counter() - clock, processor_seconds() - processor
    return {
        "wall_s": round(wall, 2),
        "processor_s": round(busy, 2),
        "segments_per_s": round(segments / wall),
        "segments_per_s_of_two_free_cores": round(2 * segments / busy),
    }


def excerpt(pair: LanguagePair, segments: int, folder: Path) -> TextPair:
    """The first segments of Europarl as two plain files."""
    table = ParallelTable(str(DATA / "europarl" / f"europarl.en-{FILES[str(pair)]}.docs.tsv.gz"), pair)
    pairs = list(islice(table.read(), segments))
    for name in ("source", "target"):
        text = "".join(f"{getattr(one, name)}\n" for one in pairs)
        (folder / name).write_text(text, encoding="utf-8")
    return TextPair(source=str(folder / "source"), target=str(folder / "target"))


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    pair = LanguagePair.parse(options.pair)
    choice = AlignerChoice(pair=pair)
    text = excerpt(pair, options.segments, folder)
    model = folder / "aligner.model"
    whole = Preparation((text,), PreparationPlan(pair=pair), LinkConfig(choice=choice))
    BuiltInAligner(choice).train(list(islice(whole.pairs(), LEARNED))).save(model)

    def prepared(linking: LinkConfig, style: int) -> Callable[[], object]:
        job = Preparation((text,), PreparationPlan(pair=pair, style=style), linking)
        return lambda: job.run(folder / "out.tsv.gz", workers=options.workers, progress=lambda _: None)

    saved = LinkConfig(choice=choice, model=str(model))
    runs = {"2016, saved model": (saved, 2016)}
    if pair == LanguagePair("en", "fr"):
        runs["2015, saved model"] = (saved, 2015)
    if options.train:
        runs["2016, learning from all"] = (LinkConfig(choice=choice), 2016)
        runs[f"2016, learning from {LEARNED}"] = (LinkConfig(choice=choice, learn_from=LEARNED), 2016)
    return {name: timed(prepared(*run), options.segments) for name, run in runs.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=40_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pair", default="en-fr", choices=list(FILES))
    parser.add_argument("--train", action="store_true", help="also with training of the aligner")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    if not (DATA / "europarl").is_dir():
        sys.exit(f"{DATA / 'europarl'} is not there; set ANAPHOR_DATA to the folder that has it")
    report: dict[str, Any] = {
        "benchmark": "task",
        "python": sys.version.split()[0],
        "cpus": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
        "pair": options.pair,
        "segments": options.segments,
        "workers": options.workers,
    }
    with tempfile.TemporaryDirectory() as name:
        report["runs"] = measure(options, Path(name))
    print(json.dumps(report))
    if options.write:
        path = Path(__file__).parent / "results" / f"prepare-{options.pair}.json"
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
