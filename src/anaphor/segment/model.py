"""The probabilistic model of the search: evidence from words, lengths and the context of a cut.

All values are natural log ratios: how much more probable an observation is in the translation of a segment,
or at a cut, than elsewhere. `tools/make_segment_model.py` trains the tables on concatenated documents with
known boundaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from anaphor.align.model import LexiconRows
from anaphor.align.priors import PriorTable
from anaphor.core.array_types import Bools, Floats
from anaphor.core.records import Record
from anaphor.corpus.text import decode, read_bytes
from anaphor.segment.encode import ENDS, GAPS, INSTALL_AGAIN, KINDS, STARTS

#: Association of a word with a segment in powers of two, from "none" to 2^BINS.
BINS = 14


@dataclass(frozen=True, slots=True, eq=False)
class SegmentModel:
    """Tables and costs of the search."""

    #: Evidence of a word of each kind with an association in each bin; the last column is a word whose only
    #: counterparts in the segment are translated already.
    words: Floats
    #: Evidence of the token before a cut, given the end of the source segment; of the one after; of the gap.
    ends: Floats
    begins: Floats
    gaps: Floats
    #: Evidence of more or fewer sentence ends than the source segment has; equally many in the middle.
    sentences: Floats
    #: Evidence of the first word behind a cut, by its association with the first words of the segment, and of
    #: the last word before it with the last ones.
    opening: Floats
    closing: Floats
    spread: float
    omission: float
    further_omission: float
    addition: float
    temperature: float


_SHAPES = {
    "words": (len(KINDS), BINS + 2),
    "ends": (len(ENDS), len(ENDS)),
    "begins": (len(STARTS), 2 * len(STARTS)),
    "gaps": (len(GAPS),),
    "sentences": (7,),
    "opening": (BINS + 1,),
    "closing": (BINS + 1,),
}
_COSTS = ("spread", "omission", "further_omission", "addition", "temperature")
_LARGEST = 1000.0


@cache
def default_model() -> SegmentModel:
    """The shipped model."""
    return read_model(Path(__file__).with_name("model.json"))


def read_model(path: Path) -> SegmentModel:
    """The model in a file written by `tools/make_segment_model.py`."""
    text = decode(read_bytes(path), path=str(path))
    record = Record.from_json(text, where=str(path), fix=INSTALL_AGAIN)
    record.allow(*_SHAPES, *_COSTS)
    values: dict[str, Any] = {name: record.number(name, low=0.1, high=_LARGEST) for name in _COSTS}
    for name, shape in _SHAPES.items():
        try:
            values[name] = table = np.array(record.raw(name), np.float32)
        except (ValueError, TypeError, OverflowError):
            record.refuse(name, "not a table of numbers")
        if table.shape != shape or not (np.abs(table) <= _LARGEST).all():
            record.refuse(name, f"not {' x '.join(map(str, shape))} numbers from -1,000 to 1,000")
    return SegmentModel(**values)


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """For every source word the target words that translate it, with p(target | source) / p(target)."""

    rows: LexiconRows
    ratio: Floats
    targets: int


#: Ratio of a word that both texts have, and most that a word of a reference has with itself.
_COPIED = 2000.0


def lexicon_of(
    prior: PriorTable | None,
    source: dict[str, int],
    target: dict[str, int],
    *,
    reference: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Lexicon, Bools]:
    """The lexicon of the words of a text, and whether each target word is in the prior.

    Words of a reference, numbered after those of the source, translate as themselves.
    """
    known = np.zeros(len(target), np.bool_)
    listed: set[str] = set()
    pairs: dict[str, list[np.ndarray]] = {"s": [], "t": [], "r": []}
    if prior is not None:
        new_source = np.fromiter((source.get(form, -1) for form in prior.source_forms), np.int64)
        new_target = np.fromiter((target.get(form, -1) for form in prior.target_forms), np.int64)
        known[new_target[new_target >= 0]] = True
        listed.update(prior.source_forms, prior.target_forms)
        s, t = prior.rows.sources(), prior.rows.target
        kept = (new_source[s] >= 0) & (new_target[t] >= 0)
        s, t, count = s[kept], t[kept], prior.count[kept]
        total = float(prior.target_total.sum())
        ratio = count * total / (prior.source_total[s] * prior.target_total[t] + 1.0)
        pairs["s"].append(new_source[s])
        pairs["t"].append(new_target[t])
        pairs["r"].append(ratio)
    # A form that both have is likely to be a name or a number, unless it is a short word of a language.
    shared = [
        (number, target[form])
        for form, number in source.items()
        if form in target
        and (len(form) > 3 or any(map(str.isdigit, form)) or (listed and form not in listed))
    ]
    if shared:
        both = np.array(shared, np.int64)
        pairs["s"].append(both[:, 0])
        pairs["t"].append(both[:, 1])
        pairs["r"].append(np.full(len(both), _COPIED))
    same = [(number + len(source), target[form]) for form, number in reference.items() if form in target]
    if same:
        both = np.array(same, np.int64)
        ratio = np.full(len(target), _COPIED)
        if prior is not None:
            share = (prior.target_total[new_target >= 0] + 1) / prior.target_total.sum()
            ratio[new_target[new_target >= 0]] = np.minimum(1 / share, _COPIED)
        pairs["s"].append(both[:, 0])
        pairs["t"].append(both[:, 1])
        pairs["r"].append(ratio[both[:, 1]])
    if not pairs["s"]:
        empty = LexiconRows(np.zeros(len(source) + len(reference) + 1, np.int64), np.empty(0, np.int32))
        return Lexicon(empty, np.empty(0, np.float32), len(target)), known
    s, t, r = (np.concatenate(pairs[key]) for key in "str")
    order = np.lexsort((-r, t, s))
    s, t, r = s[order], t[order], r[order]
    first = np.ones(len(s), np.bool_)
    first[1:] = (np.diff(s) != 0) | (np.diff(t) != 0)
    s, t, r = s[first], t[first], r[first]
    start = np.concatenate([[0], np.cumsum(np.bincount(s, minlength=len(source) + len(reference)))]).astype(
        np.int64
    )
    return Lexicon(LexiconRows(start, t.astype(np.int32)), r.astype(np.float32), len(target)), known
