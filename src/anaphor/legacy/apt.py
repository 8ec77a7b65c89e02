"""The original APT from its configuration to its two files: the same cases, the same numbers.

Its alignment repair differs from the paper: it never changes unaligned pronouns, looks two words around the
aligned ones, and only knows lower-case pronouns. The clean repair is in `pronouns.repair`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from anaphor.core import InputError, OptionError, Outcome, Pronoun, Where
from anaphor.core.array_types import Longs
from anaphor.corpus.text import is_folder
from anaphor.files.writing import write_atomically
from anaphor.legacy.apt_input import AptConfig, AptCorpus, AptSide, Groups, read_config, read_corpus, subwords
from anaphor.legacy.python27 import OldSet, old_argsort, old_lower

OTHER, NONE = "OTHER", "NONE"
REST, SUM = "...", "-sum-"
_REACH = 2  # words searched on each side of the aligned ones
_DETAIL_HEADER = "SENT.\tPOS. SOURCE\tSOURCE\tPOS. REF.\tREF.\tPOS. TARGET\tTARGET\tCASE"

Index = int | None  # None: a word outside the label space, such as a repaired token with a hyphen


@dataclass(frozen=True, slots=True)
class AlignedWords:
    """Positions and words aligned to a pronoun; both empty if the side is missing.

    With a target list, words are the listed ones only (or OTHER), so there may be fewer of them.
    """

    positions: tuple[int, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def missing(self) -> bool:
        return not self.positions

    def columns(self) -> tuple[str, str]:
        """Positions and words in the `.detail` file."""
        if self.missing:
            return "-", "-"
        return " ".join(map(str, self.positions)), " ".join(self.words)


@dataclass(frozen=True, slots=True)
class AptDecision:
    """One pronoun with its case, and the rows (reference) and columns (candidate) it increments in the
    matrix.
    """

    source: Pronoun
    reference: AlignedWords
    candidate: AlignedWords
    outcome: Outcome
    rows: OldSet[Index]
    columns: OldSet[Index]


@dataclass(frozen=True, slots=True)
class AptRun:
    """The result of a run. `output` is the prefix of the files that `write` creates.

    `counts` belongs to the listed cases in their order; `score` is NaN if none of them occurred.
    """

    output: Path
    score: float
    cases: tuple[Outcome, ...]
    weights: tuple[float, ...]
    counts: tuple[int, ...]
    judged: tuple[AptDecision, ...]
    score_text: str
    detail_text: str
    console: str


def run_apt(config: Path, *, folder: Path | None = None) -> AptRun:
    """Score as the original did; relative paths start from `folder`, by default the working directory.

    Nothing is written: pass the result to `write`.
    """
    settings = read_config(config, folder=Path() if folder is None else folder)
    corpus = read_corpus(settings)
    sides = [
        [
            _aligned(side, pronoun, listed=settings.target, separator=settings.target_separator)
            for pronoun in corpus.pronouns
        ]
        for side in (corpus.reference, corpus.candidate)
    ]
    # The labels are numbered before the repair, which may bring in words that have none.
    if settings.target:
        labels = [*settings.target, OTHER, NONE]
    else:
        # All aligned words, in the order of the union of two old sets.
        seen = [OldSet([word for aligned in side for word in aligned.words]) for side in sides]
        labels = [*(seen[0] | seen[1]), NONE]
    space = LabelSpace.of(
        labels, has_other=bool(settings.target), equal=settings.equal, similar=settings.similar
    )
    reference, reference_repairs = _repaired(corpus.reference, sides[0], corpus=corpus, settings=settings)
    candidate, candidate_repairs = _repaired(corpus.candidate, sides[1], corpus=corpus, settings=settings)
    judged = tuple(
        space.decide(*triple, other_is_equal=settings.other_is_equal)
        for triple in zip(corpus.pronouns, reference, candidate, strict=True)
    )
    counts = tuple(sum(verdict.outcome is case for verdict in judged) for case in settings.cases)
    score = weighted_score(counts=counts, weights=settings.weights)
    console = [
        *("*** Reading input", "", *settings.absent, "*** End Reading input", ""),
        *("*** Improving alignment", ""),
        *("For reference:", *reference_repairs, "For target:", *candidate_repairs),
        *("*** End improving alignment", ""),
        *("*** Calculating score", "", f"Score: {score:.4f}", "More details in output files"),
        *("*** End calculating score", ""),
    ]
    return AptRun(
        output=settings.output,
        score=score,
        cases=settings.cases,
        weights=settings.weights,
        counts=counts,
        judged=judged,
        score_text=_score_text(score, counts, judged, space.labels, settings),
        detail_text=_detail_text(judged),
        console="\n".join(console) + "\n",
    )


def write(run: AptRun) -> tuple[Path, Path]:
    """Write the `.score` and `.detail` files and return their paths."""
    score, detail = (run.output.with_name(run.output.name + suffix) for suffix in (".score", ".detail"))
    for path in (score, detail):
        if is_folder(path) or not is_folder(path.parent):
            raise OptionError(
                "the file cannot be written: a folder has its name, or its folder does not exist",
                where=str(path),
                fix="change output_file, a path relative to the working directory, or create the folder",
            )
    write_atomically(score, run.score_text)
    write_atomically(detail, run.detail_text)
    return score, detail


def weighted_score(*, counts: Sequence[int], weights: Sequence[float]) -> float:
    """The weighted share of the counted pronouns, NaN without any.

    A single count or a single weight is broadcast over all of the other kind, as in NumPy.
    """
    if not (total := sum(counts)):
        return math.nan
    with np.errstate(over="ignore"):
        return float(np.sum(np.multiply(weights, counts)) / total)


def _score_text(
    score: float,
    counts: Sequence[int],
    judged: Iterable[AptDecision],
    labels: Sequence[str],
    settings: AptConfig,
) -> str:
    """The content of the `.score` file."""
    listed = [decision for decision in judged if decision.outcome in settings.cases]
    cells = confusion(len(labels), listed, multiword=settings.multiword_matrix)
    return (
        f"Score: {score:.4f}\n"
        f"Cases: {','.join(str(case.value) for case in settings.cases)}\n"
        f"Weights: {','.join(map(str, settings.weights))}\n"
        f"Findings per case: {','.join(map(str, counts))}\n"
        f"Total findings: {sum(counts)}\n"
        f"{matrix_text(labels, cells, most=settings.shown_labels)}"
    )


def _detail_text(judged: Iterable[AptDecision]) -> str:
    """The content of the `.detail` file: every pronoun, including those of unlisted cases."""
    lines = [_DETAIL_HEADER]
    for verdict in judged:
        source = (verdict.source.segment, verdict.source.position, verdict.source.form)
        fields = (*source, *verdict.reference.columns(), *verdict.candidate.columns(), verdict.outcome.value)
        lines.append("\t".join(map(str, fields)))
    return "\n".join(lines) + "\n"


def _aligned(side: AptSide, pronoun: Pronoun, *, listed: Sequence[str], separator: str) -> AlignedWords:
    """The words aligned to a pronoun, reduced to listed words if there is a list."""
    positions = side.positions(pronoun)
    tokens = side.text.lines[pronoun.segment]
    if positions and positions[-1] >= len(tokens):
        raise _outside(side, f"target token {positions[-1]}", pronoun, length=len(tokens))
    words = [old_lower(tokens[position]) for position in positions]
    # Only the first listed part of a word counts, and unlisted words disappear beside listed ones.
    if listed and words:
        parts = (next((part for part in subwords(word, separator) if part in listed), None) for word in words)
        words = [word for word in parts if word is not None] or [OTHER]
    return AlignedWords(positions, tuple(words))


def _repaired(
    side: AptSide, aligned: Sequence[AlignedWords], *, corpus: AptCorpus, settings: AptConfig
) -> tuple[list[AlignedWords], list[str]]:
    """The aligned words after the repair, and one console line for each change."""
    repaired, console = [], []
    for pronoun, before in zip(corpus.pronouns, aligned, strict=True):
        position = _repair_position(side, before, pronoun, corpus=corpus, settings=settings)
        if position is None:
            repaired.append(before)
            continue
        # One more position and its whole token in original case; a lone OTHER gives way to it.
        token = side.text.lines[pronoun.segment][position]
        words = () if before.words == (OTHER,) else before.words
        repaired.append(AlignedWords((*before.positions, position), (*words, token)))
        console.append(f"{pronoun.segment} {pronoun.position} {pronoun.form} {position} {token}")
    return repaired, console


def _repair_position(
    side: AptSide, before: AlignedWords, pronoun: Pronoun, *, corpus: AptCorpus, settings: AptConfig
) -> int | None:
    """The position of the pronoun nearest to the middle of the window, the leftmost of equals."""
    if before.missing or any(word in settings.repair_target for word in before.words):
        return None
    tokens, sources = side.text.lines[pronoun.segment], corpus.source.lines[pronoun.segment]

    def belongs_elsewhere(position: int) -> bool:
        """Whether a target word is aligned to a listed source pronoun, compared in its original case."""
        places = [place for place, target in side.points[pronoun.segment] if target == position]
        if places and max(places) >= len(sources):
            raise _outside(side, f"source token {max(places)}", pronoun, length=len(sources))
        return any(sources[place] in settings.repair_source for place in places)

    first, last = before.positions[0] - _REACH, before.positions[-1] + _REACH
    window = range(max(first, 0), min(last + 1, len(tokens)))
    options = [
        (weight, position)
        for weight, position in zip(_weights(len(window)), window, strict=True)
        if tokens[position].split("-")[-1] in settings.repair_target and not belongs_elsewhere(position)
    ]
    return min(options)[1] if options else None


def _weights(length: int) -> Iterator[int]:
    """Distances from the middle; two middle words (three if the length is odd) have distance 1."""
    half = length // 2
    yield from range(half, 0, -1)
    if length % 2:
        yield 1
    yield from range(1, half + 1)


def _outside(side: AptSide, what: str, pronoun: Pronoun, *, length: int) -> InputError:
    return InputError(
        f"the alignment names {what}, but the sentence has {length} tokens",
        where=Where(str(side.alignment), pronoun.segment + 1),
        fix="tokens are counted from 0 and separated by single spaces; align the same text again",
    )


@dataclass(frozen=True, slots=True)
class LabelSpace:
    """Labels in the order of the matrix before sorting, NONE last, and the label that each word counts as.

    `other` is the index of OTHER; None without a target list if it is not a label.
    """

    labels: tuple[str, ...]
    index: Mapping[str, int]
    similar: tuple[OldSet[Index], ...]
    other: int | None

    @classmethod
    def of(cls, labels: Sequence[str], *, has_other: bool, equal: Groups, similar: Groups) -> LabelSpace:
        """Number the labels; the words of an equal group count as its first member."""
        own: dict[str, int] = {}
        for number, label in enumerate(labels):
            own.setdefault(label, number)

        def usable(groups: Groups) -> list[list[str]]:
            """The groups with at least two members among the labels, reduced to these."""
            known = ([word for word in group if word in own] for group in groups)
            return [group for group in known if len(group) > 1]

        index = dict(own)
        # Reversed: a word in several equal groups counts as the first member of the first of them.
        for group in reversed(usable(equal)):
            index.update((word, own[group[0]]) for word in group)
        groups = tuple(OldSet([index[word] for word in group]) for group in usable(similar))
        return cls(tuple(labels), index, groups, own[OTHER] if has_other else None)

    def indices(self, aligned: AlignedWords) -> OldSet[Index]:
        """The set that a side becomes; a missing side is the NONE row or column."""
        if aligned.missing:
            return OldSet([len(self.labels) - 1])
        return OldSet([self.index.get(word) for word in aligned.words])

    def decide(
        self, source: Pronoun, reference: AlignedWords, candidate: AlignedWords, *, other_is_equal: bool
    ) -> AptDecision:
        """The case of one pronoun, tested in the order of the original.

        Two words without an index count as identical: both are None.
        """
        rows, columns = self.indices(reference), self.indices(candidate)

        def decision(outcome: Outcome, rows: OldSet[Index], columns: OldSet[Index]) -> AptDecision:
            return AptDecision(source, reference, candidate, outcome, rows, columns)

        if reference.missing and candidate.missing:
            return decision(Outcome.BOTH_MISSING, rows, columns)
        if reference.missing:
            return decision(Outcome.REFERENCE_MISSING, rows, columns)
        if candidate.missing:
            return decision(Outcome.CANDIDATE_MISSING, rows, columns)
        # OTHER stands for any unlisted word, so that two of them need not be the same word.
        shared = rows & columns
        if self.other is not None and not other_is_equal:
            shared -= OldSet([self.other])
        if len(shared):
            return decision(Outcome.IDENTICAL, shared, shared)
        for group in self.similar:
            if len(rows & group) and len(columns & group):
                return decision(Outcome.EQUIVALENT, rows & group, columns & group)
        return decision(Outcome.DIFFERENT, rows, columns)


def confusion(size: int, decisions: Iterable[AptDecision], *, multiword: bool) -> Longs:
    """Count one cell per pronoun, its first row and column, or with `multiword` every pair of them.

    An index of None is passed to NumPy on purpose, as in the original: it adds an axis, so the whole row of
    the known index grows, or with two of them the whole matrix.
    """
    cells = np.zeros((size, size), dtype=np.int64)
    for decision in decisions:
        pairs = list(product(decision.rows, decision.columns))
        for row, column in pairs if multiword else pairs[:1]:
            cells[row, column] += 1
    return cells


def matrix_text(labels: Sequence[str], cells: Longs, *, most: int) -> str:
    """The matrix with rows for the reference: labels by falling diagonal, the tail as `...`, sums last."""
    order = old_argsort(np.diagonal(cells).tolist())[::-1]
    shown = [labels[number] for number in order[:most]]
    blocks = [[number] for number in order[:most]]
    if order[most:]:
        shown.append(REST)
        blocks.append(order[most:])
    member = np.zeros((len(blocks), len(cells)), dtype=np.int64)
    for number, block in enumerate(blocks):
        member[number, block] = 1
    gathered = member @ cells @ member.T
    rows = np.column_stack([gathered, gathered.sum(axis=1)])
    table = np.vstack([rows, rows.sum(axis=0)])
    shown.append(SUM)
    lines = ["\t".join(["", *shown])]
    lines.extend("\t".join([label, *map(str, row)]) for label, row in zip(shown, table.tolist(), strict=True))
    return "\n".join(lines) + "\n"
