"""Settings are checked at birth; files and settings are values."""

from __future__ import annotations

import hashlib
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import PAPER_WEIGHTS, Files, OptionError, Settings, Signature, digest
from anaphor.metrics.options import option_value


def test_the_defaults_are_the_best_options_of_the_paper() -> None:
    """apt-2017, Tables 3 and 4, and section 2.4: nothing is discarded."""
    settings = Settings(pair="en-fr")
    assert option_value(settings, "weights") == PAPER_WEIGHTS == (1, 0.5, 0, 0, 0, 0)
    assert option_value(settings, "discard") == ()
    assert (settings.metrics, settings.repair, settings.options) == (("apt", "autoprf"), True, {})


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("metrics", {"metrics": ()}),
        ("outside-links", {"outside_links": "repair"}),
        ("recognize", {"recognize": "tagger"}),
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


def test_a_signature_is_one_line_with_the_version_last() -> None:
    signature = Signature("apt", (("weights", "1,0.5"), ("pair", "en-fr")), "0.1.0")
    assert str(signature) == "apt|weights:1,0.5|pair:en-fr|version:0.1.0"


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a|b", "a%7Cb"), ("a:b", "a%3Ab"), ("50%", "50%25"), ("%7C", "%257C"), ("c'", "c'"), ("ça", "ça")],
)
def test_separators_inside_values_are_escaped(value: str, shown: str) -> None:
    assert str(Signature("apt", (("pronouns", value),), "1")) == f"apt|pronouns:{shown}|version:1"


@given(st.text())
def test_two_different_values_never_print_alike(value: str) -> None:
    def printed(text: str) -> str:
        return str(Signature("m", (("k", text),), "1"))

    assert printed(value + "|") != printed(value + "%7C")
    assert printed(value).count("|") == 2


def test_the_fields_for_json_are_not_escaped() -> None:
    signature = Signature("apt", (("pronouns", "a|b"),), "0.1.0")
    assert signature.as_dict() == {"name": "apt", "pronouns": "a|b", "version": "0.1.0"}


def test_a_digest_is_twelve_hex_digits_of_sha_256_over_parts_and_lengths() -> None:
    expected = hashlib.sha256(b"ab" + (2).to_bytes(8, "big")).hexdigest()[:12]
    assert digest([b"ab"]) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([b"ab"], [b"a", b"b"]),
        ([b"a", b"bc"], [b"ab", b"c"]),
        ([b"a"], [b"a", b""]),
        ([], [b""]),
        ([b"a", b"b"], [b"b", b"a"]),
    ],
)
def test_a_digest_does_not_merge_parts(one: list[bytes], other: list[bytes]) -> None:
    assert digest(one) != digest(other)
