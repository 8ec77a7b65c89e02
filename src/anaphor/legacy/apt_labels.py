"""The label space of the original APT and its decision between the six cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import Outcome
from anaphor.legacy.apt_align import OTHER, Aligned
from anaphor.legacy.apt_lists import Groups
from anaphor.legacy.old_python import OldSet

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
class Decision:
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


def decide(space: LabelSpace, *, reference: Aligned, candidate: Aligned, other_is_equal: bool) -> Decision:
    """The case of one pronoun, in the order the original asks.

    Two words without an index count as identical: both are None.
    """
    rows, columns = space.indices(reference), space.indices(candidate)
    if reference.missing or candidate.missing:
        return Decision(_missing(reference=reference, candidate=candidate), rows, columns)
    shared = rows & columns
    if space.other is not None and not other_is_equal:
        shared -= OldSet([space.other])
    if len(shared):
        return Decision(Outcome.IDENTICAL, shared, shared)
    for group in space.similar:
        if len(rows & group) and len(columns & group):
            return Decision(Outcome.EQUIVALENT, rows & group, columns & group)
    return Decision(Outcome.DIFFERENT, rows, columns)


def _missing(*, reference: Aligned, candidate: Aligned) -> Outcome:
    if not reference.missing:
        return Outcome.CANDIDATE_MISSING
    return Outcome.BOTH_MISSING if candidate.missing else Outcome.REFERENCE_MISSING


def _usable(groups: Groups, own: Mapping[str, int]) -> Iterable[list[str]]:
    """The groups with at least two members among the labels, reduced to these."""
    known = ([word for word in group if word in own] for group in groups)
    return (group for group in known if len(group) > 1)
