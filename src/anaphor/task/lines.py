"""One line of a five-column file, and every possible error in it.

If the native extension is available, `native/lines.hpp` reads well-formed lines and leaves all others to the
functions below, which raise the errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from sys import intern

from anaphor.core import Alignment, InputError, MismatchError, Slot, TaskSegment, Where
from anaphor.core.engine import native
from anaphor.languages import fold
from anaphor.task.classes import TaskClasses

#: Caches so many words: of any language, those that make up nearly all text.
_READER = None if native is None else native.LineReader(1 << 16)

PLACEHOLDER = "REPLACE"
_PLACEHOLDER = re.compile(r"REPLACE_([0-9]{1,6})")
_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_COLUMNS = ("labels", "words", "source", "target", "alignment")
_NO_LINKS = Alignment()


def parse_segment(
    line: str, path: str, number: int | None, *, classes: TaskClasses | None, document: str | None = None
) -> TaskSegment:
    """The segment of one line; path and line number are for errors."""
    segment = None if _READER is None else _READER.read(line)
    if segment is None:
        return _segment(line, Where(path, number), classes, document)
    labels, words, source, target, link_sources, link_targets, slot_sources, slot_targets = segment
    if labels and classes is not None:
        labels = parse_labels(" ".join(labels), where=Where(path, number, 1), classes=classes)
    slots = _slots(slot_sources, slot_targets, labels, words) if slot_sources else ()
    return TaskSegment(source, target, slots, Alignment(link_sources, link_targets), document)


def parse_unseen(line: str, path: str, number: int | None, *, document: str | None = None) -> TaskSegment:
    """The segment of a line whose tokens are not needed: checked like any other, but empty.

    A line with labels, words or placeholders keeps its tokens.
    """
    empty = TaskSegment((), (), (), _NO_LINKS, document)
    if _READER is not None and native.is_plain_line(line):
        return empty
    segment = parse_segment(line, path, number, classes=None, document=document)
    plain = _READER is None and line.startswith("\t\t") and PLACEHOLDER not in line.split("\t")[3]
    return empty if plain else segment


def _segment(line: str, where: Where, classes: TaskClasses | None, document: str | None) -> TaskSegment:
    columns = line.split("\t")
    if len(columns) != len(_COLUMNS):
        blank = not line.strip()
        raise InputError(
            "the line is blank" if blank else f"the line has {len(columns)} columns instead of 5",
            where=Where(where.path, where.line, 1),
            fix=f"write {', '.join(_COLUMNS)} with a tab between them; the first two may be empty",
        )
    source, target = (_tokens(columns, number, where) for number in (2, 3))
    plain = line.startswith("\t\t") and PLACEHOLDER not in columns[3]
    slots = () if plain else _checked_slots(target, len(source), columns, where, classes)
    return TaskSegment(source, target, slots, _alignment(columns, len(source), len(target), where), document)


def _start(columns: list[str], number: int, where: Where) -> Where:
    """The position where a column starts; computed only for errors."""
    return Where(where.path, where.line, 1 + number + sum(map(len, columns[:number])))


def _tokens(columns: list[str], number: int, where: Where) -> tuple[str, ...]:
    """The tokens of a side, at least one."""
    text = columns[number]
    if not text:
        raise InputError(
            f"the {_COLUMNS[number]} is empty",
            where=_start(columns, number, where),
            fix="leave out segments in which one side is missing",
        )
    tokens = split_single(text, _COLUMNS[number], where=_start(columns, number, where))
    # Every word is stored once, however often it occurs: a third of the memory, and faster to look up.
    return tuple(map(intern, tokens))


def _checked_slots(
    target: tuple[str, ...],
    source_length: int,
    columns: list[str],
    where: Where,
    classes: TaskClasses | None,
) -> tuple[Slot, ...]:
    """The slots of the target, with one label and one word each, or none."""
    sources, targets = [], list(_marked(columns[3]))
    for place in targets:
        match = _PLACEHOLDER.fullmatch(target[place])
        if match is None or int(match[1]) >= source_length:
            start = place_of(target, place, start=_start(columns, 3, where))
            if match is None:
                raise InputError(
                    f"not a placeholder: {target[place]!r}",
                    where=start,
                    fix="write REPLACE_k, k being the source token it is aligned to, counted from 0",
                )
            raise InputError(
                f"{target[place]} points outside the source, which has {source_length} tokens",
                where=start,
                fix="count source tokens from 0 and separate them by single spaces",
            )
        sources.append(int(match[1]))
    starts = _start(columns, 0, where), _start(columns, 1, where)
    labels = parse_labels(columns[0], where=starts[0], classes=classes)
    words = split_single(columns[1], "words", where=starts[1])
    for kind, given, start in (("labels", labels, starts[0]), ("words", words, starts[1])):
        if given and len(given) != len(targets):
            raise MismatchError(
                f"{len(given)} {kind} for {len(targets)} placeholders",
                where=start,
                fix="write one for every REPLACE_k of the target, or leave the column empty",
            )
    return _slots(sources, targets, labels, words)


def _slots(
    sources: Sequence[int], targets: Sequence[int], labels: tuple[str, ...], words: tuple[str, ...]
) -> tuple[Slot, ...]:
    """One slot per placeholder, with label and word if the first two columns have them."""
    return tuple(map(Slot, sources, targets, labels or repeat(None), words or repeat(None)))


def _marked(text: str) -> Iterator[int]:
    """The positions of tokens that are `REPLACE`, or start with it and an underscore."""
    at = text.find(PLACEHOLDER)
    while at >= 0:
        end = at + len(PLACEHOLDER)
        if (at == 0 or text[at - 1] == " ") and text[end : end + 1] in ("", " ", "_"):
            yield text.count(" ", 0, at)
        at = text.find(PLACEHOLDER, end)


def _alignment(columns: list[str], source_length: int, target_length: int, where: Where) -> Alignment:
    """The links of the fifth column, which may be empty; as in Pharaoh files, spaces may be doubled."""
    words = columns[4].split(" ")
    try:
        sources, targets = zip(*map(_link, filter(None, words)), strict=True)
    except ValueError:  # a word that is not a link, or no word at all
        if not any(words):
            return _NO_LINKS
    else:
        if max(sources) < source_length and max(targets) < target_length:
            return Alignment(sources, targets)
    # One is malformed or leads outside: the first of them is the error.
    matches = ((number, _LINK.fullmatch(word)) for number, word in enumerate(words) if word)
    position, match = next(
        (number, match)
        for number, match in matches
        if match is None or int(match[1]) >= source_length or int(match[2]) >= target_length
    )
    word = words[position]
    what = f"link {word} leads outside: {source_length} source tokens, {target_length} target tokens"
    raise InputError(
        f"not an alignment link: {word[:40]!r}" if match is None else what,
        where=place_of(tuple(words), position, start=_start(columns, 4, where)),
        fix="write links as source-target, such as 0-0 1-2, counted from 0; a placeholder is one token",
    )


@lru_cache(maxsize=1 << 16)
def _link(word: str) -> tuple[int, int]:
    """The two ends of a link; files have few different ones. Raise `ValueError` if it is not one."""
    match = _LINK.fullmatch(word)
    if match is None:
        raise ValueError(word)
    return int(match[1]), int(match[2])


def parse_labels(text: str, *, where: Where, classes: TaskClasses | None) -> tuple[str, ...]:
    """The labels of one line, none for an empty column; `where` is the position of the first character.

    With `classes`, each is replaced by its class, and one that the sub-task does not have is an error.
    """
    labels = split_single(text, "labels", where=where)
    if classes is None:
        return labels
    for position, label in enumerate(labels):
        if label not in classes.aliases:
            meant = {fold(name): name for name in classes.aliases}.get(fold(label))
            hint = f"write {meant}, with exactly this spelling; " if meant else ""
            raise InputError(
                f"{classes.pair} has no class {label!r}",
                where=place_of(labels, position, start=where),
                fix=f"{hint}labels of {classes.year}: {', '.join(classes.aliases)}",
            )
    return tuple(classes.aliases[label] for label in labels)


def split_single(text: str, name: str, *, where: Where) -> tuple[str, ...]:
    """The parts of a column that has exactly one space between them; none of an empty column."""
    if not text:
        return ()
    parts = tuple(text.split(" "))
    if "" in parts:
        raise InputError(
            f"a surplus space in the {name}",
            where=place_of(parts, parts.index(""), start=where),
            fix="write one space between two entries, and none before the first or after the last",
        )
    return parts


def place_of(parts: tuple[str, ...], position: int, *, start: Where) -> Where:
    """The position of a column entry, given the start of the column."""
    offset = sum(len(part) + 1 for part in parts[:position])
    return Where(start.path, start.line, (start.column or 1) + offset)
