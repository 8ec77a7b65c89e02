"""What a format is: a reader from text to units, and how a copy is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from anaphor.check.units import Content, Escapes, Replacement, UnitFile, Units
from anaphor.core import LanguagePair


class ReadOptions(NamedTuple):
    """What a reader is told: the pair, the source if it is another file, and names of columns.

    `columns` maps a role (`source`, `target`, `id`, `speaker`, `listener`, `document`, `note`) to the name
    of a column in the file.
    """

    pair: LanguagePair | None = None
    source: Content | None = None
    columns: Mapping[str, str] = {}

    def is_other(self, language: str, *, side: str) -> bool:
        """Whether a language that the file names, such as `de-AT`, is not that of the pair."""
        if self.pair is None or not language:
            return False
        return base_language(language) != (self.pair.source if side == "source" else self.pair.target)


def base_language(code: str) -> str:
    """The language of a code with region or script: `de` of `de-AT`."""
    return code.replace("_", "-").partition("-")[0].lower()


class Format(NamedTuple):
    """One format of files.

    `read` fills `Units` and returns the languages that the file names, or empty texts. `paired` says that a
    file has one language, and its source is a second file of the same format; `either` that both exist.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Content, ReadOptions, Units], tuple[str, str]]
    escapes: Escapes
    paired: bool = False
    either: bool = False
    annotate: Callable[[UnitFile, Mapping[int, str]], list[Replacement]] | None = None
