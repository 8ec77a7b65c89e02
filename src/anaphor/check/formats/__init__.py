"""Translators' files, read and copied: one module per format, one line in `FORMATS` for each.

A reader yields units with their place in the file. A copy with notes or fixes is the file's own text with
some characters replaced, so a format needs no writer, and everything else is identical, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from anaphor.check.formats import document, json, plain, po, subtitles, tables, tmx, xliff
from anaphor.check.formats.contract import Format, ReadOptions, base_language
from anaphor.check.units import Content, UnitFile, Units
from anaphor.core import InputError, LanguagePair, OptionError, UnknownNameError, Where
from anaphor.corpus.text import is_file

__all__ = ["FORMATS", "base_language", "find_format", "read_units", "stated_pair"]

FORMATS: Mapping[str, Format] = {
    entry.name: entry
    for entry in (
        xliff.FORMAT,
        po.FORMAT,
        tmx.FORMAT,
        subtitles.SRT,
        subtitles.VTT,
        subtitles.ASS,
        tables.CSV,
        tables.TSV,
        json.FORMAT,
        document.FORMAT,
        plain.FORMAT,
    )
}


def find_format(path: str, *, name: str | None = None) -> Format:
    """The format with this name, or the one for the file's suffix; other files are plain text."""
    if name is not None:
        if name not in FORMATS:
            raise UnknownNameError.among(name, FORMATS, kind="format", where="--input-format")
        return FORMATS[name]
    suffix = Path(path).suffix.lower()
    if suffix == ".xml":
        start = b""
        if is_file(path):
            with suppress(OSError), Path(path).open("rb") as file:  # who reads all of it reports the error
                start = file.read(2000)
        return FORMATS["tmx" if b"<tmx" in start else "xliff"]
    return next((entry for entry in FORMATS.values() if suffix in entry.suffixes), FORMATS["text"])


def read_units(
    path: str,
    *,
    pair: LanguagePair | None = None,
    source: str | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> tuple[UnitFile, tuple[str, str]]:
    """The units of a file, and the languages it names, if any.

    Args:
        path: The file.
        pair: The pair to check; units in other languages are skipped.
        source: The file that it translates, for formats with one language per file.
        columns: Names of columns by role, for tables and JSON.
        format: The name of its format; determined by the suffix by default.

    Raises:
        UserError: The file is broken, too large, not UTF-8, or has one language and no source.
    """
    chosen = find_format(path, name=format)
    if source is not None and not (chosen.paired or chosen.either):
        what = f"{chosen.name} files contain both languages, but a source is given"
        raise OptionError(what, where=path, fix="leave out --source")
    content = Content.read(path)
    return parse_units(content, chosen, pair=pair, source=source and Content.read(source), columns=columns)


def parse_units(
    content: Content,
    format: Format,
    *,
    pair: LanguagePair | None = None,
    source: Content | str | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[UnitFile, tuple[str, str]]:
    """The same for text in memory."""
    units = Units(content.path)
    given = source if isinstance(source, Content) else None
    languages = format.read(content, ReadOptions(pair, given, columns or {}), units)
    file = UnitFile(
        content, format.name, units.units, units.skipped, format.escapes, format.annotate, units.mixed
    )
    _check_apart(file)
    return file, languages


def _check_apart(file: UnitFile) -> None:
    """Reject a damaged file in which two units have the same text, such as a unit inside another."""
    for before, unit in pairwise(sorted(file.units, key=lambda unit: unit.written)):
        if unit.written.start < before.written.end:
            raise InputError(
                f"two units have the same piece of the file as their translation: {before.id}, {unit.id}",
                where=Where(file.path, *file.index.place(unit.written.start)),
                fix="export the file again; a unit may be inside another, or twice in an element",
            )


def stated_pair(languages: tuple[str, str]) -> LanguagePair | None:
    """The pair named by a file, if it names both languages."""
    source, target = map(base_language, languages)
    return LanguagePair(source, target) if source and target else None
