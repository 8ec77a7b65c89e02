"""Candidates as whole documents: every layout, and everything that can be wrong with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anaphor.core import InputWarning, UserError
from anaphor.segment.whole_documents import WholeDocuments, read_whole_documents, whole_documents_of

DOCUMENTS = ("one", "one", "two", "three")
TEXTS = {"one": "Eins. Und mehr.", "two": "Zwei.", "three": "Drei."}


def written(folder: Path, content: str, name: str = "output") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_every_layout_gives_the_same_documents(tmp_path: Path) -> None:
    named = "".join(
        json.dumps({"document": name, "text": text}) + "\n" for name, text in reversed(TEXTS.items())
    )
    study = "".join(
        json.dumps({"original": "...", "translation": text, "reference": "..."}) + "\n"
        for text in TEXTS.values()
    )
    lines = "".join(f"{text}\n" for text in TEXTS.values())
    blocks = "Eins.\nUnd mehr.\n\nZwei.\n\n\nDrei.\n"
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, text in TEXTS.items():
        written(folder, text, f"{name}.txt")
    read = [
        read_whole_documents(written(tmp_path, content, f"{number}"), DOCUMENTS)
        for number, content in enumerate((named, study, lines))
    ]
    read += [read_whole_documents(folder, DOCUMENTS)]
    read += [whole_documents_of(value, DOCUMENTS, name="<x>") for value in (TEXTS, [*TEXTS.values()], lines)]
    assert [dict(one.texts) for one in read] == [TEXTS] * 7
    assert len({one.digest for one in read}) == 1
    found = read_whole_documents(written(tmp_path, blocks), DOCUMENTS)
    assert [text and text.split() for text in found.texts.values()] == [t.split() for t in TEXTS.values()]


def test_without_documents_the_whole_file_is_one(tmp_path: Path) -> None:
    path = written(tmp_path, "Eins.\n\nZwei.\nDrei.\n")
    assert list(read_whole_documents(path, None).texts.values()) == ["Eins.\n\nZwei.\nDrei.\n"]


def test_null_is_a_document_without_output_and_is_announced(tmp_path: Path) -> None:
    path = written(tmp_path, '{"text": "Eins."}\n{"text": null}\n{"text": "Drei."}\n')
    with pytest.warns(InputWarning, match="no output for 1 document, the first is two"):
        found = read_whole_documents(path, DOCUMENTS)
    assert found.texts["two"] is None


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (
            "Eins.\nZwei.\nDrei.\nVier.\n",
            "more texts than documents: there are 4 lines, but the source has 3",
        ),
        ("Eins.\nZwei.\n", "fewer texts than documents: there are 2 lines"),
        ('{"text": "Eins."}\n' * 4, "more texts than documents: there are 4 records"),
        ('{"text": "Eins."}\n' * 2, "fewer texts than documents: there are 2 records"),
        ("", "there is no text"),
        ("  \n \n", "there is no text"),
        ("Eins.\n\nDrei.\n", "document two is empty"),
        ('{"text": "Eins."}\n{"text": " "}\n{"text": "Drei."}\n', "document two is empty"),
        ('{"document": "one", "text": "Eins."}\n', "document two is missing, and 1 more"),
        (
            '{"document": "one", "text": "Eins."}\n{"document": "one", "text": "1"}\n',
            "one is in line 1 already",
        ),
        (
            '{"document": "four", "text": "Vier."}\n',
            "document four is not in the source, which has 3 documents",
        ),
        ('{"document": "one", "text": "Eins."}\n{"text": "Zwei."}\n', "document: missing"),
        ('{"text": "Eins."}\n{"document": "two", "text": "Z"}\n{"text": "D"}\n', "not in the first record"),
        ('{"document": "one"}\n', "text: missing; the keys are document"),
        ('{"id": 1, "output": "Eins."}\n' * 3, "text: missing; the keys are id, output"),
        ('{"text": "Eins.\\u0000"}\n{"text": "Zwei."}\n{"text": "Drei."}\n', "has a NUL character, at 5"),
        ('{"document": "one", "text": ["a"]}\n', "text: expected a string"),
        ('{"document": "one", "text": "Eins."\n', "not a JSON object"),
        (f"Eins.\n{'a' * 5000}\nDrei.\n", "document two has a word of 5000 characters"),
    ],
)
def test_bad_input_is_explained(tmp_path: Path, content: str, what: str) -> None:
    with pytest.raises(UserError) as error:
        read_whole_documents(written(tmp_path, content), DOCUMENTS)
    assert what in str(error.value)
    assert error.value.fix


def test_long_text_without_spaces_is_a_word_only_where_words_have_spaces(tmp_path: Path) -> None:
    assert read_whole_documents(written(tmp_path, "是旧的" * 1000), None).texts


def test_a_folder_needs_a_file_per_document(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the folder has no \.txt files"):
        read_whole_documents(tmp_path, DOCUMENTS)
    written(tmp_path, "Eins.", "one.txt")
    with pytest.raises(UserError, match="document two is missing"):
        read_whole_documents(tmp_path, DOCUMENTS)


@pytest.mark.parametrize("value", [3, {"one": 1, "two": "b", "three": "c"}, ["a", "b"], {1: "a"}])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(UserError):
        whole_documents_of(value, DOCUMENTS, name="<x>")


def test_the_digest_has_the_names_of_documents_their_order_and_which_have_no_output() -> None:
    def digest(**texts: str) -> str:
        return WholeDocuments.of(texts, list(texts), path="<x>").digest

    found = [digest(a="x", b="y"), digest(a="y", b="x"), digest(b="x", a="y"), digest(a="x", c="y")]
    found += [digest(a="xb", b="y"), digest(ab="x", b="y")]
    assert len(set(found)) == len(found)
    assert digest(a="x", b="y") == found[0]
