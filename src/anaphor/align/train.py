"""What a word learns from its kin: the other forms that begin like it.

Most word forms of an inflecting language are rare, and what is expected of one alone says little. But if
*decide* goes with `décide`, *decided* probably goes with `décidé`. So a word pair gets a pseudo-count for
what is expected of its kin. With c(s,t) the expected counts, S and T the families of words that share the
first letters of s and t, and C the sums of c over families,

    kin(s,t) = weight * 2 (C(S,T) - c(s,t)) / (C(S) + C(T) + 1).

The pair's own count is left out, so that nothing confirms itself, and a word without kin gets nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anaphor.align.model import (
    COUNT_UNIT,
    LONGEST,
    REACH,
    AlignmentEngine,
    Bitext,
    Bools,
    Floats,
    HmmModel,
    HmmOptions,
    LexiconRows,
    Longs,
    PassCounts,
    Tell,
)
from anaphor.align.priors import Prior
from anaphor.languages import distinct

LETTERS = 4
"""So many first letters make a family; a shorter word is kin to none."""


@dataclass(frozen=True, slots=True, eq=False)
class PrefixFamilies:
    """The family of every word, as a number."""

    source: Longs
    target: Longs

    @classmethod
    def of(cls, *, source_forms: Sequence[str], target_forms: Sequence[str]) -> PrefixFamilies:
        """The families of these vocabularies."""
        return cls(_families(source_forms), _families(target_forms))

    def pseudo_counts(self, rows: LexiconRows, count: NDArray[np.float64], *, weight: float) -> Floats:
        """The pseudo-count of every entry, from the expected counts of all."""
        source, target = self.source[rows.sources()], self.target[rows.target]
        keys = source * (self.target.max(initial=0) + 1) + target
        place = np.unique(keys, return_inverse=True)[1]
        of_kin = np.bincount(place, weights=count)[place] - count
        of_either = np.bincount(source, weights=count)[source] + np.bincount(target, weights=count)[target]
        return np.asarray(weight * 2 * np.maximum(of_kin, 0) / (of_either + 1), dtype=np.float32)


def _families(forms: Sequence[str]) -> Longs:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(form[:LETTERS], len(numbers)) for form in forms], np.int64)


JUMP_SAMPLE = 4096
"""Jumps are counted in about this many sentence pairs."""


class TrainingText(Protocol):
    """Sentence pairs as word numbers, wherever they are; `sources`, `targets`: sizes of vocabularies."""

    @property
    def words(self) -> int:
        """How many words the source sentences have."""

    def occurrences(self, *, sources: int, targets: int) -> tuple[Longs, Longs]:
        """How often each source word occurs, and each target word."""

    def candidates(
        self, options: HmmOptions, *, sources: int, targets: int, tell: Tell | None
    ) -> tuple[LexiconRows, Floats]:
        """Rows of word pairs worth a probability, and the Dice coefficient of each."""

    def expect(self, model: HmmModel, options: HmmOptions, *, hmm: bool, tell: Tell | None) -> PassCounts:
        """Expected counts of one pass over the text."""


@dataclass(frozen=True, slots=True, eq=False)
class InMemoryText:
    """A text in memory, and the engine that works on it."""

    text: Bitext
    engine: AlignmentEngine

    @property
    def words(self) -> int:
        return len(self.text.source)

    def occurrences(self, *, sources: int, targets: int) -> tuple[Longs, Longs]:
        source, target = self.text.source, self.text.target
        return np.bincount(source, minlength=sources), np.bincount(target, minlength=targets)

    def candidates(
        self, options: HmmOptions, *, sources: int, targets: int, tell: Tell | None
    ) -> tuple[LexiconRows, Floats]:
        pieces = in_pieces(self.text)
        return self.engine.candidates(pieces, options, sources=sources, targets=targets, tell=tell)

    def expect(self, model: HmmModel, options: HmmOptions, *, hmm: bool, tell: Tell | None) -> PassCounts:
        index = self.engine.index(model.rows, threads=options.threads)
        stride = jump_stride(len(self.text))
        return self.engine.expect(self.text, index, model, options, hmm=hmm, jump_stride=stride, tell=tell)


def jump_stride(pairs: int) -> int:
    """Every how many-th pair of a text counts jumps."""
    return max(1, pairs // JUMP_SAMPLE)


def in_pieces(text: Bitext) -> Bitext:
    """The text with sentence pairs over LONGEST words cut into pieces along the diagonal.

    Words far from it are never linked, so that they should not count as occurring together either.
    """
    lengths = np.diff(text.source_start), np.diff(text.target_start)
    pieces = np.maximum(-(-np.maximum(*lengths) // LONGEST), 1)
    if pieces.max(initial=1) == 1:
        return text
    pair = np.repeat(np.arange(len(text)), pieces)
    number = np.arange(len(pair)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    source_start, target_start = (
        np.append(start[pair] + length[pair] * number // pieces[pair], start[-1])
        for start, length in zip((text.source_start, text.target_start), lengths, strict=True)
    )
    return Bitext(text.source, source_start, text.target, target_start)


#: How long each phase takes, in passes of the position model.
_CANDIDATES, _POSITION, _HMM = 0.5, 1.0, 1.0
DECODING = 1.0
"""The same for reading the links of all pairs."""

Progress = Callable[[str, float], None]
"""Told the name of a phase and the share of the whole work that is done, 0 to 1, never less than before."""

Allowed = Callable[[LexiconRows], Bools]
"""Says of every entry whether the two words may translate each other."""


class Meter:
    """Turns the share of each phase into the share of the whole."""

    def __init__(self, progress: Progress | None, *, total: float) -> None:
        self._progress, self._total, self._done = progress, total, 0.0

    def phase(self, name: str, weight: float) -> Tell:
        """What is to be told the share of the next phase; `weight` is its part of the total."""
        before = self._done
        self._done += weight

        def tell(share: float) -> None:
            if self._progress is not None:
                self._progress(name, min((before + weight * share) / self._total, 1.0))

        return tell


def training_weight(options: HmmOptions) -> float:
    """How much time training takes, in passes of the position model."""
    return _CANDIDATES + _POSITION * options.position_passes + _HMM * options.hmm_passes


def train(
    text: TrainingText,
    options: HmmOptions,
    engine: AlignmentEngine,
    meter: Meter,
    *,
    source_forms: list[str],
    target_forms: list[str],
    prior: Prior | None = None,
    allowed: Allowed | None = None,
) -> HmmModel:
    """A model of the text, with what the prior knows; word pairs that are not allowed are left out."""
    sources, targets = len(source_forms), len(target_forms)
    tell = meter.phase("candidates", _CANDIDATES)
    rows, dice = text.candidates(options, sources=sources, targets=targets, tell=tell)
    rows, dice, known = _with_prior(rows, dice, prior, targets, options.prior_weight)
    if allowed is not None:
        keep = allowed(rows)
        rows, dice, known = rows.only(keep), dice[keep], known[keep]
    alike = engine.likenesses(rows, source_forms, target_forms, threads=options.threads)
    pseudo = (known + np.float32(options.cognates) * alike).astype(np.float32)
    model = _start(text, rows, dice + pseudo, prior, sources=sources, targets=targets)
    kin = PrefixFamilies.of(source_forms=source_forms, target_forms=target_forms)
    passes = [False] * options.position_passes + [True] * options.hmm_passes
    for hmm in passes:
        tell = meter.phase("hmm" if hmm else "position model", _HMM if hmm else _POSITION)
        counts = text.expect(model, options, hmm=hmm, tell=tell)
        keep = _worth_keeping(model, counts, pseudo, options, words=text.words)
        model, counts, pseudo = _pruned(model, counts, pseudo, keep)
        of_kin = kin.pseudo_counts(model.rows, _known(counts, pseudo), weight=options.kin)
        model = _maximised(model, counts, pseudo + of_kin, prior, options, engine, hmm=hmm)
        tell(1.0)
    return model


def _worth_keeping(
    model: HmmModel, counts: PassCounts, pseudo: Floats, options: HmmOptions, *, words: int
) -> Bools:
    """Whether each entry is expected often enough, by itself and beside how often its words meet by chance.

    The others would only cost time from here on. Chance does not count against the best entry of a word.
    """
    source, target = model.rows.sources(), model.rows.target
    count = _known(counts, pseudo)
    best = np.zeros(len(model.source_null)), np.zeros(len(model.target_null))
    np.maximum.at(best[0], source, count)
    np.maximum.at(best[1], target, count)
    chance = words * model.source_unigram[source] * model.target_unigram[target]
    least = np.minimum(options.lift * chance, np.minimum(best[0][source], best[1][target]))
    return np.asarray((count >= options.prune) & (count >= least))


def _known(counts: PassCounts, pseudo: Floats) -> NDArray[np.float64]:
    """What is known of every entry: its expected count, by the direction that has more of it, and before."""
    return np.asarray(np.maximum(counts.forward, counts.reverse) / COUNT_UNIT + pseudo)


def _pruned(
    model: HmmModel, counts: PassCounts, pseudo: Floats, keep: Bools
) -> tuple[HmmModel, PassCounts, Floats]:
    """Model, counts and pseudo-counts of the entries to keep."""
    forward = counts.forward[keep]
    reverse = forward if counts.reverse is counts.forward else counts.reverse[keep]
    return (
        replace(model, rows=model.rows.only(keep), tables=model.tables[np.repeat(keep, 2)]),
        replace(counts, forward=forward, reverse=reverse),
        pseudo[keep],
    )


def _with_prior(
    rows: LexiconRows, dice: Floats, prior: Prior | None, targets: int, weight: float
) -> tuple[LexiconRows, Floats, Floats]:
    """Rows with the prior's pairs added, the Dice of each entry, and its pseudo-count."""
    if prior is None or len(prior.count) == 0:
        return rows, dice, np.zeros_like(dice)
    keys = rows.sources().astype(np.int64) * targets + rows.target
    prior_keys = prior.source * targets + prior.target
    merged = distinct(np.concatenate([keys, prior_keys]))
    new_dice, known = np.zeros(len(merged), np.float32), np.zeros(len(merged), np.float32)
    new_dice[np.searchsorted(merged, keys)] = dice
    known[np.searchsorted(merged, prior_keys)] = weight * prior.count
    start = np.searchsorted(merged, np.arange(len(rows.start), dtype=np.int64) * targets)
    return LexiconRows(start.astype(np.int64), (merged % targets).astype(np.int32)), new_dice, known


def _start(
    text: TrainingText, rows: LexiconRows, weight: Floats, prior: Prior | None, *, sources: int, targets: int
) -> HmmModel:
    """Word tables in proportion to the weights, jumps that like one step ahead, unigrams of the text."""
    source_counts, target_counts = text.occurrences(sources=sources, targets=targets)
    source_unigram = _unigram(source_counts, None if prior is None else prior.source_total)
    target_unigram = _unigram(target_counts, None if prior is None else prior.target_total)
    of_entry = rows.sources()
    tables = np.empty(2 * len(rows), dtype=np.float32)
    for side, word, size in ((0, of_entry, sources), (1, rows.target, targets)):
        totals = np.bincount(word, weights=weight, minlength=size)
        tables[side::2] = weight / totals[word]
    jumps = _first_jumps()
    return HmmModel(
        rows,
        tables,
        source_unigram,
        target_unigram,
        source_unigram,
        target_unigram,
        jumps if prior is None else prior.forward_jumps,
        jumps if prior is None else prior.reverse_jumps,
    )


def _unigram(found: Longs, known: Floats | None) -> Floats:
    """Relative frequencies; every word has at least half an occurrence, so that none is impossible."""
    counts = np.maximum(found + (0 if known is None else known), 0.5)
    return np.asarray(counts / max(counts.sum(), 1), dtype=np.float32)


def _first_jumps() -> Floats:
    distance = np.abs(np.arange(-REACH, REACH + 1) - 1)
    shape = 1 / (1 + distance) ** 2
    return np.asarray(shape / shape.sum(), dtype=np.float32)


def _maximised(
    model: HmmModel,
    counts: PassCounts,
    pseudo: Floats,
    prior: Prior | None,
    options: HmmOptions,
    engine: AlignmentEngine,
    *,
    hmm: bool,
) -> HmmModel:
    """The model that fits the expected counts best."""
    tables = engine.maximise(model.rows, counts, pseudo, alpha=options.alpha, threads=options.threads)
    if not hmm:
        return replace(model, tables=tables)
    return replace(
        model,
        tables=tables,
        source_null=_null(counts.source_null, model.source_unigram),
        target_null=_null(counts.target_null, model.target_unigram),
        forward_jumps=_jumps(counts.forward_jumps, None if prior is None else prior.forward_jumps),
        reverse_jumps=_jumps(counts.reverse_jumps, None if prior is None else prior.reverse_jumps),
    )


def _jumps(counts: Longs, known: Floats | None) -> Floats:
    """Jump probabilities from counts and a pseudo-count of 100 in the shape of the prior.

    One part in a hundred keeps the first shape, so that no jump becomes impossible.
    """
    shape = _first_jumps() if known is None else known
    weight = counts / COUNT_UNIT + 100.0 * shape
    return np.asarray(0.99 * weight / weight.sum() + 0.01 * _first_jumps(), dtype=np.float32)


def _null(counts: Longs, unigram: Floats) -> Floats:
    """What the null word emits: half of it learned from words without counterpart, half the unigram.

    Expletives and other words that often have no counterpart are then left alone more readily.
    """
    weight = counts / COUNT_UNIT + 100.0 * unigram
    return np.asarray(0.5 * weight / weight.sum() + 0.5 * unigram, dtype=np.float32)
