"""Parallel text in files and tables."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, MismatchError, OptionError, UserError
from anaphor.task.prepare.texts import ParallelTable, RawPair, TextPair, digest_of, read_all

PAIR = LanguagePair("en", "fr")


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture
def text(tmp_path: Path) -> TextPair:
    return TextPair(
        source=write(tmp_path / "a.en", "One\nTwo\n"), target=write(tmp_path / "a.fr", "Un\nDeux")
    )


def test_two_files_are_read_line_by_line(text: TextPair) -> None:
    assert list(text.read()) == [RawPair("One", "Un", "text"), RawPair("Two", "Deux", "text")]


def test_documents_come_from_a_file(text: TextPair, tmp_path: Path) -> None:
    ids = write(tmp_path / "ids", "x\ny\n")
    named = TextPair(source=text.source, target=text.target, documents=ids)
    assert [pair.document for pair in named.read()] == ["x", "y"]


def test_a_mark_starts_a_document_and_is_no_segment(tmp_path: Path) -> None:
    source = write(tmp_path / "a.en", "<d>\nOne\n<d>\nTwo\nThree\n")
    target = write(tmp_path / "a.fr", "<d>\nUn\n<d>\nDeux\nTrois\n")
    pairs = TextPair(source=source, target=target, mark="<d>").read()
    assert [(pair.source, pair.document) for pair in pairs] == [("One", "1"), ("Two", "2"), ("Three", "2")]


@pytest.mark.parametrize(
    ("source", "target", "mark", "where"),
    [
        ("One\nTwo\n", "Un\n", None, "a.en:2"),
        ("One\n", "Un\nDeux\n", None, "a.fr:2"),
        ("<d>\nOne\n", "Un\nDeux\n", "<d>", "a.en:1"),
        ("One\n", "Un\n", "<d>", "a.en:1"),
    ],
    ids=["target ends early", "source ends early", "mark in one text", "segment before the first mark"],
)
def test_texts_that_do_not_fit_are_refused_with_their_line(
    tmp_path: Path, source: str, target: str, mark: str | None, where: str
) -> None:
    pair = TextPair(
        source=write(tmp_path / "a.en", source), target=write(tmp_path / "a.fr", target), mark=mark
    )
    with pytest.raises(UserError) as caught:
        list(pair.read())
    assert str(caught.value.where) == str(tmp_path / where)


@pytest.mark.parametrize(
    ("content", "columns", "pairs"),
    [
        pytest.param(
            "doc\tspeaker\ten\tfr\nd1\t7\tOne\tUn\n", (), [("One", "Un", "d1")], id="found by the header"
        ),
        pytest.param(
            "en\tfr\tid\nOne\tUn\td1\nTwo\tDeux\td1\n",
            (),
            [("One", "Un", "2"), ("Two", "Deux", "3")],
            id="no document where the first column is a text: every line its own",
        ),
        pytest.param("fra\teng\tUn\tOne\n", (), [("One", "Un", "1")], id="Tatoeba, the other way round"),
        pytest.param("x\tOne\tUn\n", ("2", "3"), [("One", "Un", "1")], id="columns by number"),
        pytest.param("a\tb\tc\nUn\tOne\td\n", ("b", "a", "c"), [("One", "Un", "d")], id="columns by name"),
    ],
)
def test_a_table_has_its_texts_where_it_says(
    tmp_path: Path, content: str, columns: tuple[str, ...], pairs: list[tuple[str, str, str]]
) -> None:
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress(content.encode()))
    assert [tuple(pair) for pair in ParallelTable(str(path), PAIR, columns).read()] == pairs


@pytest.mark.parametrize(
    ("content", "columns", "error", "message"),
    [
        ("doc\ten\tde\n", (), InputError, "columns"),
        ("en\tfr\nOne\tUn\tsurplus\n", (), InputError, "3 columns instead of 2"),
        ("", (), InputError, "no lines"),
        ("doc\ten\tfr\n \tOne\tUn\n", (), InputError, "t.tsv:2"),
        ("One\tUn\n", ("1", "3"), OptionError, "no column 3"),
        ("en\tfr\n", ("en", "de"), OptionError, "no column de"),
    ],
)
def test_a_table_with_other_columns_is_refused(
    tmp_path: Path, content: str, columns: tuple[str, ...], error: type[UserError], message: str
) -> None:
    table = ParallelTable(write(tmp_path / "t.tsv", content), PAIR, columns)
    with pytest.raises(error, match=message):
        list(table.read())


def test_documents_of_several_texts_stay_separate(text: TextPair) -> None:
    found = [pair.document for pair in read_all([text, text])]
    assert found == ["1.a/text", "1.a/text", "2.a/text", "2.a/text"]


def test_the_digest_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    # sha256sum of the three bytes "abc" (FIPS 180-4, appendix)
    found = digest_of(write(tmp_path / "abc", "abc"))
    assert found == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with pytest.raises(InputError, match="cannot be read"):
        digest_of(str(tmp_path / "missing"))


def test_unequal_documents_are_refused(text: TextPair, tmp_path: Path) -> None:
    ids = write(tmp_path / "ids", "x\ny\nz\n")
    with pytest.raises(MismatchError):
        list(TextPair(source=text.source, target=text.target, documents=ids).read())
