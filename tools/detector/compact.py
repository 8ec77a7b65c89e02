"""Packed examples for a narrow line: only lines that are read, frequent ids first, and compressed.

    python tools/detector/compact.py PACKED --output FOLDER

Ids beyond the 65,535 most frequent become one that is unknown. `lines.npz` is replaced by `lines.xz`, which
`expand` turns back.
"""

from __future__ import annotations

import argparse
import io
import lzma
import shutil
from pathlib import Path

import numpy as np

MOST = 65_535
#: The two bytes of a number are kept apart, which compresses better.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1}]
#: Lines of the frame, which every text has.
FRAME = 8


def compact(folder: Path, output: Path, *, is_teacher: bool) -> None:
    lines, table = np.load(folder / "lines.npz"), dict(np.load(folder / "pronouns.npz"))
    lengths = lines["lengths"].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    used = np.zeros(len(lengths), dtype=np.bool_)
    if is_teacher:
        used[:FRAME] = True
    for name in ("source", "context", "current", "origin"):
        used[table[name]] = True
    reach = 5 if is_teacher else 3
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
        order = np.argsort(-counts, kind="stable")
        rank = np.empty(len(ids), dtype=np.int64)
        rank[order] = np.arange(len(ids))
        pieces = np.minimum(rank[pieces], MOST)
        ids = ids[order][: MOST + 1]
        if len(order) > MOST:
            # The last one stands for all that are rarer.
            ids[MOST] = 3
            print(f"{(pieces == MOST).mean():.5f} of the pieces are unknown")
        np.save(output / "ids.npy", ids)
    small = pieces.astype(np.uint16)
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


def expand(folder: Path) -> dict[str, np.ndarray]:
    """What `lines.npz` has."""
    if (folder / "lines.npz").exists():
        return dict(np.load(folder / "lines.npz"))
    parts = dict(np.load(io.BytesIO(lzma.decompress((folder / "lines.xz").read_bytes()))))
    parts["pieces"] = parts.pop("low").astype(np.uint16) | (parts.pop("high").astype(np.uint16) << 8)
    return parts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packed", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    compact(options.packed, options.output, is_teacher=(options.packed / "ids.npy").exists())
