"""Options of recipes: what a declaration refuses, and where the error says that it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from anaphor.core import OptionError, UnknownNameError, UserError
from anaphor.predict.options import Options, option, option_table, parse_options


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample(Options):
    depth: int = option(3, "levels", least=1, most=9)
    rate: float = option(0.5, "learning rate", least=0)
    sizes: tuple[int, ...] = option((1, 2), "widths", least=1)
    layers: tuple[str, ...] = option(("word",), "layers", choices=("word", "tag"))
    mode: str = option("fast", "mode", choices=("fast", "slow"))
    free: str = option("", "any text")


@pytest.mark.parametrize(
    ("values", "error", "what", "fix"),
    [
        (
            {"depth": 0},
            OptionError,
            "depth must be between 1 and 9, got 0",
            "choose a value that is between 1 and 9",
        ),
        (
            {"depth": 10},
            OptionError,
            "depth must be between 1 and 9, got 10",
            "choose a value that is between 1 and 9",
        ),
        (
            {"rate": -0.1},
            OptionError,
            "rate must be at least 0, got -0.1",
            "choose a value that is at least 0",
        ),
        (
            {"rate": math.nan},
            OptionError,
            "rate must be at least 0, got nan",
            "choose a value that is at least 0",
        ),
        (
            {"sizes": (4, 0)},
            OptionError,
            "sizes must be at least 1, got 0",
            "choose a value that is at least 1",
        ),
        (
            {"layers": ("word", "tags")},
            UnknownNameError,
            "unknown value of layers: tags",
            "did you mean tag?",
        ),
        ({"mode": "quick"}, UnknownNameError, "unknown value of mode: quick", "known: fast, slow"),
    ],
)
def test_a_value_out_of_range_is_an_error_on_construction_and_in_a_recipe(
    values: dict[str, Any], error: type[UserError], what: str, fix: str
) -> None:
    name = next(iter(values))
    with pytest.raises(error) as made:
        Sample(**values)
    assert (made.value.what, str(made.value.where)) == (what, name)
    assert made.value.fix.startswith(fix)
    with pytest.raises(error) as parsed:
        parse_options(Sample, values, where="my-recipe, options")
    assert (parsed.value.what, str(parsed.value.where)) == (what, f"my-recipe, options, {name}")


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"dept": 3}, "unknown option: dept"),
        ({"depth": 2.0}, "not a whole number: 2.0"),
        ({"depth": True}, "not a whole number: True"),
        ({"free": 1}, "not text: 1"),
        ({"sizes": ["1"]}, r"not a list of whole numbers: \['1'\]"),
        ({"layers": "word"}, "not a list of names: 'word'"),
        ([3], "options are not a table"),
    ],
)
def test_a_value_of_another_type_is_an_error(values: Any, what: str) -> None:
    with pytest.raises(UserError, match=what):
        parse_options(Sample, values, where="my-recipe")


def test_bounds_are_inclusive_and_numbers_are_converted() -> None:
    found = parse_options(
        Sample, {"depth": 9, "rate": 0, "sizes": [1], "layers": ["tag", "word"], "mode": "slow"}, where=""
    )
    assert found == Sample(depth=9, rate=0.0, sizes=(1,), layers=("tag", "word"), mode="slow")
    assert type(found.rate) is float
    assert Sample(depth=1).depth == 1


def test_the_table_of_options_is_in_the_order_of_their_declaration() -> None:
    rows = [(row.name, row.default, row.help) for row in option_table(Sample)]
    assert rows[:2] == [("depth", 3, "levels"), ("rate", 0.5, "learning rate")]
    assert len(rows) == 6
