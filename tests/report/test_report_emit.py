"""Results as text, JSON, Markdown, LaTeX and TSV."""

from __future__ import annotations

import enum
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, chosen_format, print_result
from anaphor.core import Interval
from anaphor.core.table import (
    Block,
    Cell,
    Column,
    Emittable,
    JsonFields,
    Paragraph,
    Styled,
    Table,
    count,
    counted,
    format_p,
    format_percent,
    interval,
    number,
    p_equation,
    p_value,
    percent,
    plain,
    text,
)
from anaphor.report.emit import Format, Paint, emit, render, to_json


@dataclass(frozen=True)
class Example:
    value: float

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value}

    def tables(self) -> Sequence[Block]:
        columns = (text("system"), count("items"), percent("apt"), p_value("p"))
        rows = [
            ("a_b", 12, Cell(self.value, Interval(0.5, 0.75, 0.95), style="good", mark="*"), 0.00001),
            ("longer", 3, math.nan, None),
        ]
        table = Table(columns, rows, title="", notes=["[ ] 95 % interval"])
        return ["two systems", table, "", Paragraph([["plain ", Styled("red", "bad")]])]


EXPECTED: dict[Format, str] = {
    "text": (
        "two systems\n\n"
        "system  items                 apt        p\n"
        "a_b        12  61.5 [50.0, 75.0]*  <0.0001\n"
        "longer      3                 n/a\n"
        "[ ] 95 % interval\n\n"
        "plain red"
    ),
    "json": '{\n  "value": 0.615\n}',
    "markdown": (
        "two systems\n\n"
        "| system | items | apt | p |\n| --- | ---: | ---: | ---: |\n"
        "| a\\_b | 12 | 61.5\\* \\[50.0, 75.0\\] | \\<0.0001 |\n| longer | 3 | n/a |  |\n\n"
        "\\[ \\] 95 % interval\n\n"
        "plain red"
    ),
    "latex": (
        "% two systems\n\n"
        "\\begin{tabular}{lrrr}\n\\toprule\nsystem & items & apt & p \\\\\n\\midrule\n"
        "a\\_b & 12 & 61.5$^{*}$ {\\scriptsize [50.0, 75.0]} & \\textless{}0.0001 \\\\\n"
        "longer & 3 & n/a &  \\\\\n"
        "\\bottomrule\n\\end{tabular}\n% [ ] 95 % interval\n\n"
        "% plain red"
    ),
    "tsv": "system\titems\tapt\tp\na_b\t12\t61.5 [50.0, 75.0]*\t<0.0001\nlonger\t3\tn/a\t",
}


@pytest.mark.parametrize("format", EXPECTED)
def test_a_result_in_every_format(format: Format) -> None:
    assert isinstance(Example(0.615), Emittable)
    assert emit(Example(0.615), format) == EXPECTED[format]


def test_colours_change_nothing_but_colours() -> None:
    coloured = emit(Example(0.615), paint=Paint(True))
    assert "\x1b[32m61.5 [50.0, 75.0]*\x1b[0m" in coloured
    assert "plain \x1b[31mred\x1b[0m" in coloured
    assert "\x1b[2m[ ] 95 % interval\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == EXPECTED["text"]


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        (text("t"), "word", "word"),
        (text("t"), None, ""),
        (text("t"), 2016, "2016"),
        (text("t"), Styled("ours", "mark"), "ours"),
        (count("c"), 0, "0"),
        (count("c", missing="-"), None, "-"),
        (percent("%"), 1 / 3, "33.3"),
        (percent("%", 2, signed=True), 0.01, "+1.00"),
        (percent("%", 0), 0.999, "100"),
        (percent("%"), "12 (4.0)", "12 (4.0)"),
        (percent("%", missing=""), math.nan, ""),
        (percent("%", signed=True), Cell(-0.1, (-0.2, 0.05)), "-10.0 [-20.0, +5.0]"),
        (percent("%"), Cell(None), "n/a"),
        (number("n"), -0.5, "-0.500"),
        (number("n", 2, signed=True), math.inf, "+inf"),
        (interval("i"), Interval(0.1, 0.2, 0.95), "[0.100, 0.200]"),
        (interval("i"), None, ""),
        (p_value("p"), 0.0001, "0.0001"),
        (p_value("p"), 0.00009, "<0.0001"),
        (p_value("p"), math.nan, ""),
        (p_value("p", missing="n/a"), None, "n/a"),
    ],
)
def test_cells(column: Column, value: Any, shown: str) -> None:
    assert column.format(value) == shown


def test_numbers_outside_tables() -> None:
    assert [format_percent(0.12345), format_percent(None), format_percent(math.nan, missing="-")] == [
        "12.3",
        "n/a",
        "-",
    ]
    assert [format_p(1.0), format_p(None), format_p(math.nan)] == ["1.0000", "", ""]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "p < 0.0001"), (0.00005, "p < 0.0001"), (0.0001, "p = 0.0001"), (1, "p = 1.0000")],
)
def test_a_p_value_in_a_sentence_is_never_zero(value: float, shown: str) -> None:
    assert p_equation(value) == shown


def test_only_one_is_singular() -> None:
    assert [counted(n, "line") for n in (0, 1, 2, 11)] == ["0 lines", "1 line", "2 lines", "11 lines"]


def test_a_row_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="2 columns, but a row of 1"):
        Table((text("a"), text("b")), [("x",)])


def test_titles_headings_and_notes() -> None:
    table = Table((text("a"), count("b")), [("x", 1)], title="T & T", notes=[Paragraph(["n"], style="good")])
    blocks: list[Block] = [Paragraph(["H"], heading=True), table]
    assert render(blocks) == "H\n\nT & T\na  b\nx  1\nn"
    assert render(blocks, paint=Paint(True)).startswith("\x1b[1mH\x1b[0m\n\n\x1b[1mT & T\x1b[0m\n")
    assert render(blocks, "markdown").startswith("## H\n\n**T & T**\n\n| a | b |")
    assert render(blocks, "latex").startswith("% H\n\n% T & T\n\\begin{tabular}{lr}")
    assert render(blocks, "tsv") == "a\tb\nx\t1"


def test_names_do_not_reach_latex_as_commands() -> None:
    """Neither those of a terminal nor those of LaTeX, in cells, headings, titles, captions and comments."""
    evil = "a\x1b[31m\u202e\n\\input{/etc/passwd}\r%\x0b\x85b"
    table = Table((text(evil), count("n")), [(evil, 1)], title=evil, notes=[Paragraph([evil]), evil])
    blocks: list[Table | Paragraph | str] = [
        table,
        Paragraph([evil, [Styled(evil, "bold")]]),
        evil,
        replace(table, caption=evil),
    ]
    found = render(blocks, "latex")
    assert "\x1b" not in found
    for line in found.split("\n"):
        assert line.isprintable()
        assert line.startswith("% ") or "\\input" not in line


class Case(enum.Enum):
    ONE = 1


def test_json_of_any_result() -> None:
    content = {
        "nan": math.nan,
        "infinite": [math.inf, -math.inf],
        "dataclass": Example(0.5),
        Case.ONE: Case.ONE,
        "tuple": (1, "é", None, True),
        "set": {"b", "a"},
        "path": Path("x") / "y",
        "numpy": [np.float64(0.5), np.int64(3), np.array([1.0, math.nan])],
    }
    expected = {
        "nan": None,
        "infinite": [None, None],
        "dataclass": {"value": 0.5},
        "1": 1,
        "tuple": [1, "é", None, True],
        "set": ["a", "b"],
        "path": "x/y",
        "numpy": [0.5, 3, [1.0, None]],
    }
    assert plain(content) == expected
    assert json.loads(to_json(content)) == expected
    assert "é" in to_json(content)
    assert "\n" not in to_json(content, indent=None)


@dataclass(frozen=True, slots=True)
class Part(JsonFields):
    path: Path
    lines: Sequence[int]


@dataclass(frozen=True, slots=True)
class Whole(JsonFields):
    size: int
    parts: tuple[Part, ...]
    by_case: Mapping[Case, float]
    secret: int

    json_keys: ClassVar = {"size": "items", "parts": "files", "secret": None, "double": "twice"}
    json_extra = ("half", "double")

    @property
    def half(self) -> float:
        return self.size / 2

    def double(self) -> int:
        return self.size * 2


def test_results_that_are_made_of_their_fields() -> None:
    part = Part(Path("x") / "y", [1, 2])
    whole = Whole(3, (part,), {Case.ONE: math.nan}, 0)
    expected = {
        "items": 3,
        "files": [{"path": "x/y", "lines": [1, 2]}],
        "by_case": {"1": None},
        "half": 1.5,
        "twice": 6,
    }
    assert whole.to_dict() == expected
    assert list(whole.to_dict()) == list(expected)
    assert plain([whole]) == [expected]


def test_a_command_prints_the_requested_format(capsys: pytest.CaptureFixture[str]) -> None:
    parser = CommandParser(prog="anaphor example")
    add_output(parser, ("json", "markdown", "latex", "tsv")).add_argument("--output")
    for name, printed in EXPECTED.items():
        options = parser.parse_args([] if name == "text" else [f"--{name}"])
        assert chosen_format(options) == name
        print_result(options, Example(0.615))
        assert capsys.readouterr().out == printed + "\n"
    with pytest.raises(SystemExit):
        parser.parse_args(["--json", "--tsv"])


def test_json_alone_and_a_group_of_the_command() -> None:
    parser = CommandParser(prog="anaphor example")
    group = parser.add_argument_group("files")
    assert add_output(group) is group
    assert chosen_format(parser.parse_args(["--json"])) == "json"
    assert chosen_format(parser.parse_args([])) == "text"
