"""Settings are checked at birth; files and settings are values."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from anaphor.core import PAPER_WEIGHTS, Files, OptionError, Settings


def test_the_defaults_are_the_best_options_of_the_paper() -> None:
    """apt-2017, Tables 3 and 4, and section 2.4: nothing is discarded."""
    settings = Settings(pair="en-fr")
    assert settings.weights == PAPER_WEIGHTS == (1, 0.5, 0, 0, 0, 0)
    assert (settings.metrics, settings.discard, settings.repair) == (("apt", "autoprf"), (), True)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("metrics", {"metrics": ()}),
        ("outside-links", {"outside_links": "repair"}),
        ("samples", {"samples": 99}),
        ("samples", {"samples": -1}),
        ("paired", {"samples": 0, "paired": True}),
        ("level", {"level": 1.0}),
        ("level", {"level": 0.4}),
        ("level", {"level": float("nan")}),
        ("seed", {"seed": -1}),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(option: str, values: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as caught:
        Settings(pair="en-fr", **values)
    assert str(caught.value.where) == f"--{option}"
    assert caught.value.fix


@pytest.mark.parametrize("values", [{"samples": 0}, {"samples": 100}, {"level": 0.5}, {"seed": 0}])
def test_the_edges_of_the_ranges_are_allowed(values: dict[str, Any]) -> None:
    assert Settings(pair="en-fr", **values)


def test_equal_experiments_are_equal_and_cannot_change() -> None:
    assert Settings(pair="en-fr") == Settings(pair="en-fr") != Settings(pair="en-de")
    assert Files(source="a") == Files(source="a")
    with pytest.raises(FrozenInstanceError):
        Settings(pair="en-fr").pair = "en-de"  # type: ignore[misc]


def test_every_path_of_an_experiment_is_listed_and_no_name() -> None:
    files = Files(
        source="s",
        references=("r1", "r2"),
        candidates=(("name", "c"),),
        bundle="b",
        documents="d",
        positions="p",
        reference_alignments=("ra",),
        candidate_alignments=("ca",),
    )
    assert sorted(files.paths()) == sorted(["s", "r1", "r2", "c", "b", "d", "p", "ra", "ca"])
    assert Files().paths() == ()
