"""Changed copies of checked files: with notes for reviewers, or with pronouns exchanged. Originals stay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import groupby
from pathlib import Path

from anaphor.check.findings import Finding, Kind
from anaphor.check.linking import LinkedUnit
from anaphor.check.markup_in_text import touches_markup
from anaphor.check.units import Replacement, UnitFile
from anaphor.core import LanguagePair, OptionError, Progress, Settings, Span
from anaphor.corpus import Text
from anaphor.evaluation.postediting import find_postedit_model, postedit
from anaphor.files.folders import file_names, inside
from anaphor.files.writing import write_atomically

#: The model that proposes pronouns, and its pairs.
_MODEL, _PAIRS = "anaphor-2-small", ("en-fr", "en-de", "fr-en", "de-en")
#: The least probability of a pronoun that takes another's place.
FIX_CONFIDENCE = 0.9


def annotated(file: UnitFile, findings: Iterable[Finding]) -> str:
    """The text of a copy of an XLIFF or PO file with a note for each unit that has findings."""
    if file.annotate is None:
        what = f"{file.format} files cannot hold notes"
        raise OptionError(what, where=file.path, fix="use --notes with XLIFF and PO, and a report for others")
    notes: defaultdict[int, list[str]] = defaultdict(list)
    for finding in findings:
        if finding.path == file.path:
            notes[finding.number].append(f"{finding.kind.value} {finding.confidence:.2f}: {finding.message}")
    return file.with_changes(file.annotate(file, {unit: " | ".join(lines) for unit, lines in notes.items()}))


@dataclass(frozen=True, slots=True)
class Fixes:
    """A changed copy of one file, and why other findings were left as they are."""

    file: UnitFile
    text: str
    applied: Sequence[Finding]
    held: Sequence[tuple[Finding, str]]

    def diff(self) -> str:
        """A unified diff from the original to the copy."""
        before, after = (text.splitlines(keepends=True) for text in (self.file.content.text, self.text))
        lines = unified_diff(before, after, self.file.path, f"{self.file.path} (fixed)", n=1)
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


def fixed(
    file: UnitFile,
    pair: LanguagePair,
    findings: Iterable[Finding],
    *,
    confidence: float = FIX_CONFIDENCE,
    packs: str | None = None,
    progress: Progress = lambda _: None,
) -> Fixes:
    """A copy with corrections of all pronouns that are wrong with at least this probability.

    Post-editing proposes the new pronoun with what depends on it. A proposal is applied if it is probable
    enough, changes exactly the word of a finding, and divides no chain of pronouns.
    """
    own = [finding for finding in findings if finding.path == file.path]
    proposals = _proposals(file, pair, confidence, packs, progress) if own else {}
    units = {unit.number: unit for unit in file.units}
    changes: list[Replacement] = []
    applied: list[Finding] = []
    held: list[tuple[Finding, str]] = []
    for finding in sorted(own, key=lambda finding: (finding.number, finding.target_span or Span(0, 0))):
        edit = _edit(finding, pair, proposals)
        if finding.confidence < confidence:
            held.append((finding, f"its confidence is below {confidence:g}"))
        elif edit is None:
            held.append((finding, "no other pronoun is probable enough, or grammar and chain forbid it"))
        elif touches_markup(finding.target, *edit[0]):
            held.append((finding, "a tag or a placeholder would change"))
        else:
            change = file.replacement(units[finding.number], *edit)
            if (
                changes
                and change.span.start < changes[-1].span.end
                and change.span.end > changes[-1].span.start
            ):
                held.append((finding, "another fix changes the same word"))
                continue
            changes.append(change)
            applied.append(finding)
    return Fixes(file, file.with_changes(changes), applied, held)


_Edits = Mapping[tuple[int, int, int], tuple[Span, str]]


def _edit(finding: Finding, pair: LanguagePair, proposals: _Edits) -> tuple[Span, str] | None:
    """The characters of the target to replace, and their replacement."""
    span = finding.target_span
    if span is None:
        return None
    if finding.kind is Kind.CAST:
        # Only German pronouns for persons leave the rest of the sentence as it is.
        return (span, finding.suggestion) if finding.suggestion and pair.target == "de" else None
    return proposals.get((finding.number, *span))


def _proposals(
    file: UnitFile, pair: LanguagePair, confidence: float, packs: str | None, progress: Progress
) -> _Edits:
    """The proposals of post-editing, by unit and character span of the replaced word."""
    if str(pair) not in _PAIRS:
        return {}
    rows = [LinkedUnit(file, unit, unit.document) for unit in file.units]
    documents = []
    for number, (_, members) in enumerate(groupby(rows, key=lambda row: row.document)):
        documents += [str(number)] * len(list(members))
    result = postedit(
        find_postedit_model(_MODEL, pair=str(pair)),
        Settings(pair=str(pair), samples=0, packs=packs),
        name=_MODEL,
        source=Text.of([row.source for row in rows], path=file.path),
        candidate=Text.of([row.target for row in rows], path=file.path),
        documents=tuple(documents),
        threshold=confidence,
        progress=progress,
    )
    edits = {}
    for proposal in result.proposals.applied:
        occurrence = proposal.occurrence
        unit = file.units[occurrence.pronoun.segment]
        edits[unit.number, *occurrence.span] = (proposal.edit.span, proposal.edit.text)
    return edits


def write_copies(folder: str, copies: Mapping[str, str]) -> list[str]:
    """Write the texts of copies, by the paths of the originals, into a folder; their paths."""
    names = file_names([Path(path).name for path in copies], kind="file", where=folder)
    if len(names) < len(copies):
        what = "two files have the same name, so their copies would collide"
        raise OptionError(what, where=folder, fix="check them one at a time, with a folder for each")
    written = []
    for path, text in copies.items():
        target = inside(folder, Path(folder) / names[Path(path).name])
        if target.resolve() == Path(path).resolve():
            raise OptionError(
                "the copy would replace the original", where=str(target), fix="name another folder"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, text.encode("utf-8"))
        written.append(str(target))
    return written
