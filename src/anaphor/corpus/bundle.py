"""A test set in one file or folder: source, references, candidates, documents."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from anaphor.core import InputError, InputWarning, Where
from anaphor.corpus.text import Text


@dataclass(frozen=True, slots=True)
class Bundle:
    """All texts of a test set, with as many lines each; candidates by system name in file order.

    `documents` names the document of every segment, and is None where the set has no documents.
    """

    source: Text
    references: tuple[Text, ...]
    candidates: Mapping[str, Text]
    documents: tuple[str, ...] | None


class Role(Enum):
    """What a text is in a test set."""

    SOURCE = "source"
    REFERENCE = "reference"
    CANDIDATE = "candidate"


_Key = tuple[Role, str]


@dataclass(frozen=True, slots=True)
class Version:
    """One document as the source has it, or one translator or system: text by segment id, in order."""

    document: str
    role: Role
    name: str
    segments: Mapping[str, str]
    where: Where


def assemble(versions: Iterable[Version], *, path: str) -> Bundle:
    """A bundle of all documents in the order of the source, versions matched by document and segment id.

    A document or segment that a translation lacks, or has and the source lacks, is an error. The
    lines of a segment that has several are joined by one space, with a warning.
    """
    groups = _grouped(versions)
    source = groups.pop((Role.SOURCE, ""), {})
    if not source or not any(version.segments for version in source.values()):
        raise InputError(
            "the test set has no source segments", where=path, fix="give a file that holds the source too"
        )
    if not any(role is Role.REFERENCE for role, _ in groups):
        raise InputError(
            "the test set has no reference in the target language",
            where=path,
            fix="give a file that holds a reference too, and check the language pair",
        )
    counter = _LineBreaks()
    texts = {
        key: Text.of(map(counter.join, _lines(source, group, key)), path=_part(path, key))
        for key, group in {(Role.SOURCE, ""): source, **groups}.items()
    }
    counter.report(path)
    return Bundle(
        source=texts.pop((Role.SOURCE, "")),
        references=tuple(text for (role, _), text in texts.items() if role is Role.REFERENCE),
        candidates={name: text for (role, name), text in texts.items() if role is Role.CANDIDATE},
        documents=tuple(name for name, version in source.items() for _ in version.segments),
    )


class _LineBreaks:
    """Joins the lines of segments and counts how many segments needed it."""

    def __init__(self) -> None:
        self.segments = 0

    def join(self, text: str) -> str:
        if "\n" not in text:
            return text
        self.segments += 1
        lines = (line.strip(" \t") for line in text.split("\n"))
        return " ".join(filter(None, lines))

    def report(self, path: str) -> None:
        if self.segments:
            what = f"{path}: joined the lines of {self.segments} segments with spaces"
            warnings.warn(what, InputWarning, stacklevel=3)


def _grouped(versions: Iterable[Version]) -> dict[_Key, dict[str, Version]]:
    groups: dict[_Key, dict[str, Version]] = {}
    for version in versions:
        group = groups.setdefault((version.role, version.name), {})
        if version.document in group:
            raise InputError(
                f"document {version.document} has two versions of the {_title(version.role, version.name)}",
                where=version.where,
                fix=f"give each document one id; the other version is at {group[version.document].where}",
            )
        group[version.document] = version
    return groups


def _lines(source: Mapping[str, Version], group: Mapping[str, Version], key: _Key) -> Iterator[str]:
    if strangers := sorted(group.keys() - source.keys()):
        raise InputError(
            f"document {strangers[0]} of the {_title(*key)} is not in the source",
            where=group[strangers[0]].where,
            fix="add the source of the document, or remove the document",
        )
    for name, original in source.items():
        if name not in group:
            raise InputError(
                f"document {name} has no {_title(*key)}",
                where=original.where,
                fix="add the missing text, or remove the document",
            )
        _same_ids(original, group[name])
        yield from (group[name].segments[number] for number in original.segments)


def _same_ids(original: Version, version: Version) -> None:
    different = original.segments.keys() ^ version.segments.keys()
    if different:
        number = min(different)
        lacking = version if number in original.segments else original
        title = _title(lacking.role, lacking.name)
        raise InputError(
            f"the {title} of document {version.document} has no segment {number}",
            where=lacking.where,
            fix="give source and translations the same segment ids",
        )


def _title(role: Role, name: str) -> str:
    return f"{role.value} {name}".rstrip()


def _part(path: str, key: _Key) -> str:
    return f"{path} [{_title(*key)}]"
