"""Prior knowledge of a language pair: counts of word pairs, of words and of jumps.

A prior file is small: counts are stored in one byte, as eighths of powers of two, and words are numbered by
frequency in two bytes. `tools/make_priors.py` builds the shipped files, `anaphor pack build` those of users.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.align.model import REACH, LexiconRows
from anaphor.core import LanguagePair, MismatchError, UnknownNameError
from anaphor.core.array_types import Floats, Longs
from anaphor.files.arrays import (
    Array,
    ArrayFile,
    check_arrays,
    pack_strings,
    read_object,
    unpack_strings,
    write_arrays,
)
from anaphor.files.folders import inside

KIND = "prior"
VERSION = 1
#: Word numbers of a prior fit in two bytes.
MOST_WORDS = 65535
_FOLDER = Path(__file__).parent / "priors_data"
_SUFFIX = ".prior"
#: The arrays of `LexiconRows`, and the jump tables, as engines may use them without further checks.
ROWS = {
    "start": "int64[sources+1] starts of pairs",
    "target": "int32[pairs] >= 0 < targets ascending in start",
}
JUMPS = {f"{direction}_jumps": f"float32[{2 * REACH + 1}] > 0 <= 1" for direction in ("forward", "reverse")}
_SCHEMA = {
    "source_forms": "strings[sources]",
    "target_forms": "strings[targets]",
    "lengths": "uint16[sources]",
    "target": "uint16[pairs]",
    "count": "uint8[pairs]",
    "source_total": "uint8[sources]",
    "target_total": "uint8[targets]",
    **JUMPS,
}
_STEPS = 8.0
_LOWEST = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class PriorTable:
    """Expected link counts, word frequencies and jump tables, estimated from a large text."""

    pair: LanguagePair
    source_forms: tuple[str, ...]
    target_forms: tuple[str, ...]
    rows: LexiconRows
    count: Floats
    source_total: Floats
    target_total: Floats
    forward_jumps: Floats
    reverse_jumps: Floats

    def reversed(self) -> PriorTable:
        """The same counts with source and target swapped."""
        source = self.rows.sources()
        # Sorted by what is the source now, as rows are.
        order = np.lexsort((source, self.rows.target))
        lengths = np.bincount(self.rows.target, minlength=len(self.target_forms))
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return replace(
            self,
            pair=LanguagePair(self.pair.target, self.pair.source),
            source_forms=self.target_forms,
            target_forms=self.source_forms,
            rows=LexiconRows(start, source[order]),
            count=self.count[order],
            source_total=self.target_total,
            target_total=self.source_total,
            forward_jumps=self.reverse_jumps,
            reverse_jumps=self.forward_jumps,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """A prior in the word numbers of a text: pseudo-counts of word pairs, word frequencies, jumps."""

    source: Longs
    target: Longs
    count: Floats
    source_total: Floats
    target_total: Floats
    forward_jumps: Floats
    reverse_jumps: Floats


def initial_jumps() -> Floats:
    """Initial jump probabilities, which prefer one step ahead."""
    # p(jump d) is proportional to 1 / (1 + |d - 1|)²: the next word usually goes with the next word.
    distance = np.abs(np.arange(-REACH, REACH + 1) - 1)
    shape = 1 / (1 + distance) ** 2
    return np.asarray(shape / shape.sum(), dtype=np.float32)


def renumbered(table: PriorTable | None, *, source_forms: list[str], target_forms: list[str]) -> Prior:
    """The part of a prior whose words occur in a text, in the text's word numbers; without a prior, no
    counts.
    """
    if table is None:
        no_words, no_counts, jumps = np.empty(0, np.int64), np.empty(0, np.float32), initial_jumps()
        source_total, target_total = (
            np.zeros(len(forms), np.float32) for forms in (source_forms, target_forms)
        )
        return Prior(no_words, no_words, no_counts, source_total, target_total, jumps, jumps)
    new_source = _numbers(table.source_forms, source_forms)
    new_target = _numbers(table.target_forms, target_forms)
    source = new_source[table.rows.sources()]
    target = new_target[table.rows.target]
    known = (source >= 0) & (target >= 0)
    source, target, count = source[known], target[known], table.count[known]
    # By source and then target word, as rows of the lexicon are: they are merged with those of the text.
    order = np.lexsort((target, source))
    return Prior(
        source[order],
        target[order],
        count[order],
        _totals(table.source_total, new_source, len(source_forms)),
        _totals(table.target_total, new_target, len(target_forms)),
        table.forward_jumps,
        table.reverse_jumps,
    )


def _numbers(old_forms: tuple[str, ...], new_forms: list[str]) -> Longs:
    """Map every old number to the new one, or -1 if the text does not have the word."""
    number = {form: n for n, form in enumerate(new_forms)}
    return np.fromiter((number.get(form, -1) for form in old_forms), dtype=np.int64, count=len(old_forms))


def _totals(totals: Floats, new_number: Longs, size: int) -> Floats:
    known = new_number >= 0
    out = np.zeros(size, dtype=np.float32)
    out[new_number[known]] = totals[known]
    return out


def write_prior(path: Path, table: PriorTable, *, origin: str) -> None:
    """Write a prior file; counts are rounded to one byte."""
    arrays: dict[str, Array] = {
        "source_forms": pack_strings(table.source_forms),
        "target_forms": pack_strings(table.target_forms),
        "lengths": np.diff(table.rows.start).astype(np.uint16),
        "target": table.rows.target.astype(np.uint16),
        "count": _to_byte(table.count),
        "source_total": _to_byte(table.source_total),
        "target_total": _to_byte(table.target_total),
        "forward_jumps": table.forward_jumps.astype(np.float32),
        "reverse_jumps": table.reverse_jumps.astype(np.float32),
    }
    metadata = {"kind": KIND, "version": str(VERSION), "pair": str(table.pair), "origin": origin}
    write_arrays(path, arrays, metadata=metadata, compress=True, what=KIND)


def read_prior(path: Path) -> PriorTable:
    """Read a prior file; an inconsistent one is an `InputError`."""
    return read_object(path, kind=KIND, version=VERSION, schema=_SCHEMA, make=_table)


def _table(content: ArrayFile) -> PriorTable:
    arrays = content.arrays
    sources, targets = unpack_strings(arrays["source_forms"]), unpack_strings(arrays["target_forms"])
    rows = LexiconRows(
        np.concatenate([[0], np.cumsum(arrays["lengths"], dtype=np.int64)]), arrays["target"].astype(np.int32)
    )
    table = PriorTable(
        LanguagePair.parse(content.metadata["pair"]),
        sources,
        targets,
        rows,
        _from_byte(arrays["count"]),
        _from_byte(arrays["source_total"]),
        _from_byte(arrays["target_total"]),
        arrays["forward_jumps"],
        arrays["reverse_jumps"],
    )
    # Sums of lengths and numbers of words come from the file: engines index with them unchecked.
    known = {"sources": len(sources), "targets": len(targets), "pairs": len(rows)}
    check_arrays({"start": rows.start, "target": rows.target}, ROWS, **known)
    if any(len({*forms}) < len(forms) for forms in (sources, targets)):
        raise ValueError("it contains a word twice")
    return table


def _to_byte(count: Floats) -> NDArray[np.uint8]:
    # Logarithmic, from 1/16 to 2^28 in steps of 2^(1/8): a count is at most 4 % off.
    steps = np.round(_STEPS * (np.log2(np.maximum(count, 2.0**-_LOWEST)) + _LOWEST))
    return np.asarray(np.clip(steps, 0, 255), dtype=np.uint8)


def _from_byte(steps: NDArray[np.uint8]) -> Floats:
    return np.asarray(np.exp2(steps / _STEPS - _LOWEST), dtype=np.float32)


def prior_path(folder: Path, pair: LanguagePair) -> Path:
    """The place of a pair's prior in a folder."""
    return folder / f"{pair}{_SUFFIX}"


def own_prior(folder: Path, pair: LanguagePair) -> Path | None:
    """The prior of a pair, in either direction, in a user's folder of packs; None if there is none."""
    both = (prior_path(folder, way) for way in (pair, LanguagePair(pair.target, pair.source)))
    return next((inside(folder, path) for path in both if path.exists()), None)


def built_in_pairs() -> tuple[str, ...]:
    """Language pairs with a shipped prior, in either direction."""
    stored = sorted(path.name.removesuffix(_SUFFIX) for path in _FOLDER.glob(f"*{_SUFFIX}"))
    return tuple(sorted({*stored, *("-".join(reversed(name.split("-"))) for name in stored)}))


def built_in_prior(pair: LanguagePair) -> PriorTable:
    """The shipped prior of a pair, reversed if it is stored for the opposite direction."""
    path = own_prior(_FOLDER, pair)
    if path is None:
        raise UnknownNameError.among(str(pair), built_in_pairs(), kind="prior", where="--priors")
    return in_direction(read_prior(path), pair, where=path)


def in_direction(prior: PriorTable, pair: LanguagePair, *, where: Path) -> PriorTable:
    """The prior of a pair, turned around if it is for the opposite direction."""
    if prior.pair == pair:
        return prior
    turned = prior.reversed()
    if turned.pair != pair:
        raise MismatchError(
            f"the prior is for {prior.pair}, the text is {pair}",
            where=str(where),
            fix="pass the prior for this pair, in either direction",
        )
    return turned
