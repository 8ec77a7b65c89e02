"""The configuration of the original APT: every key must exist, two of them are misspelt.

`input_type` may be `possition` and the weights are called `weigths_per_case`; both are part of the
format. Relative paths belong to the working directory, not to the folder of the configuration.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from anaphor.core import OptionError, Outcome, Where
from anaphor.legacy.ini import Ini, parse_ini
from anaphor.legacy.lines import read_utf8

N = TypeVar("N", int, float)

_BOOLEANS = {
    "1": True,
    "yes": True,
    "true": True,
    "on": True,
    "0": False,
    "no": False,
    "false": False,
    "off": False,
}


@dataclass(frozen=True, slots=True)
class Inputs:
    """Section `[files]` and the separators of `[lang]`; an empty separator splits nothing."""

    source: Path
    reference: Path
    candidate: Path
    alignment_reference: Path
    alignment_candidate: Path
    source_pronouns: Path
    target_pronouns: Path
    input_type: str
    source_separator: str
    target_separator: str


@dataclass(frozen=True, slots=True)
class Dictionaries:
    """Section `[dictionary]`. Each path may lead nowhere: then there is no such list."""

    equal: Path
    similar: Path
    source_pronouns: Path
    target_pronouns: Path


@dataclass(frozen=True, slots=True)
class AptConfig:
    """A whole configuration. `weights` has one weight per listed case, or can be spread over them."""

    inputs: Inputs
    dictionaries: Dictionaries
    cases: tuple[Outcome, ...]
    weights: tuple[float, ...]
    other_is_equal: bool
    output: Path
    multiword_matrix: bool
    shown_labels: int


def read_config(config: Path, *, folder: Path) -> AptConfig:
    """Read and check a configuration; its relative paths start from `folder`."""
    ini = parse_ini(read_utf8(config), str(config))
    for unused in ("source", "target"):
        ini.entry("lang", unused)
    inputs, dictionaries = _inputs(ini, folder), _dictionaries(ini, folder)
    cases, weights = _cases(ini), _weights(ini)
    _check_lengths(ini, cases=len(cases), weights=len(weights))
    return AptConfig(
        inputs=inputs,
        dictionaries=dictionaries,
        cases=cases,
        weights=weights,
        other_is_equal=_boolean(ini, "cases", "count_OTHER_as_equal"),
        output=folder / ini.text("output", "output_file"),
        multiword_matrix=_boolean(ini, "output", "counting_multiword_in_matrix"),
        shown_labels=ini.convert("output", "max_length_matrix", _natural, wanted="a number, 0 or more"),
    )


def _inputs(ini: Ini, folder: Path) -> Inputs:
    def path(key: str) -> Path:
        return folder / ini.convert("files", key, _filled, wanted="the path of a file")

    return Inputs(
        source=path("source"),
        reference=path("reference"),
        candidate=path("target"),
        alignment_reference=path("alignment_source_reference"),
        alignment_candidate=path("alignment_source_target"),
        source_pronouns=folder / ini.text("files", "list_source_pronouns"),
        target_pronouns=folder / ini.text("files", "list_target_pronouns"),
        input_type=ini.text("files", "input_type"),
        source_separator=ini.convert("lang", "source_word_separator", _ascii, wanted="an ASCII character"),
        target_separator=ini.convert("lang", "target_word_separator", _ascii, wanted="an ASCII character"),
    )


def _dictionaries(ini: Ini, folder: Path) -> Dictionaries:
    def path(key: str) -> Path:
        return folder / ini.text("dictionary", key)

    return Dictionaries(
        equal=path("equal"),
        similar=path("similar"),
        source_pronouns=path("source_pronouns"),
        target_pronouns=path("target_pronouns"),
    )


def _cases(ini: Ini) -> tuple[Outcome, ...]:
    """The listed cases in their order. Numbers that are no case are dropped, as in the original."""
    listed = ini.convert(
        "cases", "cases_to_use", _list_of(int), wanted="case numbers from 1 to 6, such as 1,2,3"
    )
    known = {outcome.value for outcome in Outcome}
    cases = tuple(Outcome(number) for number in listed if number in known)
    if not cases:
        raise OptionError(
            "cases_to_use lists no case",
            where=Where(ini.path, ini.entry("cases", "cases_to_use").line),
            fix="list the cases to count, such as 1,2,3,4,5,6",
        )
    return cases


def _weights(ini: Ini) -> tuple[float, ...]:
    wanted = "one number per listed case, such as 1,0.5,0,0,0,0"
    return tuple(ini.convert("cases", "weigths_per_case", _list_of(_finite), wanted=wanted))


def _check_lengths(ini: Ini, *, cases: int, weights: int) -> None:
    """A single case, or a single weight, was spread over several of the other kind by NumPy."""
    if cases != weights and 1 not in (cases, weights):
        raise OptionError(
            f"weigths_per_case has {weights} weights for {cases} listed cases",
            where=Where(ini.path, ini.entry("cases", "weigths_per_case").line),
            fix="write one weight per listed case, in the same order",
        )


def _boolean(ini: Ini, section: str, key: str) -> bool:
    def read(text: str) -> bool:
        if text.lower() not in _BOOLEANS:
            raise ValueError(text)
        return _BOOLEANS[text.lower()]

    return ini.convert(section, key, read, wanted="true or false")


def _list_of(read: Callable[[str], N]) -> Callable[[str], list[N]]:
    return lambda text: [read(part) for part in text.split(",")]


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(text)
    return number


def _natural(text: str) -> int:
    if (number := int(text)) < 0:
        raise ValueError(text)
    return number


def _filled(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


def _ascii(text: str) -> str:
    if not text.isascii():
        raise ValueError(text)
    return text
