"""How fast the model that ships predicts here, with and without context, and how much memory it takes.

Usage: python benchmarks/predict-neural/speed.py [FILE] [--segments N]

FILE is a five-column file with word forms, English-French; without one, the development file of 2015 where
ANAPHOR_DATA has it. Writes results/speed.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

from anaphor.predict.anaphor1.joint import Habit  # noqa: E402
from anaphor.predict.anaphor1.model import Anaphor1Model  # noqa: E402
from anaphor.predict.anaphor1.reading import Reading  # noqa: E402
from anaphor.predict.anaphor1.windows import Context  # noqa: E402
from anaphor.predict.shipped import find_model  # noqa: E402
from anaphor.task import read_task  # noqa: E402

DATA = Path(os.environ.get("ANAPHOR_DATA", ROOT.parent / "shared" / "data"))
TEDDEV = DATA / "discomt2015-task" / "teddev.tsv"
CONTEXTS = {"three sentences before, one after": Context(3, 1), "no context": Context(0, 0)}


def measure(path: Path, most: int) -> dict[str, object]:
    """Slots a second of each context, by the clock, and the peak memory of the process."""
    began = time.monotonic()
    model = find_model("anaphor-1-small")
    loaded = time.monotonic() - began
    assert isinstance(model, Anaphor1Model)
    ids = path.with_suffix(".doc-ids")
    segments = tuple(read_task(path, documents=ids if ids.is_file() else None))[:most]
    slots = sum(len(segment.slots) for segment in segments)
    rates = {}
    for name, context in CONTEXTS.items():
        reader = model.with_habit(Habit((Reading(context),)))
        began = time.monotonic()
        list(reader.predict(segments))
        rates[name] = round(slots / (time.monotonic() - began), 1)
        print(f"{name}: {rates[name]} slots a second")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"loaded in {loaded:.2f} s; at most {memory} MB")
    return {
        "slots": slots,
        "slots_per_second": rates,
        "load_seconds": round(loaded, 2),
        "peak_mb": memory,
        "cores": os.cpu_count(),
        "machine": platform.machine(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, nargs="?", default=TEDDEV)
    parser.add_argument("--segments", type=int, default=1_000_000)
    options = parser.parse_args()
    if not options.file.is_file():
        print(f"no data to measure on: {options.file} is not there")
        return
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    figures = measure(options.file, options.segments)
    (results / "speed.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
