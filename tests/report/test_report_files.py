"""Results as LaTeX and items as TSV."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.core import Bound, Interval, Result
from anaphor.corpus import Inputs
from anaphor.corpus.memory import text_of
from anaphor.report.result_tables import result_latex
from anaphor.report.rows import HEADING, items_tsv
from anaphor.report.stored import StoredComparison, StoredResult, StoredScore, StoredSystem


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


def test_a_latex_table_marks_gains_and_losses_and_explains_itself(result: Result) -> None:
    better = replace(result.comparisons[0], system="bad", metric="b_l", difference=0.1, p_adjusted=0.01)
    marked = replace(result, comparisons=(*result.comparisons, better))
    limits = Bound("reference", {"apt": 0.9}, {"apt": Interval(0.8, 0.95, 0.95)}, {"apt": {}})
    made = replace(stored(marked), ceiling={"apt": 0.9}, bounds=(limits,))
    assert result_latex(made).splitlines() == [
        r"\begin{table*}[t]",
        r"\centering",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"System & APT & b\_l \\",
        r"\midrule",
        r"good\_1 & \textbf{80.0} & n/a \\",
        r"bad & 50.0$^{\downarrow}$ & \textbf{25.0}$^{\uparrow}$ \\",
        r"\midrule",
        r"reference & 90.0 {\scriptsize [80.0, 95.0]} & n/a \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\caption{Pronoun translation, en-fr (3 segments, 3 pronouns), in percent. Bold: the best system. "
        r"$\uparrow$ better and $\downarrow$ worse than good\_1, significantly (paired permutation test, "
        r"Holm-corrected, p \textless{} 0.05). The reference scored against itself reaches 90.0 APT. "
        r"Signatures: apt\textbar\allowbreak{}pair:en-fr\textbar\allowbreak{}sig:bb23fc5aac90"
        r"\textbar\allowbreak{}version:9.9, "
        r"b\_l\textbar\allowbreak{}pair:en-fr\textbar\allowbreak{}sig:16b19e213dc3\textbar\allowbreak{}version:9.9}",
        r"\end{table*}",
        "% apt|pair:en-fr|version:9.9",
        "% b_l|pair:en-fr|version:9.9",
    ]


def test_values_that_are_printed_alike_are_best_together(demo_stored: StoredResult) -> None:
    first, second, third = demo_stored.systems
    near = replace(second, scores=tuple(replace(s, value=s.value + 0.0001) for s in first.scores))
    rows = result_latex(replace(demo_stored, systems=(first, near, third), comparisons=())).splitlines()[6:9]
    assert [row.split(" & ")[1].startswith(r"\textbf") for row in rows] == [True, True, False]


def test_the_table_of_a_result_file_names_its_systems_and_signatures(demo_stored: StoredResult) -> None:
    lines = result_latex(demo_stored).splitlines()
    assert [line.split(" & ")[0] for line in lines[6:9]] == ["baldur", "cormoran", "dahlia"]
    assert [line.split("|")[0] for line in lines[-2:]] == ["% apt", "% autoprf"]
    assert not any("cand:" in line for line in lines)


def test_a_latex_table_is_well_formed(demo_stored: StoredResult) -> None:
    """Every brace and environment is closed, every row has as many cells, math is closed in its cell."""
    renamed = replace(demo_stored.systems[0], name="[a] {b} $c$ & d_e^2 * 5 % |~ \\x")
    latex = result_latex(replace(demo_stored, systems=(renamed, *demo_stored.systems[1:]), comparisons=()))
    body = re.sub(r"(?m)^%.*", "", latex)
    assert re.findall(r"\\(begin|end)\{([a-z*]+)\}", body) == [
        ("begin", "table*"),
        ("begin", "tabular"),
        ("end", "tabular"),
        ("end", "table*"),
    ]
    plain = re.sub(r"\\[{}$&%#_]", "", body.replace(r"\\", ""))
    depth = 0
    for character in plain:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    rows = [line for line in re.sub(r"\\[&$]", "", body).splitlines() if line.endswith(r"\\")]
    assert {row.count("&") for row in rows} == {4}
    assert all(row.count("$") % 2 == 0 for row in rows)
    # A bracket at the start of a row would be an argument of the row before.
    assert rows[1].startswith("{}[a]")


@pytest.mark.skipif(
    not any(map(shutil.which, ("tectonic", "pdflatex"))), reason="neither tectonic nor pdflatex is installed"
)
def test_a_latex_table_compiles(demo_stored: StoredResult, tmp_path: Path) -> None:
    page = r"\documentclass{article}\usepackage{booktabs}\begin{document}" + "\n"
    (tmp_path / "page.tex").write_text(page + result_latex(demo_stored) + "\n\\end{document}\n", "utf-8")
    program = shutil.which("tectonic") or shutil.which("pdflatex")
    assert program
    options = [] if program.endswith("tectonic") else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([program, *options, "page.tex"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


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


SOURCE = "It is here.\nIt was there.\nAre they new?"
REFERENCE = "Il est là.\nIl était là.\nSont-ils neufs ?"


def texts(*, reference: bool = True) -> Inputs:
    """The texts of the result, one for both systems."""
    source, translation = text_of(SOURCE, name="source"), text_of(REFERENCE, name="reference")
    other = text_of("Elle est là.\nIl était là.\nNeufs ?", name="bad")
    references = (translation,) if reference else ()
    return Inputs(source, references, {"good_1": translation, "bad": other})


def test_items_have_a_line_for_each_pronoun_of_each_system(result: Result) -> None:
    heading, *rows = (line.split("\t") for line in items_tsv(result, texts()).splitlines())
    assert tuple(heading) == HEADING
    places = [
        ["1", "-", "[It] is here.", "Il est là."],
        ["2", "It is here.", "[It] was there.", "Il était là."],
        ["3", "-", "Are [they] new?", "Sont-ils neufs ?"],
    ]
    assert [row[-5:-1] for row in rows] == places * 2
    good, bad = (
        ["Il est là.", "Il était là.", "Sont-ils neufs ?"],
        ["Elle est là.", "Il était là.", "Neufs ?"],
    )
    assert [row[-1] for row in rows] == [*good, *bad]
    assert [row[:-5] for row in rows] == [
        ["good_1", "d1", "0", "0", "it", "0", "Il", "Il", "0", "-", "-", "identical"],
        ["good_1", "d1", "1", "0", "it", "0", "Il", "Il", "0", "-", "-", "identical"],
        ["good_1", "d2", "2", "1", "they", "0", "-", "ils", "3", "-", "non-pronoun:4>3", "reference_missing"],
        ["bad", "d1", "0", "0", "it", "0", "Il", "Elle", "0", "-", "-", "different"],
        ["bad", "d1", "1", "0", "it", "0", "Il", "Il", "0", "-", "-", "identical"],
        ["bad", "d2", "2", "1", "they", "0", "-", "-", "-", "-", "-", "both_missing"],
    ]


def test_items_without_documents(result: Result) -> None:
    without = items_tsv(replace(result, documents=None), texts())
    assert without.splitlines()[1].startswith("good_1\t-\t0\t0\tit\t")


def test_items_without_a_reference(result: Result) -> None:
    first = items_tsv(result, texts(reference=False)).splitlines()[1]
    assert first.endswith("[It] is here.\t-\tIl est là.")


@pytest.mark.parametrize("separator", ["\t", "\n"])
def test_a_separator_inside_a_name_breaks_no_row(result: Result, separator: str) -> None:
    named = f"a{separator}b"
    odd = replace(result, documents=(named,) * 3)
    rows = items_tsv(odd, texts()).split("\n")
    assert rows.pop() == ""
    assert [len(row.split("\t")) for row in rows] == [len(HEADING)] * 7
