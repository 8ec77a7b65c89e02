"""The search for the best cuts, in NumPy: the reference of native/segment.hpp.

A dynamic program over pairs of a source segment and a gap of the text. Segment i ends at gap k in one of
three layers: its piece ends there (CUT), it was omitted there (OMITTED), or an addition follows it that ends
there (ADDED). Only gaps within BEAM of the best one survive a segment, at most WIDTH of them, and an addition
ends at most `far` tokens after the last of them, so time and memory are linear in the number of segments of a
long document. A second, backward pass gives posteriors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core.array_types import Bools, Doubles, Floats, Ints, Longs
from anaphor.core.engine import native
from anaphor.segment.encode import ENDS, GAPS, PUNCTUATION, Segments, Tokens
from anaphor.segment.model import BINS, Lexicon, SegmentModel

CUT, OMITTED, ADDED = range(3)
#: Scores further below the best one are given up; in documents of many segments those further than NARROW.
BEAM, NARROW = 30.0, 20.0
MANY = 5000
WIDTH = 300
#: An addition may be so many tokens long, and in documents of up to CELLS cells as long as the document.
FARTHEST = 600
CELLS = 4_000_000
#: A stretch may be LONGEST times as long as expected, and so many tokens longer.
LONGEST, SLACK = 3, 30
#: Words with an association of this bin or above use up the source word that they translate.
LINKED = 6
_LOWEST = -np.inf
_EDGE_ENDS = np.isin(np.array(ENDS), (".", "?", "!", ":", "sentence-closing", "closing"))


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """The best path: segment i goes from gap `start[i]` to `end[i]`, or is empty there and `omitted[i]`.

    `confidence[i]` is the probability that segment i ends at `end[i]`, `second[i]` the next most probable end
    (-1 if none was considered) and `second_confidence[i]` its probability; `empty[i]` is the probability that
    segment i is omitted, `added[i]` that something is added before it, or, in the last position, after all
    segments.
    """

    start: Longs
    end: Longs
    omitted: Bools
    confidence: Doubles
    second: Longs
    second_confidence: Doubles
    empty: Doubles
    added: Doubles


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """The surviving gaps after a segment: scores and sums by layer, and backpointers of the best path."""

    gaps: Longs
    best: Doubles  # layers x gaps
    total: Doubles
    origin: Longs  # CUT: gap where the stretch starts; ADDED: gap where the addition starts
    reach: int  # the last gap that is not the end of an addition only


def search(plan: Search) -> Cuts:
    """The best cuts of a document, by the compiled search if there is one."""
    if native is None:
        return plan.run()
    segments, tokens, lexicon, model = plan.segments, plan.tokens, plan.lexicon, plan.model
    start, end, omitted, confidence, second, second_confidence, empty, added = native.segment(
        (
            segments.start,
            segments.words,
            segments.ends,
            segments.begins,
            segments.length,
            segments.sentences,
            segments.first,
            segments.last,
        ),
        (
            tokens.words,
            tokens.kinds,
            tokens.ends,
            tokens.begins,
            tokens.gaps,
            tokens.length,
            tokens.sentences,
            plan.edges.view(np.uint8),
            tokens.final,
            tokens.initial,
        ),
        (lexicon.rows.start, lexicon.rows.target, lexicon.ratio, lexicon.targets),
        (
            model.words,
            model.ends,
            model.begins,
            model.gaps,
            model.sentences,
            model.opening,
            model.closing,
        ),
        (model.spread, model.omission, model.further_omission, model.addition, model.temperature, plan.beam),
        (WIDTH, plan.far, LONGEST, SLACK, LINKED, PUNCTUATION),
        plan.ratio,
    )
    flags = omitted.view(np.bool_)
    return Cuts(start, end, flags, confidence, second, second_confidence, empty, added)


class Search:
    """One document, with `ratio` target characters per source character."""

    def __init__(
        self, segments: Segments, tokens: Tokens, lexicon: Lexicon, model: SegmentModel, ratio: float
    ) -> None:
        self.segments, self.tokens, self.lexicon, self.model, self.ratio = (
            segments,
            tokens,
            lexicon,
            model,
            ratio,
        )
        size, count = len(tokens), len(segments)
        self.size, self.count = size, count
        self.edges = _EDGE_ENDS[tokens.ends] | (tokens.gaps == GAPS.index("line"))
        self.edges[[0, size]] = True
        self.beam = BEAM if count <= MANY else NARROW
        self.far = max(FARTHEST, min(size, CELLS // max(count, 1)))
        self.weight = np.zeros(lexicon.targets)
        # The first word behind each gap and the last one before it, -1 where there is none.
        words = np.flatnonzero(tokens.kinds < PUNCTUATION)
        at = np.searchsorted(words, np.arange(size + 1))
        self.next_word, self.last_word = (np.append(words, -1)[at], np.concatenate([[-1], words])[at])
        self.scale = 1.0 / model.temperature

    def run(self) -> Cuts:
        most = min(self.far, self.size)
        best, origin = np.full((3, most + 1), _LOWEST), np.full((3, most + 1), -1, np.int64)
        best[CUT, 0] = 0
        columns = [self._column(0, best, best.copy(), origin, last=self.count == 0)]
        for i in range(self.count):
            columns.append(self._advance(i, columns[-1]))
        return self._posterior(columns, *self._path(columns))

    def evidence(self, i: int, low: int, high: int) -> tuple[Doubles, Longs]:
        """For each token its evidence for segment i, and the earlier token that used up its counterpart."""
        tokens, lexicon, table = self.tokens, self.lexicon, self.model.words
        words = self.segments.words[self.segments.start[i] : self.segments.start[i + 1]]
        distinct, times = np.unique(words, return_counts=True)
        weight = self.weight
        touched = []
        for word, often in zip(distinct.tolist(), times.tolist(), strict=True):
            first, last = lexicon.rows.start[word], lexicon.rows.start[word + 1]
            targets, ratios = lexicon.rows.target[first:last], lexicon.ratio[first:last]
            weight[targets] += often * ratios.astype(np.float64)
            touched.append((targets, ratios, word, often))
        here = tokens.words[low:high]
        association = weight[here] / max(len(words), 1)
        bins = np.zeros(len(here), np.int64)
        linked = association > 0
        bins[linked] = np.clip(np.floor(np.log2(association[linked])) + 4, 1, BINS)
        value = table[tokens.kinds[low:high], bins].astype(np.float64)
        used = self._used(here, bins, touched, low)
        for targets, *_ in touched:
            weight[targets] = 0
        return value, used

    def edge_bins(self, edge: Ints, near: Longs) -> Longs:
        """For every gap the association, as a bin, of the word near it with source words; -1 without one."""
        bins = np.zeros(self.lexicon.targets, np.int64)
        for word in edge[edge >= 0].tolist():
            first, last = self.lexicon.rows.start[word], self.lexicon.rows.start[word + 1]
            targets, ratio = self.lexicon.rows.target[first:last], self.lexicon.ratio[first:last]
            steps = np.floor(np.log2(ratio.astype(np.float64))).astype(np.int64) + 4
            bins[targets] = np.maximum(bins[targets], np.clip(steps, 1, BINS))
        return np.where(near < 0, -1, bins[self.tokens.words[near]] if self.size else -1)

    def _used(
        self, here: Ints, bins: Longs, touched: Sequence[tuple[Ints, Floats, int, int]], low: int
    ) -> Longs:
        """For each token the last earlier one that uses up its counterpart, -1 if there is none."""
        used = np.full(len(here), -1, np.int64)
        strong = np.flatnonzero(bins >= LINKED)
        if not len(strong):
            return used
        best = np.zeros(len(self.weight))
        owner = np.full(len(self.weight), -1, np.int64)
        often = np.zeros(len(self.weight), np.int64)
        for targets, ratios, word, times in touched:
            better = ratios > best[targets]
            best[targets[better]] = ratios[better]
            owner[targets[better]] = word
            often[targets[better]] = times
        owners, times_of = owner[here[strong]], often[here[strong]]
        order = np.argsort(owners, kind="stable")
        places, grouped, times_sorted = strong[order], owners[order], times_of[order]
        earlier = np.arange(len(order)) - times_sorted
        linked = (earlier >= 0) & (grouped[np.maximum(earlier, 0)] == grouped)
        used[places[linked]] = places[earlier[linked]] + low
        return used

    def _stretches(self, i: int, starts: Longs) -> Iterator[tuple[int, Doubles]]:
        """For every start, the score of segment i ending at each later gap."""
        tokens, segments, model = self.tokens, self.segments, self.model
        length = float(segments.length[i]) * self.ratio
        count = int(segments.start[i + 1] - segments.start[i])
        most = LONGEST * count + SLACK
        low, high = int(starts[0]), min(int(starts[-1]) + most, self.size)
        value, used = self.evidence(i, low, high)
        ends = model.ends[segments.ends[i], tokens.ends] + model.gaps[tokens.gaps] + tokens.final
        ends += np.append(model.closing, 0)[self.edge_bins(segments.last[i], self.last_word)]
        begins = model.begins[segments.begins[i], tokens.begins] + tokens.initial
        begins += np.append(model.opening, 0)[self.edge_bins(segments.first[i], self.next_word)]
        width = (model.sentences.shape[0] - 1) // 2
        for start in starts.tolist():
            last = min(start + most, self.size)
            if last == start:
                yield start, np.empty(0)
                continue
            here = slice(start - low, last - low)
            gains = np.where(used[here] >= start, np.minimum(value[here], model.words[0, -1]), value[here])
            score = np.cumsum(gains)
            size = tokens.length[start + 1 : last + 1] - tokens.length[start]
            deviation = (size - length) ** 2 / (model.spread * length + 20.0)
            score -= 2.0 * np.log1p(deviation / 3.0)
            more = tokens.sentences[start + 1 : last + 1] - tokens.sentences[start] - segments.sentences[i]
            score += model.sentences[np.clip(more, -width, width) + width]
            score += ends[start + 1 : last + 1] + begins[start]
            yield start, score

    def _advance(self, i: int, column: _Column) -> _Column:
        """The column after segment i."""
        last = i + 1 == self.count
        count = int(self.segments.start[i + 1] - self.segments.start[i])
        low = int(column.gaps[0])
        high = self.size if last else column.reach + self.far + LONGEST * count + SLACK
        shape = 3, min(high, self.size) - low + 1
        best, total, origin = np.full(shape, _LOWEST), np.full(shape, _LOWEST), np.full(shape, -1, np.int64)
        any_best, any_total = column.best.max(0), np.logaddexp.reduce(column.total, 0)
        if count:
            for k, (start, scores) in enumerate(self._stretches(i, column.gaps)):
                part = slice(start + 1 - low, start + 1 - low + len(scores))
                better = any_best[k] + scores > best[CUT, part]
                best[CUT, part][better] = (any_best[k] + scores)[better]
                origin[CUT, part][better] = start
                total[CUT, part] = np.logaddexp(total[CUT, part], any_total[k] + scores * self.scale)
        at, (first, further) = column.gaps - low, self._omission(i)
        opening = np.maximum(column.best[CUT], column.best[ADDED]) - first
        best[OMITTED, at] = np.maximum(opening, column.best[OMITTED] - further)
        opening = np.logaddexp(column.total[CUT], column.total[ADDED]) - first * self.scale
        total[OMITTED, at] = np.logaddexp(opening, column.total[OMITTED] - further * self.scale)
        return self._column(low, best, total, origin, last=last)

    def _omission(self, i: int) -> tuple[float, float]:
        """The cost of omitting segment i, first or after another; an empty one costs nothing."""
        if self.segments.start[i + 1] == self.segments.start[i]:
            return 0.0, 0.0
        return self.model.omission, self.model.further_omission

    def _column(self, low: int, best: Doubles, total: Doubles, origin: Longs, *, last: bool) -> _Column:
        """The surviving gaps, including those at the ends of additions."""
        either = best.max(0)
        top = either.max()
        alive = either >= top - self.beam
        if alive.sum() > WIDTH:
            alive[np.argsort(-either, kind="stable")[WIDTH:]] = False
        best[:, ~alive] = total[:, ~alive] = _LOWEST
        edges = self.edges[low : low + len(alive)]
        # Whatever is left behind the last segment is an addition, wherever it starts.
        sources = np.flatnonzero(alive if last else alive & edges)
        reach = int(np.flatnonzero(alive)[-1])
        targets = np.array([self.size - low]) if last else np.flatnonzero(edges[: reach + self.far + 1])
        before = np.searchsorted(sources, targets) - 1
        targets, before = targets[before >= 0], before[before >= 0]
        if len(targets):
            ends = either[sources]
            running = np.maximum.accumulate(ends)
            winner = np.maximum.accumulate(np.where(ends >= running, np.arange(len(ends)), 0))
            sums = np.logaddexp.accumulate(np.logaddexp.reduce(total[:, sources], 0))
            best[ADDED, targets] = running[before] - self.model.addition
            total[ADDED, targets] = sums[before] - self.model.addition * self.scale
            origin[ADDED, targets] = sources[winner[before]] + low
        kept = alive | (best[ADDED] >= top - self.beam)
        if last:
            kept[-1] = True
        where = np.flatnonzero(kept)
        return _Column(where + low, best[:, where], total[:, where], origin[:, where], reach + low)

    def _path(self, columns: Sequence[_Column]) -> tuple[Longs, Longs, Bools]:
        """The start and end of each segment on the best path, and whether it is omitted."""
        start, end = np.zeros(self.count, np.int64), np.zeros(self.count, np.int64)
        omitted = np.zeros(self.count, np.bool_)
        gap, after_omission = self.size, False
        for i in range(self.count, -1, -1):
            column = columns[i]
            at = int(np.searchsorted(column.gaps, gap))
            layers = column.best[:, at].copy()
            if after_omission and i:  # the segment behind was omitted: which layer did it come from?
                first, further = self._omission(i)
                layers -= np.array([first, further, first])
            layer = int(layers.argmax())
            if layer == ADDED:
                gap = int(column.origin[ADDED, at])
                at = int(np.searchsorted(column.gaps, gap))
                layer = int(column.best[:ADDED, at].argmax())
            if i == 0:
                break
            end[i - 1] = start[i - 1] = gap
            after_omission = omitted[i - 1] = layer == OMITTED
            if layer == CUT:
                gap = start[i - 1] = int(column.origin[CUT, at])
        return start, end, omitted

    def _posterior(self, columns: Sequence[_Column], start: Longs, end: Longs, omitted: Bools) -> Cuts:
        """The confidence of each cut on the best path: forward-backward sums over all surviving paths.

        A path with the score S has the weight exp(S / T). The temperature T was tuned on known boundaries so
        that confidences are reliable (docs/segment.md); the raw scores are overconfident, because they treat
        every word as independent evidence. With A the log sum over the ways to reach a gap in a layer
        (`total` of its column) and B that over the ways on (`behind`), Z = Σ exp A at the end, and

            P(segment i ends at gap g) = Σ exp[A(i, g, layer) + B(i, g, layer)] / Z    over CUT and OMITTED.

        Rabiner (1989) has the recursions. They run in logs: products of thousands of words underflow.
        """
        count, scale = self.count, self.scale
        confidence, second_confidence, empty = np.ones(count), np.zeros(count), np.zeros(count)
        added, second = np.zeros(count + 1), np.full(count, -1, np.int64)
        # What completes the text from each gap of a column, by the layer in which it is reached.
        behind = np.full((3, len(columns[count].gaps)), _LOWEST)
        behind[:, -1] = 0
        whole = np.logaddexp.reduce(columns[count].total[:, -1])
        for i in range(count, -1, -1):
            column = columns[i]
            edges = np.ones(len(column.gaps), np.bool_) if i == count else self.edges[column.gaps]
            # The rest with an addition first: sums over the gaps behind each gap at which one can end.
            rest = np.where(edges & (column.total[ADDED] > _LOWEST), behind[ADDED], _LOWEST)
            sums = np.append(np.logaddexp.accumulate(rest[::-1])[::-1][1:], _LOWEST)
            sums = np.where(edges, sums - self.model.addition * scale, _LOWEST)
            ends = np.logaddexp(behind[:ADDED], sums)
            added[i] = np.exp(np.logaddexp.reduce((column.total[:ADDED] + sums).ravel()) - whole)
            if i == 0:
                break
            # The formula above; an addition is no end of its segment, but may follow it (`ends`).
            shares = np.exp(column.total[:ADDED] + ends - whole)
            empty[i - 1] = shares[OMITTED].sum()
            share = shares.sum(0)
            chosen = int(np.searchsorted(column.gaps, end[i - 1]))
            confidence[i - 1] = share[chosen]
            share[chosen] = -1
            if share.max() > 0:
                second[i - 1], second_confidence[i - 1] = column.gaps[share.argmax()], share.max()
            # One segment back.
            before = columns[i - 1]
            through = np.full(len(before.gaps), _LOWEST)
            if self.segments.start[i] > self.segments.start[i - 1]:
                for k, (first_gap, scores) in enumerate(self._stretches(i - 1, before.gaps)):
                    low, high = np.searchsorted(column.gaps, [first_gap + 1, first_gap + 1 + len(scores)])
                    reached = scores[column.gaps[low:high] - first_gap - 1] * scale + ends[CUT, low:high]
                    through[k] = np.logaddexp.reduce(reached) if len(reached) else _LOWEST
            first, further = self._omission(i - 1)
            place = np.searchsorted(column.gaps, before.gaps)
            place[place == len(column.gaps)] = 0
            same = column.gaps[place] == before.gaps
            omit = np.where(same, ends[OMITTED, place], _LOWEST)
            opening = np.logaddexp(through, omit - first * scale)
            behind = np.stack([opening, np.logaddexp(through, omit - further * scale), opening])
        return Cuts(start, end, omitted, confidence, second, second_confidence, empty, added)
