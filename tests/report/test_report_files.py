"""Results as LaTeX and items as TSV."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anaphor.core import Result
from anaphor.report.items import HEADING, items_tsv
from anaphor.report.result_file import StoredComparison, StoredResult, StoredScore, StoredSystem
from anaphor.report.result_tables import result_latex


def stored(result: Result) -> StoredResult:
    """The invented result, whose numbers do not add up, without the checks of a file."""
    return StoredResult(
        "made",
        "9.9",
        result.settings,
        result.segments,
        None,
        3,
        tuple(
            StoredSystem(
                one.name,
                tuple(
                    StoredScore(s.metric, s.value, None, s.signature.as_dict(), str(s.signature), None, {})
                    for s in one.scores
                ),
                {},
            )
            for one in result.systems
        ),
        tuple(
            StoredComparison(c.metric, c.baseline, c.system, c.difference, (0, 0), c.p_adjusted)
            for c in result.comparisons
        ),
        (),
        {},
        0,
        None,
        None,
    )


def test_a_latex_table_marks_significance_and_explains_itself(result: Result) -> None:
    assert result_latex(stored(result)).splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"System & apt & b\_l \\",
        r"\midrule",
        r"good\_1 & 80.0 & n/a \\",
        r"bad & 50.0$^{*}$ & 25.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "% apt|pair:en-fr|version:9.9",
        "% b_l|pair:en-fr|version:9.9",
    ]


def test_the_table_of_a_result_file_names_its_systems_and_signatures(demo_stored: StoredResult) -> None:
    lines = result_latex(demo_stored).splitlines()
    assert [line.split(" & ")[0] for line in lines[4:7]] == ["baldur", "cormoran", "dahlia"]
    assert [line.split("|")[0] for line in lines[-2:]] == ["% apt", "% autoprf"]
    assert not any("|cand:" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("50%&more", r"50\%\&more"),
        ("a_b#c$d", r"a\_b\#c\$d"),
        ("{x}", r"\{x\}"),
        ("a\\b", r"a\textbackslash{}b"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
    ],
)
def test_names_are_safe_in_latex(result: Result, name: str, cell: str) -> None:
    renamed = replace(result, systems=(replace(result.systems[0], name=name),))
    assert f"\n{cell} & 80.0" in result_latex(stored(renamed))


def test_items_have_a_line_for_each_pronoun_of_each_system(result: Result) -> None:
    heading, *rows = (line.split("\t") for line in items_tsv(result).splitlines())
    assert tuple(heading) == HEADING
    places = [
        ["1", "-", "[It] is here."],
        ["2", "It is here.", "[It] was there."],
        ["3", "-", "Are [they] new?"],
    ]
    assert [row[-3:] for row in rows] == places * 2
    assert [row[:-3] for row in rows] == [
        ["good_1", "d1", "0", "0", "it", "0", "Il", "Il", "0", "-", "-", "identical"],
        ["good_1", "d1", "1", "0", "it", "0", "Il", "Il", "0", "-", "-", "identical"],
        ["good_1", "d2", "2", "1", "they", "0", "-", "ils", "3", "-", "non-pronoun:4>3", "reference_missing"],
        ["bad", "d1", "0", "0", "it", "0", "Il", "Elle", "0", "-", "-", "different"],
        ["bad", "d1", "1", "0", "it", "0", "Il", "Il", "0", "-", "-", "identical"],
        ["bad", "d2", "2", "1", "they", "0", "-", "-", "-", "-", "-", "both_missing"],
    ]


def test_items_without_documents(result: Result) -> None:
    assert items_tsv(replace(result, documents=None)).splitlines()[1].startswith("good_1\t-\t0\t0\tit\t")


@pytest.mark.parametrize("separator", ["\t", "\n"])
def test_a_separator_inside_a_name_breaks_no_row(result: Result, separator: str) -> None:
    named = f"a{separator}b"
    odd = replace(result, documents=(named,) * 3)
    rows = items_tsv(odd).split("\n")
    assert rows.pop() == ""
    assert [len(row.split("\t")) for row in rows] == [len(HEADING)] * 7
