"""Training: candidate word pairs, passes of the position model, passes of the HMM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from anaphor.align.model import (
    COUNT_UNIT,
    LONGEST,
    Bitext,
    HmmModel,
    HmmOptions,
    LexiconRows,
    PassCounts,
)
from anaphor.align.priors import Prior, initial_jumps
from anaphor.align.reference import AlignmentEngine
from anaphor.core.array_types import Bools, Doubles, Floats, Longs
from anaphor.core.progress import ShareDone, ShareProgress

#: How long each phase takes, in passes of the position model.
_CANDIDATES, _POSITION, _HMM = 0.5, 1.0, 1.0
#: The same for decoding the links of all pairs.
DECODING = 1.0

#: Jumps are counted in about this many sentence pairs.
JUMP_SAMPLE = 4096

#: The rarer of two words has at most so many counts from a prior, if the text has enough source words.
PRIOR_LIMIT, ENOUGH_WORDS = 100.0, 20_000

#: Words with this many first letters in common are a prefix family; a shorter word is a family of its own.
FAMILY_LETTERS = 4

#: Whether the two words of every entry may translate each other.
Allowed = Callable[[LexiconRows], Bools]


class TrainingText(Protocol):
    """Sentence pairs as word numbers, wherever they are stored; `sources`, `targets`: vocabulary sizes.

    `anaphor.scale` has another implementation, spread over files and workers; training is the same for both.
    """

    @property
    def words(self) -> int:
        """The number of words in the source sentences."""

    def occurrences(self, *, sources: int, targets: int) -> tuple[Longs, Longs]:
        """The frequency of each source word and of each target word."""

    def candidates(
        self, options: HmmOptions, *, sources: int, targets: int, share_done: ShareDone | None
    ) -> tuple[LexiconRows, Floats]:
        """Rows of candidate word pairs, with their Dice coefficients."""

    def expect(
        self, model: HmmModel, options: HmmOptions, *, hmm: bool, share_done: ShareDone | None
    ) -> PassCounts:
        """Expected counts from one pass over the text."""


@dataclass(frozen=True, slots=True, eq=False)
class InMemoryText:
    """A text in memory with the engine that processes it."""

    text: Bitext
    engine: AlignmentEngine

    @property
    def words(self) -> int:
        return len(self.text.source)

    def occurrences(self, *, sources: int, targets: int) -> tuple[Longs, Longs]:
        source, target = self.text.source, self.text.target
        return np.bincount(source, minlength=sources), np.bincount(target, minlength=targets)

    def candidates(
        self, options: HmmOptions, *, sources: int, targets: int, share_done: ShareDone | None
    ) -> tuple[LexiconRows, Floats]:
        pieces = in_pieces(self.text)
        return self.engine.candidates(
            pieces, options, sources=sources, targets=targets, share_done=share_done
        )

    def expect(
        self, model: HmmModel, options: HmmOptions, *, hmm: bool, share_done: ShareDone | None
    ) -> PassCounts:
        indexed, stride = self.engine.indexed(model, options), jump_stride(len(self.text))
        return self.engine.expect(self.text, indexed, hmm=hmm, jump_stride=stride, share_done=share_done)


def jump_stride(pairs: int) -> int:
    """The stride between the pairs whose jumps are counted."""
    return max(1, pairs // JUMP_SAMPLE)


def in_pieces(text: Bitext) -> Bitext:
    """The text with sentence pairs over LONGEST words cut into pieces along the diagonal.

    Words far from the diagonal are never linked, so they should not count as co-occurring either.
    """
    lengths = np.diff(text.source_start), np.diff(text.target_start)
    # As many pieces as the longer side needs, the same number on both.
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


class PhaseProgress:
    """Converts the progress of each phase into overall progress."""

    def __init__(self, progress: ShareProgress | None, *, total: float) -> None:
        self._progress, self._total, self._done = progress, total, 0.0

    def phase(self, name: str, weight: float) -> ShareDone:
        """The callback for the progress of the next phase; `weight` is its share of the total."""
        before = self._done
        self._done += weight

        def share_done(share: float) -> None:
            if self._progress is not None:
                self._progress(name, min((before + weight * share) / self._total, 1.0))

        return share_done


def training_weight(options: HmmOptions) -> float:
    """The duration of training, in passes of the position model."""
    return _CANDIDATES + _POSITION * options.position_passes + _HMM * options.hmm_passes


def train(
    text: TrainingText,
    options: HmmOptions,
    engine: AlignmentEngine,
    meter: PhaseProgress,
    *,
    source_forms: list[str],
    target_forms: list[str],
    prior: Prior,
    allowed: Allowed | None = None,
) -> HmmModel:
    """Train a model from the text and the prior; forbidden word pairs are left out."""
    sources, targets = len(source_forms), len(target_forms)
    share_done = meter.phase("candidates", _CANDIDATES)
    rows, dice = text.candidates(options, sources=sources, targets=targets, share_done=share_done)
    known_counts = limited_counts(prior, options.prior_weight, words=text.words)
    rows, dice, known = _with_prior(rows, dice, replace(prior, count=known_counts), targets)
    if allowed is not None:
        keep = allowed(rows)
        rows, dice, known = rows.only(keep), dice[keep], known[keep]
    cognates = engine.likenesses(rows, source_forms, target_forms, threads=options.threads)
    # Pseudo-counts stay the same in all passes: what the prior knows and what the spelling suggests.
    pseudo = (known + np.float32(options.cognates) * cognates).astype(np.float32)
    model = _initial_model(text, rows, dice + pseudo, prior, sources=sources, targets=targets)
    families = PrefixFamilies.of(source_forms=source_forms, target_forms=target_forms)
    for hmm in [False] * options.position_passes + [True] * options.hmm_passes:
        share_done = meter.phase("hmm" if hmm else "position model", _HMM if hmm else _POSITION)
        counts = text.expect(model, options, hmm=hmm, share_done=share_done)
        # Pruned after every pass, because each entry costs time in all later ones.
        keep = worth_keeping(model, _known_counts(counts, pseudo), options, words=text.words)
        # Both directions may share one array of counts, and must share it afterwards.
        forward = counts.forward[keep]
        reverse = forward if counts.reverse is counts.forward else counts.reverse[keep]
        counts, pseudo = replace(counts, forward=forward, reverse=reverse), pseudo[keep]
        rows = model.rows.only(keep)
        expected = _known_counts(counts, pseudo)
        related = families.pseudo_counts(engine, rows, expected, weight=options.kin)
        tables = engine.maximize(rows, counts, pseudo + related, alpha=options.alpha, threads=options.threads)
        model = replace(model, rows=rows, tables=tables)
        # The position model counts no jumps.
        if hmm:
            model = replace(
                model,
                source_null=_null(counts.source_null, model.source_unigram),
                target_null=_null(counts.target_null, model.target_unigram),
                forward_jumps=_jumps(counts.forward_jumps, prior.forward_jumps),
                reverse_jumps=_jumps(counts.reverse_jumps, prior.reverse_jumps),
            )
        share_done(1.0)
    return model


def _known_counts(counts: PassCounts, pseudo: Floats) -> Doubles:
    """The expected count of every entry, in the direction with the larger count, plus its pseudo-count."""
    return np.asarray(np.maximum(counts.forward, counts.reverse) / COUNT_UNIT + pseudo)


def worth_keeping(model: HmmModel, count: Doubles, options: HmmOptions, *, words: int) -> Bools:
    """Whether each entry's expected count is large enough, absolutely and relative to chance co-occurrence.

    The rest would only cost time from here on. The comparison with chance does not apply to the best entry of
    a word.
    """
    # First what is too rare in any case, most of a large table; the best of a word, if there is one, stays.
    kept = np.flatnonzero(count >= options.prune)
    source, target, count = model.rows.sources()[kept], model.rows.target[kept], count[kept]
    best = np.zeros(len(model.source_null)), np.zeros(len(model.target_null))
    np.maximum.at(best[0], source, count)
    np.maximum.at(best[1], target, count)
    chance = words * model.source_unigram[source] * model.target_unigram[target]
    least = np.minimum(options.lift * chance, np.minimum(best[0][source], best[1][target]))
    keep = np.zeros(len(model.rows), np.bool_)
    keep[kept[count >= least]] = True
    return keep


def limited_counts(prior: Prior, weight: float, *, words: int) -> Floats:
    """The weight of each word pair of a prior, relative to counts of a text with this many source words.

    A prior comes from a different text. With all its counts, a word that is frequent there could not learn
    its translations here. The rarer of two words therefore gets at most PRIOR_LIMIT of them. A short text
    cannot teach much, so the limit rises with the square of what it lacks.
    """
    count = np.float32(weight) * prior.count
    totals = [np.bincount(word, count)[word] for word in (prior.source, prior.target)]
    limit = PRIOR_LIMIT * max(1.0, ENOUGH_WORDS / max(words, 1)) ** 2
    return np.asarray(count * np.minimum(1, limit / np.minimum(*totals)), np.float32)


def _with_prior(
    rows: LexiconRows, dice: Floats, prior: Prior, targets: int
) -> tuple[LexiconRows, Floats, Floats]:
    """Rows including the prior's pairs, the Dice coefficient of each entry, and its pseudo-count."""
    if len(prior.count) == 0:
        return rows, dice, np.zeros_like(dice)
    keys = rows.sources().astype(np.int64) * targets + rows.target
    prior_keys = prior.source * targets + prior.target
    # Both are in order, so that they need only be merged.
    before = np.searchsorted(keys, prior_keys)
    new = np.append(keys, -1)[before] != prior_keys
    added = before[new]
    place = np.arange(len(keys)) + np.cumsum(np.bincount(added, minlength=len(keys) + 1))[:-1]
    prior_place = np.empty(len(prior_keys), np.int64)
    prior_place[new] = added + np.arange(len(added))
    prior_place[~new] = place[before[~new]]
    target = np.empty(len(keys) + len(added), np.int32)
    new_dice, known = np.zeros(len(target), np.float32), np.zeros(len(target), np.float32)
    target[place], new_dice[place] = rows.target, dice
    target[prior_place], known[prior_place] = prior.target, prior.count
    lengths = np.bincount(prior.source[new], minlength=len(rows.start) - 1)
    return LexiconRows(rows.start + np.append(0, np.cumsum(lengths)), target), new_dice, known


def _initial_model(
    text: TrainingText, rows: LexiconRows, weight: Floats, prior: Prior, *, sources: int, targets: int
) -> HmmModel:
    """Word tables proportional to the weights; jumps and unigrams from the prior and the text."""
    source_counts, target_counts = text.occurrences(sources=sources, targets=targets)
    source_unigram = _unigram(source_counts, prior.source_total)
    target_unigram = _unigram(target_counts, prior.target_total)
    tables = np.empty(2 * len(rows), dtype=np.float32)
    for side, word, size in ((0, rows.sources(), sources), (1, rows.target, targets)):
        # In proportion to Dice coefficient and pseudo-counts, both larger for better pairs.
        totals = np.bincount(word, weights=weight, minlength=size)
        tables[side::2] = weight / totals[word]
    return HmmModel(
        rows,
        tables,
        source_unigram,
        target_unigram,
        source_unigram,
        target_unigram,
        prior.forward_jumps,
        prior.reverse_jumps,
    )


def _unigram(seen: Longs, known: Floats) -> Floats:
    """Relative frequencies; every word counts at least half an occurrence, so none is impossible."""
    counts = np.maximum(seen + known, 0.5)
    return np.asarray(counts / max(counts.sum(), 1), dtype=np.float32)


def _jumps(counts: Longs, known: Floats) -> Floats:
    """Jump probabilities from counts plus 100 pseudo-counts in the shape of the prior.

    One percent keeps the initial shape, so no jump becomes impossible.
    """
    weight = counts / COUNT_UNIT + 100.0 * known
    return np.asarray(0.99 * weight / weight.sum() + 0.01 * initial_jumps(), dtype=np.float32)


def _null(counts: Longs, unigram: Floats) -> Floats:
    """Null-word emissions: half estimated from words without a counterpart, half the unigram.

    Expletives and other words that often have no counterpart then tend to stay unaligned.
    """
    weight = counts / COUNT_UNIT + 100.0 * unigram
    return np.asarray(0.5 * weight / weight.sum() + 0.5 * unigram, dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class PrefixFamilies:
    """The prefix family of every word, as a number: all forms that begin with the same letters.

    Most word forms of an inflecting language are rare, and the expected counts of a single form tell little.
    But if *decide* is translated as `décide`, *decided* is probably translated as `décidé`. A word pair
    therefore gets a pseudo-count from its families. With c(s,t) the expected counts, S and T the families of
    s and t, and C the sums of c over families,

        pseudo(s,t) = weight * 2 (C(S,T) - c(s,t)) / (C(S) + C(T) + 1).

    The pair's own count is left out so that nothing reinforces itself, and a family of one word adds nothing.
    """

    source: Longs
    target: Longs

    @classmethod
    def of(cls, *, source_forms: Sequence[str], target_forms: Sequence[str]) -> PrefixFamilies:
        """The families of these vocabularies."""

        def families(forms: Sequence[str]) -> Longs:
            numbers: dict[str, int] = {}
            prefixes = (form[:FAMILY_LETTERS] for form in forms)
            return np.array([numbers.setdefault(prefix, len(numbers)) for prefix in prefixes], np.int64)

        return cls(families(source_forms), families(target_forms))

    def pseudo_counts(
        self, engine: AlignmentEngine, rows: LexiconRows, count: Doubles, *, weight: float
    ) -> Floats:
        """The pseudo-count of every entry, from all expected counts."""
        source, target = self.source[rows.sources()], self.target[rows.target]
        # C(S,T) - c(s,t) of the formula; the denominator has C(S) + C(T) + 1.
        others = engine.family_sums(rows, self.source, self.target, count) - count
        either = np.bincount(source, weights=count)[source] + np.bincount(target, weights=count)[target]
        return np.asarray(weight * 2 * np.maximum(others, 0) / (either + 1), dtype=np.float32)
