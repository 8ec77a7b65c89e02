"""The word lists and dictionaries of the original APT: lower case, stripped, blank lines dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.legacy.apt_config import AptConfig
from anaphor.legacy.lines import is_file, read_utf8
from anaphor.legacy.old_python import old_lower

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
