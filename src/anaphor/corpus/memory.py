"""Texts as Python has them: lists of segments, strings, paths and open files become the inputs of a run."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import IO, Any

from anaphor.core import Alignment, InputError, InputWarning, LanguagePair, MismatchError, OptionError, Where
from anaphor.corpus.alignments import AlignmentFile, parse_pharaoh
from anaphor.corpus.bundle import Inputs
from anaphor.corpus.inputs import parse_documents, read_alignments, read_bundle
from anaphor.corpus.text import Text, clean, parse_text, read_text

#: A text: its segments, a string with one segment per line, a path, or an open file.
TextLike = Text | str | os.PathLike[str] | IO[str] | IO[bytes] | Iterable[str]
#: The alignment of a text: a path, or for every segment its links, as `0-0 1-2` or as pairs of positions.
AlignmentLike = AlignmentFile | str | os.PathLike[str] | Iterable[Alignment | str | Iterable[tuple[int, int]]]

#: A word with an ending or a folder, such as `mt/system.de`: no sentence looks like it.
_FILE_NAME = re.compile(r"\S*[\w)]([/\\]\S+|\.\w{1,5})")


def text_of(value: TextLike, *, name: str) -> Text:
    """The text that a value contains or names; messages call it `name` if it is not a file.

    A single-line string that names a file is read as that file; any other string is the text itself, one
    segment per line. A string that looks like a file name but does not exist is an error.
    """
    if isinstance(value, Text):
        return value
    if isinstance(value, str):
        if _is_file(value):
            return read_text(value)
        if _FILE_NAME.fullmatch(value):
            what = f"{value} looks like the name of a file that does not exist"
            raise InputError(what, where=name, fix="check the path; a text of one segment is a list of it")
        return _parsed(value, name)
    if isinstance(value, os.PathLike):
        return read_text(Path(value))
    read = getattr(value, "read", None)
    if read is not None:
        return _parsed(read(), name)
    lines = _listed(value, name, "a list of strings, one per segment, a string, a path or an open file")
    ends = 0
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            what = f"the segment is {line!r:.40}, of type {type(line).__name__}, and not a string"
            raise InputError(what, where=Where(name, number), fix="pass one string per segment")
        ends += line.endswith("\n")
    if ends:
        # As `readlines` gives them.
        warnings.warn(f"{name}: removed line ends ({ends})", InputWarning, stacklevel=3)
        lines = [line.removesuffix("\n").removesuffix("\r") for line in lines]
    for number, line in enumerate(lines, start=1):
        if "\n" in line:
            fix = "pass one string per segment, and a space in place of the line break"
            raise InputError("the segment has a line break", where=Where(name, number), fix=fix)
    return _parsed("".join(f"{line}\n" for line in lines), name)


def inputs_of(
    pair: LanguagePair,
    *,
    source: TextLike | None,
    references: TextLike | Iterable[TextLike] | None,
    systems: Mapping[str, TextLike],
    documents: TextLike | None = None,
    positions: TextLike | None = None,
    test_set: str | os.PathLike[str] | None = None,
    reference_alignments: Iterable[AlignmentLike] | None = None,
    system_alignments: Mapping[str, AlignmentLike] | None = None,
    more_systems: bool = False,
) -> Inputs:
    """The texts of an experiment; texts that do not match each other are an error. See `anaphor.evaluate`.

    There must be a system, unless there are `more_systems` to come.
    """
    if not isinstance(systems, Mapping):
        what = f"systems are of type {type(systems).__name__}"
        raise OptionError(what, where="systems", fix='pass names and texts: {"baseline": [...]}')
    for name in systems:
        if not isinstance(name, str) or not name:
            raise OptionError(
                f"{name!r} is not a valid name",
                where="systems",
                fix="use a string as the name of every system",
            )
    if test_set is not None:
        if source is not None or references is not None:
            fix = "leave out source and references, or leave out test_set"
            raise OptionError("a test set has its own source and references", where="test_set", fix=fix)
        texts = read_bundle(os.fspath(test_set), pair=pair)
    elif source is None:
        raise OptionError("there is no source", where="source", fix="add it, or a test set that contains it")
    else:
        own_source = text_of(source, name="<source>")
        texts = Inputs(own_source, _references(references, len(own_source)), {})
    if taken := [name for name in systems if name in texts.candidates]:
        what = f"the test set has a system called {taken[0]}"
        raise MismatchError(what, where="systems", fix="rename your system")
    own = {name: text_of(text, name=f"<{name}>") for name, text in systems.items()}
    candidates = {**texts.candidates, **own}
    if not candidates and not more_systems:
        fix = 'use at least one: systems={"mine": [...]}'
        raise OptionError("there is no system to evaluate", where="systems", fix=fix)
    segments, known = texts.segments, texts.documents
    if documents is not None:
        known = parse_documents(text_of(documents, name="<documents>"), segments=segments)
    given = None
    if reference_alignments is not None:
        links = _listed(reference_alignments, "reference_alignments", "a list with one entry per reference")
        if len(links) != len(texts.references):
            what = f"{len(links)} alignments for {len(texts.references)} references"
            fix = "pass a list with the alignment of every reference"
            raise MismatchError(what, where="reference_alignments", fix=fix)
        given = tuple(
            _alignments(link, f"<alignment of reference {n}>", segments) for n, link in enumerate(links, 1)
        )
    aligned = None
    if system_alignments is not None:
        if not isinstance(system_alignments, Mapping) or set(system_alignments) != set(candidates):
            fix = f"pass one for each of {', '.join(candidates)}, by name"
            raise MismatchError("some systems have no alignment", where="system_alignments", fix=fix)
        aligned = {
            name: _alignments(system_alignments[name], f"<alignment of {name}>", segments)
            for name in candidates
        }
    return Inputs(
        texts.source,
        texts.references,
        candidates,
        known,
        None if positions is None else text_of(positions, name="<positions>"),
        given,
        aligned,
    )


def references_by_text(
    rows: Sequence[str] | Sequence[Sequence[str]], *, name: str = "references"
) -> list[list[str]]:
    """Regroup the references of every segment, as in Hugging Face's `evaluate`, into whole references.

    Raises:
        MismatchError: Segments have different numbers of references.
    """
    listed = [[row] if isinstance(row, str) else list(row) for row in rows]
    for number, row in enumerate(listed, start=1):
        if len(row) != len(listed[0]):
            what = f"the segment has {len(row)} references, the first has {len(listed[0])}"
            fix = "give every segment the same number of references"
            raise MismatchError(what, where=Where(name, number), fix=fix)
    return [list(column) for column in zip(*listed, strict=True)]


def _references(value: Any, segments: int) -> tuple[Text, ...]:
    """One text, or several in a list; a list of strings is one text, unless they name files.

    One short list per segment has the references of each segment, as `evaluate` of Hugging Face takes them.
    """
    if value is None:
        return ()
    if isinstance(value, str | os.PathLike | Text) or hasattr(value, "read"):
        return (text_of(value, name="<reference>"),)
    values = _listed(value, "references", "a text, or a list of texts")
    if values and isinstance(values[0], str) and not _is_file(values[0]):
        return (text_of(values, name="<reference>"),)
    by_segment = len(values) == segments and all(isinstance(row, list | tuple) for row in values)
    if by_segment and all(len(row) != segments for row in values):
        values = references_by_text(values, name="<references>")
    names = [f"<reference {n}>" if len(values) > 1 else "<reference>" for n in range(1, len(values) + 1)]
    return tuple(text_of(value, name=name) for value, name in zip(values, names, strict=True))


def _alignments(value: AlignmentLike, name: str, segments: int) -> AlignmentFile:
    if isinstance(value, str | os.PathLike):
        return read_alignments(os.fspath(value), segments=segments)
    if isinstance(value, AlignmentFile):
        alignment = value
    else:
        entries = _listed(value, name, "a path, or the links of every segment")
        if all(isinstance(entry, str) for entry in entries):
            alignment = AlignmentFile.of(
                parse_pharaoh("\n".join([*entries, ""]).encode(), path=name), path=name
            )
        else:
            alignments = [_alignment(entry, Where(name, n)) for n, entry in enumerate(entries, start=1)]
            alignment = AlignmentFile.made(alignments, path=name)
    if len(alignment) != segments:
        what = f"there are alignments for {len(alignment)} segments, the source has {segments}"
        raise MismatchError(what, where=name, fix="pass one per segment, empty if there is no link")
    return alignment


def _alignment(entry: Any, where: Where) -> Alignment:
    if isinstance(entry, Alignment):
        return entry
    try:
        links = [(int(source), int(target)) for source, target in entry]
    except (TypeError, ValueError) as error:
        fix = "pass `0-0 1-2`, pairs of positions, or an Alignment for every segment"
        raise InputError(f"these are not links: {entry!r:.60}", where=where, fix=fix) from error
    return Alignment(tuple(source for source, _ in links), tuple(target for _, target in links))


def _listed(value: Any, name: str, wanted: str) -> list[Any]:
    # A mapping and a data frame would give their keys, a set any order, bytes numbers.
    unfit = isinstance(value, str | bytes | bytearray | Mapping | Set) or hasattr(value, "columns")
    if unfit or not isinstance(value, Iterable):
        raise OptionError(
            f"not a text: a value of type {type(value).__name__}", where=name, fix=f"use {wanted}"
        )
    return list(value)


def _is_file(value: str) -> bool:
    # Unlike that of pathlib, it takes text that cannot be a path.
    return "\n" not in value and os.path.isfile(value)  # noqa: PTH113


def _parsed(content: str | bytes, name: str) -> Text:
    data = content if isinstance(content, bytes) else _encoded(content, name)
    if not data:
        raise InputError("there are no segments", where=name, fix="pass one string, or one line, per segment")
    return parse_text(clean(data, path=name), path=name)


def _encoded(text: str, name: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        what = f"U+{ord(text[error.start]):04X} is a lone surrogate and cannot be written as UTF-8"
        raise InputError(what, where=Where(name, line), fix="read the text again, as UTF-8") from error
