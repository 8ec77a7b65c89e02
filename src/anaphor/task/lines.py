"""One line of a five-column file, and every way in which it can be wrong."""

from __future__ import annotations

import re

from anaphor.core import Alignment, InputError, MismatchError, Slot, TaskSegment, Where
from anaphor.task.classes import TaskClasses
from anaphor.task.labels import parse_labels, place_of, split_single

PLACEHOLDER = "REPLACE"
_PLACEHOLDER = re.compile(r"REPLACE_([0-9]{1,6})")
_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_LINKS = re.compile(r" *(?:[0-9]{1,6}-[0-9]{1,6}(?: +|$))*")
_COLUMNS = ("labels", "words", "source", "target", "alignment")


def parse_segment(line: str, *, where: Where, classes: TaskClasses | None) -> TaskSegment:
    """The segment of one line; `where` has the path and the line number."""
    columns = line.split("\t")
    if len(columns) != len(_COLUMNS):
        raise _wrong_columns(line, len(columns), where)
    starts = _starts(columns, where)
    source = _tokens(columns[2], "source", starts[2])
    target = _tokens(columns[3], "target", starts[3])
    places = _places(target, len(source), starts[3]) if PLACEHOLDER in columns[3] else []
    labels = parse_labels(columns[0], where=starts[0], classes=classes)
    words = split_single(columns[1], "words", where=starts[1])
    _require_one_each(labels, "labels", placeholders=len(places), start=starts[0])
    _require_one_each(words, "words", placeholders=len(places), start=starts[1])
    return TaskSegment(
        source=source,
        target=target,
        slots=tuple(
            Slot(source=k, target=t, label=labels[i] if labels else None, word=words[i] if words else None)
            for i, (k, t) in enumerate(places)
        ),
        alignment=_alignment(columns[4], len(source), len(target), starts[4]),
    )


def _require_one_each(given: tuple[str, ...], kind: str, *, placeholders: int, start: Where) -> None:
    if given and len(given) != placeholders:
        raise MismatchError(
            f"{len(given)} {kind} for {placeholders} placeholders",
            where=start,
            fix="write one for every REPLACE_k of the target, or leave the column empty",
        )


def _starts(columns: list[str], where: Where) -> list[Where]:
    """The place where each column starts."""
    starts = []
    column = 1
    for text in columns:
        starts.append(Where(where.path, where.line, column))
        column += len(text) + 1
    return starts


def _wrong_columns(line: str, found: int, where: Where) -> InputError:
    what = "the line is blank" if not line.strip() else f"the line has {found} columns instead of 5"
    return InputError(
        what,
        where=Where(where.path, where.line, 1),
        fix=f"write {', '.join(_COLUMNS)} with a tab between them; the first two may be empty",
    )


def _tokens(text: str, name: str, start: Where) -> tuple[str, ...]:
    if not text:
        raise InputError(
            f"the {name} is empty", where=start, fix="leave segments out in which one side is missing"
        )
    return split_single(text, name, where=start)


def _places(target: tuple[str, ...], source_length: int, start: Where) -> list[tuple[int, int]]:
    """Source position and target position of every placeholder, in the order of the target."""
    places = []
    for position, token in enumerate(target):
        if token == PLACEHOLDER or token.startswith(f"{PLACEHOLDER}_"):
            where = place_of(target, position, start=start)
            places.append((_source_of(token, source_length, where), position))
    return places


def _source_of(token: str, source_length: int, where: Where) -> int:
    """The source position that a placeholder names."""
    match = _PLACEHOLDER.fullmatch(token)
    if match is None:
        raise InputError(
            f"not a placeholder: {token!r}",
            where=where,
            fix="write REPLACE_k, k being the source token it is aligned to, counted from 0",
        )
    if int(match[1]) >= source_length:
        raise InputError(
            f"{token} points outside the source, which has {source_length} tokens",
            where=where,
            fix="count source tokens from 0 and separate them by single spaces",
        )
    return int(match[1])


def _alignment(text: str, source_length: int, target_length: int, start: Where) -> Alignment:
    """The links of the fifth column, which may be empty; as in Pharaoh files, spaces may be doubled."""
    if _LINKS.fullmatch(text) is not None:
        numbers = tuple(map(int, text.replace("-", " ").split()))
        sources, targets = numbers[::2], numbers[1::2]
        if not numbers or (max(sources) < source_length and max(targets) < target_length):
            return Alignment(sources, targets)
    raise _wrong_link(text, source_length, target_length, start)


def _wrong_link(text: str, source_length: int, target_length: int, start: Where) -> InputError:
    """The error of the first link that is malformed or leads outside."""
    words = tuple(text.split(" "))
    faults = (_link_fault(word, source_length, target_length) for word in words)
    position, what = next((place, fault) for place, fault in enumerate(faults) if fault is not None)
    return InputError(
        what,
        where=place_of(words, position, start=start),
        fix="write links as source-target, such as 0-0 1-2, counted from 0; a placeholder is one token",
    )


def _link_fault(word: str, source_length: int, target_length: int) -> str | None:
    match = _LINK.fullmatch(word)
    if match is None:
        return f"not an alignment link: {word[:40]!r}" if word else None
    if int(match[1]) >= source_length or int(match[2]) >= target_length:
        return f"link {word} leads outside: {source_length} source tokens, {target_length} target tokens"
    return None
