"""The original APT from its configuration to its two files: the same cases, the same numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anaphor.legacy.apt_align import Aligned, aligned_words, repair
from anaphor.legacy.apt_config import AptConfig, read_config
from anaphor.legacy.apt_files import AptRun, JudgedPronoun, console_text, detail_text, score_text
from anaphor.legacy.apt_input import Corpus, Side, read_corpus
from anaphor.legacy.apt_labels import Decision, LabelSpace, decide, label_space, list_labels, seen_labels
from anaphor.legacy.apt_lists import Lists, read_lists
from anaphor.legacy.apt_matrix import confusion, shown_matrix


@dataclass(frozen=True, slots=True)
class _Judged:
    """Every decision with the words it was made on, and the console lines of the repairs."""

    space: LabelSpace
    reference: list[Aligned]
    candidate: list[Aligned]
    decisions: list[Decision]
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


def _judge(corpus: Corpus, lists: Lists, settings: AptConfig) -> _Judged:
    reference = _aligned(corpus.reference, corpus, lists, settings)
    candidate = _aligned(corpus.candidate, corpus, lists, settings)
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


def _aligned(side: Side, corpus: Corpus, lists: Lists, settings: AptConfig) -> list[Aligned]:
    return aligned_words(
        side, corpus.pronouns, listed=lists.target, separator=settings.inputs.target_separator
    )


def _result(
    corpus: Corpus, lists: Lists, settings: AptConfig, *, judged: _Judged, counts: tuple[int, ...]
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
