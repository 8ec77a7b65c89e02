"""All files of an experiment, read and found to fit each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import Alignment, Files, InputError, LanguagePair, MismatchError, OptionError, UserError
from anaphor.corpus import read_inputs, read_test_set

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


def test_what_belongs_to_the_texts_is_read_with_them(files: Files) -> None:
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


BUNDLE: dict[str, Any] = {"source": None, "references": (), "bundle": "set.xml"}


@pytest.mark.parametrize(
    ("changes", "kind", "what", "where"),
    [
        ({"source": None}, OptionError, "source or reference is missing", "--source, --reference"),
        ({"references": ()}, OptionError, "source or reference is missing", "--source, --reference"),
        ({"bundle": "set.xml"}, OptionError, "brings its own source", "--set"),
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
        ({"source": "-", "documents": "-"}, OptionError, "stand for one file only", "-"),
        ({"candidates": (("a", "-"), ("b", "-"))}, OptionError, "stand for one file only", "-"),
        ({"positions": "-", "reference_alignments": ("-",)}, OptionError, "for one file only", "-"),
        ({**BUNDLE, "bundle": "-", "candidate_alignments": ("-",)}, OptionError, "one file only", "-"),
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
