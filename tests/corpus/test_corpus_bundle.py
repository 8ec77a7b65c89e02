"""Tab-separated test sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair
from anaphor.corpus import read_bundle

Write = Callable[..., Path]
PAIR = LanguagePair("en", "fr")


def test_columns_are_document_source_and_references(write: Write) -> None:
    path = write('a\tIt is.\tIl est.\tElle est.\nb c\t"They\tIls\tElles\n', "set.tsv")
    bundle = read_bundle(path, pair=PAIR)
    assert bundle.documents == ("a", "b c")
    assert bundle.source.lines == ("It is.", '"They')
    assert [reference.lines for reference in bundle.references] == [
        ("Il est.", "Ils"),
        ("Elle est.", "Elles"),
    ]
    assert bundle.candidates == {}
    assert bundle.references[1].path == f"{path} [reference 2]"


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("docid\tsource\treference", True),
        ("docid\tsource\ttarget", True),
        ("Docid\tsource\treference", False),
        ("docid\tsrc\tref", False),
    ],
)
def test_only_an_exact_header_is_skipped(write: Write, first: str, is_header: bool) -> None:
    bundle = read_bundle(write(f"{first}\na\tIt\tIl\n", "set.tsv"), pair=PAIR)
    assert len(bundle.source) == (1 if is_header else 2)


@pytest.mark.parametrize(
    ("content", "place", "what"),
    [
        ("a\tIt\tIl\nb\tThey\n", ":2", "2 columns instead of 3"),
        ("a\tIt\tIl\nb\tThey\tIls\tElles\n", ":2", "4 columns instead of 3"),
        ("a\tIt\n", ":1", "2 columns instead of 3"),
        ("a\tIt\tIl\n\n", ":2", "1 columns instead of 3"),
        ("a\tIt\tIl\n \tIt\tIl\n", ":2:1", "document id is blank"),
        ("docid\tsource\treference\n", "", "a header and no rows"),
        ("", "", "has no lines"),
    ],
)
def test_faulty_rows_are_named(write: Write, content: str, place: str, what: str) -> None:
    path = write(content, "set.tsv")
    with pytest.raises(InputError, match=what) as caught:
        read_bundle(path, pair=PAIR)
    assert str(caught.value.where) == f"{path}{place}"


def test_an_empty_source_or_reference_is_kept(write: Write) -> None:
    bundle = read_bundle(write("a\t\tIl\nb\tIt\t\n", "set.tsv"), pair=PAIR)
    assert bundle.source.lines == ("", "It")
    assert bundle.references[0].lines == ("Il", "")
