"""How fast the model that ships predicts here, with and without context, and how much memory it takes.

Usage: python benchmarks/predict-neural/speed.py [FILE] [--segments N] [--model MODEL] [--numpy]

FILE is a five-column file with word forms, English-French; without one, the development file of 2015 where
ANAPHOR_DATA has it. Every figure is of the whole way from the file to predictions, the model being loaded,
with a hash of the probabilities: two builds are compared only where it is the same.
Other programs make the clock wrong and processor seconds hardly so: both are told, with the load of the
machine. Writes results/speed.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

from anaphor.core.engine import warn_without_native  # noqa: E402
from anaphor.predict.anaphor2 import inference  # noqa: E402
from anaphor.predict.anaphor2.joint import DecodingConfig  # noqa: E402
from anaphor.predict.anaphor2.model import Anaphor2Model  # noqa: E402
from anaphor.predict.anaphor2.windows import InputView  # noqa: E402
from anaphor.predict.shipped import find_model  # noqa: E402
from anaphor.task import read_task  # noqa: E402

DATA = Path(os.environ.get("ANAPHOR_DATA", ROOT.parent / "shared" / "data"))
TEDDEV = DATA / "discomt2015-task" / "teddev.tsv"
CONTEXTS = {"three sentences before, one after": InputView(3, 1), "no context": InputView(0, 0)}


def timed(model: Anaphor2Model, path: Path, most: int, context: InputView) -> dict[str, float | str]:
    """Slots, and slots a second by the clock and by the processor, from the file to predictions."""
    reader = model.with_config(DecodingConfig((context,)))
    clock, processor = time.monotonic(), time.process_time()
    ids = path.with_suffix(".doc-ids")
    segments = tuple(read_task(path, documents=ids if ids.is_file() else None))[:most]
    found = [one for predictions in reader.predict(segments) for one in predictions]
    clock, processor = time.monotonic() - clock, time.process_time() - processor
    slots = len(found)
    return {
        "slots": slots,
        "slots_per_second": round(slots / clock, 1),
        "slots_per_processor_second": round(slots / processor, 1),
        "load": round(os.getloadavg()[0], 1),
        "probabilities": hashlib.sha256(repr([one.probabilities for one in found]).encode()).hexdigest()[:16],
    }


def measure(path: Path, most: int, name: str) -> dict[str, object]:
    """The figures of each context, and the peak memory of the process."""
    began = time.monotonic()
    model = find_model(name, pair="en-fr")
    loaded = time.monotonic() - began
    assert isinstance(model, Anaphor2Model)
    figures = {}
    for told, context in CONTEXTS.items():
        figures[told] = one = timed(model, path, most, context)
        print(f"{told}: {one['slots_per_second']} slots a second", end="")
        print(f" ({one['slots_per_processor_second']} a processor second, load {one['load']})")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{model.engine}: loaded in {loaded:.2f} s; at most {memory} MB")
    return {
        "engine": model.engine,
        "contexts": figures,
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
    parser.add_argument("--model", default="anaphor-2-small", help="another one, by name or folder")
    parser.add_argument("--numpy", action="store_true", help="as where nothing was compiled")
    options = parser.parse_args()
    if not options.file.is_file():
        print(f"no data to measure on: {options.file} is not there")
        return
    if options.numpy:
        inference.__dict__["has_native"] = lambda: False
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    figures = measure(options.file, options.segments, options.model)
    name = "speed-numpy.json" if options.numpy else "speed.json"
    (results / name).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
