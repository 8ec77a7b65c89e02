"""The demo files belong together, and their alignments still fit the tokenisers.

Expected words were read off the texts by hand. A failure in the table of links after a change of a
tokeniser means that the `.align` files must be made to fit the new tokens.
"""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from anaphor.corpus import Text, read_alignments, read_documents, read_text, within_range
from anaphor.languages import Tokenizer, fold, load_language

FOLDER = Path(str(files("anaphor") / "demo"))
TRANSLATIONS = ("reference", "baldur", "cormoran", "dahlia")
SEGMENTS = 115

ENGLISH = Tokenizer(load_language("en"))
FRENCH = Tokenizer(load_language("fr"))

Words = tuple[str, ...]

# Line, which `it` or `they` of the line (from 1), then the linked words in each of TRANSLATIONS.
LINKED: tuple[tuple[int, int, Words, Words, Words, Words], ...] = (
    (2, 1, ("Elle",), ("Elle",), ("Il",), ("se",)),  # dahlia: left on the neighbour of Cela
    (6, 2, ("elle",), ("elle",), ("elle",), ("il",)),
    (7, 1, ("-la",), ("-la",), ("-le",), ()),
    (12, 1, ("-elle",), ("-elle",), ("Était", "-il"), ("-ce",)),  # cormoran: left on two words
    (16, 1, ("la",), (), (), ()),  # baldur, cormoran: left without their l’; dahlia: none to link
    (27, 1, ("-il",), ("-il",), ("-il",), ("-ce",)),
    (30, 1, ("cela",), ("cela", "-t-il"), ("ça",), ("cela",)),  # baldur: both are the subject
    (48, 1, ("été",), ("-t-il",), ("-t-il",), ()),  # reference: left on the neighbour of -t-elle
    (53, 2, ("lui",), ("celui-ci",), ("lui",), ("cela",)),
    (58, 1, ("On",), ("On",), ("Ils",), ("Ils",)),
    (64, 1, ("qu'", "elles"), ("elles",), ("ils",), ()),  # reference: left on two words
    (67, 2, ("-le",), ("-le",), ("-le",), ("cela",)),
    (79, 2, ("il",), ("personne",), ("ils",), ()),
    (82, 2, (), (), ("-ce",), ("cela",)),
    (85, 1, ("C'",), ("C'",), ("C'",), ("Il",)),
    (95, 1, ("-ils",), ("ils",), ("-ils",), ("ils",)),
    (95, 2, ("L’",), ("l’",), ("L’",), ("cela",)),
    (100, 1, ("elle",), ("la",), ("elle",), ("elle",)),
    (115, 2, ("y",), ("y",), ("y",), ()),
)


@pytest.fixture(scope="module")
def source() -> Text:
    return read_text(FOLDER / "source.en")


def _pronouns(line: str, *forms: str) -> list[int]:
    """Positions of the tokens that are one of the forms."""
    return [i for i, token in enumerate(ENGLISH(line).tokens) if fold(token) in forms]


@pytest.mark.parametrize("name", ["source.en", *(f"{name}.fr" for name in TRANSLATIONS)])
def test_every_text_has_one_clean_line_for_each_segment(name: str) -> None:
    lines = read_text(FOLDER / name).lines
    assert len(lines) == SEGMENTS
    assert [line for line in lines if line != " ".join(line.split()) or not line] == []


def test_documents_are_those_the_readme_lists() -> None:
    counts = Counter(read_documents(FOLDER / "documents", segments=SEGMENTS))
    stories = {"lighthouse": 24, "rehearsal": 24, "letter": 7}
    facts = {"coffee": 20, "footbridge": 17, "maps": 16, "museum": 7}
    assert counts == stories | facts


def test_the_source_has_as_many_pronouns_as_the_readme_says(source: Text) -> None:
    assert sum(len(_pronouns(line, "it", "they")) for line in source.lines) == 142
    assert sum(len(_pronouns(line, "you")) for line in source.lines) == 30


@pytest.mark.parametrize("name", TRANSLATIONS)
def test_apostrophes_are_of_one_kind_in_each_document(name: str) -> None:
    documents = read_documents(FOLDER / "documents", segments=SEGMENTS)
    found: dict[str, set[str]] = {document: set() for document in documents}
    for document, line in zip(documents, read_text(FOLDER / f"{name}.fr").lines, strict=True):
        found[document] |= {character for character in line if character in "'’"}
    typographic = {document: {"’"} for document in ("lighthouse", "footbridge", "maps", "museum")}
    straight = {document: {"'"} for document in ("coffee", "rehearsal", "letter")}
    assert found == typographic | straight


@pytest.mark.parametrize("name", TRANSLATIONS)
def test_every_link_leads_to_a_token(name: str, source: Text) -> None:
    target = read_text(FOLDER / f"{name}.fr")
    within_range(
        read_alignments(FOLDER / f"{name}.align", segments=SEGMENTS),
        source_lengths=np.array([len(ENGLISH(line).tokens) for line in source.lines]),
        target_lengths=np.array([len(FRENCH(line).tokens) for line in target.lines]),
    )


@pytest.mark.parametrize(
    ("name", "line", "which", "expected"),
    [
        pytest.param(name, line, which, words, id=f"{name}:{line}.{which}")
        for line, which, *all_words in LINKED
        for name, words in zip(TRANSLATIONS, all_words, strict=True)
    ],
)
def test_pronouns_are_linked_to_the_expected_words(
    name: str, line: int, which: int, expected: Words, source: Text
) -> None:
    position = _pronouns(source.lines[line - 1], "it", "they")[which - 1]
    tokens = FRENCH(read_text(FOLDER / f"{name}.fr").lines[line - 1]).tokens
    alignment = read_alignments(FOLDER / f"{name}.align", segments=SEGMENTS)[line - 1]
    assert tuple(tokens[target] for target in alignment.targets_of(position)) == expected
