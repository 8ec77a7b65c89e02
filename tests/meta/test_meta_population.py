"""Items of a result, their categories, and the strata they fall into."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Outcome, UserError
from anaphor.meta.grid import CaseCounts
from anaphor.meta.population import Unit, read_categories, read_population, require_result, stratify

ITEMS = """\
system\tdocument\tsegment\ttoken\tpronoun\toutcome
a\tone\t0\t0\tit\tidentical
a\tone\t1\t2\tthey\tdifferent
b\tone\t0\t0\tit\tequivalent
b\tone\t1\t2\tthey\tidentical
"""


def write(folder: Path, content: str, name: str = "items.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def units(system: str, **counts: int) -> list[Unit]:
    """So many units of each case; every third is `they`, the others `it`."""
    found: list[Unit] = []
    for outcome, count in counts.items():
        for i in range(count):
            category = "they" if i % 3 == 0 else "it"
            found.append(Unit(system, f"{len(found)}:0", Outcome[outcome], category, "-"))
    return found


def test_without_categories_the_form_of_a_pronoun_is_its_category(tmp_path: Path) -> None:
    found = read_population(write(tmp_path, ITEMS))
    assert found[1] == Unit("a", "1:2", Outcome.DIFFERENT, "they", "one")
    assert [unit.category for unit in found] == ["it", "they", "it", "they"]


def test_a_table_gives_categories(tmp_path: Path) -> None:
    table = write(tmp_path, "segment\ttoken\tcategory\n0\t0\tpleonastic\n1\t2\tanaphoric\n", "c.tsv")
    found = read_population(write(tmp_path, ITEMS), categories=table)
    assert [unit.category for unit in found] == ["pleonastic", "anaphoric"] * 2


def test_categories_of_no_item_are_noted(tmp_path: Path) -> None:
    table = write(tmp_path, "id\tcategory\n0:0\tx\n1:2\ty\n9:9\tz\n", "c.tsv")
    with pytest.warns(InputWarning, match="1 categories are of no item"):
        read_population(write(tmp_path, ITEMS), categories=table)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ("id\tcategory\n0:0\tx\n", "1:2 has no category"),
        ("id\tcategory\n0:0\tx\n0:0\ty\n", "0:0 is x and y"),
        ("id\tcategory\n0:0\t\n1:2\tx\n", "category: missing"),
    ],
)
def test_a_table_that_does_not_name_one_category_each_is_refused(
    tmp_path: Path, table: str, what: str
) -> None:
    with pytest.raises(UserError, match=what):
        read_population(write(tmp_path, ITEMS), categories=write(tmp_path, table, "c.tsv"))


def test_the_same_category_may_be_named_twice(tmp_path: Path) -> None:
    assert read_categories(write(tmp_path, "id\tcategory\n0:0\tx\n0:0\tx\n")) == {"0:0": "x"}


def test_an_item_with_two_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0:0 of a has two rows"):
        read_population(write(tmp_path, ITEMS + ITEMS.splitlines()[1] + "\n"))


@pytest.mark.parametrize(
    "systems",
    [
        {"a": (1, 0, 1, 0, 0, 0)},
        {"a": (1, 0, 1, 0, 0, 0), "b": (2, 0, 0, 0, 0, 0)},
        {"a": (1, 0, 1, 0, 0, 0), "b": (1, 1, 0, 0, 0, 0), "c": (1, 1, 0, 0, 0, 0)},
    ],
    ids=["system too many", "other cases", "system missing"],
)
def test_items_of_another_result_are_refused(tmp_path: Path, systems: dict[str, tuple[int, ...]]) -> None:
    found = read_population(write(tmp_path, ITEMS))
    with pytest.raises(MismatchError, match="are not those of the result"):
        require_result(found, CaseCounts("paper", "the result", systems), path="items.tsv")


def test_items_of_the_result_are_taken(tmp_path: Path) -> None:
    counts = {"a": (1, 0, 1, 0, 0, 0), "b": (1, 1, 0, 0, 0, 0)}
    require_result(read_population(write(tmp_path, ITEMS)), CaseCounts("paper", "r", counts), path="i")


def test_strata_are_system_then_case_then_category() -> None:
    found = stratify([*units("a", IDENTICAL=90, DIFFERENT=20), *units("b", IDENTICAL=30)], least=30)
    assert {stratum.name: len(stratum.units) for stratum in found} == {
        "a/identical/it": 60,
        "a/identical/they": 30,
        "a/rare": 20,
        "b/identical": 30,
    }


def test_rare_cases_are_joined_but_never_with_identical_ones() -> None:
    found = stratify(units("a", IDENTICAL=3, EQUIVALENT=4, DIFFERENT=40, BOTH_MISSING=2), least=30)
    assert {stratum.name: len(stratum.units) for stratum in found} == {
        "a/identical": 3,
        "a/different": 40,
        "a/rare": 6,
    }


def test_small_categories_of_a_case_are_joined() -> None:
    found = stratify(units("a", IDENTICAL=60), least=30)
    assert [stratum.name for stratum in found] == ["a/identical/it", "a/identical/*"]


def test_a_case_of_one_category_is_not_parted() -> None:
    same = [Unit("a", f"{i}:0", Outcome.IDENTICAL, "it", "-") for i in range(40)]
    assert [stratum.name for stratum in stratify(same, least=30)] == ["a/identical"]


def test_strata_that_cannot_be_told_apart_are_refused() -> None:
    star = [Unit("a", f"{i}:1", Outcome.IDENTICAL, "*", "-") for i in range(30)]
    with pytest.raises(InputError, match=r"two strata would be called a/identical/\*"):
        stratify([*units("a", IDENTICAL=60), *star], least=30)


def test_strata_need_a_size() -> None:
    with pytest.raises(OptionError, match="strata of 0 items"):
        stratify(units("a", IDENTICAL=3), least=0)
