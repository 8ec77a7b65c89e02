"""Packed examples in less space: only lines that are read, frequent ids first, and compressed.

    python -m tools.detector.compact PACKED --output FOLDER [--unknown ID]

Ids beyond the 65,535 most frequent become the unknown one of the vocabulary, so that two bytes hold any of
them. It is Gemma's unless `--unknown` names another. `lines.npz` is replaced by `lines.xz`, which `expand`
turns back.
"""

from __future__ import annotations

import argparse
import io
import lzma
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.detector.large.text import TEMPLATE
from tools.detector.pack import STUDENT_REACH, TEACHER_REACH

#: The most ids that keep their own number.
MOST = 65_535
#: The id of the unknown piece in the vocabulary of Gemma.
UNKNOWN_ID = 3
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1}]


def compact(folder: Path, *, output: Path, is_teacher: bool, unknown: int = UNKNOWN_ID) -> None:
    """Writes a folder of `pack.py` anew; pronouns and their order stay the same."""
    lines, table = np.load(folder / "lines.npz"), dict(np.load(folder / "pronouns.npz"))
    lengths = lines["lengths"].astype(np.int64)
    used = np.zeros(len(lengths), dtype=np.bool_)
    if is_teacher:
        used[: len(TEMPLATE)] = True
    for name in ("source", "context", "current", "origin"):
        used[table[name]] = True
    reach = TEACHER_REACH if is_teacher else STUDENT_REACH
    for back in range(1, reach + 1):
        rows = np.minimum(table["before"], reach) >= back
        for name in ("source", "context"):
            used[table[name][rows] - back] = True
    if not is_teacher:
        for name in ("source", "context"):
            used[table[name][table["after"] == 1] + 1] = True
    number = np.cumsum(used) - 1
    # Lines that are read together stay neighbours: a gap is never inside a context.
    for name in ("source", "context", "current", "origin"):
        table[name] = number[table[name]].astype(np.int32)
    kept = np.repeat(used, lengths)
    pieces = lines["pieces"][kept].astype(np.int64)
    output.mkdir(parents=True, exist_ok=True)
    if is_teacher:
        ids = np.load(folder / "ids.npy")
        counts = np.bincount(pieces, minlength=len(ids))
        # The frame is among the lines once, but stands around every text.
        counts[pieces[: lengths[: len(TEMPLATE)].sum()]] += len(pieces)
        order = np.argsort(-counts, kind="stable")
        rank = np.empty(len(ids), dtype=np.int64)
        rank[order] = np.arange(len(ids))
        pieces = np.minimum(rank[pieces], MOST)
        ids = ids[order][: MOST + 1]
        if len(order) > MOST:
            # The last one stands for all that are rarer.
            ids[MOST] = unknown
            print(f"{(pieces == MOST).mean():.5f} of the pieces are unknown")
        np.save(output / "ids.npy", ids)
    small = pieces.astype(np.uint16)
    # The two bytes of a number are kept apart, which compresses better.
    parts = {"low": (small & 255).astype(np.uint8), "high": (small >> 8).astype(np.uint8)}
    parts["lengths"] = lengths[used].astype(np.uint16)
    if not is_teacher:
        parts["tags"] = lines["tags"][kept]
    buffer = io.BytesIO()
    np.savez(buffer, **parts)
    (output / "lines.xz").write_bytes(lzma.compress(buffer.getvalue(), filters=_FILTERS))
    np.savez_compressed(output / "pronouns.npz", **table)
    for name in ("names.txt", "sets.json", "forms.json"):
        if (folder / name).exists():
            shutil.copy(folder / name, output / name)


def expand(folder: Path) -> dict[str, NDArray[Any]]:
    """What `lines.npz` has, of a folder that was made smaller or was not."""
    if (folder / "lines.npz").exists():
        return dict(np.load(folder / "lines.npz"))
    parts = dict(np.load(io.BytesIO(lzma.decompress((folder / "lines.xz").read_bytes()))))
    parts["pieces"] = parts.pop("low").astype(np.uint16) | (parts.pop("high").astype(np.uint16) << 8)
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packed", type=Path, help="a folder of pack.py")
    parser.add_argument("--output", type=Path, required=True, help="folder for the smaller arrays")
    parser.add_argument(
        "--unknown", type=int, default=UNKNOWN_ID, help="the id that rare ones become (default: Gemma's)"
    )
    options = parser.parse_args()
    is_teacher = (options.packed / "ids.npy").exists()
    compact(options.packed, output=options.output, is_teacher=is_teacher, unknown=options.unknown)


if __name__ == "__main__":
    main()
