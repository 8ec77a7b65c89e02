"""Error annotation in the layouts in which it was published. All sentences are invented."""

from __future__ import annotations

import csv
import gzip
import io
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, InputWarning, LanguagePair, OptionError, Outcome
from anaphor.languages import load_pair
from anaphor.meta.annotation import MarkedSpan, SpanAnnotation, SpanCounts, place_span, write_texts
from anaphor.meta.chat import read_chat
from anaphor.meta.judgements import ScoredItem
from anaphor.meta.mqm import read_bio_mqm, read_mqm
from anaphor.meta.spans import MarkRule, evaluate_spans, mark_items, read_annotation

PRONOUNS = frozenset({"er", "sie", "es"})


def write(path: Path, text: str) -> Path:
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def notes(caught: list[warnings.WarningMessage]) -> list[str]:
    return [str(one.message).partition(": ")[2] for one in caught]


# MQM of several raters

HEADER = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category", "severity")


def mqm_row(rater: str, target: str, category: str = "No-error", *, system: str = "alder_with_refA") -> str:
    severity = "No-error" if category == "No-error" else "Major"
    cells = [system, "news:en-de", "1", "7", rater, "It runs  .", target, category, severity, "{}"]
    return "\t".join(cells)


def write_mqm(path: Path, *rows: str, header: tuple[str, ...] = (*HEADER, "metadata")) -> Path:
    return write(path, "".join(f"{line}\n" for line in ("\t".join(header), *rows)))


RATED = (
    mqm_row("rater1", "<v>Es</v> läuft , und sie läuft ."),
    mqm_row("rater2", "Es läuft ,  und <v>sie</v> läuft .", "Fluency/Grammar"),
    mqm_row("rater2", " <v>Es</v> läuft ,  und sie läuft.", "Accuracy/Mistranslation"),
    mqm_row("rater3", "Es läuft , und sie läuft ."),
)


@pytest.mark.parametrize("name", ["mqm.tsv", "mqm.tsv.gz"])
@pytest.mark.parametrize("comment", [(), ("# a comment about the file",)])
def test_raters_are_kept_apart_and_white_space_makes_no_other_text(
    tmp_path: Path, name: str, comment: tuple[str, ...]
) -> None:
    rows = (RATED[0].replace("No-error", "Style/Awkward"), *RATED[1:])
    found = read_mqm(write_mqm(tmp_path / name, *rows, header=(*HEADER, "metadata", *comment)))
    line = "Es läuft , und sie läuft ."
    assert found.systems == {"alder_with_refA": (line,)}
    assert found.source == ("It runs  .",)
    assert found.raters == ("rater1", "rater2", "rater3")
    (marks,) = found.marks.values()
    words = {rater: [line[span.start : span.end] for span in spans] for rater, spans in marks.items()}
    assert words == {"rater1": ["Es"], "rater2": ["sie", "Es"], "rater3": []}
    assert [line[span.start : span.end] for spans in found.spans.values() for span in spans] == [
        "Es",
        "sie",
        "Es",
    ]


def test_a_header_cell_without_cells_below_must_not_be_a_column_that_is_read(tmp_path: Path) -> None:
    rows = [row.rsplit("\t", 2)[0] for row in RATED]
    with pytest.raises(InputError, match="the line has 8 columns, the header has 9"):
        read_mqm(write_mqm(tmp_path / "mqm.tsv", *rows, header=HEADER))


@pytest.mark.parametrize("column", ["target", "docSegId", "severity"])
def test_a_column_that_is_read_must_be_in_the_header(tmp_path: Path, column: str) -> None:
    header = ("other" if name == column else name for name in (*HEADER, "metadata"))
    with pytest.raises(InputError, match=f"the header has no column .*{column}") as caught:
        read_mqm(write_mqm(tmp_path / "mqm.tsv", *RATED, header=tuple(header)))
    assert caught.value.where.line == 1


def test_several_spans_of_a_row_are_read_and_a_tag_without_its_end_is_counted(tmp_path: Path) -> None:
    row = mqm_row("r", "<v>Es</v> läuft , und <v>sie</v> läuft <v>.", "Fluency/Grammar")
    with pytest.warns(InputWarning, match="1 span not found in the target and left out"):
        found = read_mqm(write_mqm(tmp_path / "mqm.tsv", row))
    assert [(span.start, span.end) for span in found.spans["alder_with_refA", 0]] == [(0, 2), (15, 18)]
    assert found.counts == SpanCounts(in_place=2, not_found=1)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (RATED[0].replace("It runs", "It walks"), "source: another source of the same segment"),
        (RATED[0].replace("läuft", "rennt"), "target: another translation by alder_with_refA"),
        (RATED[0].replace("\t1\t7", "\tone\t7"), "docSegId: expected an integer"),
        (RATED[0].replace("news:en-de", ""), "doc: missing"),
    ],
)
def test_a_broken_row_is_named_with_its_line_and_column(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_mqm(write_mqm(tmp_path / "mqm.tsv", RATED[3], row))
    assert caught.value.where.line == 3


def scored(system: str, word: str, position: int, *, segment: int = 0) -> ScoredItem:
    place = f"{segment}:{position}"
    return ScoredItem(system, place, "d", "it", Outcome.DIFFERENT, None, word, (position,), {"m": 0.5})


def test_a_pronoun_is_marked_by_most_raters_or_by_any(tmp_path: Path) -> None:
    rows = (RATED[0].replace("No-error", "Style/Awkward"), *RATED[1:])
    annotation = read_mqm(write_mqm(tmp_path / "mqm.tsv", *rows))
    pack = load_pair(LanguagePair.parse("en-de"))
    items = [scored("alder_with_refA", "Es", 0), scored("alder_with_refA", "sie", 4)]
    by_most = mark_items(items, annotation, MarkRule(PRONOUNS), pack)
    by_any = mark_items(items, annotation, MarkRule(PRONOUNS), pack, vote="any")
    assert [item.marked for item in by_most] == [True, False]
    assert [item.marked for item in by_any] == [True, True]
    assert [item.share for item in by_most] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    assert by_most[1].ratings == {"rater1": "not marked", "rater2": "marked", "rater3": "not marked"}


def test_agreement_of_raters_stands_beside_the_metric(tmp_path: Path) -> None:
    rows = (RATED[0].replace("No-error", "Style/Awkward"), *RATED[1:])
    mqm = write_mqm(tmp_path / "mqm.tsv", *rows)
    table = """system segment token pronoun candidate_words candidate_positions outcome m m_verdict m_reason
alder_with_refA 0 0 it Es 0 identical 0.2 rejected x
alder_with_refA 0 4 she sie 4 identical - open x
"""
    items = write(tmp_path / "items.tsv", table.replace(" ", "\t"))
    found = evaluate_spans([str(items)], pair="en-de", mqm=str(mqm), samples=0)
    assert (found.items, found.marked, found.raters) == (2, 1, 3)
    assert [(one.votes, one.raters, one.items) for one in found.marked_by] == [(1, 3, 1), (2, 3, 1)]
    values = {one.coefficient: one.value for one in found.agreement}
    # Of three pairs of raters one agrees, on either pronoun.
    assert values["observed"] == pytest.approx(1 / 3)
    assert "krippendorff-alpha" in values
    assert "cohen-kappa" not in values
    assert found.to_dict()["agreement"][0]["coefficient"] == "observed"
    printed = str(found.tables())
    assert "agreement of 3 raters" in printed
    assert "2 of 3" in printed
    metric = next(one for one in found.metrics if one.metric == "m")
    # What is open has the mean, here the score of the marked one; a score of its own tells it apart.
    assert metric.auc.value == 0.5
    opened = evaluate_spans([str(items)], pair="en-de", mqm=str(mqm), samples=0, open_score=0.95)
    assert next(one for one in opened.metrics if one.metric == "m").auc.value == 1.0
    rejected = next(part for part in metric.verdicts if part.verdict == "rejected")
    assert (rejected.share.value, rejected.rate.value, rejected.recall.value) == (0.5, 1.0, 1.0)
    with pytest.raises(OptionError, match="open pronouns count as 2"):
        evaluate_spans([str(items)], pair="en-de", mqm=str(mqm), samples=0, open_score=2)


# Where a span stands


@pytest.mark.parametrize(
    ("marked", "place", "expected", "kind"),
    [
        ("Es", (0, 2), (0, 2), "in_place"),
        (" es", (7, 10), (7, 10), "in_place"),
        # One character off, and far off: there is one place.
        ("sie", (16, 19), (15, 18), "moved"),
        ("sie", (90, 93), (15, 18), "moved"),
        # Not the end of another word, but the word itself.
        ("es", (20, 22), (8, 10), "moved"),
        ("läuft", (44, 49), (34, 39), "ambiguous"),
        ("er", (0, 2), None, "not_found"),
        # A missing word, a wrong space, and offsets that do not fit what is said to stand there.
        ("", (10, 10), (10, 10), "in_place"),
        (" ", (2, 3), (2, 3), "in_place"),
        ("", (0, 2000), None, "not_found"),
        ("", (0, 2), None, "not_found"),
    ],
)
def test_words_decide_where_a_span_stands(
    marked: str, place: tuple[int, int], expected: tuple[int, int] | None, kind: str
) -> None:
    counts = SpanCounts()
    target = "Es läuf es , - sie dieses läuft - läuft"
    found = place_span(target, marked, start=place[0], end=place[1], counts=counts)
    assert found == expected
    assert counts == SpanCounts(**{kind: 1})


# bio-MQM


def bio(system: str, segment: int, target: str, *errors: dict[str, Any], **more: Any) -> dict[str, Any]:
    source = f"Sentence {segment}."
    row = {"system": system, "DOC_ID": "doc1", "SEG_ID": str(segment), "source": source, "target": target}
    return {**row, "target_errors": list(errors), "Annotator_ID": "AB", **more}


def error(term: str, start: int, **more: Any) -> dict[str, Any]:
    place = {"term": term, "startIndex": start, "endIndex": start + len(term) - 1}
    label = {"error_category": "Accuracy", "error_subcategory": "Mistranslation", "severity": "Major"}
    return {**place, **label, **more}


def write_json_lines(path: Path, *rows: dict[str, Any]) -> Path:
    return write(path, "".join(json.dumps(row) + "\n" for row in rows))


def test_offsets_include_the_last_character_and_annotators_are_raters(tmp_path: Path) -> None:
    rows = (
        bio("birch_run1", 2, "Sie sinkt.", error("Sie", 0)),
        bio("birch_run1", 2, "Sie sinkt.", Annotator_ID="CD"),
        bio("birch_run1", 1, "Er steigt.", error("steigt", 3, error_subcategory="")),
        bio("reference", 2, "Er sinkt."),
    )
    write_json_lines(tmp_path / "en-de.jsonl.gz", *rows)
    write_json_lines(tmp_path / "en-fr.jsonl", bio("other", 1, "Il monte."))
    found = read_bio_mqm(tmp_path, pair="en-de")
    assert found.source == ("Sentence 1.", "Sentence 2.")
    # A line that nobody translated is empty and not judged.
    assert found.systems == {"birch_run1": ("Er steigt.", "Sie sinkt."), "reference": ("", "Er sinkt.")}
    assert found.marks == {
        ("birch_run1", 0): {"AB": (MarkedSpan(3, 9, "Accuracy", "Major"),)},
        ("birch_run1", 1): {"AB": (MarkedSpan(0, 3, "Accuracy/Mistranslation", "Major"),), "CD": ()},
        ("reference", 1): {"AB": ()},
    }
    with pytest.raises(InputError, match="the folder has no files of en-es"):
        read_bio_mqm(tmp_path, pair="en-es")


def test_rows_with_the_text_of_another_segment_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = (
        bio("a", 1, "Er steigt."),
        bio("b", 1, "Es steigt."),
        # The system's first sentence once more, with the errors of the second.
        bio("a", 2, "Er steigt.", error("sinkt", 4), source="Sentence 1."),
        bio("b", 2, "Sie sinkt.", error("sinkt", 4)),
    )
    with pytest.warns(InputWarning) as caught:
        found = read_bio_mqm(write_json_lines(tmp_path / "x.jsonl", *rows), pair="en-de")
    assert notes(list(caught)) == ["1 row left out: has the text of another segment"]
    assert found.systems == {"a": ("Er steigt.", ""), "b": ("Es steigt.", "Sie sinkt.")}
    assert ("a", 1) not in found.marks
    assert found.counts == SpanCounts(in_place=1, other_segment=1)


def test_a_source_that_two_segments_have_equally_often_is_where_its_errors_fit(tmp_path: Path) -> None:
    rows = (
        bio("a", 1, "Sie sinkt.", error("steigt", 3), source="Sentence 2."),
        bio("a", 2, "Sie sinkt.", error("sinkt", 4)),
    )
    with pytest.warns(InputWarning, match="1 row left out"):
        found = read_bio_mqm(write_json_lines(tmp_path / "x.jsonl", *rows), pair="en-de")
    assert found.spans == {("a", 0): (MarkedSpan(4, 9, "Accuracy/Mistranslation", "Major"),)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            bio("a", 1, "Er.", error("Er", 0, startIndex=-1)),
            r"target_errors\[0\].startIndex: expected an integer",
        ),
        (
            bio("a", 1, "Er.", error("Er", 0, endIndex="x")),
            r"target_errors\[0\].endIndex: expected an integer",
        ),
        (
            bio("a", 1, "Er.", error("Er", 0, severity="")),
            r"target_errors\[0\].severity: expected a non-empty",
        ),
        (bio("a", 1, "Er.", SEG_ID="one"), "SEG_ID: expected an integer"),
        (bio("a", 1, "Er.", target_errors=None), "target_errors: expected a list"),
        (bio("a", 1, "Er.", source=" "), "source: expected a non-empty string"),
    ],
)
def test_a_broken_object_is_named_with_its_line_and_key(
    tmp_path: Path, row: dict[str, Any], message: str
) -> None:
    path = write_json_lines(tmp_path / "x.jsonl", bio("a", 2, "Es."), row)
    with pytest.raises(InputError, match=message) as caught:
        read_bio_mqm(path, pair="en-de")
    assert str(caught.value.where) == f"{path}:2"


# Chats

CHAT = (
    *("doc_id", "segment_id", "sender", "source_language", "target_language", "lp", "source", "mt"),
    *("reference", "severity", "typology_error", "error", "start_index", "end_index"),
)


def chat(number: int, source: str, mt: str, reference: str, *errors: str, client: bool = False) -> list[str]:
    languages = ["de", "en"] if client else ["en", "de"]
    texts = [source, mt, reference]
    sender = "client" if client else "agent"
    return ["chat 1", str(number), sender, *languages, "_".join(languages), *texts, *(errors or [""] * 5)]


def write_chat(path: Path, *rows: list[str]) -> Path:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([CHAT, *rows])
    return write(path, out.getvalue())


CONVERSATION = (
    chat(
        0, "Der Drucker druckt nicht.", "The printer prints not.", "The printer does not print.", client=True
    ),
    chat(
        1,
        "Is it on, and/or open?",
        "Ist es an und/oder offen am 1/2?",
        "Ist er an oder offen?",
        "major/minor/neutral",
        "Mistranslation/Date/Time Format/Omission",
        "es/1/2/",
        "4/28/32",
        "6/31/32",
    ),
    chat(10, "Then turn it off.", "Dann schalten Sie es aus.", "Schalten Sie ihn aus."),
    chat(2, "It is on.", "Er ist an.", "Er ist an.", client=True),
)


def test_lines_of_the_other_direction_stand_in_their_own_words(tmp_path: Path) -> None:
    write_chat(tmp_path / "annotations.de.HuaweiTSC.primary.csv.gz", *CONVERSATION)
    write_chat(tmp_path / "annotations.de.team_2.b.primary.csv", *CONVERSATION)
    french = [[cell.replace("de", "fr") if cell == "de" else cell for cell in row] for row in CONVERSATION]
    write_chat(tmp_path / "annotations.fr.baseline.primary.csv", *french)
    found = read_chat(tmp_path, pair="en-de")
    assert found.source[0] == "The printer does not print."
    assert found.documents == ("chat 1",) * 4
    assert sorted(found.systems) == ["HuaweiTSC", "ref", "team_2.b"]
    assert found.systems["HuaweiTSC"] == (
        "Der Drucker druckt nicht.",
        "Ist es an und/oder offen am 1/2?",
        "It is on.",
        "Dann schalten Sie es aus.",
    )
    assert found.systems["ref"][1] == "Ist er an oder offen?"
    assert sorted(found.marks) == [(name, line) for name in ("HuaweiTSC", "team_2.b") for line in (1, 3)]
    assert found.spans["HuaweiTSC", 1] == (
        MarkedSpan(4, 6, "Mistranslation", "major"),
        MarkedSpan(28, 31, "Date/Time Format", "minor"),
        MarkedSpan(32, 32, "Omission", "neutral"),
    )
    other = read_chat(tmp_path, pair="de-en")
    assert other.source[:2] == ("Der Drucker druckt nicht.", "Ist er an oder offen?")
    assert other.systems["HuaweiTSC"][:2] == ("The printer prints not.", "Is it on, and/or open?")
    assert other.spans["HuaweiTSC", 0] == ()


def test_spans_of_chats_are_searched_where_their_offsets_do_not_fit(tmp_path: Path) -> None:
    row = chat(
        0,
        "It is on.",
        "Es ist an.",
        "Er ist an.",
        "major/minor/minor",
        "A/B/C",
        "Es/war/",
        "2000/4/0",
        "2/7/99",
    )
    with pytest.warns(InputWarning) as caught:
        found = read_chat(str(write_chat(tmp_path / "a.csv", row)), pair="en-de")
    assert notes(list(caught)) == [
        "1 span found elsewhere than the file says",
        "2 spans not found in the target and left out",
    ]
    assert found.spans == {("a", 0): (MarkedSpan(0, 2, "A", "major"),)}


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (
            ("major/minor", "Mistranslation", "Es/an", "0/7", "2/9"),
            "typology_error: 1 values, but 2 under severity",
        ),
        (("major", "Mistranslation", "Es", "0/7", "2"), "start_index: 2 values, but 1 under severity"),
        (("major", "Mistranslation", "Es", "zero", "2"), "start_index: not an offset: 'zero'"),
        (("", "Mistranslation", "Es", "0", "2"), "typology_error: 1 values, but 0 under severity"),
    ],
)
def test_a_broken_row_of_a_chat_is_named_with_its_line_and_column(
    tmp_path: Path, errors: tuple[str, ...], message: str
) -> None:
    # The first row has a line break in quotes, so that it is two lines long.
    first = chat(0, "It is\non.", "Es ist an.", "Er ist an.")
    path = write_chat(tmp_path / "a.csv", first, chat(1, "It is on.", "Es ist an.", "Er ist an.", *errors))
    with pytest.raises(InputError, match=message) as caught:
        read_chat(path, pair="en-de")
    assert str(caught.value.where) == f"{path}:4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("doc_id,doc_id\na,b\n", "the header has a column twice"),
        ("doc_id,segment_id\na\n", "the row has 1 columns, the header has 2"),
        ('doc_id,segment_id\n"a,b\n', "not valid CSV"),
        ("doc_id,segment_id\na,1\n", "source_language: missing"),
    ],
)
def test_what_is_no_table_is_an_input_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_chat(write(tmp_path / "a.csv", text), pair="en-de")


def test_files_of_chats_belong_to_the_pair_and_to_systems_of_their_own(tmp_path: Path) -> None:
    path = write_chat(tmp_path / "annotations.de.ref.primary.csv", *CONVERSATION)
    with pytest.raises(InputError, match="already a file of a system named ref"):
        read_chat(path, pair="en-de")
    with pytest.raises(InputError, match="there are no lines of en-fr"):
        read_chat(path, pair="en-fr")
    paths = [str(write_chat(tmp_path / name, *CONVERSATION)) for name in ("a.csv", "a.csv.gz")]
    with pytest.raises(InputError, match="already a file of a system named a"):
        read_chat(paths, pair="en-de")


# Texts


@pytest.mark.parametrize("kind", ["mqm", "bio_mqm", "chat"])
def test_the_texts_of_every_format_are_written(tmp_path: Path, kind: str) -> None:
    paths = {
        "mqm": write_mqm(tmp_path / "mqm.tsv", *RATED),
        "bio_mqm": write_json_lines(tmp_path / "bio.jsonl", bio("a", 1, "Er\nsteigt.")),
        "chat": write_chat(tmp_path / "a.csv", *CONVERSATION),
    }
    named = {kind: str(paths[kind])}
    annotation = read_annotation(pair="en-de", **named)
    assert annotation is not None
    write_texts(annotation, tmp_path / "texts")
    written = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "texts").iterdir()}
    assert written.keys() == {"source", "documents", *annotation.systems}
    assert {text.count("\n") for text in written.values()} == {len(annotation.source)}


@pytest.mark.parametrize(
    "name", ["../a", "a/b", "a\\b", "..", ".", "", ".hidden", "C:a", "a\0b", "a\nb", "source", "Documents"]
)
def test_no_name_of_a_system_leads_elsewhere(tmp_path: Path, name: str) -> None:
    texts = {"a": ("Er.",), name: ("Es.",)}
    annotation = SpanAnnotation(("It.",), ("d",), texts, {}, path="mqm.tsv")
    with pytest.raises(InputError) as caught:
        write_texts(annotation, tmp_path / "in" / "texts")
    assert str(caught.value.where) == "mqm.tsv"
    assert not list(tmp_path.iterdir())


def test_texts_are_not_written_through_a_link_out_of_their_folder(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("mine")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").symlink_to("../own")
    with pytest.raises(InputError, match="link out of its folder"):
        write_texts(SpanAnnotation(("It.",), ("d",), {"a": ("Er.",)}, {}), tmp_path / "texts")
    assert (tmp_path / "own").read_text() == "mine"


def test_two_systems_must_not_have_one_file(tmp_path: Path) -> None:
    annotation = SpanAnnotation(("It.",), ("d",), {"A": ("Er.",), "a": ("Es.",)}, {})
    with pytest.raises(InputError, match=r"'a' would be written to the file of another: A\.txt"):
        write_texts(annotation, tmp_path)
