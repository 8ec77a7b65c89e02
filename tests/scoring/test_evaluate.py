"""`anaphor.evaluate`: lists, strings and files in; scores, rows, data frames and HTML out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anaphor
from anaphor import Alignment, ScoreReport, Text, UserError
from anaphor.core import Files, InputWarning, MismatchError, OptionError, Settings
from anaphor.corpus import AlignmentFile
from anaphor.evaluation.experiment import Experiment
from anaphor.scoring.verification import verify

DEMO = Path(anaphor.__file__).parent / "demo"
SOURCE = ["The lamp is old.", "It still works.", "They came."]
REFERENCE = ["La lampe est vieille.", "Elle marche encore.", "Ils sont venus."]
OTHER = ["La lampe est vieille.", "Il marche encore.", "Ils sont venus."]


def evaluated(**changes: Any) -> ScoreReport:
    """Two systems on three segments, without intervals unless changes ask for them."""
    given: dict[str, Any] = {
        "source": SOURCE,
        "references": REFERENCE,
        "systems": {"right": REFERENCE, "wrong": OTHER},
        "pair": "en-fr",
        "samples": 0,
    }
    return anaphor.evaluate(**{**given, **changes})


def test_lists_are_scored() -> None:
    """By hand: *it* is right in one of the systems, *they* in both."""
    scores = evaluated(metrics="apt").scores
    assert scores == {"right": {"apt": 1.0}, "wrong": {"apt": 0.5}}


@pytest.mark.parametrize(
    "made",
    [
        tuple,
        "\n".join,
        lambda lines: "".join(f"{line}\n" for line in lines),
        lambda lines: io.StringIO("\n".join(lines)),
        lambda lines: io.BytesIO("\n".join(lines).encode()),
        lambda lines: iter(lines),
        lambda lines: np.array(lines),
        lambda lines: Text.of(lines, path="text"),
    ],
)
def test_a_text_can_come_in_many_ways(made: Callable[[list[str]], Any]) -> None:
    found = evaluated(
        source=made(SOURCE),
        references=made(REFERENCE),
        systems={"right": made(REFERENCE), "wrong": made(OTHER)},
    )
    assert found.result == evaluated().result


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_columns_of_data_frames_are_texts(name: str) -> None:
    library = pytest.importorskip(name)
    frame = library.DataFrame(
        {"source": SOURCE, "right": REFERENCE, "wrong": OTHER, "document": ["a", "a", "b"]}
    )
    found = evaluated(
        source=frame["source"],
        references=frame["right"],
        systems={name: frame[name] for name in ("right", "wrong")},
        documents=frame["document"],
    )
    assert found.scores == evaluated().scores
    assert found.result.documents == ("a", "a", "b")


@pytest.mark.parametrize("kind", [str, Path])
def test_files_give_what_the_command_line_gives(kind: type, tmp_path: Path) -> None:
    """The same result file as `anaphor score`, byte for byte, which can be verified."""
    names = ("baldur", "cormoran")
    path: Callable[[str], Any] = lambda name: kind(str(DEMO / name))  # noqa: E731
    found = anaphor.evaluate(
        source=path("source.en"),
        references=[path("reference.fr")],
        systems={name: path(f"{name}.fr") for name in names},
        documents=path("documents"),
        reference_alignments=[path("reference.align")],
        system_alignments={name: path(f"{name}.align") for name in names},
        pair="en-fr",
        metrics=("apt", "bleu"),
        paired=True,
        samples=100,
    )
    files = Files(
        source=str(DEMO / "source.en"),
        references=(str(DEMO / "reference.fr"),),
        candidates=tuple((name, str(DEMO / f"{name}.fr")) for name in names),
        documents=str(DEMO / "documents"),
        reference_alignments=(str(DEMO / "reference.align"),),
        candidate_alignments=tuple(str(DEMO / f"{name}.align") for name in names),
    )
    settings = Settings(pair="en-fr", metrics=("apt", "bleu"), paired=True, samples=100)
    assert found.to_json() == ScoreReport.of(Experiment.read(files, settings)).to_json()
    found.save(tmp_path / "result.json")
    assert verify(str(tmp_path / "result.json")).differences == ()


def test_a_result_of_texts_in_memory_says_that_it_cannot_be_verified(tmp_path: Path) -> None:
    evaluated().save(tmp_path / "result.json")
    with pytest.raises(OptionError, match="from memory and cannot be recomputed"):
        verify(str(tmp_path / "result.json"))


def test_several_references_are_a_list_of_texts() -> None:
    second = ["La lampe est vieille.", "Il marche encore.", "Ils sont venus."]
    found = evaluated(references=[REFERENCE, second], metrics="apt")
    assert len(found.inputs.references) == 2
    assert found.scores["wrong"]["apt"] == 1.0


def test_references_may_be_listed_by_segment() -> None:
    second = ["La lampe est vieille.", "Il marche encore.", "Ils sont venus."]
    by_segment = [list(pair) for pair in zip(REFERENCE, second, strict=True)]
    assert evaluated(references=by_segment).scores == evaluated(references=[REFERENCE, second]).scores
    assert evaluated(references=[[line] for line in REFERENCE]).scores == evaluated().scores
    with pytest.raises(MismatchError, match="the segment has 2 references, the first has 1"):
        evaluated(references=[*([line] for line in REFERENCE[:2]), by_segment[2]])


def test_names_of_files_are_several_references(tmp_path: Path) -> None:
    for name, text in (("one.fr", REFERENCE), ("two.fr", OTHER)):
        (tmp_path / name).write_text("\n".join(text), encoding="utf-8")
    found = evaluated(references=[str(tmp_path / "one.fr"), str(tmp_path / "two.fr")])
    assert [text.lines for text in found.inputs.references] == [tuple(REFERENCE), tuple(OTHER)]


def test_a_metric_that_needs_no_reference_gets_none() -> None:
    found = evaluated(references=None, metrics="accept", pair="en-de", systems={"mine": ["Ja."] * 3})
    assert found.rows("items")[0]["reference_text"] is None


def test_a_test_set_holds_source_references_and_documents(tmp_path: Path) -> None:
    rows = ["docid\tsource\treference", *(f"d\t{s}\t{r}" for s, r in zip(SOURCE, REFERENCE, strict=True))]
    (tmp_path / "set.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = evaluated(source=None, references=None, test_set=tmp_path / "set.tsv")
    assert found.scores == evaluated().scores
    assert found.experiment.files.bundle == str(tmp_path / "set.tsv")


@pytest.mark.parametrize(
    "links",
    [
        ["0-0 1-1", "0-0", "0-0"],
        [[(0, 0), (1, 1)], [(0, 0)], [(0, 0)]],
        [Alignment((0, 1), (0, 1)), Alignment((0,), (0,)), Alignment((0,), (0,))],
    ],
)
def test_links_can_be_given_in_memory(links: Any) -> None:
    found = evaluated(
        metrics="apt", reference_alignments=[links], system_alignments={"right": links, "wrong": links}
    )
    assert found.scores == {"right": {"apt": 1.0}, "wrong": {"apt": 0.5}}


def test_every_system_and_reference_has_its_own_links() -> None:
    given = {name: [f"0-{number}", "0-0", ""] for number, name in enumerate(("right", "wrong"))}
    second = ["0-0", "", "0-0"]
    found = evaluated(
        metrics="apt",
        references=[REFERENCE, REFERENCE],
        reference_alignments=[["0-1", "0-0", ""], second],
        system_alignments={"wrong": given["wrong"], "right": given["right"]},
    )

    def links(alignments: AlignmentFile) -> list[str]:
        listed = (alignments[segment].links() for segment in range(3))
        return [" ".join(f"{link.source}-{link.target}" for link in one) for one in listed]

    assert found.inputs.candidate_alignments is not None
    assert found.inputs.reference_alignments is not None
    assert {name: links(own) for name, own in found.inputs.candidate_alignments.items()} == given
    assert [links(own) for own in found.inputs.reference_alignments] == [["0-1", "0-0", ""], second]


def test_as_many_references_as_segments_are_texts() -> None:
    references = [REFERENCE, OTHER, ["La lampe est vieille.", "Il marche encore.", "Ils sont venus."]]
    found = evaluated(references=references)
    assert [text.lines for text in found.inputs.references] == [*map(tuple, references)]


def test_a_system_of_the_test_set_keeps_its_name(tmp_path: Path) -> None:
    sides = (("src", "", SOURCE), ("ref", ' translator="A"', REFERENCE), ("hyp", ' system="mine"', OTHER))
    lines = [
        f"<{side}{name}><p>"
        + "".join(f'<seg id="{at}">{line}</seg>' for at, line in enumerate(text, 1))
        + f"</p></{side}>"
        for side, name, text in sides
    ]
    content = f'<dataset id="t"><doc id="d">{"".join(lines)}</doc></dataset>'
    (tmp_path / "set.xml").write_text(content, encoding="utf-8")
    given = {"source": None, "references": None, "test_set": tmp_path / "set.xml"}
    found = evaluated(**given, systems={"yours": REFERENCE})
    assert {name: text.lines for name, text in found.inputs.candidates.items()} == {
        "mine": tuple(OTHER),
        "yours": tuple(REFERENCE),
    }
    with pytest.raises(MismatchError, match="the test set has a system called mine"):
        evaluated(**given, systems={"yours": REFERENCE, "mine": REFERENCE})


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_of_readlines_are_removed_with_a_note(end: str) -> None:
    with pytest.warns(InputWarning, match=r"<source>: removed line ends \(3\)"):
        found = evaluated(source=[f"{line}{end}" for line in SOURCE])
    assert found.inputs.source.lines == tuple(SOURCE)


def test_a_blank_last_segment_stays() -> None:
    found = evaluated(source=[*SOURCE, ""], references=[*REFERENCE, ""], systems={"a": [*OTHER, ""]})
    assert found.result.segments == 4


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"source": 3}, "a value of type int"),
    ({"source": b"It rains."}, "a value of type bytes"),
    ({"source": {"a": "b"}}, "a value of type dict"),
    ({"source": set(SOURCE[:1])}, "a value of type set"),
    ({"source": None}, "there is no source"),
    ({"source": []}, "there are no segments"),
    ({"source": ""}, "there are no segments"),
    ({"source": ["It rains.", None, "They came."]}, "the segment is None, of type NoneType"),
    ({"source": ["It\nrains.", "It works.", "They came."]}, "the segment has a line break"),
    ({"source": ["It rains.", "It \ud800.", "They came."]}, "U\\+D800 is a lone surrogate"),
    ({"source": ["It rains.", "It \0.", "They came."]}, "NUL byte"),
    ({"source": SOURCE[:2]}, "<reference> has 3 lines, the source <source> has 2"),
    ({"source": "missing.en"}, "missing.en looks like the name of a file"),
    ({"source": "texts/missing"}, "looks like the name of a file"),
    ({"source": Path("missing.en")}, "the file cannot be read"),
    ({"references": [REFERENCE, 3]}, "a value of type int"),
    ({"references": [["a"], ["b", "c"], ["d"]]}, "the segment has 2 references, the first has 1"),
    ({"systems": {"a": 1.5}}, "a value of type float"),
    ({"systems": [REFERENCE]}, "systems are of type list"),
    ({"systems": {}}, "there is no system to evaluate"),
    ({"systems": {3: REFERENCE}}, "3 is not a valid name"),
    ({"documents": ["a", "b"]}, "the source has 3 segments"),
    ({"documents": [1, 1, 2]}, "the segment is 1, of type int"),
    ({"reference_alignments": [["0-0"]]}, "there are alignments for 1 segments, the source has 3"),
    ({"reference_alignments": [["0-0", "x", ""]]}, "x"),
    ({"reference_alignments": [[3, 4, 5]]}, "these are not links: 3"),
    ({"reference_alignments": []}, "0 alignments for 1 references"),
    ({"system_alignments": {"right": []}}, "some systems have no alignment"),
    ({"system_alignments": dict.fromkeys(("right", "left"), [""] * 3)}, "some systems have no alignment"),
    ({"test_set": "set.tsv"}, "a test set has its own source"),
    ({"pair": 3}, "pair must be str, got 3 of type int"),
    ({"pair": "english-french"}, "not a language pair"),
    ({"metrics": 3}, "metrics must be list or tuple or str, got 3"),
    ({"metrics": ["apt", 3]}, "metrics must be str, got 3"),
    ({"metrics": "bleurt"}, "unknown metric: bleurt"),
    ({"samples": "many"}, "samples must be int, got 'many' of type str"),
    ({"samples": True}, "samples must be int"),
    ({"paired": "yes"}, "paired must be bool"),
    ({"level": "0.95"}, "level must be int or float"),
    ({"packs": 3}, "packs must be str or None"),
    ({"weights": "1,2"}, "not a value of type"),
    ({"sampels": 100}, "sampels"),
    ({"source": ["No."] * 3}, "no pronoun found in 3 segments"),
    ({"predictor": 3, "metrics": "apt"}, "predictor"),
    ({"unlikely": "x", "predictor": "anaphor-2-small"}, "unlikely"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG, ids=lambda value: str(value)[:50])
def test_what_is_wrong_is_a_user_error(
    changes: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=message):
        evaluated(**changes)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_whole_data_frame_is_not_a_text(name: str) -> None:
    """Its iteration gives the names of columns, which would be scored as segments."""
    frame = pytest.importorskip(name).DataFrame({"a": SOURCE})
    with pytest.raises(UserError, match="a value of type DataFrame"):
        evaluated(source=frame)


def test_a_missing_position_says_where() -> None:
    with pytest.raises(UserError) as caught:
        evaluated(source=["It rains.", 3.5, "They came."])
    assert str(caught.value.where) == "<source>:2"


@pytest.fixture(scope="module")
def demo() -> ScoreReport:
    """Two systems of the demo with given links, compared."""
    names = ("baldur", "cormoran")
    return anaphor.evaluate(
        source=DEMO / "source.en",
        references=DEMO / "reference.fr",
        systems={name: DEMO / f"{name}.fr" for name in names},
        documents=DEMO / "documents",
        reference_alignments=[DEMO / "reference.align"],
        system_alignments={name: DEMO / f"{name}.align" for name in names},
        pair="en-fr",
        metrics=["apt", "bleu"],
        paired=True,
        samples=100,
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("part", "columns", "rows"),
    [
        ("scores", ["system", "metric", "score", "low", "high", "signature"], 4),
        ("comparisons", ["metric", "baseline", "system", "difference"], 2),
        ("pronouns", ["system", "metric", "pronoun", "score"], 4),
        ("documents", ["system", "metric", "document", "score"], 28),
        ("items", ["system", "document", "segment", "token", "pronoun"], 284),
    ],
)
def test_every_part_is_a_frame(
    demo: ScoreReport, library: Any, part: Any, columns: list[str], rows: int
) -> None:
    """142 pronouns, 7 documents, *it* and *they*: the README's figures."""
    kind = pytest.importorskip(library).DataFrame
    frame = demo.to_frame(part, library=library)
    assert isinstance(frame, kind)
    assert list(frame.columns)[: len(columns)] == columns
    assert len(frame) == rows == len(demo.rows(part))


def test_frames_hold_the_scores_of_the_result(demo: ScoreReport) -> None:
    pytest.importorskip("pandas")
    frame = demo.to_frame()
    wide = frame.pivot(index="system", columns="metric", values="score")
    assert wide.loc["baldur", "apt"] == demo.scores["baldur"]["apt"]
    assert (frame["low"] < frame["score"]).all()
    items = demo.to_frame("items")
    mine = items[items.system == "baldur"]
    credit = mine.outcome.map({"identical": 1.0, "equivalent": 0.5}).fillna(0)
    assert credit.mean() == pytest.approx(demo.scores["baldur"]["apt"])


def test_items_have_their_context_and_the_marked_pronoun(demo: ScoreReport) -> None:
    pytest.importorskip("polars")
    (row,) = [
        row
        for row in demo.to_frame("items", library="polars").to_dicts()
        if (row["system"], row["document"], row["line"]) == ("cormoran", "lighthouse", 2) and row["token"] > 0
    ]
    assert (
        row["source"] == "It stood at the top of the tower, under a sheet, and [it] smelled of oil and salt."
    )
    assert row["context"] == [demo.inputs.source.lines[0]]
    assert row["candidate_text"] == demo.inputs.candidates["cormoran"].lines[row["segment"]]
    assert (row["reference_words"], row["outcome"]) == ("elle", "different")


@pytest.mark.parametrize(
    ("changes", "part", "message"),
    [
        ({}, "comparisons", "the systems were not compared"),
        ({}, "documents", "no documents are known"),
        ({"metrics": "bleu"}, "items", "no metric judges pronouns"),
        ({}, "matrix", "unknown part of a result: matrix"),
    ],
)
def test_a_part_that_is_not_there_is_an_error(changes: dict[str, Any], part: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        evaluated(**changes).to_frame(part)


def test_a_library_that_is_not_installed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from anaphor.report import rows

    found = evaluated()
    monkeypatch.setattr(rows, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="neither pandas nor polars is installed") as caught:
        found.to_frame()
    assert "pip install pandas" in caught.value.fix
    with pytest.raises(UserError, match="polars is not installed"):
        found.to_frame(library="polars")
    with pytest.raises(UserError, match="unknown library: dask"):
        found.to_frame(library="dask")  # type: ignore[arg-type]


def test_polars_is_used_where_pandas_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from anaphor.report import rows

    polars = pytest.importorskip("polars")
    monkeypatch.setattr(rows, "find_spec", lambda name: None if name == "pandas" else name)
    assert isinstance(evaluated().to_frame(), polars.DataFrame)


def test_a_notebook_shows_tables_and_a_terminal_text() -> None:
    import html5lib

    found = evaluated(systems={"<b>&x": REFERENCE}, metrics=("apt", "bleu"))
    shown = found._repr_html_()
    html5lib.HTMLParser(strict=True).parseFragment(shown)
    assert "<th>&lt;b&gt;&amp;x</th><td>100.0</td><td>100.0</td>" in shown
    assert "<p>apt|" in shown
    assert repr(found) == "<ScoreReport en-fr, 3 segments; <b>&x: apt 1.0000, bleu 1.0000>"
    assert "<b>&x   100.0  100.0" in str(found)


def test_to_dict_is_json() -> None:
    content = evaluated().to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["files"]["source"] == "<source>"
    assert content["systems"][1]["metrics"][0]["score"] == 0.5


def test_more_can_be_asked_for() -> None:
    more = {"functions": True, "sensitivity": True, "bounds": True, "cards": True}
    found = evaluated(metrics="apt", predictor="anaphor-2-small", **more)
    assert [*found.findings] == [
        *("alignment_sensitivity", "functions", "bounds", "predictor_hints", "cards"),
    ]
    assert all(found.findings.values())
    assert '"cards":' in found.to_json(cards=True)
