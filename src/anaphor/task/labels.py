"""The label column: single words, single spaces, and only labels that the sub-task has."""

from __future__ import annotations

from anaphor.core import InputError, Where
from anaphor.languages import fold
from anaphor.task.classes import TaskClasses


def parse_labels(text: str, *, where: Where, classes: TaskClasses | None) -> tuple[str, ...]:
    """The labels of one line, none for an empty column; `where` is the place of the first character.

    With `classes`, each is replaced by its class, and one that the sub-task does not have is an error.
    """
    labels = split_single(text, "labels", where=where)
    if classes is None:
        return labels
    for position, label in enumerate(labels):
        if label not in classes.aliases:
            raise _unknown(label, classes, place_of(labels, position, start=where))
    return tuple(classes.aliases[label] for label in labels)


def split_single(text: str, name: str, *, where: Where) -> tuple[str, ...]:
    """The parts of a column that has exactly one space between them; none of an empty column."""
    if not text:
        return ()
    parts = tuple(text.split(" "))
    if "" in parts:
        raise InputError(
            f"a space too many in the {name}",
            where=place_of(parts, parts.index(""), start=where),
            fix="write one space between two entries, and none before the first or after the last",
        )
    return parts


def place_of(parts: tuple[str, ...], position: int, *, start: Where) -> Where:
    """Where an entry of a column stands, given where the column starts."""
    offset = sum(len(part) + 1 for part in parts[:position])
    return Where(start.path, start.line, (start.column or 1) + offset)


def _unknown(label: str, classes: TaskClasses, where: Where) -> InputError:
    """The error of a label; a known one in another spelling is suggested."""
    known = {fold(name): name for name in classes.aliases}
    meant = known.get(fold(label))
    hint = f"write {meant}, spelled exactly so; " if meant else ""
    return InputError(
        f"{classes.pair} has no class {label!r}",
        where=where,
        fix=f"{hint}labels of {classes.year}: {', '.join(classes.aliases)}",
    )
