"""What the original APT reads: its configuration, its word lists, texts and alignments.

Every key of the configuration must exist, and two are misspelt as part of the format: `input_type` may be
`possition`, and the weights are called `weigths_per_case`. Relative paths start from the working directory,
not from the folder of the configuration.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Outcome, Pronoun, Where
from anaphor.legacy.python27 import (
    IniFile,
    is_file,
    old_lower,
    parse_ini,
    plain_lines,
    read_utf8,
    segment_lines,
)

T = TypeVar("T")
Groups = Sequence[Sequence[str]]
Points = tuple[tuple[int, int], ...]

_BOOLEANS = {
    **dict.fromkeys(("1", "yes", "true", "on"), True),
    **dict.fromkeys(("0", "no", "false", "off"), False),
}
#: What the console calls each dictionary, and its key.
_DICTIONARIES = {
    "equal": "equal",
    "similar": "similar",
    "source": "source_pronouns",
    "target": "target_pronouns",
}
_ALIGNMENT = re.compile(r"\s*(?:[0-9]{1,9}-[0-9]{1,9}(?:\s+|$))*", re.ASCII)
_POINT = re.compile(r"([0-9]+)-([0-9]+)")
_NO_POINT = re.compile(r"(?<!\S)(?![0-9]{1,9}-[0-9]{1,9}(?:\s|$))\S+", re.ASCII)
_POSITION = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s*")


@dataclass(frozen=True, slots=True)
class AptConfig:
    """A whole configuration, with the content of its optional lists, which are empty where absent.

    - An empty separator splits nothing.
    - `target` reduces what is aligned to listed words. The two lists of the repair are separate: without
      `repair_target` there is no repair, `repair_source` holds the pronouns that block it.
    - `absent` has a console line for each list that is not a file.
    - `weights` has one weight per listed case, or can be broadcast over them.
    """

    source: Path
    reference: Path
    candidate: Path
    alignment_reference: Path
    alignment_candidate: Path
    source_pronouns: Path
    input_type: str
    source_separator: str
    target_separator: str
    cases: tuple[Outcome, ...]
    weights: tuple[float, ...]
    other_is_equal: bool
    output: Path
    multiword_matrix: bool
    shown_labels: int
    target: Sequence[str]
    equal: Groups
    similar: Groups
    repair_source: frozenset[str]
    repair_target: frozenset[str]
    absent: tuple[str, ...]


def read_config(config: Path, *, folder: Path) -> AptConfig:
    """Read and check a configuration and its lists; its relative paths start from `folder`."""
    ini = parse_ini(read_utf8(config), str(config))
    for unused in ("source", "target"):
        ini.entry("lang", unused)

    def file(key: str) -> Path:
        return folder / ini.convert("files", key, _checked(str, bool), wanted="the path of a file")

    def separator(key: str) -> str:
        return ini.convert("lang", key, _checked(str, str.isascii), wanted="an ASCII character")

    def boolean(section: str, key: str) -> bool:
        value = ini.convert(section, key, _checked(str.lower, _BOOLEANS.__contains__), wanted="true or false")
        return _BOOLEANS[value]

    # Errors appear in the order in which the keys are read here.
    content: dict[str, Any] = {
        "source": file("source"),
        "reference": file("reference"),
        "candidate": file("target"),
        "alignment_reference": file("alignment_source_reference"),
        "alignment_candidate": file("alignment_source_target"),
        "source_pronouns": folder / ini.text("files", "list_source_pronouns"),
    }
    lists = {"list of target pronouns": folder / ini.text("files", "list_target_pronouns")}
    content |= {
        "input_type": ini.text("files", "input_type"),
        "source_separator": separator("source_word_separator"),
        "target_separator": separator("target_word_separator"),
    }
    for kind, key in _DICTIONARIES.items():
        lists[f"dictionary of {kind} pronouns"] = folder / ini.text("dictionary", key)
    content["cases"], content["weights"] = _cases_and_weights(ini)
    content |= {
        "other_is_equal": boolean("cases", "count_OTHER_as_equal"),
        "output": folder / ini.text("output", "output_file"),
        "multiword_matrix": boolean("output", "counting_multiword_in_matrix"),
        "shown_labels": ini.convert(
            "output",
            "max_length_matrix",
            _checked(int, lambda number: number >= 0),
            wanted="a number, 0 or more",
        ),
    }
    word_lists = {name: read_word_list(path) for name, path in lists.items()}
    target, equal, similar, repair_source, repair_target = (words or () for words in word_lists.values())
    return AptConfig(
        **content,
        target=target,
        equal=[line.replace(" ", "").split(",") for line in equal],
        similar=[line.replace(" ", "").split(",") for line in similar],
        repair_source=frozenset(repair_source),
        repair_target=frozenset(repair_target),
        absent=tuple(f"Not {name}" for name, words in word_lists.items() if words is None),
    )


def _checked(read: Callable[[str], T], holds: Callable[[T], bool]) -> Callable[[str], T]:
    """A reader that raises ValueError for values for which `holds` is false."""

    def convert(text: str) -> T:
        if not holds(value := read(text)):
            raise ValueError(text)
        return value

    return convert


def _cases_and_weights(ini: IniFile) -> tuple[tuple[Outcome, ...], tuple[float, ...]]:
    """The listed cases in their order, without numbers that are no case, as in the original; the weights."""
    listed = ini.convert(
        "cases",
        "cases_to_use",
        lambda text: [int(part) for part in text.split(",")],
        wanted="case numbers from 1 to 6, such as 1,2,3",
    )
    known = {outcome.value for outcome in Outcome}
    cases = tuple(Outcome(number) for number in listed if number in known)
    if not cases:
        raise OptionError(
            "cases_to_use lists no case",
            where=Where(ini.path, ini.entry("cases", "cases_to_use").line),
            fix="list the cases to count, such as 1,2,3,4,5,6",
        )
    weight = _checked(float, math.isfinite)
    weights = ini.convert(
        "cases",
        "weigths_per_case",
        lambda text: tuple(weight(part) for part in text.split(",")),
        wanted="one number per listed case, such as 1,0.5,0,0,0,0",
    )
    # NumPy broadcast a single case, or a single weight, over several of the other kind.
    if len(cases) != len(weights) and 1 not in (len(cases), len(weights)):
        raise OptionError(
            f"weigths_per_case has {len(weights)} weights for {len(cases)} listed cases",
            where=Where(ini.path, ini.entry("cases", "weigths_per_case").line),
            fix="pass one weight per listed case, in the same order",
        )
    return cases, weights


def read_word_list(path: Path) -> tuple[str, ...] | None:
    """The lines of a list in lower case, stripped, without blank ones; None if the file does not exist."""
    if not is_file(path):
        return None
    words = (old_lower(line.strip()) for line in read_utf8(path).splitlines())
    return tuple(word for word in words if word)


@dataclass(frozen=True, slots=True)
class AptText:
    """A text in its original case, split at single spaces."""

    path: Path
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class AptSide:
    """One translation and the alignment of the source to it, as (source, target) points per segment."""

    text: AptText
    alignment: Path
    points: tuple[Points, ...]

    def positions(self, pronoun: Pronoun) -> tuple[int, ...]:
        """The target positions aligned to a source pronoun, ascending, a repeated point repeated."""
        points = self.points[pronoun.segment]
        return tuple(sorted(target for source, target in points if source == pronoun.position))


@dataclass(frozen=True, slots=True)
class AptCorpus:
    """The source with its pronouns, and the two translations."""

    source: AptText
    pronouns: tuple[Pronoun, ...]
    reference: AptSide
    candidate: AptSide


def read_corpus(config: AptConfig) -> AptCorpus:
    """Read all texts and alignments, and find the source pronouns."""
    source = _read_tokens(config.source)
    pronouns = tuple(_pronouns(config, source))
    if not pronouns:
        warnings.warn(
            f"{config.source}: no source pronoun found, the score is nan", InputWarning, stacklevel=2
        )
    reference = _read_side(config.reference, config.alignment_reference, source, pronouns)
    candidate = _read_side(config.candidate, config.alignment_candidate, source, pronouns)
    return AptCorpus(source, pronouns, reference, candidate)


def _read_tokens(path: Path) -> AptText:
    return AptText(path, tuple(tuple(line.split(" ")) for line in segment_lines(path)))


def _pronouns(config: AptConfig, source: AptText) -> Iterator[Pronoun]:
    """The source pronouns to score: none if the list is missing or the input type is unknown."""
    path = config.source_pronouns
    if not is_file(path):
        return
    if config.input_type == "word":
        wanted = frozenset(read_word_list(path) or ())
        # Every listed sub-word is an instance of its own, at the position of its token.
        for segment, tokens in enumerate(source.lines):
            for position, token in enumerate(old_lower(" ".join(tokens)).split(" ")):
                for part in subwords(token, config.source_separator):
                    if part in wanted:
                        yield Pronoun(segment, position, part)
    elif config.input_type == "possition":
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
                    fix=f"segments and tokens are counted from 0; compare with {source.path}",
                )
            yield Pronoun(segment, position, old_lower(source.lines[segment][position]))


def subwords(word: str, separator: str) -> list[str]:
    """The parts of a word: split at the separator, or at white space if there is none."""
    return word.split(separator) if separator else word.split()


def _read_side(text: Path, alignment: Path, source: AptText, pronouns: Sequence[Pronoun]) -> AptSide:
    """Read a translation and its alignment; every segment with a pronoun must be in both."""
    side = AptSide(_read_tokens(text), alignment, _read_points(alignment))
    needed = max((pronoun.segment for pronoun in pronouns), default=-1) + 1
    for path, lines in ((text, len(side.text.lines)), (alignment, len(side.points))):
        if lines < needed:
            raise MismatchError(
                f"the file has {lines} lines, but there is a pronoun in source line {needed}",
                where=Where(str(path), lines + 1),
                fix=f"write one line for each of the {len(source.lines)} lines of {source.path}",
            )
        if lines != len(source.lines):
            message = f"{path}: {lines} lines for {len(source.lines)} source lines; the difference is ignored"
            warnings.warn(message, InputWarning, stacklevel=2)
    return side


def _read_points(path: Path) -> tuple[Points, ...]:
    """The points of each line of a Moses alignment."""
    lines = plain_lines(read_utf8(path))
    for number, line in enumerate(lines, 1):
        if not _ALIGNMENT.fullmatch(line):
            match = _NO_POINT.search(line)
            text, column = (match[0], match.start() + 1) if match else (line, 1)
            raise InputError(
                f"not an alignment point: {text!r}",
                where=Where(str(path), number, column),
                fix="write points as source-target, both from 0, such as 0-0 1-2",
            )
    return tuple(
        tuple((int(source), int(target)) for source, target in _POINT.findall(line)) for line in lines
    )
