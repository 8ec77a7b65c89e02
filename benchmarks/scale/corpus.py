"""Europarl repeated until it is large enough: whole documents in another order each time, in shards."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from anaphor.core import LanguagePair
from anaphor.task.prepare.texts import ParallelTable, RawPair

SHARD = 25_000
"""Pairs of one shard, and as many more as its last document has."""

Document = list[RawPair]


def documents_of(table: Path, pair: LanguagePair) -> list[Document]:
    """The documents of a table, in order."""
    return [
        list(pairs)
        for _, pairs in groupby(ParallelTable(str(table), pair).read(), key=lambda one: one.document)
    ]


def repeated(documents: list[Document], pairs: int, *, seed: int = 1) -> Iterator[Document]:
    """Whole documents until there are so many pairs; every round has all of them in an order of its own."""
    chance, left, copy = random.Random(seed), pairs, 0  # noqa: S311
    while left > 0:
        for document in chance.sample(documents, len(documents)):
            if left <= 0:
                return
            yield [one._replace(document=f"{one.document}.{copy}") for one in document]
            left -= len(document)
        copy += 1


def write_shards(documents: Iterator[Document], folder: Path) -> int:
    """Write part-00000.src.gz, .tgt.gz and .ids and so on; how many pairs they have."""
    total, shard = 0, list[RawPair]()
    number = 0
    for document in documents:
        shard += document
        total += len(document)
        if len(shard) >= SHARD:
            _write(shard, folder, number)
            shard, number = [], number + 1
    if shard:
        _write(shard, folder, number)
    return total


def _write(shard: list[RawPair], folder: Path, number: int) -> None:
    for suffix, side in (("src.gz", "source"), ("tgt.gz", "target")):
        text = "".join(f"{getattr(pair, side)}\n" for pair in shard).encode("utf-8")
        (folder / f"part-{number:05d}.{suffix}").write_bytes(gzip.compress(text, 1, mtime=0))
    ids = "".join(f"{pair.document}\n" for pair in shard)
    (folder / f"part-{number:05d}.ids").write_text(ids, encoding="utf-8")


def join_shards(folder: Path) -> None:
    """Write all.src.gz, all.tgt.gz and all.ids; members of a gzip file may follow each other."""
    for suffix in ("src.gz", "tgt.gz", "ids"):
        parts = sorted(folder.glob(f"part-*.{suffix}"))
        (folder / f"all.{suffix}").write_bytes(b"".join(part.read_bytes() for part in parts))
