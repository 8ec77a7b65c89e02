"""The contract of a format: reading text into units, and writing a copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from anaphor.check.units import Content, Escapes, Replacement, UnitFile, Units
from anaphor.core import LanguagePair


class ReadOptions(NamedTuple):
    """The options of a reader: the pair, a separate source file, and column names.

    `columns` maps a role (`source`, `target`, `id`, `speaker`, `listener`, `document`, `note`) to the name
    of a column in the file.
    """

    pair: LanguagePair | None = None
    source: Content | None = None
    columns: Mapping[str, str] = {}

    def is_other(self, language: str, *, side: str) -> bool:
        """Whether a language named by the file, such as `de-AT`, differs from that of the pair."""
        if self.pair is None or not language:
            return False
        return base_language(language) != (self.pair.source if side == "source" else self.pair.target)


def base_language(code: str) -> str:
    """The language in a code with region or script: `de` in `de-AT`."""
    return code.replace("_", "-").partition("-")[0].lower()


class Format(NamedTuple):
    """One file format.

    `read` fills `Units` and returns the languages named by the file, or empty strings. `paired` marks
    monolingual files whose source is a second file of the same format; `either` that both exist.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Content, ReadOptions, Units], tuple[str, str]]
    escapes: Escapes
    paired: bool = False
    either: bool = False
    annotate: Callable[[UnitFile, Mapping[int, str]], list[Replacement]] | None = None
