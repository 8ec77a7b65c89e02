"""The glossary is normative: one term per concept, and the words it rules out occur nowhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "glossary.md"
ENTRY = re.compile(r"^- \*\*(?P<term>[^*]+)\*\*: (?P<text>.+)$", re.MULTILINE)
RULED_OUT = re.compile(r"\bNot: (?P<words>\*[^.]+\*)\.$")


def entries() -> list[tuple[str, str]]:
    return [(found["term"], found["text"]) for found in ENTRY.finditer(PAGE.read_text(encoding="utf-8"))]


def ruled_out() -> dict[str, str]:
    """Every word that an entry rules out, and the term to use instead."""
    return {
        word: term
        for term, text in entries()
        if (found := RULED_OUT.search(text))
        for word in re.findall(r"\*([^*]+)\*", found["words"])
    }


def texts_of(path: Path, words: Iterable[str]) -> Iterator[str]:
    """What people read in a file: a whole page, or the strings and docstrings of a module.

    Most modules have not all parts of any of the `words`, and need not be parsed.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield text
        return
    lower = text.lower()
    if not any(all(part in lower for part in word.lower().split()) for word in words):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def occurrences(words: dict[str, str], paths: list[Path]) -> list[str]:
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
    return [
        f"{path}: {found[0]!r}, use {words[found[0].lower()]!r}"
        for path in paths
        for text in texts_of(path, words)
        # Pages are wrapped, so a phrase may stand on two lines.
        for found in pattern.finditer(" ".join(text.split()))
    ]


def test_terms_are_sorted_and_defined_once() -> None:
    terms = [term.lower() for term, _ in entries()]
    assert len(terms) > 80, "the page is not read as it should be"
    assert terms == sorted(set(terms))


def test_no_term_is_ruled_out_by_another_entry() -> None:
    assert not {term.lower() for term, _ in entries()} & set(ruled_out())


def test_words_that_the_glossary_rules_out_occur_nowhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")]
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.html")]
    # A changelog quotes what earlier versions said.
    checked = [path for path in (*pages, *sources) if path not in (PAGE, ROOT / "CHANGELOG.md")]
    assert occurrences(ruled_out(), checked) == []


def test_a_word_that_is_ruled_out_is_found_in_pages_and_in_strings(tmp_path: Path) -> None:
    page, module = tmp_path / "page.md", tmp_path / "module.py"
    page.write_text("An old\nword stands here.\n", encoding="utf-8")
    module.write_text('OLD_WORD = "the Old Word"  # old word\n', encoding="utf-8")
    assert len(occurrences({"old word": "new word"}, [page, module])) == 2
