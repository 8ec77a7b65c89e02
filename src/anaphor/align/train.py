"""Training: candidates, passes of the position model, passes of the hidden Markov model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anaphor.align.model import (
    COUNT_UNIT,
    REACH,
    Bitext,
    Engine,
    Floats,
    Hits,
    HmmModel,
    HmmOptions,
    Ints,
    Longs,
    PassCounts,
    Rows,
    WordIndex,
    Work,
)
from anaphor.align.priors import Prior
from anaphor.languages import distinct

PAIRS_PER_CALL = 8192
"""Between two calls of the engine the interpreter sees Ctrl-C and progress is told."""
MOST_HITS_KEPT = 40_000_000
"""Hits (8 bytes each) are kept from pass to pass up to this number, else found again in every pass."""
JUMP_SAMPLE = 4096
"""Jumps are counted in about this many sentence pairs."""

Progress = Callable[[str, float], None]


def train(
    text: Bitext,
    options: HmmOptions,
    engine: Engine,
    *,
    source_forms: list[str],
    target_forms: list[str],
    prior: Prior | None = None,
    progress: Progress | None = None,
) -> HmmModel:
    """A model of the text, with what the prior knows."""
    sources, targets = len(source_forms), len(target_forms)
    rows, dice = engine.candidates(
        text, sources=sources, targets=targets, share=options.share, threads=options.threads
    )
    rows, dice, known = _with_prior(rows, dice, prior, targets, options.prior_weight)
    alike = engine.likenesses(rows, source_forms, target_forms)
    pseudo = (known + np.float32(options.cognates) * alike).astype(np.float32)
    model = _start(text, rows, dice + pseudo, prior, sources=sources, targets=targets)
    hits = KeptHits(text, engine.index(rows), options.threads)
    passes = [False] * options.position_passes + [True] * options.hmm_passes
    for number, hmm in enumerate(passes):
        counts = PassCounts.zeros(model)
        stride = max(1, len(text) // JUMP_SAMPLE)
        work = Work(0, 0, hmm=hmm, agree=options.agree, jump_stride=stride, threads=options.threads)
        for first, last, found in hits:
            engine.expect(text, found, model, options, replace(work, first=first, last=last), counts)
            if progress is not None:
                progress("hmm" if hmm else "position model", (number + last / len(text)) / len(passes))
        if number == options.position_passes - 1:
            # Pairs that the position model hardly ever expects would only cost time from here on.
            keep = counts.entries[::2] / COUNT_UNIT + pseudo >= options.prune
            model, counts, pseudo = _pruned(model, counts, pseudo, keep)
            hits = hits.only(keep, engine.index(model.rows))
        model = _maximised(model, counts, pseudo, prior, options, engine, hmm=hmm)
    return model


def _pruned(
    model: HmmModel, counts: PassCounts, pseudo: Floats, keep: NDArray[np.bool_]
) -> tuple[HmmModel, PassCounts, Floats]:
    """Model, counts and pseudo-counts of the entries to keep."""
    start: Longs = np.concatenate([[0], np.cumsum(keep)])[model.rows.start].astype(np.int64)
    both = np.repeat(keep, 2)
    return (
        replace(model, rows=Rows(start, model.rows.target[keep]), tables=model.tables[both]),
        replace(counts, entries=counts.entries[both]),
        pseudo[keep],
    )


class KeptHits:
    """The hits of a text range by range, kept in memory where they are few enough."""

    def __init__(self, text: Bitext, index: WordIndex, threads: int) -> None:
        self._text, self._index, self._threads = text, index, threads
        self._kept: list[Hits] = []
        self._size = 0

    def __iter__(self) -> Iterator[tuple[int, int, Hits]]:
        for number, first in enumerate(range(0, len(self._text), PAIRS_PER_CALL)):
            last = min(first + PAIRS_PER_CALL, len(self._text))
            if number < len(self._kept):
                yield first, last, self._kept[number]
                continue
            hits = self._index.hits(self._text, first=first, last=last, threads=self._threads)
            if self._size + len(hits.entry) <= MOST_HITS_KEPT and number == len(self._kept):
                self._kept.append(hits)
                self._size += len(hits.entry)
            yield first, last, hits

    def only(self, keep: NDArray[np.bool_], index: WordIndex) -> KeptHits:
        """The hits of the entries to keep, which are numbered afresh; `index` is that of the new rows."""
        fewer = KeptHits(self._text, index, self._threads)
        number = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
        for hits in self._kept:
            entry = number[hits.entry]
            stays = entry >= 0
            start = np.concatenate([[0], np.cumsum(stays)])[hits.start]
            fewer._kept.append(Hits(start, hits.source[stays], hits.target[stays], entry[stays]))
            fewer._size += len(fewer._kept[-1].entry)
        return fewer


def _with_prior(
    rows: Rows, dice: Floats, prior: Prior | None, targets: int, weight: float
) -> tuple[Rows, Floats, Floats]:
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
    return Rows(start.astype(np.int64), (merged % targets).astype(np.int32)), new_dice, known


def _start(
    text: Bitext, rows: Rows, weight: Floats, prior: Prior | None, *, sources: int, targets: int
) -> HmmModel:
    """Word tables in proportion to the weights, jumps that like one step ahead, unigrams of the text."""
    source_unigram = _unigram(text.source, sources, None if prior is None else prior.source_total)
    target_unigram = _unigram(text.target, targets, None if prior is None else prior.target_total)
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


def _unigram(words: Ints, size: int, known: Floats | None) -> Floats:
    """Relative frequencies; every word has at least half an occurrence, so that none is impossible."""
    counts = np.maximum(np.bincount(words, minlength=size) + (0 if known is None else known), 0.5)
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
    engine: Engine,
    *,
    hmm: bool,
) -> HmmModel:
    """The model that fits the expected counts best."""
    tables = engine.maximise(
        model.rows,
        targets=len(model.target_null),
        counts=counts.entries,
        prior=pseudo,
        alpha=options.alpha,
        threads=options.threads,
    )
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
