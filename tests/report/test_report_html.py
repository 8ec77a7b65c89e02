"""The HTML report: one valid page that fetches nothing, runs nothing but its script, and escapes all text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from anaphor.core import InputError, Span
from anaphor.report.annotations import Annotation, AntecedentMention, HumanAnnotations
from anaphor.report.charts import asset
from anaphor.report.html import ReportView, report_page
from anaphor.report.html.data import cut, page_data
from anaphor.report.result_file import StoredResult

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
    assert second["at"].endswith("token 15, antecedent “No” in line 1")
    assert ["the tower", "antecedent"] in data["lines"][second["source"]]
    assert "By category" in page


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
