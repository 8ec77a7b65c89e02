"""What a unit shows of each system, as the database keeps it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anaphor.annotate.nouns import Highlight, TokenAt


@dataclass(frozen=True, slots=True)
class Target:
    """One system's translation in a unit: the system's id, its highlighted words, the automatic outcome."""

    system: str
    highlight: Highlight
    outcome: str


@dataclass(frozen=True, slots=True)
class Marks:
    """The source tokens of a pronoun, and of the heads of its antecedents."""

    pronoun: tuple[TokenAt, ...]
    heads: tuple[tuple[TokenAt, ...], ...] = ()


def targets_json(targets: Sequence[Target]) -> str:
    content = [
        {
            "system": one.system,
            "pronoun": one.highlight.pronoun,
            "heads": one.highlight.heads,
            "outcome": one.outcome,
        }
        for one in targets
    ]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def read_targets(text: str) -> tuple[Target, ...]:
    return tuple(
        Target(one["system"], Highlight(_tokens(one["pronoun"]), _heads(one["heads"])), one["outcome"])
        for one in json.loads(text)
    )


def marks_json(marks: Marks) -> str:
    return json.dumps({"pronoun": marks.pronoun, "heads": marks.heads}, separators=(",", ":"))


def read_marks(text: str) -> Marks:
    content = json.loads(text)
    return Marks(_tokens(content["pronoun"]), _heads(content["heads"]))


def _tokens(content: Any) -> tuple[TokenAt, ...]:
    return tuple(TokenAt(*at) for at in content)


def _heads(content: Any) -> tuple[tuple[TokenAt, ...], ...]:
    return tuple(map(_tokens, content))
