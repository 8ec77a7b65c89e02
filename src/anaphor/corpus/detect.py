"""Which format is this? Looks at a file or folder and hands it to the reader of its format."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError, Where
from anaphor.corpus.alignment_file import AlignmentFile
from anaphor.corpus.bundle import Bundle
from anaphor.corpus.giza import parse_giza
from anaphor.corpus.links import Links
from anaphor.corpus.mtme import read_mtme
from anaphor.corpus.pharaoh import parse_pharaoh
from anaphor.corpus.reading import clean, display_name, is_folder, read_bytes
from anaphor.corpus.sgm import parse_sgm
from anaphor.corpus.tsv import parse_tsv
from anaphor.corpus.wmtxml import parse_wmt_xml

_TAG = re.compile(rb"<([A-Za-z]+)")
_SGM_ROOTS = (b"srcset", b"refset", b"tstset", b"mteval")


def read_alignments(path: str | Path, *, segments: int) -> AlignmentFile:
    """The alignment of every segment from a Pharaoh or a GIZA A3 file.

    A first line that begins with `#` is the mark of GIZA. Surplus lines without links at the end are
    dropped with a warning, because Moses writes such a line; any other difference is a mismatch.
    """
    name = display_name(path)
    data = clean(read_bytes(path), path=name)
    parse = parse_giza if data.startswith(b"#") else parse_pharaoh
    links = parse(data, path=name)
    return AlignmentFile.of(_fit(links, path=name, segments=segments), path=name)


def read_bundle(path: str | Path, *, pair: LanguagePair) -> Bundle:
    """A test set from TSV, WMT XML, SGM, a folder of SGM files or a folder of mt-metrics-eval.

    A file named `.tsv` is TSV. Other files are told apart by their first tag, and are TSV if they
    have none and a tab in their first line. A folder is of mt-metrics-eval if it has `sources`.
    """
    if is_folder(path):
        return _read_folder(Path(path), pair=pair)
    name = display_name(path)
    data = clean(read_bytes(path), path=name)
    if name.removesuffix(".gz").endswith(".tsv"):
        return parse_tsv(data, path=name)
    return _parse(data, name, pair)


def _fit(links: Links, *, path: str, segments: int) -> Links:
    surplus = len(links) - segments
    tolerable = links.lines_each == 1 and surplus >= 0 and links.offsets[segments] == links.offsets[-1]
    if surplus and not tolerable:
        raise MismatchError(
            f"the file has alignments for {len(links)} segments, the text has {segments}",
            where=Where(path, links.lines_each * min(len(links), segments) + 1),
            fix="align the same text that is scored; a segment without links is an empty line",
        )
    if surplus:
        warnings.warn(
            f"{path}: dropped surplus empty lines at the end ({surplus})", InputWarning, stacklevel=3
        )
        return replace(links, offsets=links.offsets[: segments + 1])
    return links


def _parse(data: bytes, name: str, pair: LanguagePair) -> Bundle:
    tag = _TAG.search(data) if data.lstrip().startswith(b"<") else None
    root = tag[1].lower() if tag else b""
    if root == b"dataset":
        return parse_wmt_xml(data, path=name, pair=pair)
    if root in _SGM_ROOTS:
        return parse_sgm([(name, data)], path=name, pair=pair)
    if not root and b"\t" in data.partition(b"\n")[0]:
        return parse_tsv(data, path=name)
    raise InputError(
        "the format of the test set is not known",
        where=name,
        fix="give TSV (docid, source, reference), WMT XML (<dataset>) or SGM (<srcset>, <refset>)",
    )


def _read_folder(folder: Path, *, pair: LanguagePair) -> Bundle:
    if is_folder(folder / "sources"):
        return read_mtme(folder, pair=pair)
    files = sorted([*folder.glob("*.sgm"), *folder.glob("*.sgm.gz")])
    if not files:
        raise InputError(
            "the folder has neither sources/ nor .sgm files",
            where=str(folder),
            fix="give a folder in the layout of mt-metrics-eval, or one with the .sgm files of one test set",
        )
    parts = [(str(path), clean(read_bytes(path), path=str(path))) for path in files]
    return parse_sgm(parts, path=str(folder), pair=pair)
