"""The files of an experiment: formats recognized, documents read, lengths compared."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import (
    Alignment,
    Files,
    InputError,
    InputWarning,
    LanguagePair,
    MismatchError,
    OptionError,
    UserError,
)
from anaphor.corpus import read_bundle, read_documents, read_inputs, read_test_set

Write = Callable[..., Path]
PAIR = LanguagePair("en", "fr")
XML = """<dataset id="t"><doc id="d1" origlang="en">
<src lang="en"><seg id="1">It .</seg><seg id="2">They .</seg></src>
<ref lang="fr" translator="A"><seg id="1">Il .</seg><seg id="2">Ils .</seg></ref>
<hyp lang="fr" system="X"><seg id="1">Elle .</seg><seg id="2">Elles .</seg></hyp>
</doc></dataset>
"""


@pytest.fixture
def files(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """A good experiment of two segments, in the working directory."""
    monkeypatch.chdir(tmp_path)
    contents = {
        "src": "It .\nThey .\n",
        "ref": "Il .\nIls .\n",
        "cand": "Elle .\nElles .\n",
        "links": "0-0 1-1\n0-0 1-1\n",
        "docs": "d1\nd2\n",
        "set.xml": XML,
        "set.tsv": "d1\tIt .\tIl .\td2\nd2\tThey .\tIls .\td2\n",
        "long": "Il .\nIls .\nOn .\n",
        "positions": "0 0\n",
    }
    for name, content in contents.items():
        write(content, name)
    return Files(source="src", references=("ref",), candidates=(("a", "cand"),))


def test_the_texts_are_read_in_their_roles(files: Files) -> None:
    inputs = read_inputs(files, PAIR)
    assert inputs.source.lines == ("It .", "They .")
    assert [text.lines for text in inputs.references] == [("Il .", "Ils .")]
    assert {name: text.lines for name, text in inputs.candidates.items()} == {"a": ("Elle .", "Elles .")}
    assert inputs.segments == 2
    absent = (inputs.documents, inputs.positions, inputs.reference_alignments, inputs.candidate_alignments)
    assert absent == (None,) * 4


def test_documents_positions_and_alignments_are_read_with_the_texts(files: Files) -> None:
    inputs = read_inputs(
        replace(
            files,
            documents="docs",
            positions="positions",
            reference_alignments=("links",),
            candidate_alignments=("links",),
        ),
        PAIR,
    )
    assert inputs.documents == ("d1", "d2")
    assert inputs.positions is not None
    assert inputs.positions.lines == ("0 0",)
    assert inputs.reference_alignments is not None
    assert inputs.candidate_alignments is not None
    assert inputs.reference_alignments[0][1] == Alignment((0, 1), (0, 1))
    assert list(inputs.candidate_alignments) == ["a"]


def test_a_set_brings_candidates_before_the_named_ones(files: Files) -> None:
    bundle = replace(files, source=None, references=(), bundle="set.xml")
    inputs = read_inputs(bundle, PAIR)
    assert list(inputs.candidates) == ["X", "a"]
    assert inputs.documents == ("d1", "d1")


def test_named_documents_replace_those_of_a_set(files: Files) -> None:
    bundle = replace(files, source=None, references=(), bundle="set.xml", documents="docs")
    assert read_inputs(bundle, PAIR).documents == ("d1", "d2")


def test_a_tsv_set_may_have_several_references(files: Files) -> None:
    inputs = read_inputs(replace(files, source=None, references=(), bundle="set.tsv"), PAIR)
    assert [text.lines for text in inputs.references] == [("Il .", "Ils ."), ("d2", "d2")]


def test_a_test_set_needs_no_candidate_and_an_experiment_does(files: Files) -> None:
    alone = replace(files, candidates=())
    assert read_test_set(alone, PAIR).candidates == {}
    with pytest.raises(OptionError, match="no candidate is given"):
        read_inputs(alone, PAIR)


def test_an_experiment_needs_no_reference_and_a_test_set_does(files: Files) -> None:
    alone = replace(files, references=(), reference_alignments=())
    assert read_inputs(alone, PAIR).references == ()
    with pytest.raises(OptionError, match="source or reference is missing"):
        read_test_set(alone, PAIR)


BUNDLE: dict[str, Any] = {"source": None, "references": (), "bundle": "set.xml"}


@pytest.mark.parametrize(
    ("changes", "kind", "what", "where"),
    [
        ({"source": None}, OptionError, "source or reference is missing", "--source, --reference"),
        ({"bundle": "set.xml"}, OptionError, "has its own source", "--set"),
        ({"references": ("long",)}, MismatchError, "long has 3 lines, the source src has 2", "long:3"),
        ({"candidates": (("a", "long"),)}, MismatchError, "long has 3 lines", "long:3"),
        ({"candidates": (("a", "cand"),) * 2}, MismatchError, "two candidates are called a", "cand"),
        ({**BUNDLE, "candidates": (("X", "cand"),)}, MismatchError, "two candidates are called X", "cand"),
        ({"documents": "long"}, MismatchError, "the file has 3 lines", "long:3"),
        ({"reference_alignments": ("links",) * 2}, MismatchError, "2 alignment", "--alignment-reference"),
        ({"candidate_alignments": ("links",) * 2}, MismatchError, "2 alignment", "--alignment-candidate"),
        ({**BUNDLE, "candidate_alignments": ("links",)}, MismatchError, "1 align", "--alignment-candidate"),
        ({"reference_alignments": ("docs",)}, InputError, "not an alignment link", "docs:1:1"),
        ({"positions": "none"}, InputError, "cannot be read", "none"),
        ({"source": "-", "documents": "-"}, OptionError, "only be used for one file", "-"),
        ({"candidates": (("a", "-"), ("b", "-"))}, OptionError, "only be used for one file", "-"),
        ({"positions": "-", "reference_alignments": ("-",)}, OptionError, "used for one file", "-"),
        ({**BUNDLE, "bundle": "-", "candidate_alignments": ("-",)}, OptionError, "used for one file", "-"),
    ],
)
def test_what_does_not_fit_is_refused(
    files: Files, changes: dict[str, Any], kind: type[UserError], what: str, where: str
) -> None:
    with pytest.raises(kind) as caught:
        read_inputs(replace(files, **changes), PAIR)
    assert what in caught.value.what
    assert str(caught.value.where) == where
    assert caught.value.fix


def test_files_that_differ_in_their_endings_are_given_names_to_copy(files: Files) -> None:
    both = (("wmt", "out/wmt.Aya23"), ("wmt", "out/wmt.GPT-4"))
    with pytest.raises(MismatchError) as caught:
        read_inputs(replace(files, candidates=both), PAIR)
    assert "--candidate Aya23=out/wmt.Aya23 GPT-4=out/wmt.GPT-4" in caught.value.fix
    with pytest.raises(MismatchError) as caught:
        read_inputs(replace(files, candidates=(("wmt", "a/wmt.de"), ("wmt", "b/wmt.de"))), PAIR)
    assert "first=PATH" in caught.value.fix


@pytest.mark.parametrize(
    ("content", "segments", "documents"),
    [
        ("a\na\nb c\n", 3, ("a", "a", "b c")),
        ("7\n7\n3\n", 3, ("7", "7", "3")),
        ("a\nb\na\n", 3, ("a", "b", "a")),
        ("news\ta\nnews\ta\ntalk\tb\n", 3, ("a", "a", "b")),
        ("0\n", 1, ("0",)),
        ("0\n2\n", 4, ("document-0", "document-0", "document-1", "document-1")),
        ("0 talk one\n1\n3\ttalk-3 \n", 4, ("talk one", "document-1", "document-1", "talk-3")),
        ("0\n", 2, ("document-0", "document-0")),
    ],
)
def test_both_forms_give_every_segment_its_document(
    write: Write, content: str, segments: int, documents: tuple[str, ...]
) -> None:
    assert read_documents(write(content), segments=segments) == documents


def test_a_blank_id_is_refused(write: Write) -> None:
    path = write("a\n \nb\n")
    with pytest.raises(InputError, match="blank") as caught:
        read_documents(path, segments=3)
    assert str(caught.value.where) == f"{path}:2"


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("a\nb\nc\nd\ne\n", 5, "the file has 5 lines"),
        ("a\nb\n", 1, "'a' is not a start line"),
        ("0\nb\n", 2, "'b' is not a start line"),
        ("0\n\n", 2, "'' is not a start line"),
        ("-1\n", 1, "'-1' is not a start line"),
        ("1\n2\n", 1, "starts at 1, not 0"),
        ("0\n2\n2\n", 3, "start 2 follows start 2"),
        ("0\n3\n2\n", 3, "start 2 follows start 3"),
        ("0\n4\n", 2, "start 4 is beyond the last segment"),
        ("0 a\n2 a\n", 2, "is used twice"),
        ("0 document-1\n2\n", 2, "is used twice"),
        ("0\n" + "9" * 5000 + "\n", 2, "is not a start line"),
    ],
)
def test_everything_else_is_a_mismatch_that_explains_both_forms(
    write: Write, content: str, line: int, what: str
) -> None:
    path = write(content)
    with pytest.raises(MismatchError, match=what) as caught:
        read_documents(path, segments=4)
    assert str(caught.value.where) == f"{path}:{line}"
    assert "a document id for each of the 4 segments" in caught.value.fix
    assert "`N id`" in caught.value.fix


def test_the_news_set_has_131_documents(data_dir: Path) -> None:
    # 131 documents over 4,954 lines, the second from line 47: the table of the data folder, and the file.
    documents = read_documents(data_dir / "news-en-fr-autoprf" / "doc-boundaries", segments=4954)
    assert len(documents) == 4954
    assert len(set(documents)) == 131
    assert documents[46:48] == ("document-0", "document-1")


TSV = "d\tIt.\tIl.\n"
WMT_XML = """<?xml version="1.0"?><!-- invented -->
<dataset><doc id="d"><src><seg id="1">It.</seg></src><ref><seg id="1">Il.</seg></ref></doc></dataset>"""
SGM = """<srcset><doc docid="d"><seg id="1">It.</seg></doc></srcset>
<refset><doc docid="d"><seg id="1">Il.</seg></doc></refset>"""


CAPITALS = SGM.upper().replace("IT.", "It.").replace("IL.", "Il.")


@pytest.mark.parametrize(
    "content", [TSV, WMT_XML, SGM, "\n  " + SGM, CAPITALS], ids=["tsv", "xml", "sgm", "indented", "capitals"]
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
    packed = read_bundle(write(gzip.compress(WMT_XML.encode()), "set.xml.gz"), pair=PAIR)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WMT_XML.encode())))
    piped = read_bundle("-", pair=PAIR)
    assert packed.source.digest == piped.source.digest
    assert piped.source.path == "<stdin> [source]"


def test_a_byte_order_mark_does_not_hide_the_format(write: Write) -> None:
    with pytest.warns(InputWarning, match="byte order mark"):
        assert len(read_bundle(write("\ufeff" + WMT_XML), pair=PAIR).source) == 1


@pytest.mark.parametrize("content", ["plain text\n", "<html></html>", "", "<"])
def test_an_unknown_format_is_refused_with_the_known_ones(write: Write, content: str) -> None:
    path = write(content)
    with pytest.raises(InputError, match="format of the test set was not recognized") as caught:
        read_bundle(path, pair=PAIR)
    assert str(caught.value.where) == str(path)
    assert all(name in caught.value.fix for name in ("TSV", "WMT XML", "SGM"))


def test_a_folder_of_nothing_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither sources/ nor \.sgm files"):
        read_bundle(tmp_path, pair=PAIR)


def test_a_missing_test_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_bundle(tmp_path / "missing", pair=PAIR)
