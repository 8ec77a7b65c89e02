"""Whatever the bytes, a reader gives a result or a `UserError`, never anything else."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphor.core import InputWarning, LanguagePair, UserError
from anaphor.corpus import read_alignments, read_bundle, read_documents, read_text

PAIR = LanguagePair("en", "fr")
TEXT = "It sleeps .\nThey\u2028look .\n"
DOCUMENTS = "0 cat\n1 dog\n"
PHARAOH = "0-0 1?1 2p2 \n10-11\n"
GIZA = """\
# Sentence pair (1) source length 2 target length 2 alignment score : 0.5
il dort
NULL ({ }) it ({ 1 }) sleeps ({ 2 })
# Sentence pair (2) source length 1 target length 3 alignment score : 1e-05
oui , oui
NULL ({ 2 }) yes ({ 1 3 })
"""
TSV = "docid\tsource\treference\ncat\tIt .\tIl .\ndog\tThey .\tIls .\n"
XML = """<?xml version="1.0" encoding="utf-8"?>
<dataset id="x"><collection><doc id="cat" origlang="en" testsuite="t"><src lang="en"><p>
<seg id="1">It &amp; &#233; .</seg></p></src><ref lang="fr" translator="A"><seg id="1">Il .</seg></ref>
<hyp system="X" language="fr"><seg id="1">Ça\n.</seg></hyp></doc></collection></dataset>
"""
SGM = """<!DOCTYPE mteval SYSTEM "x.dtd"><srcset setid="s" srclang="any"><doc docid="cat"><p>
<seg id="1">It & &#233; &#xD800; .</seg></p></doc></srcset>
<refset trglang="fr"><DOC docid='cat' sysid=ref><seg id=1>Il .</seg></DOC></refset>
<tstset sysid="X"><doc docid="cat"><seg id="1">Ça .</seg></doc></tstset>
"""


def documents(path: Path) -> object:
    return read_documents(path, segments=2)


def alignments(path: Path) -> object:
    return list(read_alignments(path, segments=2))


def bundle(path: Path) -> object:
    return read_bundle(path, pair=PAIR)


CASES = [
    pytest.param(read_text, TEXT, "text.txt", id="text"),
    pytest.param(documents, DOCUMENTS, "documents.txt", id="documents"),
    pytest.param(alignments, PHARAOH, "pharaoh.txt", id="pharaoh"),
    pytest.param(alignments, GIZA, "giza.txt", id="giza"),
    pytest.param(bundle, TSV, "set.tsv", id="tsv"),
    pytest.param(bundle, XML, "set.xml", id="wmtxml"),
    pytest.param(bundle, SGM, "set.sgm", id="sgm"),
]
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

# Pieces that mean something to one of the formats, to be thrown in anywhere.
PIECES = [
    b"\n", b"\r\n", b"\r", b"\t", b" ", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xed\xa0\x80",
    b"-", b"?", b"p", b"#", b"0", b"9" * 7, b"9" * 5000, b"({", b"})", b'"', b" id=", b'lang="de"',
    b"<", b">", b"&", b"&amp;", b"&#xD800;", b"&#1114112;", b"<seg>", b"</seg>", b"<doc>", b"</doc>",
    b"<srcset>", b"<dataset>", b"<?", b"<!--", b"-->", b"<![CDATA[", b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
]  # fmt: skip


def mistake(read: Callable[[Path], object], path: Path) -> UserError | None:
    """The `UserError` that reading raises, if it does; every other exception comes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        try:
            read(path)
        except UserError as error:
            return error
    return None


def assert_read_or_refused(read: Callable[[Path], object], path: Path) -> None:
    error = mistake(read, path)
    if error is not None:
        assert error.what
        assert error.fix
        assert str(error.where).startswith(str(path))


@st.composite
def mutations(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """A function that cuts, doubles or overwrites a few stretches of a file."""
    edits = draw(
        st.lists(
            st.tuples(
                st.floats(0, 1), st.integers(0, 12), st.one_of(st.sampled_from(PIECES), st.binary(max_size=4))
            ),
            min_size=1,
            max_size=4,
        )
    )

    def mutate(data: bytes) -> bytes:
        for place, width, piece in edits:
            at = int(place * len(data))
            data = data[:at] + piece + data[at + width :]
        return data

    return mutate


@pytest.mark.parametrize(("read", "valid", "name"), CASES)
def test_the_unchanged_files_are_read(
    tmp_path: Path, read: Callable[[Path], object], valid: str, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(valid.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        assert read(path)


@pytest.mark.parametrize(("read", "valid", "name"), CASES)
@QUICK
@given(data=st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)))
def test_random_bytes_raise_user_errors_only(
    tmp_path: Path, read: Callable[[Path], object], valid: str, name: str, data: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert_read_or_refused(read, path)


@pytest.mark.parametrize(("read", "valid", "name"), CASES)
@QUICK
@given(mutate=mutations())
def test_mutated_files_raise_user_errors_only(
    tmp_path: Path,
    read: Callable[[Path], object],
    valid: str,
    name: str,
    mutate: Callable[[bytes], bytes],
) -> None:
    path = tmp_path / name
    path.write_bytes(mutate(valid.encode()))
    assert_read_or_refused(read, path)


@QUICK
@given(mutate=mutations())
def test_mutated_gzip_files_raise_user_errors_only(tmp_path: Path, mutate: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(mutate(gzip.compress(TEXT.encode(), mtime=0)))
    assert_read_or_refused(read_text, path)


@QUICK
@given(mutate=mutations(), victim=st.sampled_from(["sources", "documents", "references", "systems"]))
def test_mutated_folders_raise_user_errors_only(
    tmp_path: Path, mutate: Callable[[bytes], bytes], victim: str
) -> None:
    files = {
        "sources": ("sources/en-fr.txt", TEXT),
        "documents": ("documents/en-fr.docs", "news cat\nnews dog\n"),
        "references": ("references/en-fr.refA.txt", TEXT),
        "systems": ("system-outputs/en-fr/X.txt", TEXT),
    }
    for key, (name, content) in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(mutate(content.encode()) if key == victim else content.encode())
    assert_read_or_refused(bundle, tmp_path)
