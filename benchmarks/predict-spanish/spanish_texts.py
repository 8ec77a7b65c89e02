"""Task files of English into Spanish: documents that the detector never saw, and others to calibrate on.

    python benchmarks/predict-spanish/spanish_texts.py OUTPUT [--free]

OUTPUT/held has one document in fifty, by the same hash as `tools/detector/student.py`; OUTPUT/calibration one
in ten of the others, at most `LINES` lines per text. The parallel texts are in the folder that ANAPHOR_DATA
names; `--free` leaves out those that do not permit any use.
"""

from __future__ import annotations

import argparse
import os
import zlib
from collections.abc import Sequence
from pathlib import Path

from anaphor.cli.main import main as anaphor
from tools.detector.texts import TEXTS, ParallelDocument

NAMES = ("europarl-es", "tatoeba-es", "handbook-es", "bible-es", "ctxpro-es", "ted-es")
FREE = NAMES[:4]
LINES = 5000
PARTS = {"held": range(1), "calibration": range(1, 6)}


def prepare(name: str, documents: Sequence[ParallelDocument], folder: Path) -> None:
    """Write the lines of some documents and the task file that `anaphor task prepare` makes of them."""
    rows = [
        (source, target, document.name)
        for document in documents
        for source, target in zip(document.source, document.target, strict=True)
        if source.strip() and target.strip()
    ][:LINES]
    paths = [folder / f"{name}.{end}" for end in ("en", "es", "docs")]
    for path, column in zip(paths, zip(*rows, strict=True), strict=True):
        path.write_text("".join(f"{line}\n" for line in column), encoding="utf-8")
    source, target, ids = map(str, paths)
    where = ["--source", source, "--target", target, "--documents", ids, "--output", f"{folder / name}.tsv"]
    anaphor(["task", "prepare", "-q", "-p", "en-es", "--style", "2015", *where])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--free", action="store_true", help="only texts that permit any use")
    options = parser.parse_args()
    data = Path(os.environ["ANAPHOR_DATA"])
    for name in FREE if options.free else NAMES:
        documents = list(TEXTS[name](data))
        for part, remainders in PARTS.items():
            folder = options.output / part
            folder.mkdir(parents=True, exist_ok=True)
            chosen = [one for one in documents if zlib.crc32(one.name.encode()) % 50 in remainders]
            prepare(name, chosen, folder)


if __name__ == "__main__":
    main()
