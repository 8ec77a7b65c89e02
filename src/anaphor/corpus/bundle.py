"""The texts of a test set: source, references, candidates, documents.

The simplest form of one is tab-separated text; `docs/formats.md` describes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from anaphor.core import CandidateSegmentation, InputError, InputWarning, Where
from anaphor.core.table import counted
from anaphor.corpus.alignments import AlignmentFile
from anaphor.corpus.text import Text, parse_text

_HEADER = ("docid", "source")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Source, references, candidates and their metadata; all texts have as many lines as the source.

    Attributes:
        source: The source text.
        references: The references.
        candidates: The candidates by system name, in file order.
        documents: The document of every segment; None if unknown.
        positions: The source tokens to evaluate; None to find them by form.
        reference_alignments: The alignments of the references, in order; None to compute them.
        candidate_alignments: The alignments of the candidates by system; None to compute them.
        segmentations: How whole-document candidates were cut, by system.
    """

    source: Text
    references: tuple[Text, ...]
    candidates: Mapping[str, Text]
    documents: tuple[str, ...] | None = None
    positions: Text | None = None
    reference_alignments: tuple[AlignmentFile, ...] | None = None
    candidate_alignments: Mapping[str, AlignmentFile] | None = None
    segmentations: Mapping[str, CandidateSegmentation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for text in (self.source, *self.references, *self.candidates.values()):
            text.require_plain()
        fix = "look for missing, merged or surplus lines: each must translate the source line of its number"
        for text in (*self.references, *self.candidates.values()):
            text.require_lines(len(self.source), of=f"the source {self.source.path}", fix=fix)

    @property
    def segments(self) -> int:
        """The number of segments."""
        return len(self.source.lines)

    @property
    def is_aligned(self) -> bool:
        """Whether every text has its alignment."""
        aligned = self.reference_alignments is not None or not self.references
        return aligned and self.candidate_alignments is not None


class TextRole(Enum):
    """The role of a text in a test set."""

    SOURCE = "source"
    REFERENCE = "reference"
    CANDIDATE = "candidate"


_Key = tuple[TextRole, str]


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """One document in the source, or in one translation of it: text by segment id, in order."""

    document: str
    role: TextRole
    name: str
    segments: Mapping[str, str]
    where: Where


def assemble(versions: Iterable[DocumentVersion], *, path: str) -> Inputs:
    """A test set of all documents in the order of the source, versions matched by document and segment id.

    A document or segment that a translation lacks, or has and the source lacks, is an error. The lines of a
    multi-line segment are joined by spaces, with a warning.
    """
    groups: dict[_Key, dict[str, DocumentVersion]] = {}
    for version in versions:
        group = groups.setdefault((version.role, version.name), {})
        if version.document in group:
            what = f"document {version.document} has two versions of the {_title(version.role, version.name)}"
            fix = f"give each document one id; the other version is at {group[version.document].where}"
            raise InputError(what, where=version.where, fix=fix)
        group[version.document] = version
    source = groups.pop((TextRole.SOURCE, ""), {})
    if not source or not any(version.segments for version in source.values()):
        what = "the test set has no source segments"
        raise InputError(what, where=path, fix="pass a file that also contains the source")
    if not any(role is TextRole.REFERENCE for role, _ in groups):
        fix = "pass a file that also contains a reference, and check the language pair"
        raise InputError("the test set has no reference in the target language", where=path, fix=fix)
    texts: dict[_Key, Text] = {}
    joined = 0
    # Translations may have any order: the source decides that of documents and segments.
    for key, group in {(TextRole.SOURCE, ""): source, **groups}.items():
        lines = list(_segments(source, group, key))
        for i, line in enumerate(lines):
            if "\n" in line:
                joined += 1
                lines[i] = " ".join(filter(None, (part.strip(" \t") for part in line.split("\n"))))
        texts[key] = Text.of(lines, path=f"{path} [{_title(*key)}]")
    if joined:
        message = f"{path}: joined the lines of {counted(joined, 'segment')} with spaces"
        warnings.warn(message, InputWarning, stacklevel=2)
    return Inputs(
        source=texts.pop((TextRole.SOURCE, "")),
        references=tuple(text for (role, _), text in texts.items() if role is TextRole.REFERENCE),
        candidates={name: text for (role, name), text in texts.items() if role is TextRole.CANDIDATE},
        documents=tuple(name for name, version in source.items() for _ in version.segments),
    )


def _segments(
    source: Mapping[str, DocumentVersion], group: Mapping[str, DocumentVersion], key: _Key
) -> Iterator[str]:
    if unknown := sorted(group.keys() - source.keys()):
        what = f"document {unknown[0]} of the {_title(*key)} is not in the source"
        fix = "add the source of the document, or remove the document"
        raise InputError(what, where=group[unknown[0]].where, fix=fix)
    for name, original in source.items():
        if name not in group:
            what = f"document {name} has no {_title(*key)}"
            raise InputError(what, where=original.where, fix="add the missing text, or remove the document")
        version = group[name]
        # The first segment that one of the two lacks; which of them decides where the error is shown.
        if different := original.segments.keys() ^ version.segments.keys():
            number = min(different)
            lacking = version if number in original.segments else original
            what = f"the {_title(lacking.role, lacking.name)} of document {name} has no segment {number}"
            fix = "use the same segment ids in source and translations"
            raise InputError(what, where=lacking.where, fix=fix)
        yield from (version.segments[number] for number in original.segments)


def _title(role: TextRole, name: str) -> str:
    return f"{role.value} {name}".rstrip()


def parse_tsv(data: bytes, *, path: str) -> Inputs:
    """From cleaned bytes: documents, source and one or more references; such a file has no candidates."""
    rows = [tuple(line.split("\t")) for line in parse_text(data, path=path).lines]
    expected = max(3, len(rows[0]))
    for number, row in enumerate(rows, start=1):
        if len(row) != expected:
            what = f"the line has {len(row)} columns instead of {expected}"
            fix = "separate docid, source and reference(s) by tabs, and remove tabs inside texts"
            raise InputError(what, where=Where(path, number), fix=fix)
        if not row[0].strip():
            fix = "write the id of the segment's document in the first column"
            raise InputError("the document id is blank", where=Where(path, number, 1), fix=fix)
    # The header is recognized by its two fixed names: references may be called anything.
    if rows[0][:2] == _HEADER:
        rows = rows[1:]
    if not rows:
        raise InputError("the file has a header and no rows", where=path, fix="add the segments")
    documents, source, *references = zip(*rows, strict=True)
    return Inputs(
        source=Text.of(source, path=f"{path} [source]"),
        references=tuple(
            Text.of(lines, path=f"{path} [reference {number}]")
            for number, lines in enumerate(references, start=1)
        ),
        candidates={},
        documents=documents,
    )
