"""All the texts of one experiment, read and found to fit each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anaphor.core import Files, LanguagePair, MismatchError, OptionError, Where
from anaphor.corpus.alignment_file import AlignmentFile
from anaphor.corpus.bundle import Bundle
from anaphor.corpus.detect import read_alignments, read_bundle
from anaphor.corpus.documents import read_documents
from anaphor.corpus.text import Text, read_text


@dataclass(frozen=True, slots=True)
class Inputs:
    """Source, references, candidates and what belongs to them; every text has as many lines as the source.

    Alignments are None where none were given; candidates and their alignments share their keys.
    """

    source: Text
    references: tuple[Text, ...]
    candidates: Mapping[str, Text]
    documents: tuple[str, ...] | None = None
    positions: Text | None = None
    reference_alignments: tuple[AlignmentFile, ...] | None = None
    candidate_alignments: Mapping[str, AlignmentFile] | None = None

    def __post_init__(self) -> None:
        if not self.references:
            raise OptionError("no reference is given", where="--reference", fix="give at least one")
        for text in (*self.references, *self.candidates.values()):
            _same_length(text, self.source)

    @property
    def segments(self) -> int:
        return len(self.source.lines)

    @property
    def is_aligned(self) -> bool:
        """Whether every text has its alignment."""
        return self.reference_alignments is not None and self.candidate_alignments is not None


def read_inputs(files: Files, pair: LanguagePair) -> Inputs:
    """Read everything the experiment names; a text that does not fit the source is an error."""
    inputs = read_test_set(files, pair)
    check_candidates(inputs, paired=False)
    return inputs


def check_candidates(inputs: Inputs, *, paired: bool) -> None:
    """There must be something to score, and for a paired test something to compare it with."""
    if not inputs.candidates:
        raise OptionError("no candidate is given", where="--candidate", fix="name at least one file to score")
    if paired and len(inputs.candidates) == 1:
        raise OptionError(
            "one candidate has nothing to be compared with",
            where="--paired",
            fix="name the baseline first and at least one more candidate, or leave --paired out",
        )


def read_test_set(files: Files, pair: LanguagePair) -> Inputs:
    """The same, but there need not be a candidate."""
    _check_stdin(files)
    bundle = _test_set(files, pair)
    candidates = {**bundle.candidates, **_named_candidates(files, taken=bundle.candidates)}
    segments = len(bundle.source.lines)
    documents = bundle.documents
    if files.documents is not None:
        documents = read_documents(files.documents, segments=segments)
    return Inputs(
        bundle.source,
        bundle.references,
        candidates,
        documents,
        None if files.positions is None else read_text(files.positions),
        _alignments(files.reference_alignments, segments, len(bundle.references), option="reference"),
        _named_alignments(files, segments, tuple(candidates)),
    )


def _test_set(files: Files, pair: LanguagePair) -> Bundle:
    if files.bundle is not None:
        if files.source is not None or files.references:
            raise OptionError(
                "a test set brings its own source and references",
                where="--set",
                fix="leave out --source and --reference, or leave out --set",
            )
        return read_bundle(files.bundle, pair=pair)
    if files.source is None or not files.references:
        raise OptionError(
            "source or reference is missing",
            where="--source, --reference",
            fix="name both, or a test set that holds both with --set",
        )
    return Bundle(read_text(files.source), tuple(map(read_text, files.references)), {}, None)


def _named_candidates(files: Files, *, taken: Mapping[str, Text]) -> dict[str, Text]:
    named: dict[str, Text] = {}
    for name, path in files.candidates:
        if name in named or name in taken:
            raise MismatchError(
                f"two candidates are called {name}",
                where=path,
                fix="give them names: --candidate first=PATH second=PATH",
            )
        named[name] = read_text(path)
    return named


def _alignments(
    paths: tuple[str, ...], segments: int, expected: int, *, option: str
) -> tuple[AlignmentFile, ...] | None:
    if not paths:
        return None
    if len(paths) != expected:
        raise MismatchError(
            f"{len(paths)} alignment files for {expected} {option} texts",
            where=f"--alignment-{option}",
            fix=f"give one alignment file for every {option} text, in the same order",
        )
    return tuple(read_alignments(path, segments=segments) for path in paths)


def _named_alignments(files: Files, segments: int, names: tuple[str, ...]) -> dict[str, AlignmentFile] | None:
    read = _alignments(files.candidate_alignments, segments, len(names), option="candidate")
    return None if read is None else dict(zip(names, read, strict=True))


def _same_length(text: Text, source: Text) -> None:
    lines, expected = len(text.lines), len(source.lines)
    if lines != expected:
        raise MismatchError(
            f"{text.path} has {lines} lines, the source {source.path} has {expected}",
            where=Where(text.path, min(lines, expected) + 1),
            fix="remove surplus blank lines, or translate the same source again",
        )


def _check_stdin(files: Files) -> None:
    if files.paths().count("-") > 1:
        raise OptionError(
            "the standard input can stand for one file only", where="-", fix="write the other texts to files"
        )
