"""Every way a file can be wrong: an error with file, line, column and fix, never a silent skip."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, MismatchError, OptionError, UserError
from anaphor.task import read_predictions, read_task, task_classes, write_predictions

GOOD = "il\til|PRON\tit is\tREPLACE_0 être|VER\t0-0 1-1"
EN_FR = task_classes(LanguagePair("en", "fr"))
DE_EN = task_classes(LanguagePair("de", "en"))

#: Second line of a file whose first is good, part of the message, column.
FAULTS = {
    "a blank line": ("", "blank", 1),
    "spaces alone": ("   ", "blank", 1),
    "four columns": ("il\tx\tit is\tREPLACE_0", "4 columns instead of 5", 1),
    "a trailing tab": (GOOD + "\t", "6 columns instead of 5", 1),
    "one column": ("il", "1 columns instead of 5", 1),
    "an empty source": ("il\tx\t\tREPLACE_0\t0-0", "source is empty", 6),
    "an empty target": ("il\tx\tit is\t\t0-0", "target is empty", 12),
    "two spaces in the labels": (
        "il  il\t\tit it\tREPLACE_0 REPLACE_1\t0-0",
        "surplus space in the labels",
        4,
    ),
    "a space before the labels": (" il\tx\tit\tREPLACE_0\t0-0", "surplus space in the labels", 1),
    "a space after the labels": ("il \tx\tit\tREPLACE_0\t0-0", "surplus space in the labels", 4),
    "two spaces in the words": (
        "il il\tx  x\tit it\tREPLACE_0 REPLACE_1\t",
        "surplus space in the words",
        9,
    ),
    "two spaces in the source": ("il\tx\tit  is\tREPLACE_0\t", "surplus space in the source", 9),
    "a space at the end of the target": ("il\tx\tit\tREPLACE_0 \t", "surplus space in the target", 19),
    "more labels than placeholders": ("il il\tx\tit\tREPLACE_0\t0-0", "2 labels for 1 placeholders", 1),
    "fewer labels than placeholders": (
        "il\tx\tit it\tREPLACE_0 REPLACE_1\t",
        "1 labels for 2 placeholders",
        1,
    ),
    "a label without placeholder": ("il\t\tit is\tc' être\t0-0", "1 labels for 0 placeholders", 1),
    "more words than placeholders": ("il\tx y\tit\tREPLACE_0\t0-0", "2 words for 1 placeholders", 4),
    "a placeholder past the source": ("il\tx\tit is\tREPLACE_2 est\t0-0", "outside the source", 12),
    "a second placeholder past the source": (
        "il il\t\tit is\tREPLACE_0 a REPLACE_9\t",
        "outside the source",
        26,
    ),
    "a placeholder without position": ("il\tx\tit is\tREPLACE est\t0-0", "not a placeholder: 'REPLACE'", 12),
    "a placeholder with a name": ("il\tx\tit is\test REPLACE_it\t0-0", "not a placeholder: 'REPLACE_it'", 16),
    "a negative position": ("il\tx\tit is\tREPLACE_-1\t0-0", "not a placeholder", 12),
    "a malformed link": ("il\tx\tit is\tREPLACE_0 est\t0-0 1:1", "not an alignment link: '1:1'", 30),
    "half a link": ("il\tx\tit is\tREPLACE_0 est\t0-0 1-", "not an alignment link: '1-'", 30),
    "a link past the source": ("il\tx\tit is\tREPLACE_0 est\t0-0 2-1", "link 2-1 leads outside", 30),
    "a link past the target": ("il\tx\tit is\tREPLACE_0 est\t0-2", "link 0-2 leads outside", 26),
    "a label of another pair": ("they\tx\tit\tREPLACE_0\t0-0", "en-fr has no class 'they'", 1),
    "a second label of another pair": ("il er\t\tit it\tREPLACE_0 REPLACE_1\t", "no class 'er'", 4),
    "a label in capitals": ("Il\tx\tit\tREPLACE_0\t0-0", "no class 'Il'", 1),
    "other in lower case": ("other\tx\tit\tREPLACE_0\t0-0", "no class 'other'", 1),
    "a decomposed ç": ("c\u0327a\tx\tit\tREPLACE_0\t0-0", "no class", 1),
    "a typographic apostrophe": ("c’\tx\tit\tREPLACE_0\t0-0", "no class 'c’'", 1),
    "a byte order mark in the middle": ("\ufeffil\tx\tit\tREPLACE_0\t0-0", "no class", 1),
    "a NUL byte": ("il\tx\tit\0\tREPLACE_0\t0-0", "NUL byte", 8),
}


@pytest.mark.parametrize(("line", "message", "column"), FAULTS.values(), ids=FAULTS)
def test_a_faulty_line_is_an_error_with_its_place_and_a_fix(
    tmp_path: Path, line: str, message: str, column: int
) -> None:
    path = tmp_path / "gold.tsv"
    path.write_bytes(f"{GOOD}\n{line}\n{GOOD}\n".encode())
    with pytest.raises((InputError, MismatchError)) as caught:
        list(read_task(path, classes=EN_FR))
    assert message in caught.value.what
    assert str(caught.value.where) == f"{path}:2:{column}"
    assert caught.value.fix


@pytest.mark.parametrize(
    ("label", "hint"),
    [
        ("Il", "write il,"),
        ("c\u0327a", "write ça,"),
        ("c’", "write c',"),
        ("other", "write OTHER,"),
        ("er", "labels of"),
    ],
)
def test_the_fix_names_the_intended_label(tmp_path: Path, label: str, hint: str) -> None:
    path = tmp_path / "predictions"
    path.write_text(f"{label}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_predictions(path, classes=EN_FR))
    assert caught.value.fix.startswith(hint)
    assert "labels of 2017: ce, elle, elles, il, ils, cela, on" in caught.value.fix


@pytest.mark.parametrize("label", ["this", "those", "you", "there", "NONE"])
def test_a_label_of_the_right_pair_is_taken(tmp_path: Path, label: str) -> None:
    path = tmp_path / "predictions"
    path.write_text(f"{label}\n", encoding="utf-8")
    assert list(read_predictions(path, classes=DE_EN))


def test_predictions_are_read_as_strictly(tmp_path: Path) -> None:
    for content, place in {
        "il\n il\n": "2:1",
        "il\nce  il\n": "2:4",
        "il\nils \n": "2:5",
        "il\nxx\n": "2:1",
    }.items():
        path = tmp_path / "predictions"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(InputError) as caught:
            list(read_predictions(path, classes=EN_FR))
        assert str(caught.value.where) == f"{path}:{place}"


@pytest.mark.parametrize(
    ("content", "message", "place"),
    [
        (GOOD.encode() + b"\nil\tx\t\xe9\tREPLACE_0\t0-0\n", "byte 0xe9 is not valid UTF-8", ":2:6"),
        (b"", "no segments", ""),
    ],
    ids=["Latin-1", "empty file"],
)
def test_a_file_that_is_no_task_file(tmp_path: Path, content: bytes, message: str, place: str) -> None:
    path = tmp_path / "gold.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        list(read_task(path))
    assert str(caught.value.where) == f"{path}{place}"


def test_files_that_cannot_be_read_or_written_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        list(read_task(tmp_path / "absent"))
    with pytest.raises(InputError, match="directory"):
        list(read_task(tmp_path))
    with pytest.raises(OptionError, match="cannot be written"):
        write_predictions(tmp_path / "absent" / "predictions", [])


@pytest.mark.parametrize("damage", ["not compressed", "cut"])
def test_a_broken_gzip_file(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "gold.tsv.gz"
    whole = gzip.compress(f"{GOOD}\n".encode() * 100)
    path.write_bytes(GOOD.encode() if damage == "not compressed" else whole[:-20])
    with pytest.raises(InputError, match="gzip file is broken"):
        list(read_task(path))


def test_standard_input_is_read_but_has_no_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(f"{GOOD}\n".encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert len(list(read_task("-"))) == 1
    (tmp_path / "ids").write_text("a\n", encoding="utf-8")
    with pytest.raises(UserError, match="counted"):
        list(read_task("-", documents=tmp_path / "ids"))
