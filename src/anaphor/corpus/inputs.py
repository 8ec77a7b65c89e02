"""All the texts of one experiment: formats are recognized, files read, and lengths compared."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from anaphor.core import Files, InputError, InputWarning, LanguagePair, MismatchError, OptionError, Where
from anaphor.core.table import counted
from anaphor.corpus.alignments import AlignmentFile, parse_giza, parse_pharaoh
from anaphor.corpus.bundle import Inputs, parse_tsv
from anaphor.corpus.text import Text, clean, display_name, is_folder, read_bytes, read_text
from anaphor.files.folders import files_inside, is_utf8

_TAG = re.compile(rb"<([A-Za-z]+)")
_SGM_ROOTS = (b"srcset", b"refset", b"tstset", b"mteval")
_DOCUMENT_START = re.compile(r"([0-9]{1,9})(?:[ \t]+(\S.*?))?[ \t]*")


def read_inputs(files: Files, pair: LanguagePair) -> Inputs:
    """Read everything the experiment names; a text that does not match the source is an error.

    A reference is optional, since some metrics need none.
    """
    inputs = read_test_set(files, pair, reference_optional=True)
    check_candidates(inputs, paired=False)
    return inputs


def check_candidates(inputs: Inputs, *, paired: bool) -> None:
    """Raise unless there is a candidate, and for paired tests a second one."""
    if not inputs.candidates:
        raise OptionError("no candidate is given", where="--candidate", fix="use at least one file to score")
    if paired and len(inputs.candidates) == 1:
        fix = "pass the baseline first and at least one more candidate, or omit --paired"
        raise OptionError("a paired test needs at least two candidates", where="--paired", fix=fix)


def read_test_set(files: Files, pair: LanguagePair, *, reference_optional: bool = False) -> Inputs:
    """As `read_inputs`, but there need not be a candidate, and there must be a reference."""
    check_standard_input(files)
    if files.bundle is not None:
        if files.source is not None or files.references:
            fix = "leave out --source and --reference, or leave out --set"
            raise OptionError("a test set has its own source and references", where="--set", fix=fix)
        texts = read_bundle(files.bundle, pair=pair)
    elif files.source is None or not (files.references or reference_optional):
        fix = "use both, or a test set containing both with --set"
        raise OptionError("source or reference is missing", where="--source, --reference", fix=fix)
    else:
        texts = Inputs(read_text(files.source), tuple(map(read_text, files.references)), {})
    # A test set may bring systems of its own; their names are taken.
    named = paths_by_name(files.candidates, role="candidate", taken=texts.candidates)
    candidates = {**texts.candidates, **{name: read_text(path) for name, path in named.items()}}
    segments = texts.segments
    documents = texts.documents
    if files.documents is not None:
        documents = read_documents(files.documents, segments=segments)
    aligned = _read_alignments(files.candidate_alignments, segments, len(candidates), option="candidate")
    return Inputs(
        texts.source,
        texts.references,
        candidates,
        documents,
        None if files.positions is None else read_text(files.positions),
        _read_alignments(files.reference_alignments, segments, len(texts.references), option="reference"),
        None if aligned is None else dict(zip(candidates, aligned, strict=True)),
    )


def check_standard_input(files: Files) -> None:
    """Raise if standard input is used twice, or a path is not UTF-8."""
    for path in files.paths():
        _require_utf8(path)
    if files.paths().count("-") > 1:
        what = "standard input can only be used for one file"
        raise OptionError(what, where="-", fix="write the other texts to files")


def _require_utf8(name: str) -> None:
    """Results are UTF-8 and contain the names and paths of their inputs."""
    if not is_utf8(name):
        raise OptionError("the name of a file is not UTF-8", where=name, fix="rename the file or its folder")


def _renamed(first: str, second: str) -> str:
    """Two paths with different names, by their endings if these differ, as in `wmt.Aya23` and `wmt.GPT-4`."""
    names = [Path(path).suffix.removeprefix(".") for path in (first, second)]
    if not all(names) or names[0] == names[1] or any(re.search(r"\s", path) for path in (first, second)):
        return "first=PATH second=PATH"
    return " ".join(f"{name}={path}" for name, path in zip(names, (first, second), strict=True))


def paths_by_name(
    files: Iterable[tuple[str, str]], *, role: str, taken: Collection[str] = ()
) -> dict[str, str]:
    """The paths of several texts by name; duplicate or reserved names are errors."""
    paths: dict[str, str] = {}
    for name, path in files:
        if name in paths or name in taken:
            fix = f"give them names: --{role} {_renamed(paths.get(name, path), path)}"
            raise MismatchError(f"two {role}s are called {name}", where=path, fix=fix)
        _require_utf8(name)
        _require_utf8(path)
        paths[name] = path
    return paths


def read_alignments(path: str | Path, *, segments: int) -> AlignmentFile:
    """The alignment of every segment from a Pharaoh or a GIZA A3 file.

    A first line that begins with `#` is the mark of GIZA. Surplus lines without links at the end of a Pharaoh
    file are dropped with a warning, because Moses writes such a line; any other difference is a mismatch.
    """
    name = display_name(path)
    data = clean(read_bytes(path), path=name)
    links = (parse_giza if data.startswith(b"#") else parse_pharaoh)(data, path=name)
    del data  # as large as the links
    surplus = len(links) - segments
    # GIZA numbers its segments, so that a surplus one without links still belongs to another text.
    tolerable = links.lines_each == 1 and surplus >= 0 and links.offsets[segments] == links.offsets[-1]
    if surplus and not tolerable:
        raise MismatchError(
            f"the file has alignments for {len(links)} segments, the text has {segments}",
            where=Where(name, links.lines_each * min(len(links), segments) + 1),
            fix="align the same text that is scored; a segment without links is an empty line",
        )
    if surplus:
        message = f"{name}: dropped surplus empty lines at the end ({surplus})"
        warnings.warn(message, InputWarning, stacklevel=2)
        links = replace(links, offsets=links.offsets[: segments + 1])
    return AlignmentFile.of(links, path=name)


def read_bundle(path: str | Path, *, pair: LanguagePair) -> Inputs:
    """A test set from TSV, WMT XML, SGM, a folder of SGM files or a folder of mt-metrics-eval.

    A file named `.tsv` is TSV. Other files are recognized by their first tag, and are TSV if they
    have none and a tab in their first line. A folder is of mt-metrics-eval if it has `sources`.
    """
    if is_folder(path):
        return _read_folder(Path(path), pair=pair)
    name = display_name(path)
    data = clean(read_bytes(path), path=name)
    if name.removesuffix(".gz").endswith(".tsv"):
        return parse_tsv(data, path=name)
    tag = _TAG.search(data) if data.lstrip().startswith(b"<") else None
    root = tag[1].lower() if tag else b""
    if root == b"dataset":
        from anaphor.corpus.markup import (
            parse_wmt_xml,  # few test sets are marked up, and it is slow to import
        )

        return parse_wmt_xml(data, path=name, pair=pair)
    if root in _SGM_ROOTS:
        from anaphor.corpus.markup import parse_sgm

        return parse_sgm([(name, data)], path=name, pair=pair)
    if not root and b"\t" in data.partition(b"\n")[0]:
        return parse_tsv(data, path=name)
    fix = "pass TSV (docid, source, reference), WMT XML (<dataset>) or SGM (<srcset>, <refset>)"
    raise InputError("the format of the test set was not recognized", where=name, fix=fix)


def _read_folder(folder: Path, *, pair: LanguagePair) -> Inputs:
    if is_folder(folder / "sources"):
        from anaphor.corpus.mtme import read_mtme

        return read_mtme(folder, pair=pair)
    files = files_inside(folder, "*.sgm", "*.sgm.gz")
    if not files:
        fix = "pass a folder in the layout of mt-metrics-eval, or one with the .sgm files of one test set"
        raise InputError("the folder has neither sources/ nor .sgm files", where=str(folder), fix=fix)
    from anaphor.corpus.markup import parse_sgm

    parts = [(str(path), clean(read_bytes(path), path=str(path))) for path in files]
    return parse_sgm(parts, path=str(folder), pair=pair)


def read_documents(path: str | Path, *, segments: int) -> tuple[str, ...]:
    """The document id of every segment."""
    return parse_documents(read_text(path), segments=segments)


def parse_documents(text: Text, *, segments: int) -> tuple[str, ...]:
    """The same from a text: an id for every segment, or the segments where documents start.

    `DOMAIN <tab> DOCUMENT`, as in the files of WMT, is the id of a segment too.
    """
    if len(text) == segments:
        ids = tuple(line.rpartition("\t")[2] for line in text.lines)
        for number, id_ in enumerate(ids, start=1):
            if not id_.strip():
                fix = "write the id of the segment's document on every line"
                raise InputError("a document id is blank", where=Where(text.path, number), fix=fix)
        return ids

    def mismatch(what: str, line: int) -> MismatchError:
        return MismatchError(
            f"{what}; the source has {segments} segments",
            where=Where(text.path, line),
            fix=f"pass a document id for each of the {segments} segments, or list only the segments at which "
            "documents start: `N` or `N id` on each line, counted from 0, in ascending order",
        )

    if len(text) > segments:
        raise mismatch(f"the file has {len(text)} lines", segments + 1)
    starts: dict[str, int] = {}
    previous = -1
    for number, line in enumerate(text.lines, start=1):
        match = _DOCUMENT_START.fullmatch(line)
        if match is None:
            raise mismatch(
                f"the file has {counted(len(text), 'line')}, and {line[:40]!r} is not a start line", number
            )
        start, name = int(match[1]), match[2] or f"document-{number - 1}"
        if number == 1 and start != 0:
            raise mismatch(f"the first document starts at {start}, not 0", 1)
        if start >= segments:
            raise mismatch(f"start {start} is beyond the last segment", number)
        if start <= previous:
            raise mismatch(f"start {start} follows start {previous}", number)
        if name in starts:
            raise mismatch(f"the id in {line!r} is used twice", number)
        starts[name] = previous = start
    spans = zip(starts, pairwise((*starts.values(), segments)), strict=True)
    return tuple(name for name, (start, end) in spans for _ in range(start, end))


def _read_alignments(
    paths: tuple[str, ...], segments: int, expected: int, *, option: str
) -> tuple[AlignmentFile, ...] | None:
    if not paths:
        return None
    if len(paths) != expected:
        what = f"{counted(len(paths), 'alignment file')} for {counted(expected, option + ' text')}"
        fix = f"pass one alignment file for every {option} text, in the same order"
        raise MismatchError(what, where=f"--alignment-{option}", fix=fix)
    return tuple(read_alignments(path, segments=segments) for path in paths)
