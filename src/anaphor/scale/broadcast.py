"""The model on its way to workers: files by ranges of source words, of which each keeps what it needs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from anaphor.align.model import Bitext, HmmModel, LexiconRows, Longs
from anaphor.corpus.arrays import pack_arrays
from anaphor.scale.kept import Kept

ENTRIES = 1 << 22
"""Word pairs of one file, 12 bytes each: a worker reads one file at a time."""

#: All that a model has beside its rows and tables.
_VECTORS = tuple(one.name for one in fields(HmmModel))[2:]


@dataclass(frozen=True, slots=True)
class Broadcast:
    """A model that was written: the name of its files, and in how many parts the table is."""

    name: str
    parts: int


@dataclass(frozen=True, slots=True, eq=False)
class LocalModel:
    """The model of the words of one text; `entries` are the places of its word pairs in the whole table."""

    model: HmmModel
    entries: Longs


def write_model(name: str, model: HmmModel, kept: Kept) -> Broadcast:
    """Write a model for workers to read."""
    rows = model.rows
    edges = np.searchsorted(rows.start, np.arange(0, len(rows), ENTRIES), "right") - 1
    spans = list(pairwise(np.unique([0, *edges.tolist(), len(rows.start) - 1]).tolist()))
    for part, (first, last) in enumerate(spans):
        begin, end = int(rows.start[first]), int(rows.start[last])
        table = {
            "first": np.array([first, begin]),
            "start": rows.start[first : last + 1] - begin,
            "target": rows.target[begin:end],
            "tables": model.tables[2 * begin : 2 * end],
        }
        kept.write(name, f"part-{part}", pack_arrays(table))
    kept.write(name, "vectors", pack_arrays({vector: getattr(model, vector) for vector in _VECTORS}))
    return Broadcast(name, len(spans))


def read_model(sent: Broadcast, text: Bitext, kept: Kept) -> LocalModel:
    """As much of a model as a text can ask for: rows of its source words, with its target words in them."""
    vectors = kept.arrays(sent.name, "vectors")
    has_source = np.zeros(len(vectors["source_unigram"]), np.bool_)
    has_target = np.zeros(len(vectors["target_unigram"]), np.bool_)
    has_source[text.source], has_target[text.target] = True, True
    starts, targets, tables, entries = [np.zeros(1, np.int64)], [], [], []
    for part in range(sent.parts):
        stored = kept.arrays(sent.name, f"part-{part}")
        rows = LexiconRows(stored["start"], stored["target"])
        first_word, first_entry = stored["first"].tolist()
        words = has_source[first_word : first_word + len(rows.start) - 1]
        keep = np.repeat(words, np.diff(rows.start)) & has_target[rows.target]
        kept_rows = rows.only(keep)
        starts.append(kept_rows.start[1:] + starts[-1][-1])
        targets.append(kept_rows.target)
        tables.append(stored["tables"].reshape(-1, 2)[keep].reshape(-1))
        entries.append(np.flatnonzero(keep) + first_entry)
    rows = LexiconRows(np.concatenate(starts), np.concatenate(targets))
    model = HmmModel(rows, np.concatenate(tables), *(vectors[vector] for vector in _VECTORS))
    return LocalModel(model, np.concatenate(entries))
