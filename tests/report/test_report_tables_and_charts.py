"""Markdown tables and SVG charts: right numbers, safe text."""

from __future__ import annotations

import math
import struct
import sys
import xml.etree.ElementTree as ET
import zlib
from collections import Counter
from dataclasses import replace

import pytest

from anaphor.core import MismatchError, OptionError, UserError
from anaphor.core.table import Table, text
from anaphor.report.charts import (
    as_png,
    cases_chart,
    cases_plot,
    interval_chart,
    scatter_chart,
    scatter_plot,
)
from anaphor.report.emit import render
from anaphor.report.escape import escaped, json_block, markdown, shown
from anaphor.report.result_tables import result_markdown
from anaphor.report.stored import StoredResult, StoredScore

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
    table = Table((text("a"), text("b")), [("x|y", "1")])
    assert render([table], "markdown") == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |"


def test_a_result_as_markdown_has_scores_marks_cases_and_signatures(demo_stored: StoredResult) -> None:
    blocks = result_markdown(demo_stored).split("\n\n")
    heading, _, first, *_, last = blocks[0].split("\n")
    assert heading == "| System | APT | AutoPRF | APT, it | APT, they |"
    assert first.startswith("| baldur | **69.0** ")
    assert last.startswith("| dahlia | ")
    assert "↓ \\[" in last
    assert blocks[1].startswith(
        "Pronoun translation, en-fr \\(115 segments, 7 documents, 142 pronouns\\), in "
    )
    assert blocks[2].startswith("| cases | identical | equivalent | different |")
    assert blocks[3].startswith("| AutoPRF by pronoun | it | they |")
    assert blocks[-1].startswith("- `apt|weights:1,0.5,0,0,0,0|")


def test_dots_stand_at_their_scores() -> None:
    bars: dict[str, tuple[float, tuple[float, float] | None]] = {
        "<a>": (0.25, (0.2, 0.3)),
        "none": (math.nan, None),
        "one": (0.75, None),
    }
    scores = {name: StoredScore("apt", *bar, {}, "", None, {}) for name, bar in bars.items()}
    root = ET.fromstring(interval_chart(scores, label="x"))
    first, second = root.iter(f"{SVG}circle")
    # The axis is 480 wide.
    assert float(second.attrib["cx"]) - float(first.attrib["cx"]) == pytest.approx(360)
    assert [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "label"] == [
        "<a>",
        "none",
        "one",
    ]


def test_the_stacked_bar_shares_its_width_among_the_cases() -> None:
    root = ET.fromstring(cases_chart({"a": (1, 0, 3, 0, 0, 0)}, label="x"))
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    assert [(bar.attrib["class"], float(bar.attrib["width"])) for bar in bars] == [
        ("case1", 180),
        ("case3", 540),
    ]


def test_a_scatter_has_the_least_squares_line() -> None:
    """Means 2 and 3; slope (1*2 + 0 + 1*1) / 2 = 1.5, so the line has 1.5, 3 and 4.5 at the points."""
    points = {"a": (1, 1), "b": (2, 4), "c": (3, 4)}
    root = ET.fromstring(scatter_chart(points, labels=("human", "apt"), label="x"))
    (line,) = (line for line in root.iter(f"{SVG}line") if line.get("class") == "whisker")
    x1, y1, x2, y2 = (float(line.attrib[key]) for key in ("x1", "y1", "x2", "y2"))
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in root.iter(f"{SVG}circle")]
    unit = (dots[0][1] - dots[1][1]) / 3  # from 1 up to 4
    for (x, y), residual in zip(dots, (-0.5, 1, -0.5), strict=True):
        assert y == pytest.approx(y1 + (y2 - y1) * (x - x1) / (x2 - x1) - residual * unit, abs=0.05)


def test_points_above_each_other_have_no_line() -> None:
    points = {"a": (2, 1), "b": (2, 3), "c": (2, 4)}
    assert "whisker" not in scatter_chart(points, labels=("human", "apt"), label="x")


def test_plots_are_whole_files_with_their_own_light_style(demo_stored: StoredResult) -> None:
    root = ET.fromstring(cases_plot([demo_stored]))
    style = root.find(f"{SVG}style")
    assert style is not None
    assert "svg .case1 { fill: #1a7f37; }" in (style.text or "")  # the light green of palette.css
    assert "var(" not in (style.text or ""), "drawing programs know no variables"


def _pixels(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and RGBA bytes of a PNG with 8 bits a channel and no interlacing."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(png):
        size, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        chunks[kind] = chunks.get(kind, b"") + png[at + 8 : at + 8 + size]
        at += size + 12
    width, height, *form = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert form == [8, 6, 0, 0, 0]
    rows, above = zlib.decompress(chunks[b"IDAT"]), bytearray(4 * width)
    found = bytearray()
    for row in range(height):
        start = row * (4 * width + 1)
        above = _unfiltered(rows[start], rows[start + 1 : start + 1 + 4 * width], above)
        found += above
    return width, height, bytes(found)


def _unfiltered(kind: int, row: bytes, above: bytearray) -> bytearray:
    """A row without its filter: every byte is told as the difference from its neighbours."""
    out = bytearray(row)
    for i, byte in enumerate(row):
        left, up, corner = (out[i - 4], above[i], above[i - 4]) if i >= 4 else (0, above[i], 0)
        near = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
        out[i] = (byte + (0, left, up, (left + up) // 2, near)[kind]) % 256
    return out


def test_a_png_has_the_drawing_three_times_as_large(demo_stored: StoredResult) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert draws PNG; pip install 'anaphor[plots]'")
    plot = cases_plot([demo_stored])
    root = ET.fromstring(plot)
    width, height, pixels = _pixels(as_png(plot))
    size = [3 * float(root.attrib[key]) for key in ("width", "height")]
    assert [width, height] == pytest.approx(size, abs=1)

    def at(x: float, y: float) -> str:
        start = 4 * (round(3 * y) * width + round(3 * x))
        return pixels[start : start + 4].hex()

    assert at(2, 2) == "ffffffff", "white paper, not transparent"
    colours = {"case1": "1a7f37ff", "case3": "b3261eff"}
    seen = Counter[str]()
    for rect in root.iter(f"{SVG}rect"):
        kind, box = rect.get("class", ""), {key: float(rect.get(key, "0")) for key in ("x", "y", "width")}
        if kind in colours and box["width"] > 4:
            assert at(box["x"] + box["width"] / 2, box["y"] + 5) == colours[kind]
            seen[kind] += 1
    assert seen == {"case1": 4, "case3": 4}, "in the legend and in three bars"
    (label,) = (one for one in root.iter(f"{SVG}text") if one.text == "baldur")
    x, y = float(label.attrib["x"]), float(label.attrib["y"])
    word = [at(x - dx / 3, y - dy / 3) for dx in range(1, 100) for dy in range(1, 25)]
    assert any(int(pixel[:2], 16) < 100 for pixel in word), "the name of the system is written"


def test_png_without_its_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UserError, match="PNG needs the package vl-convert-python") as caught:
        as_png("<svg/>")
    assert caught.value.fix == "pip install 'anaphor[plots]'"


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ((0.225, 0.676), ["0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]),
        ((-300, 1000), ["-400", "-200", "0", "200", "400", "600", "800", "1000"]),
        ((0.5, 0.5), ["0.4", "0.45", "0.5", "0.55", "0.6"]),
    ],
)
def test_axes_have_round_numbers(values: tuple[float, float], ticks: list[str]) -> None:
    points = {"a": (values[0], 0.1), "b": (values[1], 0.2)}
    root = ET.fromstring(scatter_chart(points, labels=("human", "apt"), label="x"))
    found = [one for one in root.iter(f"{SVG}text") if one.get("y") == "398"]  # below the frame
    assert [one.text for one in found] == ticks


def test_the_line_ends_at_the_frame_and_names_stay_inside() -> None:
    points = {"left": (0, 0), "steep": (0.1, 5), "right": (1, 5.2)}
    root = ET.fromstring(scatter_chart(points, labels=("human", "apt"), label="x"))
    (line,) = (line for line in root.iter(f"{SVG}line") if line.get("class") == "whisker")
    assert all(20 <= float(line.attrib[key]) <= 380 for key in ("y1", "y2"))
    (name,) = (one for one in root.iter(f"{SVG}text") if one.text == "right")
    assert name.attrib["text-anchor"] == "end"


def test_a_scatter_plot_tells_pearsons_r(demo_stored: StoredResult) -> None:
    """Human scores that are a line of apt: r is 1."""
    human = {system.name: 2 * system.scores[0].value + 5 for system in demo_stored.systems}
    root = ET.fromstring(scatter_plot([demo_stored], human, metric="apt", name="people"))
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == "apt against people, 3 systems, Pearson's r = 1.000"


def test_a_scatter_plot_needs_three_systems_with_both(demo_stored: StoredResult) -> None:
    with pytest.raises(MismatchError, match="2 systems have both apt and people; a line needs three"):
        scatter_plot([demo_stored], {"baldur": 1, "dahlia": 0}, metric="apt", name="people")
    with pytest.raises(MismatchError, match="0 systems have both bleu and people"):
        scatter_plot([demo_stored], {}, metric="bleu", name="people")


def test_cases_can_be_plotted_only_where_apt_ran(demo_stored: StoredResult) -> None:
    system = replace(demo_stored.systems[0], scores=demo_stored.systems[0].scores[1:])
    with pytest.raises(OptionError, match="no cases of apt"):
        cases_plot([replace(demo_stored, systems=(system,))])
