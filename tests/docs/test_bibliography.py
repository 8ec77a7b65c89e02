"""CITATION.cff and the bibliography name the same papers, and the version is that of the package."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import anaphor
from tests.support.papers import PAPERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def entries(heading: str) -> list[str]:
    """The entries below a heading of the page, each in one line."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return [" ".join(entry.split()) for entry in section.split("\n- ")[1:]]


def in_words(paper: dict[str, object]) -> str:
    """Authors, year and title as the page prints them."""
    names = [f"{person['given-names']} {person['family-names']}" for person in paper["authors"]]  # type: ignore[attr-defined]
    authors = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"{authors}. {paper['year']}. {paper['title']}. In Proceedings of the "


def test_the_citation_file_has_the_papers_of_the_page() -> None:
    printed = entries("Pronouns in machine translation")
    assert len(CITATION["references"]) == len(printed)
    for paper, entry in zip(CITATION["references"], printed, strict=True):
        assert in_words(paper) in entry
        assert entry.endswith(f"{paper['conference']['name']}.")


def test_the_citation_file_has_the_version() -> None:
    assert CITATION["version"] == anaphor.__version__


def test_every_stem_of_the_feature_table_is_in_the_bibliography() -> None:
    assert set(PAPERS) == set(re.findall(r"^- `([a-z0-9-]+)`:", PAGE, re.MULTILINE))
