"""What the original APT reads besides its lists: the source and its pronouns, texts and alignments."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import InputError, InputWarning, MismatchError, Pronoun, Where
from anaphor.legacy.apt_config import Inputs
from anaphor.legacy.apt_lists import read_word_list
from anaphor.legacy.lines import is_file, plain_lines, read_utf8, segment_lines
from anaphor.legacy.old_python import old_lower

Points = tuple[tuple[int, int], ...]

_ALIGNMENT = re.compile(r"\s*(?:[0-9]{1,9}-[0-9]{1,9}(?:\s+|$))*", re.ASCII)
_POINT = re.compile(r"([0-9]+)-([0-9]+)")
_NO_POINT = re.compile(r"(?<!\S)(?![0-9]{1,9}-[0-9]{1,9}(?:\s|$))\S+", re.ASCII)
_POSITION = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s*")


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text in its original case, split at single spaces."""

    path: Path
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One translation and the alignment of the source to it, as (source, target) points per segment."""

    text: Tokens
    alignment: Path
    points: tuple[Points, ...]

    def positions(self, pronoun: Pronoun) -> tuple[int, ...]:
        """The target positions aligned to a source pronoun, ascending, a repeated point repeated."""
        points = self.points[pronoun.segment]
        return tuple(sorted(target for source, target in points if source == pronoun.position))


@dataclass(frozen=True, slots=True)
class Corpus:
    """The source with its pronouns, and the two translations."""

    source: Tokens
    pronouns: tuple[Pronoun, ...]
    reference: Side
    candidate: Side


def read_corpus(inputs: Inputs) -> Corpus:
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
    return Corpus(source, pronouns, reference, candidate)


def read_tokens(path: Path) -> Tokens:
    return Tokens(path, tuple(tuple(line.split(" ")) for line in segment_lines(path)))


def find_pronouns(inputs: Inputs, source: Tokens) -> tuple[Pronoun, ...]:
    """The source pronouns to judge: none if the list is missing or the input type is unknown."""
    if not is_file(inputs.source_pronouns):
        return ()
    if inputs.input_type == "word":
        wanted = frozenset(read_word_list(inputs.source_pronouns) or ())
        return tuple(_matches(source, wanted, separator=inputs.source_separator))
    if inputs.input_type == "possition":
        return tuple(_listed_positions(inputs.source_pronouns, source))
    return ()


def read_side(text: Path, alignment: Path, *, source: Tokens, pronouns: Sequence[Pronoun]) -> Side:
    """Read a translation and its alignment; every segment with a pronoun must be in both."""
    side = Side(read_tokens(text), alignment, read_points(alignment))
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


def _matches(source: Tokens, wanted: Collection[str], *, separator: str) -> Iterator[Pronoun]:
    """Every listed sub-word is an instance of its own, at the position of its token."""
    for segment, tokens in enumerate(source.lines):
        for position, token in enumerate(old_lower(" ".join(tokens)).split(" ")):
            for part in subwords(token, separator):
                if part in wanted:
                    yield Pronoun(segment, position, part)


def _listed_positions(path: Path, source: Tokens) -> Iterator[Pronoun]:
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
