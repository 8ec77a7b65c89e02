"""A result as text: tables, parts, comparisons, colour."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from anaphor.core import Counterpart, Result
from anaphor.core.table import Style
from anaphor.core.table import format_percent as percent
from anaphor.report.emit import Paint, render
from anaphor.report.emit import text_table as table
from anaphor.report.result_tables import result_blocks

PLAIN, COLOUR = Paint(False), Paint(True)


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


@pytest.mark.parametrize(
    ("value", "shown"), [(0.5, "50.0"), (1.0, "100.0"), (0.12345, "12.3"), (math.nan, "n/a")]
)
def test_scores_are_percent_in_tables(value: float, shown: str) -> None:
    assert percent(value) == shown


def test_columns_are_aligned_first_left_others_right() -> None:
    assert table([["name", "x"], ["a", "1.0"], ["long name", "10.0"]], paint=PLAIN).splitlines() == [
        "name          x",
        "a           1.0",
        "long name  10.0",
    ]


def test_chinese_characters_take_two_columns_of_a_terminal() -> None:
    rows = [("form", "count"), ("他们", "2"), ("it", "11")]
    assert table(rows, paint=Paint(False)).split("\n") == ["form  count", "他们      2", "it       11"]


def test_colour_codes_do_not_count_in_the_width_of_a_column() -> None:
    coloured = table([["name", "x"], ["a", COLOUR.apply("good", "1")], ["b", "22"]], paint=PLAIN)
    assert coloured.replace("\x1b[32m", "").replace("\x1b[0m", "").splitlines()[1] == "a      1"


@pytest.mark.parametrize("style", ["bold", "good", "bad", "mark", "dim"])
def test_paint_marks_text_only_where_it_is_enabled(style: Style) -> None:
    assert PLAIN.apply(style, "text") == "text"
    assert COLOUR.apply(style, "") == ""
    painted = COLOUR.apply(style, "text")
    assert painted.startswith("\x1b[")
    assert painted.endswith("mtext\x1b[0m")


def test_the_text_has_all_its_parts_in_order(result: Result) -> None:
    rows = words(
        render(result_blocks(result, ("case", "pronoun", "document", "matrix"), full_signature=True))
    )
    for row in (
        ["good_1", "80.0", "[70.0,", "90.0]", "n/a"],
        ["bad", "50.0", "[40.0,", "60.0]", "25.0"],
        ["[", "]", "95", "%", "interval"],
        ["good_1", "2", "0", "0", "0", "1", "0"],
        ["bad", "1", "0", "1", "0", "0", "1"],
        ["they", "n/a", "n/a"],
        ["d2", "25.0", "25.0"],
        ["good_1:", "reference", "down", "il", "elle"],
        ["il", "1", "2"],
        ["bad", "apt", "-30.0", "[-50.0,", "-10.0]", "0.0200", "0.0100", "0.5000", "0.0400", "20.0"],
        ["bad", "b_l", "+5.0", "[-10.0,", "+20.0]", "0.7000", "0.6000", "0.7000", "20.0"],
        ["apt|pair:en-fr|version:9.9"],
    ):
        assert row in rows
        rows = rows[rows.index(row) :]


def test_the_heading_counts_segments_documents_and_pronouns(result: Result) -> None:
    heading = render(result_blocks(result), paint=PLAIN).splitlines()[0]
    assert heading == "en-fr, 3 segments, 2 documents, 3 pronouns (it 2, they 1)"


def test_what_is_not_there_is_left_out(result: Result) -> None:
    systems = tuple(
        replace(system, verdicts=(), scores=tuple(replace(s, interval=None) for s in system.scores))
        for system in result.systems
    )
    settings = replace(result.settings, paired=False, samples=0)
    bare = replace(result, systems=systems, documents=None, comparisons=(), settings=settings)
    text = render(result_blocks(bare), paint=PLAIN)
    assert text.splitlines()[0] == "en-fr, 3 segments"
    for absent in ("interval", "case", "against", "documents"):
        assert absent not in text


def test_significant_differences_are_coloured_by_their_sign(result: Result) -> None:
    """The first comparison has p = 0.04 after Holm, the second 0.7."""
    better = replace(result, comparisons=(replace(result.comparisons[0], difference=0.3),))
    assert "\x1b[31m-30.0 [-50.0, -10.0]\x1b[0m" in render(result_blocks(result), paint=COLOUR)
    assert "\x1b[32m+30.0 [-50.0, -10.0]\x1b[0m" in render(result_blocks(better), paint=COLOUR)
    assert "m+5.0" not in render(result_blocks(result), paint=COLOUR)


def test_a_p_value_is_never_shown_as_zero(result: Result) -> None:
    tiny = replace(result.comparisons[0], p_permutation=0.00001)
    assert " <0.0001 " in render(result_blocks(replace(result, comparisons=(tiny,))), paint=PLAIN)


def test_without_colour_there_is_no_escape(result: Result) -> None:
    assert "\x1b" not in render(result_blocks(result, ("case", "pronoun", "document", "matrix")), paint=PLAIN)


def test_words_that_match_together_are_counted_the_most_frequent_first(result: Result) -> None:
    """Linked to one pronoun, *il* and *qu'* stand in reference and candidate twice, *c'* and *est* once."""
    both = [("il", "qu'"), ("c'", "est"), ("qu'", "il")]
    first = result.systems[0]
    linked = [
        replace(verdict, pair=replace(verdict.pair, references=(_linked(words),), candidate=_linked(words)))
        for verdict, words in zip(first.verdicts, both, strict=True)
    ]
    systems = (replace(first, verdicts=tuple(linked)), *result.systems[1:])
    text = render(result_blocks(replace(result, systems=systems), ("clipped",)), paint=PLAIN)
    assert (
        """\
clipped counts above one  good_1  bad
il qu'                         2    0
c' est                         1    0
all                            3    0
"""
        in text
    )


def _linked(words: tuple[str, ...]) -> Counterpart:
    return Counterpart(tuple(range(len(words))), words, ())
