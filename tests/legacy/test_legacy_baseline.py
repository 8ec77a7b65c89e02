"""The released baseline byte for byte, its pruning included."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, MismatchError, OptionError
from anaphor.legacy.baseline import FORMATS, Baseline, run_baseline
from anaphor.predict.lm.language_model import LanguageModel, load_lm
from anaphor.task import task_classes
from anaphor.task.streams import read_lines

FRENCH = task_classes(LanguagePair("en", "fr"))
FILLERS = {"enfr": FRENCH.other_fillers, "toy": ("le", "qui", "que", "chose")}
ARPA = """\
\\data\\
ngram 1=6
ngram 2=2

\\1-grams:
-2\t<unk>\t0
-99\t<s>\t-0.5
-1\t</s>\t0
-1\tils\t-0.25
-1.5\tc'\t-0.25
-1\tpart\t-0.5

\\2-grams:
-0.125\tils part
-0.25\tpart </s>

\\end\\
"""


@pytest.fixture(scope="module")
def toy(golden_dir: Path) -> LanguageModel:
    return load_lm(golden_dir / "lm_baseline" / "toy.arpa", scorer="own", double=True)


@pytest.fixture
def model(tmp_path: Path) -> LanguageModel:
    (tmp_path / "model.arpa").write_text(ARPA, encoding="utf-8")
    return load_lm(tmp_path / "model.arpa", scorer="own", double=True)


@pytest.mark.parametrize("layout", FORMATS)
@pytest.mark.parametrize("penalty", ["0", "-1", "-2.5"])
@pytest.mark.parametrize("name", FILLERS)
def test_outputs_are_those_of_the_released_script(
    golden_dir: Path, toy: LanguageModel, name: str, penalty: str, layout: str
) -> None:
    folder = golden_dir / "lm_baseline"
    baseline = Baseline(toy, FRENCH.fillers, FILLERS[name], penalty=float(penalty), strip_tags=True)
    lines = run_baseline(read_lines(folder / "toy.data"), baseline, layout=layout, path="toy.data")
    expected = (folder / f"out.{name}.none{penalty}.{layout}.txt").read_text(encoding="utf-8")
    assert "".join(f"{line}\n" for line in lines) == expected


def run(baseline: Baseline, line: str, layout: str) -> list[str]:
    return list(run_baseline([(1, line)], baseline, layout=layout, path="x.tsv"))


def row(slots: int) -> str:
    words = " ".join(f"REPLACE_{place} part" for place in range(slots))
    return f"ils\tils\tthey leave\t{words}\t"


@pytest.mark.parametrize(
    ("slots", "pruned", "exact"),
    [
        (1, "ils", "ils"),
        (2, "ils ils", "ils ils"),
        # 32 options cubed are more than 5000: the last placeholder takes the first word of the list.
        (3, "ils ils c'", "ils ils ils"),
        # 200 times 32 are again too many, and the fourth has no choice either.
        (4, "ils ils c' c'", "ils ils ils ils"),
    ],
)
def test_pruning_spoils_the_third_placeholder_and_the_exact_search_does_not(
    model: LanguageModel, slots: int, pruned: str, exact: str
) -> None:
    for prune, expected in ((True, pruned), (False, exact)):
        baseline = Baseline(model, FRENCH.fillers, FRENCH.other_fillers, penalty=-9, prune=prune)
        (line,) = run(baseline, row(slots), "both")
        assert line == f"ils\t{expected}"


def test_placeholders_are_found_inside_words_as_the_script_did(model: LanguageModel) -> None:
    (line,) = run(Baseline(model, ("ils",), (), penalty=-9), "ils\tils\tx\tREPLACE_0part\t", "replace")
    assert line == "ils\tils\tx\tREPLACEpart\t"


@pytest.mark.parametrize(
    ("line", "layout", "kind"),
    [
        ("ils\tils\tx", "replace", InputError),
        ("", "replace", InputError),
        ("ils ils\tils\tx\tREPLACE_0 part\t", "compare", MismatchError),
    ],
)
def test_lines_on_which_the_script_crashed_are_errors(
    model: LanguageModel, line: str, layout: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind, match=r"columns|labels"):
        run(Baseline(model, ("ils",), ()), line, layout)


def test_scores_list_what_the_pruned_search_saw(model: LanguageModel) -> None:
    with pytest.raises(OptionError, match="scores"):
        run(Baseline(model, ("ils",), (), prune=False), row(1), "scores")
