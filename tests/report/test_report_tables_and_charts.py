"""Markdown tables and SVG charts: right numbers, safe text."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from anaphor.core import MismatchError, OptionError
from anaphor.report.charts import Bar, Point, cases_chart, interval_chart, least_squares, scatter_chart
from anaphor.report.escape import escaped, json_block, markdown, shown
from anaphor.report.markdown import markdown_table, result_markdown
from anaphor.report.plots import cases_plot, scatter_plot
from anaphor.report.stored import Stored

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é 漢", "plain é 漢"),
        ("a\u202eb", "a[U+202E]b"),
        ("\u2066x\u2069", "[U+2066]x[U+2069]"),
        ("bell\x07", "bell[U+0007]"),
        ("half\ud800", "half[U+D800]"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("zero width joiner \u200d stays", "zero width joiner \u200d stays"),
    ],
)
def test_hidden_characters_are_spelled_out(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_markup_is_escaped_in_html_json_and_markdown() -> None:
    assert escaped('<a href="x">\'&') == "&lt;a href=&quot;x&quot;&gt;&#x27;&amp;"
    assert json_block({"x": "</script>&"}) == '{"x":"\\u003c/script\\u003e\\u0026"}'
    assert markdown("a|b_*<i>\n[x](y)") == "a\\|b\\_\\*\\<i\\> \\[x\\]\\(y\\)"


def test_a_markdown_table_has_a_heading_and_a_rule() -> None:
    assert markdown_table([["a", "b"], ["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |"


def test_a_result_as_markdown_has_scores_stars_cases_and_signatures(demo_stored: Stored) -> None:
    blocks = result_markdown(demo_stored).split("\n\n")
    assert blocks[0].startswith("| system | apt | autoprf |\n| --- | ---: | ---: |\n| baldur | ")
    assert [line.startswith("| dahlia") for line in blocks[0].split("\n") if "\\*" in line][-1]
    assert blocks[1].startswith("| cases | identical | equivalent | different |")
    assert blocks[2].startswith("| apt by pronoun | it | they |")
    assert blocks[-1].startswith("- `apt|weights:1,0.5,0,0,0,0|")


def test_dots_stand_at_their_scores() -> None:
    bars = [Bar("<a>", 0.25, (0.2, 0.3)), Bar("none", math.nan, None), Bar("one", 0.75, None)]
    root = ET.fromstring(interval_chart(bars, label="x"))
    first, second = root.iter(f"{SVG}circle")
    # The axis is 480 wide.
    assert float(second.attrib["cx"]) - float(first.attrib["cx"]) == pytest.approx(240)
    assert [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "label"] == [
        "<a>",
        "none",
        "one",
    ]


def test_the_stacked_bar_shares_its_width_among_the_cases() -> None:
    root = ET.fromstring(cases_chart({"a": (1, 0, 3, 0, 0, 0)}, label="x"))
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    assert [(bar.attrib["class"], float(bar.attrib["width"])) for bar in bars] == [
        ("case1", 120),
        ("case3", 360),
    ]


def test_least_squares_by_hand() -> None:
    """Means 2 and 3; slope (1*2 + 0 + 1*1) / 2 = 1.5, so it meets the axis at 0."""
    assert least_squares([(1, 1), (2, 4), (3, 4)]) == pytest.approx((1.5, 0))
    assert least_squares([(2, 1), (2, 3)]) is None


def test_the_line_of_a_scatter_goes_through_points_that_lie_on_one() -> None:
    points = [Point("a", 1, 0.1), Point("b", 2, 0.2), Point("c", 4, 0.4)]
    root = ET.fromstring(scatter_chart(points, labels=("human", "apt"), told="x"))
    (line,) = root.iter(f"{SVG}line")
    x1, y1, x2, y2 = (float(line.attrib[key]) for key in ("x1", "y1", "x2", "y2"))
    for circle in root.iter(f"{SVG}circle"):
        x, y = float(circle.attrib["cx"]), float(circle.attrib["cy"])
        assert y == pytest.approx(y1 + (y2 - y1) * (x - x1) / (x2 - x1), abs=0.05)


def test_plots_are_whole_files_with_their_own_light_style(demo_stored: Stored) -> None:
    root = ET.fromstring(cases_plot([demo_stored]))
    style = root.find(f"{SVG}style")
    assert style is not None
    assert "--case1: #" in (style.text or "")
    assert "prefers-color-scheme" not in (style.text or "")


def test_a_scatter_plot_tells_pearsons_r(demo_stored: Stored) -> None:
    """Human scores that are a line of apt: r is 1."""
    human = {system.name: 2 * system.scores[0].value + 5 for system in demo_stored.systems}
    root = ET.fromstring(scatter_plot([demo_stored], human, metric="apt", name="people"))
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == "apt against people, 3 systems, Pearson's r = 1.000"


def test_a_scatter_plot_needs_three_systems_with_both(demo_stored: Stored) -> None:
    with pytest.raises(MismatchError, match="2 systems have both apt and people; a line needs three"):
        scatter_plot([demo_stored], {"baldur": 1, "dahlia": 0}, metric="apt", name="people")
    with pytest.raises(MismatchError, match="0 systems have both bleu and people"):
        scatter_plot([demo_stored], {}, metric="bleu", name="people")


def test_cases_can_be_plotted_only_where_apt_ran(demo_stored: Stored) -> None:
    system = replace(demo_stored.systems[0], scores=demo_stored.systems[0].scores[1:])
    with pytest.raises(OptionError, match="no cases of apt"):
        cases_plot([replace(demo_stored, systems=(system,))])
