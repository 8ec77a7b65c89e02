"""Proposals written into the lines of a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anaphor.predict.postedit.nouns import Proposal


def apply_proposals(lines: Sequence[str], proposals: Iterable[Proposal]) -> list[str]:
    """The lines with every proposal in place; all other characters stay as they are."""
    edited = list(lines)
    # From the end of a line to its beginning, so that places before an edit still hold.
    for proposal in sorted(proposals, key=lambda one: one.edit.span, reverse=True):
        segment, (start, end) = proposal.occurrence.pronoun.segment, proposal.edit.span
        edited[segment] = edited[segment][:start] + proposal.edit.text + edited[segment][end:]
    return edited
