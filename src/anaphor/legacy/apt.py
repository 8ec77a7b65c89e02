"""The words aligned to each source pronoun, and the original's own alignment repair.

The repair is not the one of the paper: it never touches unaligned pronouns, looks two words around
the aligned ones, and knows only pronouns in lower case. The clean repair is in `pronouns.repair`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError, OptionError, Outcome, Pronoun, Where
from anaphor.corpus import write_atomically
from anaphor.corpus.text import is_folder
from anaphor.legacy.apt_input import (
    AptConfig,
    AptCorpus,
    AptSide,
    Groups,
    Lists,
    TokenizedText,
    read_config,
    read_corpus,
    read_lists,
    subwords,
)
from anaphor.legacy.python27 import OldSet, old_argsort, old_lower

OTHER = "OTHER"
_REACH = 2  # words searched on each side of the aligned ones


@dataclass(frozen=True, slots=True)
class Aligned:
    """Positions and words aligned to a pronoun; both empty if the side is missing.

    With a target list, words are the listed ones only (or OTHER), so there may be fewer of them.
    """

    positions: tuple[int, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def missing(self) -> bool:
        return not self.positions


def aligned_words(
    side: AptSide, pronouns: Sequence[Pronoun], *, listed: Collection[str], separator: str
) -> list[Aligned]:
    """What is aligned to each pronoun, reduced to listed words if there is a list."""
    return [_aligned(side, pronoun, listed=listed, separator=separator) for pronoun in pronouns]


def repair(
    side: AptSide, aligned: Sequence[Aligned], *, corpus: AptCorpus, lists: Lists
) -> tuple[list[Aligned], list[str]]:
    """The aligned words after the repair, and one console line for each change."""
    repaired, console = [], []
    for pronoun, before in zip(corpus.pronouns, aligned, strict=True):
        position = _repair_position(side, before, pronoun, source=corpus.source, lists=lists)
        repaired.append(before if position is None else _extended(side, before, pronoun, position))
        if position is not None:
            token = side.text.lines[pronoun.segment][position]
            console.append(f"{pronoun.segment} {pronoun.position} {pronoun.form} {position} {token}")
    return repaired, console


def _aligned(side: AptSide, pronoun: Pronoun, *, listed: Collection[str], separator: str) -> Aligned:
    positions = side.positions(pronoun)
    tokens = side.text.lines[pronoun.segment]
    if positions and positions[-1] >= len(tokens):
        raise _outside(side, f"target token {positions[-1]}", pronoun, length=len(tokens))
    words = [old_lower(tokens[position]) for position in positions]
    if listed and words:
        found = (next((part for part in subwords(word, separator) if part in listed), None) for word in words)
        words = [word for word in found if word is not None] or [OTHER]
    return Aligned(positions, tuple(words))


def _extended(side: AptSide, before: Aligned, pronoun: Pronoun, position: int) -> Aligned:
    """One more position and its whole token in original case; a lone OTHER gives way to it."""
    kept = () if before.words == (OTHER,) else before.words
    token = side.text.lines[pronoun.segment][position]
    return Aligned((*before.positions, position), (*kept, token))


def _repair_position(
    side: AptSide, before: Aligned, pronoun: Pronoun, *, source: TokenizedText, lists: Lists
) -> int | None:
    """The position of the pronoun nearest to the middle of the window, the leftmost of equals."""
    if before.missing or any(word in lists.repair_target for word in before.words):
        return None
    tokens = side.text.lines[pronoun.segment]
    first, last = before.positions[0] - _REACH, before.positions[-1] + _REACH
    window = range(max(first, 0), min(last + 1, len(tokens)))
    options = [
        (weight, position)
        for weight, position in zip(_weights(len(window)), window, strict=True)
        if tokens[position].split("-")[-1] in lists.repair_target
        and not _belongs_elsewhere(side, position, pronoun, source=source, listed=lists.repair_source)
    ]
    return min(options)[1] if options else None


def _weights(length: int) -> Iterator[int]:
    """Distances from the middle; two middle words (three if the length is odd) have distance 1."""
    half = length // 2
    yield from range(half, 0, -1)
    if length % 2:
        yield 1
    yield from range(1, half + 1)


def _belongs_elsewhere(
    side: AptSide, position: int, pronoun: Pronoun, *, source: TokenizedText, listed: Collection[str]
) -> bool:
    """Whether a target word is aligned to a listed source pronoun, compared in its original case."""
    tokens = source.lines[pronoun.segment]
    places = [place for place, target in side.points[pronoun.segment] if target == position]
    if places and max(places) >= len(tokens):
        raise _outside(side, f"source token {max(places)}", pronoun, length=len(tokens))
    return any(tokens[place] in listed for place in places)


def _outside(side: AptSide, what: str, pronoun: Pronoun, *, length: int) -> InputError:
    return InputError(
        f"the alignment names {what}, but the sentence has {length} tokens",
        where=Where(str(side.alignment), pronoun.segment + 1),
        fix="tokens count from 0 and are separated by single spaces; align the same text again",
    )


NONE = "NONE"
Index = int | None  # None: a word outside the label space, such as a repaired token with a hyphen


@dataclass(frozen=True, slots=True)
class LabelSpace:
    """Labels in the order of the matrix before sorting, NONE last, and what each word counts as.

    `other` is the index of OTHER; None if there is no target list and so no such label.
    """

    labels: tuple[str, ...]
    index: Mapping[str, int]
    similar: tuple[OldSet[Index], ...]
    other: int | None

    def indices(self, aligned: Aligned) -> OldSet[Index]:
        """The set a side becomes; a missing side is the NONE row or column."""
        if aligned.missing:
            return OldSet([len(self.labels) - 1])
        return OldSet([self.index.get(word) for word in aligned.words])


@dataclass(frozen=True, slots=True)
class AptDecision:
    """A case, and the rows (reference) and columns (candidate) it fills in the matrix."""

    outcome: Outcome
    rows: OldSet[Index]
    columns: OldSet[Index]


def label_space(labels: Sequence[str], *, has_other: bool, equal: Groups, similar: Groups) -> LabelSpace:
    """Number the labels; the words of an equal group count as its first member."""
    own: dict[str, int] = {}
    for number, label in enumerate(labels):
        own.setdefault(label, number)
    index = dict(own)
    for group in reversed(list(_usable(equal, own))):
        index.update((word, own[group[0]]) for word in group)
    return LabelSpace(
        labels=tuple(labels),
        index=index,
        similar=tuple(OldSet([index[word] for word in group]) for group in _usable(similar, own)),
        other=own[OTHER] if has_other else None,
    )


def list_labels(target_list: Sequence[str]) -> list[str]:
    """The labels when there is a target list."""
    return [*target_list, OTHER, NONE]


def seen_labels(references: Iterable[Aligned], candidates: Iterable[Aligned]) -> list[str]:
    """The labels without a target list: all aligned words, in the order of the union of two old sets."""
    sides = [
        OldSet([word for aligned in side for word in aligned.words]) for side in (references, candidates)
    ]
    return [*(sides[0] | sides[1]), NONE]


def decide(space: LabelSpace, *, reference: Aligned, candidate: Aligned, other_is_equal: bool) -> AptDecision:
    """The case of one pronoun, in the order the original asks.

    Two words without an index count as identical: both are None.
    """
    rows, columns = space.indices(reference), space.indices(candidate)
    if reference.missing or candidate.missing:
        return AptDecision(_missing(reference=reference, candidate=candidate), rows, columns)
    shared = rows & columns
    if space.other is not None and not other_is_equal:
        shared -= OldSet([space.other])
    if len(shared):
        return AptDecision(Outcome.IDENTICAL, shared, shared)
    for group in space.similar:
        if len(rows & group) and len(columns & group):
            return AptDecision(Outcome.EQUIVALENT, rows & group, columns & group)
    return AptDecision(Outcome.DIFFERENT, rows, columns)


def _missing(*, reference: Aligned, candidate: Aligned) -> Outcome:
    if not reference.missing:
        return Outcome.CANDIDATE_MISSING
    return Outcome.BOTH_MISSING if candidate.missing else Outcome.REFERENCE_MISSING


def _usable(groups: Groups, own: Mapping[str, int]) -> Iterable[list[str]]:
    """The groups with at least two members among the labels, reduced to these."""
    known = ([word for word in group if word in own] for group in groups)
    return (group for group in known if len(group) > 1)


REST = "..."
SUM = "-sum-"


@dataclass(frozen=True, slots=True, eq=False)
class ShownMatrix:
    """The matrix as printed: labels by falling diagonal, the tail as `...`, sums last."""

    labels: tuple[str, ...]
    cells: NDArray[np.int64]

    def text(self) -> str:
        lines = ["\t".join(["", *self.labels])]
        for label, row in zip(self.labels, self.cells.tolist(), strict=True):
            lines.append("\t".join([label, *map(str, row)]))
        return "\n".join(lines) + "\n"


def confusion(size: int, decisions: Iterable[AptDecision], *, multiword: bool) -> NDArray[np.int64]:
    """Count one cell per pronoun, its first row and column, or with `multiword` every pair of them.

    An index of None is passed on to NumPy on purpose, as the original did: it adds an axis, so that
    the whole row of the known index grows, or with two of them the whole matrix.
    """
    cells = np.zeros((size, size), dtype=np.int64)
    for decision in decisions:
        pairs = list(product(decision.rows, decision.columns))
        for row, column in pairs if multiword else pairs[:1]:
            cells[row, column] += 1
    return cells


def shown_matrix(labels: Sequence[str], cells: NDArray[np.int64], *, most: int) -> ShownMatrix:
    """Sort the labels, keep `most` of them, gather the others, add the sums."""
    order = old_argsort(np.diagonal(cells).tolist())[::-1]
    kept = [labels[number] for number in order[:most]]
    blocks = [[number] for number in order[:most]]
    if order[most:]:
        kept.append(REST)
        blocks.append(order[most:])
    return ShownMatrix((*kept, SUM), _with_sums(_gather(cells, blocks)))


def _gather(cells: NDArray[np.int64], blocks: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """One cell per pair of blocks: the sum of the cells in both."""
    member = np.zeros((len(blocks), len(cells)), dtype=np.int64)
    for number, block in enumerate(blocks):
        member[number, block] = 1
    gathered: NDArray[np.int64] = member @ cells @ member.T
    return gathered


def _with_sums(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    rows = np.column_stack([cells, cells.sum(axis=1)])
    return np.vstack([rows, rows.sum(axis=0)])


_DETAIL_HEADER = "SENT.\tPOS. SOURCE\tSOURCE\tPOS. REF.\tREF.\tPOS. TARGET\tTARGET\tCASE"


@dataclass(frozen=True, slots=True)
class JudgedPronoun:
    """One line of the `.detail` file."""

    source: Pronoun
    reference: Aligned
    candidate: Aligned
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class AptRun:
    """All that one run gives. `output` is the prefix of the files that `write` makes.

    `counts` belongs to the listed cases in their order; `score` is NaN if they were never met.
    """

    output: Path
    score: float
    cases: tuple[Outcome, ...]
    weights: tuple[float, ...]
    counts: tuple[int, ...]
    judged: tuple[JudgedPronoun, ...]
    score_text: str
    detail_text: str
    console: str


def write(run: AptRun) -> tuple[Path, Path]:
    """Write the `.score` and `.detail` files and return their paths."""
    score, detail = (run.output.with_name(run.output.name + suffix) for suffix in (".score", ".detail"))
    for path in (score, detail):
        if is_folder(path) or not is_folder(path.parent):
            raise OptionError(
                "the file cannot be written: a folder has its name, or its folder is not there",
                where=str(path),
                fix="change output_file, a path relative to the working directory, or create the folder",
            )
    write_atomically(score, run.score_text)
    write_atomically(detail, run.detail_text)
    return score, detail


def score_text(
    *, score: float, cases: Sequence[Outcome], weights: Sequence[float], counts: Sequence[int], matrix: str
) -> str:
    """The content of the `.score` file."""
    return (
        f"Score: {score:.4f}\n"
        f"Cases: {_commas(case.value for case in cases)}\n"
        f"Weights: {_commas(weights)}\n"
        f"Findings per case: {_commas(counts)}\n"
        f"Total findings: {sum(counts)}\n"
        f"{matrix}"
    )


def detail_text(judged: Iterable[JudgedPronoun]) -> str:
    """The content of the `.detail` file: every pronoun, those of unlisted cases too."""
    lines = [_DETAIL_HEADER]
    for one in judged:
        source = (one.source.segment, one.source.position, one.source.form)
        fields = (*source, *_shown(one.reference), *_shown(one.candidate), one.outcome.value)
        lines.append("\t".join(map(str, fields)))
    return "\n".join(lines) + "\n"


def console_text(
    *, absent: Sequence[str], reference_repairs: Sequence[str], candidate_repairs: Sequence[str], score: float
) -> str:
    """What the original printed while it ran."""
    lines = [
        *("*** Reading input", "", *absent, "*** End Reading input", ""),
        *("*** Improving alignment", ""),
        *("For reference:", *reference_repairs, "For target:", *candidate_repairs),
        *("*** End improving alignment", ""),
        *("*** Calculating score", "", f"Score: {score:.4f}", "More details in output files"),
        *("*** End calculating score", ""),
    ]
    return "\n".join(lines) + "\n"


def _shown(aligned: Aligned) -> tuple[str, str]:
    if aligned.missing:
        return "-", "-"
    return " ".join(map(str, aligned.positions)), " ".join(aligned.words)


def _commas(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


@dataclass(frozen=True, slots=True)
class _Judged:
    """Every decision with the words it was made on, and the console lines of the repairs."""

    space: LabelSpace
    reference: list[Aligned]
    candidate: list[Aligned]
    decisions: list[AptDecision]
    reference_repairs: list[str]
    candidate_repairs: list[str]


def run_apt(config: Path, *, folder: Path | None = None) -> AptRun:
    """Score as the original did; relative paths start from `folder`, by default the working directory.

    Nothing is written: give the result to `write`.
    """
    settings = read_config(config, folder=Path() if folder is None else folder)
    lists = read_lists(settings)
    corpus = read_corpus(settings.inputs)
    judged = _judge(corpus, lists, settings)
    counts = tuple(sum(one.outcome is case for one in judged.decisions) for case in settings.cases)
    return _result(corpus, lists, settings, judged=judged, counts=counts)


def weighted_score(*, counts: Sequence[int], weights: Sequence[float]) -> float:
    """The weighted share of the counted pronouns, NaN without any.

    A single count or a single weight is spread over all of the other kind, as NumPy does.
    """
    if not (total := sum(counts)):
        return math.nan
    with np.errstate(over="ignore"):
        return float(np.sum(np.multiply(weights, counts)) / total)


def _judge(corpus: AptCorpus, lists: Lists, settings: AptConfig) -> _Judged:
    reference = _aligned_side(corpus.reference, corpus, lists, settings)
    candidate = _aligned_side(corpus.candidate, corpus, lists, settings)
    # The labels are numbered before the repair, which may bring in words that have none.
    labels = list_labels(lists.target) if lists.target else seen_labels(reference, candidate)
    space = label_space(labels, has_other=bool(lists.target), equal=lists.equal, similar=lists.similar)
    reference, reference_repairs = repair(corpus.reference, reference, corpus=corpus, lists=lists)
    candidate, candidate_repairs = repair(corpus.candidate, candidate, corpus=corpus, lists=lists)
    decisions = [
        decide(space, reference=wanted, candidate=found, other_is_equal=settings.other_is_equal)
        for wanted, found in zip(reference, candidate, strict=True)
    ]
    return _Judged(space, reference, candidate, decisions, reference_repairs, candidate_repairs)


def _aligned_side(side: AptSide, corpus: AptCorpus, lists: Lists, settings: AptConfig) -> list[Aligned]:
    return aligned_words(
        side, corpus.pronouns, listed=lists.target, separator=settings.inputs.target_separator
    )


def _result(
    corpus: AptCorpus, lists: Lists, settings: AptConfig, *, judged: _Judged, counts: tuple[int, ...]
) -> AptRun:
    score = weighted_score(counts=counts, weights=settings.weights)
    outcomes = [decision.outcome for decision in judged.decisions]
    rows = tuple(map(JudgedPronoun, corpus.pronouns, judged.reference, judged.candidate, outcomes))
    return AptRun(
        output=settings.output,
        score=score,
        cases=settings.cases,
        weights=settings.weights,
        counts=counts,
        judged=rows,
        score_text=score_text(
            score=score,
            cases=settings.cases,
            weights=settings.weights,
            counts=counts,
            matrix=_matrix(judged, settings),
        ),
        detail_text=detail_text(rows),
        console=console_text(
            absent=lists.absent,
            reference_repairs=judged.reference_repairs,
            candidate_repairs=judged.candidate_repairs,
            score=score,
        ),
    )


def _matrix(judged: _Judged, settings: AptConfig) -> str:
    labels = judged.space.labels
    listed = [decision for decision in judged.decisions if decision.outcome in settings.cases]
    cells = confusion(len(labels), listed, multiword=settings.multiword_matrix)
    return shown_matrix(labels, cells, most=settings.shown_labels).text()
