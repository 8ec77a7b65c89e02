"""Gold and predictions together: what does not fit is an error with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, MismatchError
from anaphor.task import task_classes
from anaphor.task.systems import GoldLabels, read_gold, read_predicted

EN_FR = task_classes(LanguagePair("en", "fr"))
ONE = "il\tx\tit is\tREPLACE_0 être|VER\t0-0 1-1\n"
TWO = "ça ils\t\tit and they\tREPLACE_0 et|KON REPLACE_2\t0-0\n"
NONE = "\t\tyes\toui|ADV\t0-0\n"


def gold_of(folder: Path, content: str, *, documents: str | None = None) -> GoldLabels:
    path = folder / "gold.tsv"
    path.write_text(content, encoding="utf-8")
    ids = None
    if documents is not None:
        ids = folder / "ids"
        ids.write_text(documents, encoding="utf-8")
    return read_gold(path, classes=EN_FR, documents=ids)


def test_gold_labels_are_classes_and_segments_without_placeholder_stay(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, ONE + NONE + TWO, documents="a\na\nb\n")
    assert gold.labels == (("il",), (), ("cela", "ils"))
    assert gold.documents == ("a", "a", "b")
    assert gold.slots == 3


def test_a_test_file_cannot_be_scored_against(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no label") as caught:
        gold_of(tmp_path, ONE + "\t" + ONE.partition("\t")[2])
    assert str(caught.value.where) == f"{tmp_path / 'gold.tsv'}:2:1"


def test_a_file_without_any_placeholder_cannot_be_scored_against(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to score"):
        gold_of(tmp_path, NONE)


@pytest.mark.parametrize(
    ("content", "message", "place"),
    [
        ("il\n\n", "2 lines of predictions for 3 segments", ":3"),
        ("", "0 lines of predictions for 3 segments", ":1"),
        ("il\n\nce il\nce\n", "predictions continue after the 3 segments", ":4:1"),
        ("\n\nce il\n", "0 predicted labels for 1 placeholders", ":1:1"),
        ("il\nil\nce il\n", "1 predicted labels for 0 placeholders", ":2:1"),
        ("il\n\nce\n", "1 predicted labels for 2 placeholders", ":3:1"),
        ("il\n\nce il ils\n", "3 predicted labels for 2 placeholders", ":3:1"),
    ],
    ids=["shorter", "empty", "longer", "no label", "label without placeholder", "fewer", "more"],
)
def test_predictions_of_other_lines_or_labels_are_refused(
    tmp_path: Path, content: str, message: str, place: str
) -> None:
    gold = gold_of(tmp_path, ONE + NONE + TWO)
    path = tmp_path / "predictions"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(MismatchError) as caught:
        read_predicted(path, gold, classes=EN_FR)
    assert message in caught.value.what
    assert str(caught.value.where) == f"{path}{place}"
