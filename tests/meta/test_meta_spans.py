"""Error annotation with marked spans. All sentences are invented."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, MismatchError, OptionError
from anaphor.meta.detection import MarkEvaluation
from anaphor.meta.spans import (
    MarkedSpan,
    MarkRule,
    evaluate_spans,
    read_diabla,
    read_esa,
    read_mqm,
    write_texts,
)

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
        ),
        ("a", 1): (),
        ("b", 0): (),
        ("b", 1): (),
    }


def test_segments_come_in_the_order_of_their_numbers_not_of_their_digits(tmp_path: Path) -> None:
    rows = [row("a", "talk", number, f"Zeile {number}") for number in (10, 9)]
    assert read_mqm(write(tmp_path / "mqm.tsv", rows)).systems["a"] == ("Zeile 9", "Zeile 10")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*ROWS[:1], ROWS[3]], "a has no translation of a segment of talk"),
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
        assert MarkRule(PRONOUNS, longest).is_marked(LINE, word, spans) is expected


@pytest.mark.parametrize(
    ("categories", "severities", "expected"),
    [
        (None, {"minor"}, True),
        (None, {"major"}, False),
        ({"fluency"}, None, True),
        ({"fluency/grammar"}, {"minor"}, True),
        ({"accuracy"}, None, False),
    ],
)
def test_only_marks_of_the_chosen_categories_and_severities_count(
    categories: set[str] | None, severities: set[str] | None, expected: bool
) -> None:
    rule = MarkRule(
        PRONOUNS,
        categories=None if categories is None else frozenset(categories),
        severities=None if severities is None else frozenset(severities),
    )
    assert rule.is_marked(LINE, ES, [MarkedSpan(*ES, "Fluency/Grammar", "Minor")]) is expected


# ESA

ESA = {
    "langs": "en-de",
    "line_id": 7,
    "src": "It runs .",
    "tgt": "Es läuft .",
    "doc_id": "news",
    "system": "a",
    "esa_spans": [{"start_i": 0, "end_i": 1, "severity": "major"}],
}


def write_esa(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_esa_spans_end_with_their_last_character_and_omissions_mark_no_word(tmp_path: Path) -> None:
    omission = {"start_i": "missing", "end_i": "missing", "severity": "minor"}
    earlier = {**ESA, "line_id": 3, "src": "It rains .", "tgt": "Es regnet .", "esa_spans": [omission]}
    other = {**ESA, "system": "b", "tgt": "Er läuft .", "esa_spans": []}
    foreign = {**ESA, "langs": "en-cs", "line_id": 1}
    found = read_esa(write_esa(tmp_path / "esa.jsonl", ESA, earlier, other, foreign), pair="en-de")
    assert found.source == ("It rains .", "It runs .")
    # b was not judged on the first line.
    assert found.systems == {"a": ("Es regnet .", "Es läuft ."), "b": ("", "Er läuft .")}
    assert found.spans == {
        ("a", 0): (),
        ("a", 1): (MarkedSpan(0, 2, "unnamed", "major"),),
        ("b", 1): (),
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"esa_spans": [{"start_i": 3, "end_i": 90, "severity": "major"}]}, "end_i: expected an integer"),
        ({"esa_spans": [{"start_i": 5, "end_i": 2, "severity": "major"}]}, "end_i: expected an integer"),
        ({"esa_spans": [{"start_i": 0, "end_i": 1}]}, "severity: missing"),
        ({"esa_spans": "none"}, "esa_spans: expected a list"),
        ({"langs": "en-fr"}, "there are no lines of en-de"),
        ({"line_id": "x"}, "line_id: expected an integer"),
    ],
)
def test_broken_esa_annotation_is_an_input_error(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_esa(write_esa(tmp_path / "esa.jsonl", {**ESA, **change}), pair="en-de")


# DiaBLa


def utterance(language: str, text: str, translation: str, **more: Any) -> dict[str, Any]:
    return {"language": language, "original_text": text, "postprocessed_text": translation, **more}


DIALOGUE = {
    "translation_model": "baseline",
    "utterances": {
        "0": utterance(
            "french",
            "La fête était belle.",
            "The party was nice.",
            normalised_version="",
            eval={"judgment": "medium", "problems": ["style"]},
        ),
        "10": utterance(
            "english", "Was it?", "C'était ?", reference_translation="Ah bon ?", eval={"judgment": None}
        ),
        "2": utterance(
            "english",
            "i missed it",
            "Je  l'ai manqué.",
            normalised_version="I missed it.",
            reference_translation="Je l'ai manquée.",
            eval={"judgment": "medium", "problems": ["grammar", "coherence"], "verbatim": "e"},
        ),
        "3": utterance(
            "english", "It is late.", "Il est tard.", eval={"judgment": "perfect", "problems": []}
        ),
        "4": utterance("english", "It burns.", "Ça brûle.", eval={"judgment": "poor", "problems": []}),
    },
}


@pytest.mark.parametrize("kind", ["folder", "dialogues.tar.gz", "dialogues.tar"])
def test_dialogues_are_documents_whose_english_utterances_are_judged(tmp_path: Path, kind: str) -> None:
    content = json.dumps(DIALOGUE).encode()
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
        (path / "d1.json").write_bytes(content)
    else:
        with tarfile.open(path, "w:gz" if kind.endswith("gz") else "w") as archive:
            member = tarfile.TarInfo("half/d1.json")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    found = read_diabla(path)
    assert found.source == ("The party was nice.", "I missed it.", "It is late.", "It burns.", "Was it?")
    assert found.documents == ("d1",) * 5
    assert found.systems["mt"][:2] == ("La fête était belle.", "Je l'ai manqué.")
    assert found.systems["ref"][:2] == ("La fête était belle.", "Je l'ai manquée.")
    assert found.whole_segments
    assert found.spans == {
        ("mt", 1): (MarkedSpan(0, 15, "grammar", "medium"), MarkedSpan(0, 15, "coherence", "medium")),
        ("mt", 2): (),
        ("mt", 3): (MarkedSpan(0, 9, "unnamed", "poor"),),
    }
    back = read_diabla(path, pair="fr-en")
    assert back.source == (
        "La fête était belle.",
        "Je l'ai manqué.",
        "Il est tard.",
        "Ça brûle.",
        "C'était ?",
    )
    assert back.systems["mt"] == found.source
    assert back.spans == {("mt", 0): (MarkedSpan(0, 19, "style", "medium"),)}
    with pytest.raises(InputError, match="not in en-de"):
        read_diabla(path, pair="en-de")


@pytest.mark.parametrize("content", [b"", b"{", b'{"utterances": {"0": {"language": "klingon"}}}', b"\xff"])
def test_broken_dialogues_are_an_input_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "d.json").write_bytes(content)
    for path in (tmp_path, tmp_path / "d.json", tmp_path / "nowhere"):
        with pytest.raises(InputError):
            read_diabla(path)


# Items beside marks

ITEMS = """system segment token pronoun candidate_words candidate_positions outcome accept accept_reason
a 0 0 it Es 0 identical 0.2 it_does_not_agree
a 1 0 it Es 0 different 0.9 it_agrees
b 0 0 it Sie 0 different 0.8 it_agrees
b 1 0 it - - candidate_missing - nothing
"""


def write_items(path: Path, text: str = ITEMS) -> Path:
    path.write_text(text.replace(" ", "\t"), encoding="utf-8")
    return path


def evaluated(tmp_path: Path, items: str = ITEMS, **options: Any) -> MarkEvaluation:
    mqm = write(tmp_path / "mqm.tsv", ROWS)
    path = write_items(tmp_path / "items.tsv", items)
    return evaluate_spans([str(path)], pair="en-de", mqm=str(mqm), samples=0, **options)


def test_a_marked_pronoun_is_joined_with_what_metrics_said_of_it(tmp_path: Path) -> None:
    found = evaluated(tmp_path)
    assert (found.items, found.marked, found.left_out) == (3, 1, 1)
    apt, accept = found.metrics
    # APT calls the marked pronoun identical and both others different; acceptability gives it the least.
    assert (apt.metric, apt.auc.value) == ("apt", 0.0)
    assert (accept.metric, accept.auc.value, accept.rejected) == ("accept", 1.0, 1)
    assert (accept.precision.value, accept.recall.value) == (1.0, 1.0)
    assert accept.threshold == 0.8
    assert [(one.verdict, one.items, one.marked) for one in accept.verdicts] == [
        ("accepted", 2, 0),
        ("rejected", 1, 1),
    ]


@pytest.mark.parametrize("options", [{"severities": ["Minor"]}, {"categories": ["Accuracy"]}])
def test_without_any_mark_nothing_can_be_told_apart(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="0 of 3 pronouns are marked"):
        evaluated(tmp_path, **options)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("a 0 0 it Es 0", "a 0 0 it Er 0", "does not have the words 'Er' at token 0"),
        ("a 0 0 it Es 0", "a 0 0 it Es 9", "does not have the words 'Es' at token 9"),
        ("a 0 0 it Es 0", "a 0 0 it Es -", "no candidate_positions"),
        ("a 1 0", "a 7 0", "the annotation has no line 8 of a"),
        ("b 0 0", "c 0 0", "the annotation has no line 1 of c"),
    ],
)
def test_items_of_other_texts_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        evaluated(tmp_path, ITEMS.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.2", "1.2", "accept: expected a number from 0 to 1"),
        ("Es 0 identical", "Es x identical", "not positions: x"),
        ("pronoun", "colour", "unknown column"),
        ("a 1 0", "a 0 0", "0:0 of a has two rows"),
    ],
)
def test_broken_items_are_an_input_error(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluated(tmp_path, ITEMS.replace(old, new, 1))


def test_runs_on_the_same_candidates_are_compared(tmp_path: Path) -> None:
    mqm = write(tmp_path / "mqm.tsv", ROWS)
    paths = [
        write_items(tmp_path / "with.tsv"),
        write_items(tmp_path / "free.tsv", ITEMS.replace("0.2", "0.95")),
    ]
    found = evaluate_spans([str(path) for path in paths], pair="en-de", mqm=str(mqm), samples=0)
    assert {one.metric: one.auc.value for one in found.metrics} == {
        "apt": 0.0,
        "accept (with)": 1.0,
        "accept (free)": 0.0,
    }
    write_items(paths[1], ITEMS.replace("b 1 0", "b 1 2"))
    with pytest.raises(MismatchError, match="the pronouns are not those of"):
        evaluate_spans([str(path) for path in paths], pair="en-de", mqm=str(mqm), samples=0)


def test_judgements_of_a_campaign_are_marks_where_most_call_it_incorrect(tmp_path: Path) -> None:
    rows = """system id judgement annotator
a 0:0 incorrect x
a 0:0 incorrect y
a 0:0 correct z
a 1:0 bad x
b 0:0 correct x
b 0:0 incorrect y
b 1:0 correct x
"""
    judgements = tmp_path / "judgements.tsv"
    judgements.write_text(rows.replace(" ", "\t"), encoding="utf-8")
    items = str(write_items(tmp_path / "items.tsv"))
    found = evaluate_spans([items], pair="en-de", judgements=str(judgements), samples=0)
    assert (found.items, found.marked, found.left_out) == (3, 1, 1)
    # Of the two that are not marked one is open, and counts as the mean of 0.2 and 0.8.
    accept = found.metrics[1]
    assert (accept.open, accept.auc.value) == (1, 1.0)
    judgements.write_text("system\tid\tjudgement\na\t9:9\tcorrect\n", encoding="utf-8")
    with pytest.raises(MismatchError, match="9:9 of a was judged"):
        evaluate_spans([items], pair="en-de", judgements=str(judgements))


@pytest.mark.parametrize("named", [{}, {"mqm": "a", "esa": "b"}, {"mqm": "mqm.tsv", "judgements": "c"}])
def test_one_file_says_what_people_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "mqm.tsv", ROWS)
    with pytest.raises(OptionError):
        evaluate_spans([str(write_items(tmp_path / "items.tsv"))], pair="en-de", **named)


def test_the_texts_of_an_annotation_are_written_for_scoring(tmp_path: Path) -> None:
    write_texts(read_mqm(write(tmp_path / "mqm.tsv", ROWS)), tmp_path / "texts")
    names = ["a.txt", "b.txt", "documents.txt", "source.txt"]
    assert sorted(path.name for path in (tmp_path / "texts").iterdir()) == names
    assert (tmp_path / "texts" / "a.txt").read_text(encoding="utf-8") == "Es läuft .\nEs rennt .\n"
