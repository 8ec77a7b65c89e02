"""Answers of a server."""

from __future__ import annotations

import re

from anaphor.bench.choice import (
    choice_questions,
)
from tests.support.scores import BENCH

QUESTIONS = choice_questions(BENCH)


def number_of(prompt: str, option: str) -> str:
    match = re.search(rf"^(\d+)\) {re.escape(option)}$", prompt, re.MULTILINE)
    assert match is not None, prompt
    return match[1]


def always(place: int) -> dict[str, str]:
    """Answers that name one variant of each item in both orders."""
    items = {item.id: item for item in BENCH.items}
    return {one.id: number_of(one.question.prompt, items[one.item].variants[place]) for one in QUESTIONS}
