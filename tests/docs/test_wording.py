"""Turns of phrase that make the text hard to read stay rare: in pages, help texts and messages.

A bound is the number of times a phrase may occur on all pages; phrases with a correct use have a few.
Lower a bound whenever you can, and never raise one to get a sentence in. Help texts may have none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.code import tree_of
from tests.support.parser import whole_parser
from tests.support.sentences import PAGES, ROOT, SOURCE, help_texts, message_texts, prose_of

#: Phrases (what to write instead), and how often the pages together may have them.
BOUNDS = {
    r"\bin view\b": 0,  # developed on, monitored
    r"(?<!-)\bbesides?\b": 1,  # next to, compared with, in addition to
    r"\bstand(?:s|ing)?\b|\bstood\b": 0,  # is
    r"\bso that\b": 10,  # so; to
    r"\bis asked\b|\bare asked\b|\basked about\b": 0,  # is used
    r"\bof (?:its|their|his|your) own\b": 6,  # its own, separate
    r"\bwhere there (?:is|are)\b": 0,  # if there is
    r"(?<!-)\bapart\b(?! from)": 0,  # separately
    r"\breckon|\bmend\b|\bmended\b": 0,  # estimate; fix
    r"\blearn(?:s|ed) from\b": 3,  # was trained on
    r"\bmakes? \w+ and \w+ kind\b": 0,  # inflates
    r"\bwhoever\b": 0,  # anyone who; name the people
    r"\bthe like of\b|\bas sure as\b": 0,
    r"\bspeaks? for\b": 0,  # supports
    r"\bRead are\b": 0,  # These are read
    r"\bmade (?:damage|examples|errors)\b": 0,  # synthetic
    r"\bdoes without\b": 1,  # does not need
    r"\bwhere (?:it|they|nothing|nobody|no)\b": 10,  # if
}


#: More turns of phrase in docstrings and messages, which may have more of some; only downwards.
DOCSTRING_BOUNDS = BOUNDS | {
    r"(?<!-)\bbesides?\b": 1,  # the name of an argument
    r"\bstand(?:s|ing)?\b|\bstood\b": 0,
    r"\bso that\b": 30,
    r"\bof (?:its|their|his|your) own\b": 8,
    r"(?<!-)\bapart\b(?! from)": 3,
    r"\blearn(?:s|ed) from\b": 4,
    r"\bwhere (?:it|they|nothing|nobody|no)\b": 16,
}
MESSAGE_BOUNDS = BOUNDS | {
    r"(?<!-)\bbesides?\b": 2,  # the name of an argument
    r"\bstand(?:s|ing)?\b|\bstood\b": 1,  # what a pronoun stands for
    r"\bso that\b": 1,
    r"\bof (?:its|their|his|your) own\b": 3,
    r"(?<!-)\bapart\b(?! from)": 1,
    r"\blearn(?:s|ed) from\b": 0,
    r"\bwhere (?:it|they|nothing|nobody|no)\b": 0,
}


def occurrences(phrase: str, texts: dict[str, str]) -> list[str]:
    """Every occurrence with its surroundings and its place."""
    return [
        f"{place}: …{text[max(0, found.start() - 40) : found.end() + 40]}…"
        for place, text in texts.items()
        for found in re.finditer(phrase, text, re.IGNORECASE)
    ]


@pytest.mark.parametrize("phrase", BOUNDS)
def test_pages_keep_to_plain_english(phrase: str) -> None:
    texts = {str(page.relative_to(ROOT)): prose_of(page) for page in PAGES}
    found = occurrences(phrase, texts)
    assert len(found) <= BOUNDS[phrase], "\n".join(found)


def docstrings() -> Iterator[tuple[str, str]]:
    """Every module with all its docstrings as one line."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in sorted(SOURCE.rglob("*.py")):
        nodes = ast.walk(tree_of(path))
        texts = (ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented))
        yield str(path.relative_to(SOURCE)), " ".join(" ".join(texts).split())


@pytest.mark.parametrize(
    ("texts", "bounds"), [(docstrings, DOCSTRING_BOUNDS), (message_texts, MESSAGE_BOUNDS)]
)
def test_code_keeps_to_plain_english(
    texts: Callable[[], Iterator[tuple[str, str]]], bounds: dict[str, int]
) -> None:
    by_module = dict(texts())
    assert len(by_module) > 300
    found = {phrase: occurrences(phrase, by_module) for phrase in bounds}
    assert not {phrase: places for phrase, places in found.items() if len(places) > bounds[phrase]}


@pytest.mark.parametrize("phrase", BOUNDS)
def test_help_texts_keep_to_plain_english(phrase: str) -> None:
    texts = dict(help_texts(whole_parser()))
    allowed = 2 if phrase.startswith(r"\bwhere") else 0  # places, such as an address
    found = occurrences(phrase, texts)
    assert len(found) <= allowed, "\n".join(found)


def test_a_phrase_is_found_across_lines_and_not_in_code(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("It is done so\nthat you `see so that` it.\n\n```text\nso that\n```\n", encoding="utf-8")
    assert len(occurrences(r"\bso that\b", {"page": prose_of(page)})) == 1
