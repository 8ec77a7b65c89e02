"""The tool that learns endings: what it keeps, and what it leaves open. Words are invented."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from anaphor.analyse.gender import GenderTable, format_readings, parse_readings

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(TOOLS))
    yield import_module("make_genders")
    sys.modules.pop("make_genders")


def nouns(tool: Any, end: str, readings: str, count: int) -> list[Any]:
    """So many nouns that share an ending and nothing more."""
    stems = (f"{chr(ord('a') + number % 26)}{chr(ord('a') + number // 26)}k" for number in range(count))
    return [tool.Noun(f"{stem}{end}", f"{stem}{end}", parse_readings(readings)) for stem in stems]


def test_an_ending_is_kept_where_nearly_all_nouns_agree(tool: Any) -> None:
    table = tool.learn([*nouns(tool, "ade", "fs", 40), *nouns(tool, "ide", "ms", 40)])
    learned = GenderTable({}, table)
    found = {word: format_readings(learned.readings(word)) for word in ("glossade", "oxide", "node")}
    assert found == {"glossade": "fs", "oxide": "ms", "node": "fs ms"}


def test_an_ending_of_few_nouns_says_nothing(tool: Any) -> None:
    assert tool.learn(nouns(tool, "oupe", "fs", 3)) == {}
    assert set(tool.learn(nouns(tool, "oupe", "fs", 19)).values()) == {parse_readings("fs")}


def test_exceptions_make_their_own_ending_unsure(tool: Any) -> None:
    """Of six nouns in -mage after sixty in -age, half are exceptions: too few to decide on either."""
    rows = [*nouns(tool, "age", "ms", 90), *nouns(tool, "mage", "fs", 3), *nouns(tool, "umage", "ms", 3)]
    learned = GenderTable({}, tool.learn(rows))
    assert format_readings(learned.readings("potage")) == "ms"
    assert format_readings(learned.readings("image")) in ("-", "fs ms")


def test_no_word_of_a_single_lemma_gets_into_a_table(tool: Any) -> None:
    table = tool.learn([*nouns(tool, "ade", "fs", 40), tool.Noun("stade", "stade", parse_readings("ms"))])
    assert "stade" not in table
