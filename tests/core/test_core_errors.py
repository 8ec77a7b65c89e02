"""Every mistake is said in three parts: what, where, how to fix it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from anaphor.core import GateError, InputWarning, OptionError, UnknownNameError, UserError, Where


def family(kind: type[UserError]) -> Iterator[type[UserError]]:
    """The class and its subclasses in `core`; other packages may add errors with more attributes."""
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == UserError.__module__:
            yield from family(child)


@pytest.mark.parametrize("kind", list(family(UserError)), ids=lambda kind: kind.__name__)
def test_every_kind_of_error_has_three_parts_and_an_exit_code(kind: type[UserError]) -> None:
    error = kind("it broke", where=Where("a.fr", 3, 7), fix="repair it")
    assert str(error) == "error: it broke\nwhere: a.fr:3:7\nfix:   repair it"
    code = 3 if kind is GateError else 1  # a build server tells a failed gate from bad input
    assert (error.what, error.fix, error.exit_code) == ("it broke", "repair it", code)


def test_python_sees_arguments_and_the_command_line_options() -> None:
    fix = "leave --alignment-candidate out, or run `anaphor score --paired` with --any-language"
    error = OptionError("no name", where="--metrics", fix=fix)
    assert error.message == f"error: no name\nwhere: --metrics\nfix:   {fix}"
    assert str(error) == (
        "error: no name\nwhere: metrics\n"
        "fix:   leave system_alignments out, or run `anaphor score --paired` with any_language"
    )


@pytest.mark.parametrize("kind", list(family(UserError)), ids=lambda kind: kind.__name__)
def test_an_error_can_be_sent_to_another_process(kind: type[UserError]) -> None:
    error = pickle.loads(pickle.dumps(kind("it broke", where=Where("a.fr", 3), fix="repair it")))  # noqa: S301
    assert type(error) is kind
    assert (error.what, error.where, error.fix) == ("it broke", Where("a.fr", 3), "repair it")


def test_the_family_is_the_one_the_module_draws() -> None:
    children = {"InputError", "MismatchError", "UnknownNameError", "OptionError", "CheckError", "GateError"}
    assert {kind.__name__ for kind in family(UserError)} == {"UserError", *children}


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Where("a.fr"), "a.fr"),
        (Where("a.fr", 3), "a.fr:3"),
        (Where("a.fr", 3, 7), "a.fr:3:7"),
        (Where("<stdin>", 1), "<stdin>:1"),
    ],
)
def test_a_place_shows_what_is_known_of_it(where: Where, text: str) -> None:
    assert str(where) == text


def test_a_place_may_be_given_as_text() -> None:
    assert OptionError("no", where="--pair", fix="yes").where == Where("--pair")


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("blue", "did you mean bleu? known: apt, bleu, chrf"),
        ("ap", "did you mean apt? known: apt, bleu, chrf"),
        ("xyz", "known: apt, bleu, chrf"),
    ],
)
def test_an_unknown_name_gets_a_suggestion_only_where_one_is_near(name: str, fix: str) -> None:
    error = UnknownNameError.among(name, ["chrf", "apt", "bleu"], kind="metric", where="--metrics")
    assert (error.what, str(error.where), error.fix) == (f"unknown metric: {name}", "--metrics", fix)


def test_of_hundreds_of_names_only_a_few_are_listed() -> None:
    known = [f"talk.{number:03}" for number in range(250)]
    error = UnknownNameError.among("talk.25", known, kind="item", where="--item")
    assert error.fix.startswith("did you mean talk.")
    assert error.fix.endswith("talk.008, talk.009, and 240 more")
    assert len(error.fix) < 200


def test_a_tolerance_is_a_warning_and_no_error() -> None:
    assert issubclass(InputWarning, UserWarning)
    assert not issubclass(InputWarning, UserError)
