"""The released baseline byte for byte, its pruning included."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, MismatchError, OptionError
from anaphor.legacy import baseline as legacy_baseline
from anaphor.legacy.baseline import FORMATS, Baseline, run_baseline
from anaphor.recipes.lm.language_model import LanguageModel, load_lm
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


@pytest.mark.parametrize(("most", "expected"), [(4, "ils ils"), (3, "ils c'")])
def test_fillings_are_pruned_once_there_are_more_than_the_limit(
    model: LanguageModel, monkeypatch: pytest.MonkeyPatch, most: int, expected: str
) -> None:
    """Two fillers make four fillings of two placeholders; the first three of the list are kept."""
    monkeypatch.setattr(legacy_baseline, "_MOST", most)
    monkeypatch.setattr(legacy_baseline, "_KEPT", 3)
    monkeypatch.setattr(Baseline, "_options", lambda self: self.fillers)
    (line,) = run(Baseline(model, ("c'", "ils"), ()), row(2), "both")
    assert line == f"ils\t{expected}"


class Constant:
    """A model under which every sentence has the same score."""

    def __init__(self, score: float) -> None:
        self.score = score


@pytest.mark.parametrize(("fillers", "shown"), [(998, 999), (999, 0)])
def test_a_share_of_a_thousandth_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, fillers: int, shown: int
) -> None:
    """Fillers and nothing have equal shares of exactly one: one thousandth is 0.001 to the last bit."""
    monkeypatch.setattr(legacy_baseline, "sentence_score", lambda model, words: model.score)
    model: LanguageModel = Constant(0.0)  # type: ignore[assignment]
    words = tuple(f"w{number}" for number in range(fillers))
    _, item = run(Baseline(model, words, ()), row(1), "scores")
    assert item.split("\t")[2].count("0.0010") == shown


def test_a_line_without_labels_has_no_distribution(model: LanguageModel) -> None:
    line = "\t\tthey leave\tREPLACE_0 part\t"
    assert run(Baseline(model, ("ils",), ()), line, "scores") == ["0\tTEXT\tthey leave\tREPLACE_0 part\t"]


def test_the_class_of_a_filler(model: LanguageModel) -> None:
    baseline = Baseline(model, ("ils", "c'", "ça", "cela"), ("le",))
    found = {filler: baseline.class_of(filler) for filler in ("ils", "c'", "ça", "cela", "le", None)}
    other = "OTHER"
    assert found == {"ils": "ils", "c'": "ce", "ça": "ça", "cela": "cela", "le": other, None: other}


def test_all_tags_of_a_token_are_stripped(model: LanguageModel) -> None:
    baseline = Baseline(model, ("ils",), (), strip_tags=True, lower=True)
    assert baseline.word("Être|VER|PRES:x.y") == "être"
    assert Baseline(model, ("ils",), ()).word("Être|VER") == "Être|VER"


@pytest.mark.parametrize(
    ("score", "penalty", "shown"),
    [
        (-10.0, 0.0, "ils 0.3333 c' 0.3333 NONE 0.3333"),
        # The script subtracted the highest penalty, not the highest score: low scores underflow to zero.
        (-800.0, 0.0, ""),
        (-800.0, -790.0, ""),
    ],
)
def test_distributions_are_relative_to_the_highest_penalty(
    monkeypatch: pytest.MonkeyPatch, score: float, penalty: float, shown: str
) -> None:
    monkeypatch.setattr(legacy_baseline, "sentence_score", lambda model, words: model.score)
    model: LanguageModel = Constant(score)  # type: ignore[assignment]
    _, item = run(Baseline(model, ("ils", "c'"), (), penalty=penalty), row(1), "scores")
    assert sorted(item.split("\t")[2].split()) == sorted(shown.split())
