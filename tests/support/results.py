"""The text of a result file, as `anaphor score --output` writes it."""

from __future__ import annotations

from typing import Any

from anaphor.core import Files, Result
from anaphor.report.cards import Cards
from anaphor.report.result_file import content_json, counts_of, result_content


def result_json(
    result: Result, files: Files, *, cards: Cards | None = None, counts: bool = False, **more: Any
) -> str:
    """`more` are arguments of `result_content`."""
    return content_json(result_content(result, files, **more), cards, counts_of(result) if counts else None)
