"""Error annotation with marked spans. All sentences are invented."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from anaphor.core import InputError
from anaphor.meta.spans import MarkedSpan, is_marked, read_mqm

HEADER = "system doc doc_id seg_id rater source target category severity comment".replace(" ", "\t")
PRONOUNS = frozenset({"er", "sie", "es"})


def row(system: str, document: str, segment: int, target: str, category: str = "No-error") -> str:
    severity = "No-error" if category == "No-error" else "Major"
    return "\t".join([system, document, "1", str(segment), "r1", "It runs .", target, category, severity, ""])


ROWS = [
    row("a", "talk", 2, "Es rennt ."),
    row("a", "talk", 1, "<v>Es</v> läuft .", "Fluency/Grammar"),
    row("a", "talk", 1, "Es <v>läuft .</v>", "Style/Awkward"),
    row("b", "talk", 1, "Sie läuft ."),
    row("b", "talk", 2, "Sie rennt ."),
]


def write(path: Path, rows: list[str]) -> Path:
    text = "".join(f"{line}\n" for line in (HEADER, *rows)).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("name", ["mqm.tsv", "mqm.tsv.gz"])
def test_texts_and_spans_are_read_off_the_rows(tmp_path: Path, name: str) -> None:
    found = read_mqm(write(tmp_path / name, ROWS))
    assert found.source == ("It runs .", "It runs .")
    assert found.documents == ("talk", "talk")
    assert found.systems == {"a": ("Es läuft .", "Es rennt ."), "b": ("Sie läuft .", "Sie rennt .")}
    assert found.spans == {
        ("a", 0): (
            MarkedSpan(0, 2, "Fluency/Grammar", "Major"),
            MarkedSpan(3, 10, "Style/Awkward", "Major"),
        )
    }


def test_segments_come_in_the_order_of_their_numbers_not_of_their_digits(tmp_path: Path) -> None:
    rows = [row("a", "talk", number, f"Zeile {number}") for number in (10, 9)]
    assert read_mqm(write(tmp_path / "mqm.tsv", rows)).systems["a"] == ("Zeile 9", "Zeile 10")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*ROWS[:1], ROWS[3]], "has no translation of segment"),
        ([*ROWS, row("b", "talk", 2, "Er rennt .")], "another translation by b of the same segment"),
        ([ROWS[0].replace("\t2\t", "\tx\t")], "seg_id: "),
        ([ROWS[0].rsplit("\t", 2)[0]], "the line has 8 columns, the header has 10"),
    ],
)
def test_a_broken_file_is_an_input_error(tmp_path: Path, rows: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_mqm(write(tmp_path / "mqm.tsv", rows))
    assert str(caught.value.where).startswith(str(tmp_path / "mqm.tsv"))


def test_a_file_that_is_not_utf_8_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    path.write_bytes(HEADER.encode() + b"\n\xff\n")
    with pytest.raises(InputError, match="not valid UTF-8"):
        read_mqm(path)


LINE = "Heute läuft es , und sie läuft mit ."
ES, SHE = (12, 14), (21, 24)


@pytest.mark.parametrize(
    ("span", "longest", "es", "sie"),
    [
        ((12, 14), 1, True, False),
        ((21, 24), 1, False, True),
        # Spaces and punctuation inside a span are no words.
        ((11, 16), 1, True, False),
        # Two words are too long for one, and short enough for three.
        ((6, 14), 1, False, False),
        ((6, 14), 3, True, False),
        # A span with two pronouns does not tell which is meant.
        ((12, 24), 3, False, False),
        # A span inside the word does not cover it.
        ((12, 13), 3, False, False),
        ((0, 20), 3, False, False),
    ],
)
def test_a_short_span_marks_the_one_pronoun_that_it_covers(
    span: tuple[int, int], longest: int, es: bool, sie: bool
) -> None:
    spans = [MarkedSpan(*span, "Fluency/Grammar", "Minor")]
    for word, expected in ((ES, es), (SHE, sie)):
        assert is_marked(LINE, word, spans, pronouns=PRONOUNS, longest=longest) is expected


def test_only_marks_of_the_chosen_severities_count() -> None:
    spans = [MarkedSpan(*ES, "Fluency/Grammar", "Minor")]
    assert is_marked(LINE, ES, spans, pronouns=PRONOUNS, severities=frozenset({"Minor"}))
    assert not is_marked(LINE, ES, spans, pronouns=PRONOUNS, severities=frozenset({"Major"}))
