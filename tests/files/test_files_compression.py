"""Compressed data and archives: limits on ratio and size, and damage of every kind."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from anaphor.core import InputError, OptionError, UserError
from anaphor.corpus.text import read_bytes
from anaphor.files.compression import VARIABLE, decompressed, most_allowed, read_tar, read_zip
from anaphor.meta.diabla import read_diabla
from anaphor.task.streams import count_lines, read_whole

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}
TOO_LARGE = r"has [\d,]+ bytes, and more than 16,777,216 decompressed"
#: 17 MiB of zeros, a little beyond what every file may have.
ZEROS = bytes(17 << 20)


def tar(**files: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"{name}.json")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


@pytest.mark.parametrize("kind", COMPRESS)
def test_content_comes_back_and_bombs_do_not(kind: str) -> None:
    text = b"It rains.\n" * 1000
    assert decompressed(COMPRESS[kind](text), where="file") == text
    with pytest.raises(InputError, match=TOO_LARGE) as caught:
        decompressed(COMPRESS[kind](ZEROS), where="file")
    assert str(caught.value.where) == "file"
    assert f"{VARIABLE}=4G" in caught.value.fix


def test_other_data_stay_as_they_are() -> None:
    assert decompressed(b"It rains.", where="file") == b"It rains."
    assert decompressed(b"", where="file") == b""


@pytest.mark.parametrize("read", [read_bytes, read_whole, count_lines])
def test_every_reader_of_gzip_files_has_the_limit(read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(ZEROS))
    with pytest.raises(InputError, match=TOO_LARGE) as caught:
        read(path)
    assert str(caught.value.where) == str(path)


def test_the_limit_follows_the_size_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert [most_allowed(size) for size in (0, 1 << 18, 1 << 20, 1 << 30)] == [
        1 << 24,
        1 << 24,
        1 << 26,
        8 << 30,
    ]


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("17000000", 17_000_000), ("3k", 3072), ("18M", 18 << 20), ("20G", 20 << 30)]
)
def test_a_variable_raises_and_lowers_the_limit(
    text: str, size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, text)
    assert most_allowed(1) == most_allowed(1 << 40) == size
    (tmp_path / "text.gz").write_bytes(gzip.compress(ZEROS))
    if size < len(ZEROS):
        with pytest.raises(InputError, match=f"more than {size:,} decompressed"):
            read_bytes(tmp_path / "text.gz")
    else:
        assert read_bytes(tmp_path / "text.gz") == ZEROS


@pytest.mark.parametrize("text", ["20 G", "-1", "1.5G", "many", "1P", "9" * 16, "٣"])
def test_a_variable_that_is_no_size_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(OptionError, match="not a size") as caught:
        most_allowed(1)
    assert str(caught.value.where) == VARIABLE


@pytest.mark.parametrize("kind", COMPRESS)
def test_damaged_compressed_data_are_refused_wherever_they_are_cut(kind: str) -> None:
    data = COMPRESS[kind](b"It rains. " + bytes(range(256)) * 4)
    stops = list(range(6, len(data), 7))
    assert stops
    for stop in stops:
        with pytest.raises(InputError, match=f"the {kind} file is broken or incomplete"):
            decompressed(data[:stop], where="file")
    for at in range(12, len(data) - 8, 11):  # no exception of another kind, whatever byte differs
        changed = bytearray(data)
        changed[at] ^= 0xFF
        with suppress(InputError):
            decompressed(bytes(changed), where="file")


def test_a_name_in_gz_promises_gzip(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(lzma.compress(b"It."))
    with pytest.raises(InputError, match="not a gzip file"):
        read_bytes(tmp_path / "a.gz")


@pytest.mark.parametrize("kind", ["plain", *COMPRESS])
def test_archives_are_read_whatever_compressed_them(kind: str) -> None:
    data = tar(a=b"{}", b=b"[]")
    packed = COMPRESS[kind](data) if kind in COMPRESS else data
    assert read_tar(packed, where="file") == {"a.json": b"{}", "b.json": b"[]"}


@pytest.mark.parametrize("kind", ["plain", *COMPRESS])
def test_damaged_archives_are_refused_wherever_they_are_cut(kind: str, tmp_path: Path) -> None:
    data = tar(a=bytes(range(256)) * 3, b=b"{}" * 300)
    packed = COMPRESS[kind](data) if kind in COMPRESS else data
    stops = (1, 100, 511, 513, 700, 1300, 2100) if kind == "plain" else range(6, len(packed), 9)
    assert stops
    for stop in stops:
        (tmp_path / "a.tar").write_bytes(packed[:stop])
        with pytest.raises(UserError):
            read_diabla(tmp_path / "a.tar")


def test_archives_with_a_bomb_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txz").write_bytes(lzma.compress(tar(a=ZEROS)))
    with pytest.raises(InputError, match=TOO_LARGE):
        read_diabla(tmp_path / "a.txz")


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_damaged_zip_archives_are_read_or_refused(method: int) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("a/\N{LATIN SMALL LETTER E WITH ACUTE}.txt", bytes(range(256)) * 4)
        archive.writestr("b.txt", b"text " * 40)
    whole, refused = file.getvalue(), 0
    draw = random.Random(method)
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.choice((0, 1, 127, 128, 255))
        try:
            read_zip(bytes(data), where="file")
        except InputError:
            refused += 1
    assert 200 < refused < 400


def test_a_file_of_a_zip_archive_may_have_no_name() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/", b"")
        with archive.open(zipfile.ZipInfo(""), "w") as nameless:
            nameless.write(b"text")
    assert read_zip(file.getvalue(), where="file") == {"": b"text"}


def test_headers_that_announce_headers_are_refused() -> None:
    header = tarfile.TarInfo("PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 12
    block = header.tobuf() + b"12 path=a.b\n".ljust(512, b"\0")
    with pytest.raises(InputError, match="broken"):
        read_tar(block * 3000, where="file")


def test_links_and_devices_in_an_archive_are_left_out() -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, kind in (
            ("a.json", tarfile.SYMTYPE),
            ("b.json", tarfile.LNKTYPE),
            ("c.json", tarfile.FIFOTYPE),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/hostname"
            archive.addfile(member)
    assert read_tar(file.getvalue(), where="file") == {}


def test_a_sparse_file_of_an_archive_is_left_out() -> None:
    """Its header announces a mebibyte, of which half a kibibyte is there."""
    member = tarfile.TarInfo("sparse.json")
    member.type, member.size = tarfile.GNUTYPE_SPARSE, 512
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0%011o\0" % (0, 512)  # the only part with content
    header[483:495] = b"%011o\0" % (1 << 20)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    archive = bytes(header) + b"x" * 512 + tar(other=b"{}")
    assert read_tar(archive, where="x") == {"other.json": b"{}"}
