"""What `anaphor predict postedit` prints: text with a diff, and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from anaphor.core import Signature
from anaphor.corpus import Text
from anaphor.predict.postedit import LinkedText, Proposal, Proposals
from anaphor.predict.postedit.nouns import Answer, Held
from anaphor.report.table import Paint, table

_HEADING = ["line", "token", "pronoun", "old", "new", "probability", "next best", "agrees with"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A candidate, how many of its pronouns were asked about, the proposals, and the lines with them."""

    text: LinkedText
    candidate: Text
    pronouns: int
    threshold: float
    proposals: Proposals
    lines: tuple[str, ...]
    signature: Signature


def as_text(asked: Asked, *, paint: Paint) -> str:
    """Counts, a table of proposals, warnings, the diff and the signature."""
    made = asked.proposals.made
    blocks = [_summary(asked)]
    if made:
        blocks.append(table([_HEADING, *map(_row, made)], paint=paint))
    blocks.append("\n".join(_warnings(made, paint)))
    blocks.append("\n".join(f"held back, {_held(one)}" for one in asked.proposals.held))
    blocks.append("\n".join(_diff(asked, paint)))
    blocks.append(paint.dim(str(asked.signature)))
    return "\n\n".join(block for block in blocks if block)


def _summary(asked: Asked) -> str:
    made, held = asked.proposals.made, asked.proposals.held
    segments, pronouns = len(asked.text.source), len(asked.text.pronouns)
    return (
        f"{asked.text.pair}, {segments} segments, {pronouns} source pronouns, {asked.pronouns} asked about; "
        f"proposals at {asked.threshold:g}: {len(made)}, held back: {len(held)}"
    )


def _row(proposal: Proposal) -> list[str]:
    occurrence = proposal.occurrence
    label, share = proposal.answer.first(but=proposal.label)
    noun = proposal.noun
    return [
        str(occurrence.pronoun.segment + 1),
        str(occurrence.position + 1),
        occurrence.pronoun.form,
        occurrence.word,
        proposal.new,
        f"{proposal.probability:.2f}",
        f"{label} {share:.2f}",
        "-" if noun is None else f"{noun.word} (line {noun.segment + 1})",
    ]


def _warnings(made: tuple[Proposal, ...], paint: Paint) -> Iterator[str]:
    for proposal in made:
        for warning in proposal.warnings:
            place = f"line {proposal.occurrence.pronoun.segment + 1}, {proposal.new}"
            yield f"{paint.mark('warning')}: {place}: {warning}"


def _held(held: Held) -> str:
    occurrence = held.answer.occurrence
    share = held.answer.probabilities[held.label]
    place = f"line {occurrence.pronoun.segment + 1}, {occurrence.word} -> {held.label}"
    return f"{place} ({share:.2f}): {held.reason}"


def _diff(asked: Asked, paint: Paint) -> Iterator[str]:
    """A unified diff without context, for lines are whole segments."""
    path = asked.candidate.path
    colours = {"-": paint.bad, "+": paint.good, "@": paint.dim}
    for line in unified_diff(asked.candidate.lines, asked.lines, path, f"{path}, edited", n=0, lineterm=""):
        yield colours[line[0]](line)


def as_json(asked: Asked) -> str:
    """The same for programs; segments, tokens and characters count from 0."""
    content = {
        "pair": str(asked.text.pair),
        "segments": len(asked.text.source),
        "pronouns": len(asked.text.pronouns),
        "asked": asked.pronouns,
        "threshold": asked.threshold,
        "proposals": [_proposal(one) for one in asked.proposals.made],
        "held": [{**_place(one.answer, one.label), "reason": one.reason} for one in asked.proposals.held],
        "signature": str(asked.signature),
        "signature_fields": asked.signature.as_dict(),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _proposal(proposal: Proposal) -> dict[str, Any]:
    edit, noun = proposal.edit, proposal.noun
    return {
        **_place(proposal.answer, proposal.label),
        "new": proposal.new,
        "edit": {"start": edit.span.start, "end": edit.span.end, "text": edit.text},
        "agrees_with": None if noun is None else {"segment": noun.segment, "word": noun.word},
        "warnings": list(proposal.warnings),
    }


def _place(answer: Answer, label: str) -> dict[str, Any]:
    occurrence = answer.occurrence
    return {
        "segment": occurrence.pronoun.segment,
        "token": occurrence.position,
        "pronoun": occurrence.pronoun.form,
        "old": occurrence.word,
        "old_class": occurrence.label,
        "new_class": label,
        "probability": round(answer.probabilities[label], 6),
        "probabilities": {name: round(share, 6) for name, share in answer.probabilities.items()},
    }
