"""Five-column files and files of predictions: what is read is what was written."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Alignment, InputError, InputWarning, LanguagePair, MismatchError, Slot, TaskSegment
from anaphor.task import (
    format_segment,
    read_predictions,
    read_task,
    task_classes,
    with_labels,
    write_predictions,
    write_task,
)

TRAINING = (
    "ce OTHER\tce|PRON qui|PRON\tIt pays . It waits .\tREPLACE_0 payer|VER REPLACE_3 .|.\t0-0 1-1 3-2 5-3"
)
INFLECTED = "ça\tÇa\tIt works .\tREPLACE_0 marche .\t0-0 1-1 2-2"
TEST = "\t\tThey left .\tREPLACE_0 partir|VER .|.\t0-0 1-1 2-2"
NO_SLOT = "\t\tThank you .\tmerci|NOM .|.\t0-0 1-0 2-1"
NO_LINK = "il\t\tIt rained .\tREPLACE_0 pleuvoir|VER .|.\t"
EN_FR = task_classes(LanguagePair("en", "fr"))


def written(folder: Path, *lines: str, end: str = "\n") -> Path:
    path = folder / "task.tsv"
    path.write_bytes("\n".join(lines).encode() + end.encode())
    return path


def test_a_training_line_becomes_slots_with_labels_and_words(tmp_path: Path) -> None:
    (segment,) = read_task(written(tmp_path, TRAINING))
    assert segment == TaskSegment(
        source=("It", "pays", ".", "It", "waits", "."),
        target=("REPLACE_0", "payer|VER", "REPLACE_3", ".|."),
        slots=(Slot(0, 0, "ce", "ce|PRON"), Slot(3, 2, "OTHER", "qui|PRON")),
        alignment=Alignment((0, 1, 3, 5), (0, 1, 2, 3)),
    )


@pytest.mark.parametrize(
    ("line", "slots"),
    [
        (INFLECTED, (Slot(0, 0, "ça", "Ça"),)),
        (TEST, (Slot(0, 0),)),
        (NO_SLOT, ()),
        (NO_LINK, (Slot(0, 0, "il"),)),
    ],
    ids=["2015", "test", "no placeholder", "no word and no link"],
)
def test_the_other_variants_are_read(tmp_path: Path, line: str, slots: tuple[Slot, ...]) -> None:
    (segment,) = read_task(written(tmp_path, line))
    assert segment.slots == slots


@pytest.mark.parametrize("name", ["out.tsv", "out.tsv.gz"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    segments = list(read_task(written(tmp_path, TRAINING, INFLECTED, TEST, NO_SLOT, NO_LINK)))
    write_task(tmp_path / name, segments)
    assert list(read_task(tmp_path / name)) == segments
    assert {path.name for path in tmp_path.iterdir()} == {"task.tsv", name}


def test_the_same_segments_give_the_same_compressed_bytes(tmp_path: Path) -> None:
    segments = list(read_task(written(tmp_path, TRAINING)))
    for name in ("a.gz", "b.gz"):
        write_task(tmp_path / name, segments)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()).decode() == TRAINING + "\n"


def test_a_fault_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = written(tmp_path, TRAINING)
    (segment,) = read_task(path)
    with pytest.raises(InputError, match="white space"):
        write_task(path, [segment, replace(segment, source=("two words",))])
    assert path.read_text(encoding="utf-8") == TRAINING + "\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["task.tsv"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": ("",)}, "empty or has white space"),
        ({"target": ("a\tb",)}, "empty or has white space"),
        ({"target": ("a\nb",)}, "empty or has white space"),
        ({"slots": (Slot(0, 0, "ce"), Slot(3, 2))}, "some have none"),
    ],
)
def test_a_segment_that_could_not_be_read_back_is_not_written(
    tmp_path: Path, change: dict[str, tuple[str, ...]], message: str
) -> None:
    (segment,) = read_task(written(tmp_path, TRAINING))
    with pytest.raises(InputError, match=message):
        format_segment(replace(segment, **change))  # type: ignore[arg-type]


TOKENS = st.text(st.characters(exclude_characters=" \t\n\r\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda token: not token.startswith("REPLACE")
)


@given(st.lists(TOKENS, min_size=1), st.lists(TOKENS, min_size=1), st.sampled_from(["il", "elle"]), TOKENS)
def test_any_tokens_survive(source: list[str], target: list[str], label: str, word: str) -> None:
    from anaphor.task.lines import parse_segment

    segment = TaskSegment(
        source=tuple(source),
        target=("REPLACE_0", *target),
        slots=(Slot(0, 0, label, word),),
        alignment=Alignment((0,), (len(target),)),
    )
    assert parse_segment(format_segment(segment), "x", 1, classes=None) == segment


@pytest.mark.parametrize(
    ("content", "documents"),
    [("a\na\nb\n", ("a", "a", "b")), ("0 first\n2\n", ("first", "first", "document-1"))],
    ids=["an id a line", "starts"],
)
def test_documents_come_from_ids_or_starts(tmp_path: Path, content: str, documents: tuple[str, ...]) -> None:
    ids = tmp_path / "ids"
    ids.write_text(content, encoding="utf-8")
    segments = read_task(written(tmp_path, TRAINING, TEST, NO_SLOT), documents=ids)
    assert tuple(segment.document for segment in segments) == documents


def test_documents_of_another_length_are_refused(tmp_path: Path) -> None:
    ids = tmp_path / "ids"
    ids.write_text("a\nb\nc\n", encoding="utf-8")
    with pytest.raises(MismatchError, match="3 lines"):
        list(read_task(written(tmp_path, TRAINING), documents=ids))


def test_with_classes_an_alias_becomes_its_class(tmp_path: Path) -> None:
    path = written(tmp_path, INFLECTED)
    assert [segment.slots[0].label for segment in read_task(path)] == ["ça"]
    assert [segment.slots[0].label for segment in read_task(path, classes=EN_FR)] == ["cela"]


def test_windows_line_ends_are_read_with_one_warning(tmp_path: Path) -> None:
    path = tmp_path / "task.tsv"
    path.write_bytes(f"{TRAINING}\r\n{NO_LINK}\r\n".encode())
    with pytest.warns(InputWarning, match="Windows line ends") as caught:
        segments = list(read_task(path))
    assert len(caught) == 1
    assert segments == list(read_task(written(tmp_path, TRAINING, NO_LINK)))


def test_the_final_newline_may_be_missing(tmp_path: Path) -> None:
    assert len(list(read_task(written(tmp_path, TRAINING, TEST, end="")))) == 2


def test_doubled_spaces_between_links_count_once_as_in_pharaoh_files(tmp_path: Path) -> None:
    (segment,) = read_task(written(tmp_path, TRAINING.replace("1-1 3-2", " 1-1  3-2") + " "))
    assert segment.alignment == Alignment((0, 1, 3, 5), (0, 1, 2, 3))


@pytest.mark.parametrize(
    "content",
    ["ce il\n\nOTHER\n", "ce il\tx\n\t\tsource\ttarget\t\nOTHER\tNONE\ta\tb\t0-0\n"],
    ids=["one column", "more columns"],
)
def test_predictions_stand_in_the_first_column(tmp_path: Path, content: str) -> None:
    path = tmp_path / "predictions"
    path.write_text(content, encoding="utf-8")
    assert list(read_predictions(path, classes=EN_FR)) == [("ce", "il"), (), ("OTHER",)]


def test_predictions_are_written_in_one_column_or_in_five(tmp_path: Path) -> None:
    segments = list(read_task(written(tmp_path, TRAINING, NO_SLOT)))
    labels = [("il", "OTHER"), ()]
    one, five = tmp_path / "one", tmp_path / "five"
    write_predictions(one, labels)
    write_predictions(five, labels, segments=segments)
    assert one.read_text(encoding="utf-8") == "il OTHER\n\n"
    assert list(read_predictions(five)) == labels
    assert [segment.source for segment in read_task(five)] == [segment.source for segment in segments]


def test_labels_that_do_not_fit_a_segment_are_refused(tmp_path: Path) -> None:
    segments = read_task(written(tmp_path, TRAINING))
    with pytest.raises(MismatchError, match="1 labels for 2 placeholders"):
        list(with_labels(segments, [("il",)]))


def test_the_development_set_of_2015_is_read_and_written_unchanged(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "discomt2015-task"
    classes = task_classes(LanguagePair("en", "fr"), year=2015)
    segments = list(read_task(folder / "teddev.tsv", classes=classes, documents=folder / "teddev.doc-ids"))
    write_task(tmp_path / "copy", segments)
    assert (tmp_path / "copy").read_bytes() == (folder / "teddev.tsv").read_bytes()
    # Counts of the release's own teddev.class-counts.csv.
    rows = (folder / "teddev.class-counts.csv").read_text(encoding="utf-8").split()
    published = {label: int(count) for count, label in (row.split(",") for row in rows)}
    assert Counter(slot.label for segment in segments for slot in segment.slots) == published
    assert all(classes.class_of(s.word or "") == s.label for segment in segments for s in segment.slots)


def test_the_blind_test_set_of_2015_has_placeholders_without_labels(data_dir: Path) -> None:
    folder = data_dir / "discomt2015-task"
    slots = [
        slot
        for segment in read_task(folder / "test.blind.tsv", documents=folder / "test.doc-ids")
        for slot in segment.slots
    ]
    assert len(slots) == 1105  # data/README.md
    assert {(slot.label, slot.word) for slot in slots} == {(None, None)}
