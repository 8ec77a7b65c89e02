"""A candidate that consists of whole documents, cut at the segments of the source, and the findings in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from anaphor.align.choice import AlignerChoice
from anaphor.core import LanguagePair, MismatchError, Settings, digest
from anaphor.core.table import Block, JsonFields, Paragraph, Styled, Table, count, number, text
from anaphor.corpus.text import Text
from anaphor.files.folders import files_inside
from anaphor.languages import Tokenizer, load_language
from anaphor.languages.choose_tokenizer import is_broken_into_words
from anaphor.segment.documents import Job, segment_documents
from anaphor.segment.notes import Note, NoteKind, find_notes, scored_text
from anaphor.segment.result import Segmentation
from anaphor.segment.whole_documents import WHOLE, WholeDocuments

#: Of the search and of the rules for notes: a change of their results is a new version.
VERSION = 2
#: Below this a boundary is unsure.
UNSURE = 0.5
#: Findings that are listed below a table; JSON has all of them.
_LISTED = 20
_QUOTED = 60


@dataclass(frozen=True, slots=True)
class DocumentCutter:
    """Cuts documents in this process, with the options of `segment_documents`."""

    priors: str = "built-in"
    packs: Path | None = None
    threads: int = 1

    @classmethod
    def of(cls, settings: Settings) -> DocumentCutter:
        """With the priors and the packs of an experiment."""
        return cls(settings.priors, None if settings.packs is None else Path(settings.packs))

    def __call__(self, jobs: Sequence[Job], pair: LanguagePair) -> Sequence[Segmentation]:
        return segment_documents(jobs, pair, priors=self.priors, packs=self.packs, threads=self.threads)

    def method(self, pair: LanguagePair, *, reference: bool = False) -> str:
        """The segmentation method for signatures: the version of the search, hashes of its models, and
        options.
        """
        prior = AlignerChoice(pair=pair, priors=self.priors, packs=self.packs).prior_digest()
        parts = [f"anaphor-segment-{VERSION}-{_learned()}", f"prior-{prior}"]
        if self.packs is not None:
            parts.append(f"packs-{digest(file.read_bytes() for file in files_inside(self.packs, '*.toml'))}")
        # The version of a library decides about words, and therefore about possible cuts.
        parts += [
            Tokenizer(load_language(code, folder=self.packs)).name
            for code in (pair.source, pair.target)
            if is_broken_into_words(code, self.packs)
        ]
        return "+".join([*parts, "reference"] if reference else parts)


class Cutter(Protocol):
    """Cuts documents in order, in this process or on a cluster."""

    def __call__(self, jobs: Sequence[Job], pair: LanguagePair, /) -> Sequence[Segmentation]: ...

    def method(self, pair: LanguagePair, /, *, reference: bool = False) -> str: ...


IN_PROCESS = DocumentCutter()


@dataclass(frozen=True, slots=True)
class CutFinding(JsonFields):
    """A finding about the output for a document.

    `kind` is that of a note, or `omitted`, `added`, `repeated` or `moved`. `segment` counts source segments
    of the whole text from 0; `start` and `end` are characters of the document's output. Either may be None.
    `scored` says whether the characters are part of the scored text.
    """

    document: str
    kind: str
    segment: int | None
    start: int | None
    end: int | None
    confidence: float
    quote: str
    scored: bool


@dataclass(frozen=True, slots=True)
class SegmentedDocument:
    """The output for one document: its source segments by number, notes, and the segmentation.

    There is no segmentation if there is nothing to cut: no output, or only chatter and refusals.
    """

    document: str
    segments: tuple[int, ...]
    notes: tuple[Note, ...]
    segmentation: Segmentation | None

    def lines(self, *, second: bool = False) -> tuple[str, ...]:
        """The translation of each segment on one line; optionally from the second-best segmentation."""
        segmentation = self.segmentation
        if segmentation is None:
            return ("",) * len(self.segments)
        stretches = (
            segmentation.second if second and segmentation.second is not None else segmentation.stretches
        )
        return tuple(" ".join(line.split()) for line in segmentation.cut(stretches))

    def findings(self, source: Sequence[str]) -> Iterator[CutFinding]:
        """Notes, then what is omitted, added and moved, each in the order of the text."""
        for note in self.notes:
            yield CutFinding(
                self.document,
                note.kind.value,
                None,
                note.span.start,
                note.span.end,
                note.confidence,
                note.quote,
                scored=not note.removed,
            )
        if self.segmentation is None:
            # Without any output, every segment that has words is omitted.
            for segment in self.segments:
                if source[segment].strip():
                    yield self._omitted(segment, 1.0, source)
            return
        for omission in self.segmentation.omissions:
            yield self._omitted(self.segments[omission.segment], omission.confidence, source)
        for addition in self.segmentation.additions:
            start, end = addition.span
            # White space, and what a note has taken out already, is no addition.
            if quote := " ".join(self.segmentation.text[start:end].split()):
                kind = "added" if addition.repeats is None else "repeated"
                repeats = None if addition.repeats is None else self.segments[addition.repeats]
                sure = round(addition.confidence, 4)
                yield CutFinding(self.document, kind, repeats, start, end, sure, quote, scored=False)
        for move in self.segmentation.moves:
            start, end = self.segmentation.stretches[move.segment]
            quote = " ".join(self.segmentation.text[start:end].split())
            segment, sure = self.segments[move.segment], round(move.confidence, 4)
            yield CutFinding(self.document, "moved", segment, start, end, sure, quote, scored=True)

    def _omitted(self, segment: int, confidence: float, source: Sequence[str]) -> CutFinding:
        sure = round(confidence, 4)
        return CutFinding(self.document, "omitted", segment, None, None, sure, source[segment], scored=False)


@dataclass(frozen=True, slots=True)
class SegmentedCandidate:
    """All documents of a candidate, cut at the source segments.

    Attributes:
        path: The name of the candidate in messages.
        source: The source segments.
        documents: The documents in the order of the source.
        digest: A hash of the documents as given.
        method: The segmentation method, for signatures.
    """

    path: str
    source: tuple[str, ...]
    documents: tuple[SegmentedDocument, ...]
    digest: str
    method: str

    def text(self) -> Text:
        """The candidate with one line per source segment."""
        return Text.of(self._lines(second=False), path=self.path)

    @property
    def second(self) -> tuple[str, ...]:
        """The lines of the second-best segmentation."""
        return self._lines(second=True)

    def _lines(self, *, second: bool) -> tuple[str, ...]:
        lines = [""] * len(self.source)
        for document in self.documents:
            for segment, line in zip(document.segments, document.lines(second=second), strict=True):
                lines[segment] = line
        return tuple(lines)

    @property
    def findings(self) -> tuple[CutFinding, ...]:
        """All findings, document by document."""
        return tuple(finding for document in self.documents for finding in document.findings(self.source))

    @property
    def reasons(self) -> Mapping[int, str]:
        """Why a segment has no translation, by its number."""
        reasons = {}
        for document in self.documents:
            refused = any(note.kind is NoteKind.REFUSAL for note in document.notes)
            for finding in document.findings(self.source):
                if finding.kind == "omitted" and finding.segment is not None:
                    if document.segmentation is None:
                        why = "the document was refused" if refused else "there is no output for the document"
                    else:
                        why = f"the segment is omitted (confidence {finding.confidence:.2f})"
                    reasons[finding.segment] = why
        return reasons

    def summary(self) -> tuple[str, ...]:
        """One line per type of finding, for notes."""
        by_kind: dict[str, list[CutFinding]] = defaultdict(list)
        for finding in self.findings:
            by_kind[finding.kind].append(finding)
        lines = []
        for kind, findings in by_kind.items():
            first = findings[0]
            place = f"document {first.document}" if first.segment is None else f"line {first.segment + 1}"
            # Omitted segments are in the source: their pronouns count as missing.
            everything = kind == "omitted" or any(finding.scored for finding in findings)
            scored = "" if everything else ", not scored"
            quote = first.quote if len(first.quote) <= _QUOTED else f"{first.quote[: _QUOTED - 1]}…"
            lines.append(f"{kind}: {len(findings)}{scored}, the first in {place}: {quote}")
        if unsure := sum(boundary.confidence < UNSURE for boundary in self._boundaries()):
            lines.append(f"uncertain boundaries: {unsure} of {len(list(self._boundaries()))}")
        return tuple(lines)

    def _boundaries(self) -> Iterator[Any]:
        for document in self.documents:
            if document.segmentation is not None:
                yield from document.segmentation.boundaries

    def to_dict(self) -> dict[str, Any]:
        """The lines and all facts, for programs."""
        return {"lines": list(self.text().lines), **self.facts()}

    def facts(self) -> dict[str, Any]:
        """Stretches, boundaries and findings; all counted from 0, ends excluded."""
        return {
            "method": self.method,
            "digest": self.digest,
            "documents": [
                {
                    "document": document.document,
                    "segments": list(document.segments),
                    "stretches": None
                    if document.segmentation is None
                    else [[*span] for span in document.segmentation.stretches],
                    "boundaries": []
                    if document.segmentation is None
                    else [_rounded(boundary.to_dict()) for boundary in document.segmentation.boundaries],
                    "findings": [finding.to_dict() for finding in document.findings(self.source)],
                }
                for document in self.documents
            ],
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row per source segment: document, text, confidence of its boundaries, and why it is empty."""
        reasons = self.reasons
        rows: dict[int, dict[str, Any]] = {}
        for document in self.documents:
            segmentation = document.segmentation
            sure = (
                [1.0, *(boundary.confidence for boundary in segmentation.boundaries), 1.0]
                if segmentation is not None
                else []
            )
            for at, (segment, line) in enumerate(zip(document.segments, document.lines(), strict=True)):
                span = None if segmentation is None else segmentation.stretches[at]
                rows[segment] = {
                    "line": segment + 1,
                    "document": document.document,
                    "start": None if span is None else span.start,
                    "end": None if span is None else span.end,
                    "confidence": None if segmentation is None else round(min(sure[at], sure[at + 1]), 4),
                    "reason": reasons.get(segment, ""),
                    "text": line,
                }
        return [rows[segment] for segment in sorted(rows)]

    def tsv(self) -> str:
        """The rows as a table with a header; tabs in texts are spaces already."""
        rows = self.rows()
        cells = [
            [*rows[0]],
            *(["-" if value is None else str(value) for value in row.values()] for row in rows),
        ]
        return "".join("\t".join(row) + "\n" for row in cells)

    def tables(self) -> list[Block]:
        """The number of findings of each type, and the first of them."""
        boundaries = list(self._boundaries())
        unsure = sum(boundary.confidence < UNSURE for boundary in boundaries)
        sizes = Table(
            (count("documents"), count("segments"), count("boundaries"), count("unsure")),
            [(len(self.documents), len(self.source), len(boundaries), unsure)],
        )
        findings = self.findings
        if not findings:
            return [sizes, Paragraph(["nothing was omitted, added or noted"])]
        kinds: dict[str, int] = defaultdict(int)
        for finding in findings:
            kinds[finding.kind] += 1
        counts = Table((text("finding"), count("number")), list(kinds.items()))
        rows = [
            (
                finding.kind,
                finding.document,
                "-" if finding.segment is None else str(finding.segment + 1),
                finding.confidence,
                finding.quote if len(finding.quote) <= _QUOTED else f"{finding.quote[: _QUOTED - 1]}…",
            )
            for finding in findings[:_LISTED]
        ]
        columns = (
            text("finding"),
            text("document"),
            text("line"),
            number("confidence", digits=2),
            text("text"),
        )
        listed = Table(columns, rows)
        if len(findings) <= _LISTED:
            return [sizes, counts, listed]
        more = Paragraph([[Styled(f"... and {len(findings) - _LISTED} more; --json has all of them", "dim")]])
        return [sizes, counts, listed, more]


def segment_candidate(
    source: Sequence[str],
    documents: Sequence[str] | None,
    candidate: WholeDocuments,
    pair: LanguagePair,
    *,
    reference: Sequence[str] | None = None,
    cut: Cutter = IN_PROCESS,
) -> SegmentedCandidate:
    """Cut every document of a candidate at the segments of the source.

    Args:
        source: The source segments.
        documents: The document of each; None if all segments form one document.
        candidate: The output for each document.
        pair: Source and target language.
        reference: A reference translation of every segment, which helps with cutting.
        cut: Cuts the documents; the default uses this process, others may use a cluster.

    Returns:
        One line per segment, the second-best segmentation, and all findings in the outputs. Chatter,
        refusals, loops, restarts and Markdown marks are removed before cutting, and listed.

    Raises:
        UserError: The candidate and the source have different documents.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for segment, name in enumerate(documents if documents is not None else [WHOLE] * len(source)):
        members[name].append(segment)
    if list(members) != list(candidate.texts):
        what = "candidate and source have different documents"
        raise MismatchError(what, where=candidate.path, fix="read it again with the documents of the source")
    notes: dict[str, tuple[Note, ...]] = {}
    jobs: dict[str, Job] = {}
    for name, output in candidate.texts.items():
        segments = [source[segment] for segment in members[name]]
        notes[name] = () if output is None else find_notes(segments, output, pair)
        # What is no translation is taken out first: it would be cut up and given to segments as their text.
        left = "" if output is None else scored_text(output, notes[name])
        if left.strip():
            theirs = None if reference is None else [reference[segment] for segment in members[name]]
            jobs[name] = Job(segments, left, theirs)
    segmentations = dict(zip(jobs, cut(list(jobs.values()), pair), strict=True))
    return SegmentedCandidate(
        candidate.path,
        tuple(source),
        tuple(
            SegmentedDocument(name, tuple(members[name]), notes[name], segmentations.get(name))
            for name in candidate.texts
        ),
        candidate.digest,
        cut.method(pair, reference=reference is not None),
    )


@cache
def _learned() -> str:
    folder = Path(__file__).parent
    files = (folder / "model.json", folder / "chatter.toml", *sorted(folder.glob("edges/*.tsv")))
    return digest(file.read_bytes() for file in files)


def _rounded(content: Mapping[str, Any]) -> dict[str, Any]:
    """Confidences rounded to four digits, since sums of floats may differ slightly between machines."""
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in content.items()}
