"""One line of a five-column file, and every way in which it can be wrong."""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern

from anaphor.core import Alignment, InputError, MismatchError, Slot, TaskSegment, Where
from anaphor.task.classes import TaskClasses
from anaphor.task.labels import parse_labels, place_of, split_single

PLACEHOLDER = "REPLACE"
_PLACEHOLDER = re.compile(r"REPLACE_([0-9]{1,6})")
_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_COLUMNS = ("labels", "words", "source", "target", "alignment")


def parse_segment(
    line: str, *, where: Where, classes: TaskClasses | None, document: str | None = None
) -> TaskSegment:
    """The segment of one line; `where` has the path and the line number."""
    columns = line.split("\t")
    if len(columns) != len(_COLUMNS):
        raise _wrong_columns(line, len(columns), where)
    source = _tokens(columns, 2, where)
    target = _tokens(columns, 3, where)
    places = _places(target, len(source), columns, where) if PLACEHOLDER in columns[3] else []
    slots = _slots(places, columns, where, classes) if places or columns[0] or columns[1] else ()
    return TaskSegment(source, target, slots, _alignment(columns, len(source), len(target), where), document)


def parse_unseen(line: str, *, where: Where, document: str | None = None) -> TaskSegment:
    """The segment of a line that nobody will look at: checked like any other, but without its tokens."""
    columns = line.split("\t")
    if len(columns) == len(_COLUMNS) and line.startswith("\t\t") and PLACEHOLDER not in columns[3]:
        source, target = columns[2:4]
        if _is_single(source) and _is_single(target):
            _alignment(columns, source.count(" ") + 1, target.count(" ") + 1, where)
            return TaskSegment((), (), (), Alignment(), document)
    return parse_segment(line, where=where, classes=None, document=document)


def _is_single(text: str) -> bool:
    """Whether there is a token, and one space between any two."""
    return bool(text) and "  " not in text and text[0] != " " and text[-1] != " "


def _slots(
    places: list[tuple[int, int]], columns: list[str], where: Where, classes: TaskClasses | None
) -> tuple[Slot, ...]:
    """One slot a placeholder, with its label and its word where the first two columns have them."""
    starts = _start(columns, 0, where), _start(columns, 1, where)
    labels = parse_labels(columns[0], where=starts[0], classes=classes)
    words = split_single(columns[1], "words", where=starts[1])
    _require_one_each(labels, "labels", placeholders=len(places), start=starts[0])
    _require_one_each(words, "words", placeholders=len(places), start=starts[1])
    return tuple(
        Slot(source=k, target=t, label=labels[i] if labels else None, word=words[i] if words else None)
        for i, (k, t) in enumerate(places)
    )


def _require_one_each(given: tuple[str, ...], kind: str, *, placeholders: int, start: Where) -> None:
    if given and len(given) != placeholders:
        raise MismatchError(
            f"{len(given)} {kind} for {placeholders} placeholders",
            where=start,
            fix="write one for every REPLACE_k of the target, or leave the column empty",
        )


def _start(columns: list[str], number: int, where: Where) -> Where:
    """The place where a column starts; most lines never need to know."""
    return Where(where.path, where.line, 1 + sum(len(text) + 1 for text in columns[:number]))


def _wrong_columns(line: str, found: int, where: Where) -> InputError:
    what = "the line is blank" if not line.strip() else f"the line has {found} columns instead of 5"
    return InputError(
        what,
        where=Where(where.path, where.line, 1),
        fix=f"write {', '.join(_COLUMNS)} with a tab between them; the first two may be empty",
    )


def _tokens(columns: list[str], number: int, where: Where) -> tuple[str, ...]:
    """The tokens of a side, which has at least one."""
    text = columns[number]
    if not text:
        raise InputError(
            f"the {_COLUMNS[number]} is empty",
            where=_start(columns, number, where),
            fix="leave segments out in which one side is missing",
        )
    if not _is_single(text):
        return split_single(text, _COLUMNS[number], where=_start(columns, number, where))
    # Every word is kept once, however often a file has it: a third of the memory, and faster to look up.
    return tuple(map(intern, text.split(" ")))


def _places(
    target: tuple[str, ...], source_length: int, columns: list[str], where: Where
) -> list[tuple[int, int]]:
    """Source position and target position of every placeholder, in the order of the target."""
    start = _start(columns, 3, where)
    marked = [place for place, token in enumerate(target) if token.startswith(PLACEHOLDER)]
    return [
        (_source_of(target[place], source_length, place_of(target, place, start=start)), place)
        for place in marked
        if target[place][len(PLACEHOLDER) :][:1] in ("", "_")
    ]


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


def _alignment(columns: list[str], source_length: int, target_length: int, where: Where) -> Alignment:
    """The links of the fifth column, which may be empty; as in Pharaoh files, spaces may be doubled."""
    words = columns[4].split(" ")
    try:
        sources, targets = zip(*map(_link, filter(None, words)), strict=True)
    except ValueError:  # a word that is no link, or no word at all
        if not any(words):
            return Alignment()
    else:
        if max(sources) < source_length and max(targets) < target_length:
            return Alignment(sources, targets)
    raise _wrong_link(words, source_length, target_length, _start(columns, 4, where))


@lru_cache(maxsize=1 << 16)
def _link(word: str) -> tuple[int, int]:
    """The two ends of a link; files have few different ones. A `ValueError` where it is none."""
    match = _LINK.fullmatch(word)
    if match is None:
        raise ValueError(word)
    return int(match[1]), int(match[2])


def _wrong_link(words: list[str], source_length: int, target_length: int, start: Where) -> InputError:
    """The error of the first link that is malformed or leads outside."""
    faults = (_link_fault(word, source_length, target_length) for word in words)
    position, what = next((place, fault) for place, fault in enumerate(faults) if fault is not None)
    return InputError(
        what,
        where=place_of(tuple(words), position, start=start),
        fix="write links as source-target, such as 0-0 1-2, counted from 0; a placeholder is one token",
    )


def _link_fault(word: str, source_length: int, target_length: int) -> str | None:
    match = _LINK.fullmatch(word)
    if match is None:
        return f"not an alignment link: {word[:40]!r}" if word else None
    if int(match[1]) >= source_length or int(match[2]) >= target_length:
        return f"link {word} leads outside: {source_length} source tokens, {target_length} target tokens"
    return None
