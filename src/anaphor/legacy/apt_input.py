"""The configuration of the original APT: every key must exist, two of them are misspelt.

`input_type` may be `possition` and the weights are called `weigths_per_case`; both are part of the
format. Relative paths belong to the working directory, not to the folder of the configuration.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Outcome, Pronoun, Where
from anaphor.legacy.python27 import Ini, is_file, old_lower, parse_ini, plain_lines, read_utf8, segment_lines

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
class AptInputs:
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

    inputs: AptInputs
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


def _inputs(ini: Ini, folder: Path) -> AptInputs:
    def path(key: str) -> Path:
        return folder / ini.convert("files", key, _filled, wanted="the path of a file")

    return AptInputs(
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


Groups = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Lists:
    """The optional lists, empty where absent, and a console line for each absent one.

    `target` reduces what is aligned to listed words. The two lists of the repair are separate:
    without `repair_target` there is no repair, `repair_source` holds the pronouns that block it.
    """

    target: tuple[str, ...]
    equal: Groups
    similar: Groups
    repair_source: frozenset[str]
    repair_target: frozenset[str]
    absent: tuple[str, ...]


def read_lists(settings: AptConfig) -> Lists:
    """Read every optional list; a path that is no file means that there is no such list."""
    paths = settings.dictionaries
    target = read_word_list(settings.inputs.target_pronouns)
    equal, similar = read_groups(paths.equal), read_groups(paths.similar)
    repair_source, repair_target = (
        read_word_list(paths.source_pronouns),
        read_word_list(paths.target_pronouns),
    )
    names = (
        ("list of target pronouns", target),
        ("dictionary of equal pronouns", equal),
        ("dictionary of similar pronouns", similar),
        ("dictionary of source pronouns", repair_source),
        ("dictionary of target pronouns", repair_target),
    )
    return Lists(
        target=target or (),
        equal=equal or (),
        similar=similar or (),
        repair_source=frozenset(repair_source or ()),
        repair_target=frozenset(repair_target or ()),
        absent=tuple(f"Not {name}" for name, found in names if found is None),
    )


def read_word_list(path: Path) -> tuple[str, ...] | None:
    """The words of a list; None if there is no such file."""
    if not is_file(path):
        return None
    words = (old_lower(line.strip()) for line in read_utf8(path).splitlines())
    return tuple(word for word in words if word)


def read_groups(path: Path) -> Groups | None:
    """The groups of a dictionary, one a line, words between commas; None if there is no such file."""
    lines = read_word_list(path)
    return None if lines is None else [line.replace(" ", "").split(",") for line in lines]


Points = tuple[tuple[int, int], ...]

_ALIGNMENT = re.compile(r"\s*(?:[0-9]{1,9}-[0-9]{1,9}(?:\s+|$))*", re.ASCII)
_POINT = re.compile(r"([0-9]+)-([0-9]+)")
_NO_POINT = re.compile(r"(?<!\S)(?![0-9]{1,9}-[0-9]{1,9}(?:\s|$))\S+", re.ASCII)
_POSITION = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s*")


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """A text in its original case, split at single spaces."""

    path: Path
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class AptSide:
    """One translation and the alignment of the source to it, as (source, target) points per segment."""

    text: TokenizedText
    alignment: Path
    points: tuple[Points, ...]

    def positions(self, pronoun: Pronoun) -> tuple[int, ...]:
        """The target positions aligned to a source pronoun, ascending, a repeated point repeated."""
        points = self.points[pronoun.segment]
        return tuple(sorted(target for source, target in points if source == pronoun.position))


@dataclass(frozen=True, slots=True)
class AptCorpus:
    """The source with its pronouns, and the two translations."""

    source: TokenizedText
    pronouns: tuple[Pronoun, ...]
    reference: AptSide
    candidate: AptSide


def read_corpus(inputs: AptInputs) -> AptCorpus:
    """Read all texts and alignments, and find the source pronouns."""
    source = read_tokens(inputs.source)
    pronouns = find_pronouns(inputs, source)
    if not pronouns:
        warnings.warn(
            f"{inputs.source}: no source pronoun found, the score is nan", InputWarning, stacklevel=2
        )
    pairs = (
        (inputs.reference, inputs.alignment_reference),
        (inputs.candidate, inputs.alignment_candidate),
    )
    reference, candidate = (
        read_side(text, alignment, source=source, pronouns=pronouns) for text, alignment in pairs
    )
    return AptCorpus(source, pronouns, reference, candidate)


def read_tokens(path: Path) -> TokenizedText:
    return TokenizedText(path, tuple(tuple(line.split(" ")) for line in segment_lines(path)))


def find_pronouns(inputs: AptInputs, source: TokenizedText) -> tuple[Pronoun, ...]:
    """The source pronouns to judge: none if the list is missing or the input type is unknown."""
    if not is_file(inputs.source_pronouns):
        return ()
    if inputs.input_type == "word":
        wanted = frozenset(read_word_list(inputs.source_pronouns) or ())
        return tuple(_matches(source, wanted, separator=inputs.source_separator))
    if inputs.input_type == "possition":
        return tuple(_listed_positions(inputs.source_pronouns, source))
    return ()


def read_side(text: Path, alignment: Path, *, source: TokenizedText, pronouns: Sequence[Pronoun]) -> AptSide:
    """Read a translation and its alignment; every segment with a pronoun must be in both."""
    side = AptSide(read_tokens(text), alignment, read_points(alignment))
    needed = max((pronoun.segment for pronoun in pronouns), default=-1) + 1
    for path, lines in ((text, len(side.text.lines)), (alignment, len(side.points))):
        if lines < needed:
            raise MismatchError(
                f"the file has {lines} lines, but there is a pronoun in source line {needed}",
                where=Where(str(path), lines + 1),
                fix=f"give one line for each of the {len(source.lines)} lines of {source.path}",
            )
        if lines != len(source.lines):
            message = f"{path}: {lines} lines for {len(source.lines)} source lines; the difference is ignored"
            warnings.warn(message, InputWarning, stacklevel=2)
    return side


def read_points(path: Path) -> tuple[Points, ...]:
    """The points of each line of a Moses alignment."""
    lines = plain_lines(read_utf8(path))
    for number, line in enumerate(lines, 1):
        if not _ALIGNMENT.fullmatch(line):
            raise _malformed(line, Where(str(path), number))
    return tuple(
        tuple((int(source), int(target)) for source, target in _POINT.findall(line)) for line in lines
    )


def subwords(word: str, separator: str) -> list[str]:
    """The parts of a word: split at the separator, or at white space if there is none."""
    return word.split(separator) if separator else word.split()


def _matches(source: TokenizedText, wanted: Collection[str], *, separator: str) -> Iterator[Pronoun]:
    """Every listed sub-word is an instance of its own, at the position of its token."""
    for segment, tokens in enumerate(source.lines):
        for position, token in enumerate(old_lower(" ".join(tokens)).split(" ")):
            for part in subwords(token, separator):
                if part in wanted:
                    yield Pronoun(segment, position, part)


def _listed_positions(path: Path, source: TokenizedText) -> Iterator[Pronoun]:
    for number, line in enumerate(plain_lines(read_utf8(path)), 1):
        match = _POSITION.fullmatch(line)
        if match is None:
            raise InputError(
                f"not a position: {line!r}",
                where=Where(str(path), number, 1),
                fix="write a segment and a token number, both from 0, on every line; leave no line blank",
            )
        segment, position = int(match[1]), int(match[2])
        if segment >= len(source.lines) or position >= len(source.lines[segment]):
            raise InputError(
                f"the source has no token {position} in segment {segment}",
                where=Where(str(path), number, 1),
                fix=f"segments and tokens count from 0; compare with {source.path}",
            )
        yield Pronoun(segment, position, old_lower(source.lines[segment][position]))


def _malformed(line: str, where: Where) -> InputError:
    match = _NO_POINT.search(line)
    text, column = (match[0], match.start() + 1) if match else (line, 1)
    return InputError(
        f"not an alignment point: {text!r}",
        where=Where(where.path, where.line, column),
        fix="write points as source-target, both from 0, such as 0-0 1-2",
    )
