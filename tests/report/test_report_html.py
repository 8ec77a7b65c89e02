"""The HTML report: one valid page that fetches nothing, runs nothing but its script, and escapes all text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from anaphor.core import Files, FunctionScores, InputError, OptionError, Result, Settings, Span
from anaphor.corpus import Inputs
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.report.cards import cards_of
from anaphor.report.charts import asset
from anaphor.report.gates import Gate
from anaphor.report.html import ReportView, page_date, report_page
from anaphor.report.html.data import (
    Annotation,
    AntecedentMention,
    HumanAnnotations,
    cut,
    page_data,
    short_names,
)
from anaphor.report.html.sections import summary
from anaphor.report.result_file import parse_result
from anaphor.report.stored import StoredResult, stored_of
from tests.support.results import result_json

PEOPLE = HumanAnnotations(
    words={("baldur", 1, 0): ["correct (reason V) by ann"]},
    categories={(1, 0): "from a judgement"},
    items={
        (1, 53): Annotation(
            "anaphoric",
            (AntecedentMention(1, Span(23, 32), "the tower"), AntecedentMention(0, Span(0, 2), "No")),
        )
    },
)


@pytest.fixture(scope="module")
def page(demo_stored: StoredResult) -> str:
    return report_page(ReportView.of([demo_stored], title="A <title>", annotations=PEOPLE))


def data_of(page: str) -> dict[str, Any]:
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert block is not None
    loaded: dict[str, Any] = json.loads(block[1])
    return loaded


def test_the_page_is_valid_html(page: str, hostile: StoredResult) -> None:
    html5lib = pytest.importorskip("html5lib", reason="html5lib checks the HTML; pip install 'anaphor[dev]'")
    for content in (page, report_page(ReportView.of([hostile], title="</title><script>"))):
        parser = html5lib.HTMLParser(strict=True)
        parser.parse(content)
        assert parser.errors == []


def test_the_policy_allows_this_script_and_this_style_alone(page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert style is not None
    assert script is not None
    hashes = [
        "'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'"
        for part in (script[1], style[1])
    ]
    allowed = f"script-src {hashes[0]}; style-src {hashes[1]}"
    assert policy[1] == f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def test_nothing_on_the_page_names_another_place(page: str) -> None:
    assert not re.search(r"""(?:src|srcset|action|data|poster)\s*=\s*["']""", page.split('id="data">')[0])
    assert set(re.findall(r'href="(.)', page)) == {"#"}
    assert set(re.findall(r"https?://[^\s\"']+", page)) == {"http://www.w3.org/2000/svg"}
    assert " style=" not in page
    assert not re.search(r"\son\w+=", page.split('id="data">')[0])


def test_text_from_the_input_is_never_markup(hostile: StoredResult) -> None:
    page = report_page(ReportView.of([hostile], title="</title><script>alert(0)</script>"))
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "<b>" not in page
    assert not set("\u202e\u202c\u2066\u2069\u0007") & set(page)
    assert "[U+202E]" in page


def test_the_data_gives_the_texts_back_in_marked_pieces(demo_stored: StoredResult, page: str) -> None:
    data = data_of(page)
    assert data["systems"] == ["baldur", "cormoran", "dahlia"]
    assert len(data["cards"]) == 3 * 142
    assert demo_stored.cards is not None
    pronoun, system, outcome, reference, candidate, labels, *_ = data["cards"][1]
    assert (pronoun, data["systems"][system], outcome) == (0, "cormoran", 3)
    assert [data["labels"][label] for label in labels] == ["elle", "il"]
    assert data["lines"][candidate][0] == ["Il", "linked"]
    joined = "".join(text for text, _ in data["lines"][reference])
    assert joined == demo_stored.cards.references[0][1]


def test_human_judgements_are_shown(page: str) -> None:
    data = data_of(page)
    assert data["cards"][0][-1] == "correct (reason V) by ann"
    assert data["cards"][1][-1] == ""
    first, second = data["pronouns"][:2]
    assert (first["category"], second["category"]) == ("from a judgement", "anaphoric")
    assert second["at"].endswith("line 2, token 15"), "lines and tokens count from 1"
    assert ["the tower", "antecedent"] in data["lines"][second["source"]]
    assert ["No", "antecedent"] in data["lines"][second["before"][0]], "an antecedent of the line before"
    assert "By category" in page


def test_every_example_has_the_lines_before_it(demo_stored: StoredResult, page: str) -> None:
    data, cards = data_of(page), demo_stored.cards
    assert cards is not None
    text = ["".join(part for part, _ in pieces) for pieces in data["lines"]]
    for pronoun, stored in zip(data["pronouns"], cards.pronouns, strict=True):
        first = stored.segment - stored.before
        lines = [cards.source[at] for at in range(first, stored.segment + 1)]
        assert [text[line] for line in (*pronoun["before"], pronoun["source"])] == lines
        assert pronoun["line"] == stored.segment + 1
        for at in range(first, stored.segment):
            assert text[data["before"]["references"][0][str(at + 1)]] == cards.references[0][at]
            assert text[data["before"]["systems"][1][str(at + 1)]] == cards.candidates["cormoran"][at]


def test_all_cards_are_looked_through_for_verdicts_no_more_often_than_there_are_uses_of_them(
    demo_stored: StoredResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for each card: a page for 200 systems has 50,000 of them."""
    looked: list[ReportView] = []
    judges = ReportView.judges.fget  # type: ignore[attr-defined]  # a property

    def counted(view: ReportView) -> tuple[str, ...]:
        looked.append(view)
        found: tuple[str, ...] = judges(view)
        return found

    monkeypatch.setattr(ReportView, "judges", property(counted))
    assert len(page_data(ReportView.of([demo_stored], title="x"))["cards"]) > 20
    assert len(looked) < 5


def test_an_antecedent_that_is_not_shown_is_named(demo_stored: StoredResult) -> None:
    """Such cards have no lines before a pronoun."""
    assert demo_stored.cards is not None
    pronouns = tuple(replace(one, before=0) for one in demo_stored.cards.pronouns)
    source = {at: line for at, line in demo_stored.cards.source.items() if at != 0}
    old = replace(demo_stored, cards=replace(demo_stored.cards, pronouns=pronouns, source=source))
    second = page_data(ReportView.of([old], title="x", annotations=PEOPLE))["pronouns"][1]
    assert second["at"].endswith("token 15, antecedent “No” in line 1")
    assert second["before"] == []


def test_examples_begin_where_systems_are_divided_into_right_and_wrong(page: str) -> None:
    data = data_of(page)
    outcomes: dict[int, list[int]] = {}
    for number, _, outcome, *_ in data["cards"]:
        outcomes.setdefault(number, []).append(outcome)
    order = sorted(outcomes, key=lambda number: int(data["pronouns"][number]["rank"]))
    kinds = [
        "divided"
        if 0 < outcomes[number].count(1) < 3
        else "different"
        if len(set(outcomes[number])) > 1
        else "same"
        for number in order
    ]
    assert kinds == sorted(kinds, key=["divided", "different", "same"].index)
    assert set(kinds) == {"divided", "different", "same"}
    same = [outcomes[number][0] == 1 for number, kind in zip(order, kinds, strict=True) if kind == "same"]
    assert same == sorted(same), "what all have right comes last"


def test_without_a_reference_rejected_pronouns_come_first(demo: tuple[Result, Inputs]) -> None:
    given = demo[1]
    inputs = replace(
        given,
        references=(),
        reference_alignments=(),
        candidates={"dahlia": given.candidates["dahlia"]},
        candidate_alignments={"dahlia": (given.candidate_alignments or {})["dahlia"]},
    )
    result = evaluate_experiment(
        Experiment.of(inputs, Settings(pair="en-fr", metrics=("accept",), samples=0))
    )
    content = result_json(
        result, Files(source="x"), cards=cards_of(Experiment.of(inputs, result.settings), result)
    )
    stored = stored_of(parse_result(content.encode(), path="x"), path="x")
    data = page_data(ReportView.of([stored], title="x"))
    verdicts = {number: data["labels"][row[0]] for number, *_, row, _ in data["cards"]}
    order = sorted(verdicts, key=lambda number: int(data["pronouns"][number]["rank"]))
    found = [verdicts[number] for number in order]
    assert found == sorted(found, key=["rejected", "open", "accepted"].index)
    assert set(found) == {"rejected", "open", "accepted"}


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (
            ["news.hyp.Online-A.de", "news.hyp.Online-B.de", "news.hyp.UEdin.de"],
            ["Online-A", "Online-B", "UEdin"],
        ),
        (["baldur", "ballad"], ["baldur", "ballad"]),
        (["run_1", "run_2"], ["1", "2"]),
        (["sys", "sys-2"], ["sys", "sys-2"]),
        (["a-b", "a-"], ["a-b", "a-"]),
        (["only.one.de"], ["only.one.de"]),
        (["", "x"], ["", "x"]),
    ],
)
def test_common_parts_of_names_are_cut(names: list[str], short: list[str]) -> None:
    assert list(short_names(names).values()) == short


def test_a_page_says_which_names_were_cut_and_keeps_them_whole_in_filters(demo_stored: StoredResult) -> None:
    def renamed(name: str) -> str:
        return f"test.{name}.fr"

    cards = demo_stored.cards
    assert cards is not None
    stored = replace(
        demo_stored,
        systems=tuple(replace(one, name=renamed(one.name)) for one in demo_stored.systems),
        comparisons=tuple(
            replace(one, system=renamed(one.system), baseline=renamed(one.baseline))
            for one in demo_stored.comparisons
        ),
        cards=replace(
            cards,
            judged={renamed(name): judged for name, judged in cards.judged.items()},
            candidates={renamed(name): lines for name, lines in cards.candidates.items()},
        ),
    )
    page = report_page(ReportView.of([stored], title="x"))
    assert "without “test.” before and “.fr” after" in page
    assert '<th scope="row"><span title="test.baldur.fr">baldur</span></th>' in page
    assert '<option value="test.baldur.fr">baldur</option>' in page
    assert "Names of systems" not in report_page(ReportView.of([demo_stored], title="x"))


def test_all_metrics_are_compared_and_p_is_called_corrected(demo_stored: StoredResult, page: str) -> None:
    table = page[page.index('id="comparisons"') : page.index('id="pronouns"')]
    assert "p corrected by Holm’s method over 2 systems" in table
    for one in demo_stored.comparisons:
        assert f"{100 * one.difference:+.1f} [" in table
        assert f"corrected p = {one.p_adjusted:.4f}" in table
    assert {one.metric for one in demo_stored.comparisons} == {"apt", "autoprf"}
    assert table.count("▼") == 1 + sum(one.p_adjusted < 0.05 for one in demo_stored.comparisons)
    assert "(p =" not in page


def test_the_page_names_test_set_gates_and_date(demo_stored: StoredResult) -> None:
    gates = (
        Gate("--fail-under", "apt", "baldur", "passed", "apt of baldur is 0.69, not below 0.6"),
        Gate("--fail-under", "apt", "dahlia", "failed", "apt of dahlia is 0.2 <b>"),
    )
    page = report_page(ReportView.of([demo_stored], title="x", gates=gates, date="2026-01-31"))
    facts = page[page.index('<dl class="facts">') : page.index("<nav")]
    for fact in (
        "source.en, reference.fr (hash ",
        "115 segments, 7 documents, 142 pronouns (it 96, they 46)",
    ):
        assert fact in facts
    for fact in ("<dd>1 failed, 1 passed</dd>", "<dd>2026-01-31</dd>", "<dd>en-fr</dd>"):
        assert fact in facts
    section = page[page.index('id="gates"') :]
    assert section.index("apt of dahlia is 0.2 &lt;b&gt;") < section.index("apt of baldur"), "failures first"
    plain = report_page(ReportView.of([demo_stored], title="x"))
    assert "<dt>Gates</dt>" not in plain
    assert "<dt>Date</dt>" not in plain, "a page of the library has the date that it is given"
    folder = str(demo_stored.files.source).rpartition("/")[0] if demo_stored.files else ""
    assert folder
    assert folder not in page, "folders of the author are not shown"


def test_the_legend_explains_outcomes_and_marks(page: str) -> None:
    legend = page[page.index('id="legend"') : page.index("<footer>")]
    for words in ("candidate missing", "corrected p", "cluster", "OTHER, NONE", '<mark class="antecedent">'):
        assert words in legend


def test_no_markdown_is_left(demo_stored: StoredResult) -> None:
    functions = FunctionScores({"anaphoric": 90}, {"apt": {"baldur": {"anaphoric": 0.5}}}, "abc")
    page = report_page(ReportView.of([replace(demo_stored, functions=functions)], title="x"))
    assert "By function of “it”" in page
    text = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"\*\w+\*|`\w+`", text) == []


@pytest.mark.parametrize(("epoch", "date"), [("0", "1970-01-01"), ("1767225600", "2026-01-01")])
def test_the_date_can_be_set_for_reproducible_builds(
    monkeypatch: pytest.MonkeyPatch, epoch: str, date: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert page_date() == date


@pytest.mark.parametrize("epoch", ["today", "1e9", "9" * 30])
def test_an_impossible_date_is_an_error(monkeypatch: pytest.MonkeyPatch, epoch: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(OptionError, match="not a time"):
        page_date()


def test_without_that_the_date_is_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    before = datetime.now(tz=UTC).date().isoformat()
    assert before <= page_date() <= datetime.now(tz=UTC).date().isoformat()


def test_disagreement_is_more_than_one_outcome(demo_stored: StoredResult, page: str) -> None:
    assert demo_stored.cards is not None
    columns = zip(*demo_stored.cards.judged.values(), strict=True)
    expected = [len({card.outcome for card in cards}) > 1 for cards in columns]
    assert [one["disagreement"] for one in data_of(page)["pronouns"]] == expected


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([], [("the cat", "")]),
        ([(Span(4, 7), "a")], [("the ", ""), ("cat", "a")]),
        ([(Span(4, 7), "b"), (Span(0, 3), "a")], [("the", "a"), (" ", ""), ("cat", "b")]),
        ([(Span(0, 5), "a"), (Span(4, 7), "b")], [("the c", "a"), ("at", "b")]),
        ([(Span(0, 5), "a"), (Span(1, 3), "b")], [("the c", "a"), ("at", "")]),
    ],
)
def test_marks_cut_a_line_and_lose_nothing(
    marks: list[tuple[Span, str]], expected: list[tuple[str, str]]
) -> None:
    assert list(cut("the cat", marks)) == expected


def test_cells_link_to_their_examples(page: str) -> None:
    data = data_of(page)
    baldur = [card for card in data["cards"] if data["systems"][card[1]] == "baldur"]
    different = sum(card[2] == 3 for card in baldur)
    link = re.search(r'href="#system=baldur&amp;outcome=3"[^>]*>(\d+)<', page)
    assert link is not None
    assert int(link[1]) == different


def test_without_cards_the_page_has_no_script_and_says_why(demo_stored: StoredResult) -> None:
    page = report_page(ReportView.of([replace(demo_stored, cards=None)], title="x"))
    assert "<script" not in page
    assert "Score with --cards" in page
    assert page_data(ReportView.of([replace(demo_stored, cards=None)], title="x"))["cards"] == []


def test_cards_of_other_pronouns_cannot_be_shown_together(demo_stored: StoredResult) -> None:
    assert demo_stored.cards is not None
    other = replace(
        demo_stored,
        path="b.json",
        systems=(replace(demo_stored.systems[0], name="new"),),
        cards=replace(demo_stored.cards, pronouns=demo_stored.cards.pronouns[1:]),
    )
    with pytest.raises(InputError, match="judges other pronouns"):
        ReportView.of([demo_stored, other], title="x")


def test_the_same_result_gives_the_same_bytes(demo_stored: StoredResult, page: str) -> None:
    assert report_page(ReportView.of([demo_stored], title="A <title>", annotations=PEOPLE)) == page


#: Every text colour with the surfaces that it can stand on, and the contrast that WCAG 2.2 AA asks for.
TEXT = {
    "ink": ("page", "panel", "pronoun", "linked", "antecedent", "heat1", "heat2", "heat3", "heat4"),
    "faint": ("page", "panel"),
    "accent": ("page", "panel"),
    **{f"case{n}": ("page", "panel") for n in range(1, 7)},
}


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_every_surface(side: int) -> None:
    colours = dict(re.findall(r"--(\w+): (#\w{6});", asset("palette.css").split("@media")[side]))
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    low = {
        (text, surface): round(contrast(colours[text], colours[surface]), 2)
        for text, surfaces in TEXT.items()
        for surface in surfaces
        if contrast(colours[text], colours[surface]) < 4.5
    }
    assert low == {}
    assert contrast(colours["line"], colours["page"]) >= 3, "edges of controls"


def test_the_summary_names_the_ceiling_and_what_looked_wrong(demo_stored: StoredResult) -> None:
    stored = replace(demo_stored, ceiling={"apt": 0.686}, notes=("candidate <b>: equals the source",))
    found = summary(ReportView.of([stored], title="x"))
    assert "Ceiling, the reference itself: apt 68.6." in found
    assert "Note: candidate &lt;b&gt;: equals the source." in found
