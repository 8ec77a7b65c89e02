"""Formats are told apart by name and content."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, LanguagePair
from anaphor.corpus import read_bundle

Write = Callable[..., Path]
PAIR = LanguagePair("en", "fr")

TSV = "d\tIt.\tIl.\n"
XML = """<?xml version="1.0"?><!-- invented -->
<dataset><doc id="d"><src><seg id="1">It.</seg></src><ref><seg id="1">Il.</seg></ref></doc></dataset>"""
SGM = """<srcset><doc docid="d"><seg id="1">It.</seg></doc></srcset>
<refset><doc docid="d"><seg id="1">Il.</seg></doc></refset>"""


CAPITALS = SGM.upper().replace("IT.", "It.").replace("IL.", "Il.")


@pytest.mark.parametrize(
    "content", [TSV, XML, SGM, "\n  " + SGM, CAPITALS], ids=["tsv", "xml", "sgm", "indented", "capitals"]
)
@pytest.mark.parametrize("name", ["set.txt", "set.xml", "set.sgm", "set"])
def test_content_decides_whatever_the_name(write: Write, content: str, name: str) -> None:
    bundle = read_bundle(write(content, name), pair=PAIR)
    assert (bundle.source.lines, bundle.references[0].lines) == (("It.",), ("Il.",))
    assert len(bundle.documents or ()) == 1


def test_the_name_tsv_decides_alone(write: Write) -> None:
    bundle = read_bundle(write("<dataset>\tIt.\tIl.\n", "set.tsv"), pair=PAIR)
    assert bundle.documents == ("<dataset>",)


def test_compressed_files_and_standard_input_are_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = read_bundle(write(gzip.compress(XML.encode()), "set.xml.gz"), pair=PAIR)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(XML.encode())))
    piped = read_bundle("-", pair=PAIR)
    assert packed.source.digest == piped.source.digest
    assert piped.source.path == "<stdin> [source]"


def test_a_byte_order_mark_does_not_hide_the_format(write: Write) -> None:
    with pytest.warns(InputWarning, match="byte order mark"):
        assert len(read_bundle(write("\ufeff" + XML), pair=PAIR).source) == 1


@pytest.mark.parametrize("content", ["plain text\n", "<html></html>", "", "<"])
def test_an_unknown_format_is_refused_with_the_known_ones(write: Write, content: str) -> None:
    path = write(content)
    with pytest.raises(InputError, match="format of the test set is not known") as caught:
        read_bundle(path, pair=PAIR)
    assert str(caught.value.where) == str(path)
    assert all(name in caught.value.fix for name in ("TSV", "WMT XML", "SGM"))


def test_a_folder_of_nothing_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither sources/ nor \.sgm files"):
        read_bundle(tmp_path, pair=PAIR)


def test_a_missing_test_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_bundle(tmp_path / "missing", pair=PAIR)
