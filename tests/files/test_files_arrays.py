"""The container of arrays: what is written is read back, and nothing false is believed."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import InputError, OptionError
from anaphor.files.arrays import (
    Array,
    ArrayFile,
    StreamedArray,
    check_arrays,
    pack_arrays,
    pack_strings,
    read_arrays,
    read_object,
    unpack_strings,
    write_arrays,
)


def written(path: Path, header: Any, data: bytes = b"") -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


@pytest.mark.parametrize(("compress", "mapped"), [(False, False), (False, True), (True, False), (True, True)])
def test_arrays_of_every_type_and_shape_come_back(tmp_path: Path, compress: bool, mapped: bool) -> None:
    arrays: dict[str, Array] = {
        "bytes": np.array([1, 2, 255], np.uint8),
        "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
        "scalar": np.array(1.5),
        "none": np.zeros((0, 4), np.int64),
        "truth": np.array([True, False]),
        "by column": np.arange(6, dtype=np.int16).reshape(2, 3).T,
        "half": np.array([0.5], np.float16),
        "short": np.array([65535], np.uint16),
        "other order": np.array([1, 2], ">i4"),
    }
    write_arrays(tmp_path / "file", arrays, metadata={"made": "here, 'é'"}, compress=compress)
    found = read_arrays(tmp_path / "file", mapped=mapped)
    assert found.metadata == {"made": "here, 'é'"}
    assert list(found.arrays) == list(arrays)
    for name, array in arrays.items():
        assert found.arrays[name].dtype == array.dtype.newbyteorder("=")
        assert found.arrays[name].shape == array.shape
        assert np.array_equal(found.arrays[name], array)
        assert found.arrays[name].flags.aligned
        assert not found.arrays[name].flags.writeable


def test_the_bytes_are_those_of_the_format(tmp_path: Path) -> None:
    # By hand from the specification: header length, JSON, little-endian data; large items first.
    arrays: dict[str, Array] = {"a": np.array([7], np.uint8), "b": np.array([1, 2], np.int16)}
    write_arrays(tmp_path / "file", arrays)
    content = (tmp_path / "file").read_bytes()
    length = int.from_bytes(content[:8], "little")
    assert length % 8 == 0
    assert json.loads(content[8 : 8 + length]) == {
        "__metadata__": {"crc32": f"{zlib.crc32(content[8 + length :]):08x}"},
        "a": {"dtype": "U8", "shape": [1], "data_offsets": [4, 5]},
        "b": {"dtype": "I16", "shape": [2], "data_offsets": [0, 4]},
    }
    assert content[8 + length :] == b"\x01\x00\x02\x00\x07"
    assert pack_arrays(arrays) == content


def test_others_can_read_our_files_and_we_theirs(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    arrays: dict[str, Array] = {"a": np.arange(3, dtype=np.int64), "b": np.ones((2, 2), np.float32)}
    write_arrays(tmp_path / "ours", arrays, metadata={"kind": "test"})
    theirs = safetensors.load_file(tmp_path / "ours")
    assert {name: array.tolist() for name, array in theirs.items()} == {"a": [0, 1, 2], "b": [[1, 1], [1, 1]]}
    safetensors.save_file(arrays, tmp_path / "theirs", metadata={"x": "y"})
    found = read_arrays(tmp_path / "theirs")
    assert found.metadata == {"x": "y"}
    assert {name: array.tolist() for name, array in found.arrays.items()} == {
        "a": [0, 1, 2],
        "b": [[1, 1], [1, 1]],
    }


def test_a_compressed_file_is_a_gzip_of_a_plain_one_without_a_date(tmp_path: Path) -> None:
    arrays = {"a": np.arange(100)}
    write_arrays(tmp_path / "packed", arrays, compress=True)
    assert gzip.decompress((tmp_path / "packed").read_bytes()) == pack_arrays(arrays)
    assert (tmp_path / "packed").read_bytes()[4:8] == b"\0" * 4


def test_an_array_can_be_written_in_parts(tmp_path: Path) -> None:
    parts = (np.arange(start, start + 3, dtype=np.int64) for start in (0, 3))
    write_arrays(tmp_path / "parts", {"a": StreamedArray(np.dtype(np.int64), 6, parts)})
    assert (tmp_path / "parts").read_bytes() == pack_arrays({"a": np.arange(6)})
    with pytest.raises(ValueError, match="parts of a"):
        write_arrays(tmp_path / "short", {"a": StreamedArray(np.dtype(np.int64), 7, [np.arange(6)])})
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


def test_a_changed_byte_of_the_data_is_detected(tmp_path: Path) -> None:
    for mapped in (False, True):
        content = bytearray(pack_arrays({"a": np.arange(5)}))
        content[-9] ^= 1
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(InputError, match="checksum"):
            read_arrays(tmp_path / "file", mapped=mapped)


def entry(dtype: str = "F32", shape: Any = (1,), offsets: Any = (0, 4)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


HOSTILE: dict[str, tuple[Any, bytes]] = {
    "no JSON": (b"{", b""),
    "no table": ([1], b""),
    "not UTF-8": (b'{"\xff": 1}', b""),
    "deep": (b"[" * 100_000, b""),
    "deep in an entry": (b'{"a": ' + b"[" * 100_000, b""),
    "no entry": ({"a": 1}, b""),
    "unknown type": ({"a": entry("OBJECT")}, b"1234"),
    "a type that is no text": ({"a": {**entry(), "dtype": ["F32"]}}, b"1234"),
    "another key": ({"a": {**entry(), "run": "code"}}, b"1234"),
    "a key missing": ({"a": {"dtype": "F32", "shape": [1]}}, b"1234"),
    "beyond the end": ({"a": entry(shape=(2,), offsets=(0, 8))}, b"1234"),
    "shorter than its shape": ({"a": entry(shape=(2,))}, b"1234"),
    "an overlap": ({"a": entry(), "b": entry()}, b"1234"),
    "a gap": ({"a": entry(offsets=(4, 8))}, b"12345678"),
    "a gap between": ({"a": entry(), "b": entry(offsets=(8, 12))}, b"123456789012"),
    "bytes left over": ({"a": entry()}, b"123456"),
    "backwards": ({"a": entry(shape=(0,), offsets=(4, 0))}, b"1234"),
    "three offsets": ({"a": entry(offsets=(0, 4, 4))}, b"1234"),
    "a negative shape": ({"a": entry(shape=(-1, -1))}, b"1234"),
    "a shape of text": ({"a": entry(shape=("1",))}, b"1234"),
    "a shape of truth": ({"a": entry(shape=(True,))}, b"1234"),
    "a fraction": ({"a": entry(offsets=(0.0, 4.0))}, b"1234"),
    "a huge shape": ({"a": entry(shape=(1 << 62, 4), offsets=(0, 4))}, b"1234"),
    "a huge number": (
        b'{"a": {"dtype": "F32", "shape": [' + b"9" * 9999 + b'], "data_offsets": [0, 4]}}',
        b"",
    ),
    "metadata that are no text": ({"__metadata__": {"a": [1]}}, b""),
    "metadata that are no table": ({"__metadata__": "a"}, b""),
    "a truth value of 2": ({"a": entry("BOOL", (1,), (0, 1))}, b"\x02"),
    "a name twice": (b'{"a": 1, "a": 2}', b""),
    "half a character in a name": (b'{"\\ud800": ' + json.dumps(entry()).encode() + b"}", b"1234"),
    "half a character in metadata": (b'{"__metadata__": {"kind": "\\udfff"}}', b""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(name: str, tmp_path: Path) -> None:
    header, data = HOSTILE[name]
    path = written(tmp_path / "file", header, data)
    for content in (path.read_bytes(), gzip.compress(path.read_bytes())):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a valid model") as caught:
            read_arrays(path, what="model")
        assert str(caught.value.where) == str(path)


@pytest.mark.parametrize(
    "content", [b"", b"1234", b"\xff" * 8, b"\xff" * 64, b"\x1f\x8b", b"PK\x03\x04", b"ANAPHOR\x1a"]
)
@pytest.mark.parametrize("mapped", [False, True])
def test_a_file_that_is_not_an_array_file_is_refused(content: bytes, mapped: bool, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(InputError, match=r"damaged or truncated|broken or incomplete"):
        read_arrays(tmp_path / "file", mapped=mapped)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for mapped in (False, True):
        with pytest.raises(InputError, match="cannot read the model"):
            read_arrays(tmp_path / "absent", what="model", mapped=mapped)


def test_nothing_may_follow_the_compressed_data(tmp_path: Path) -> None:
    """The last four bytes are the size, as they should be, so that only the end of the data gives it away."""
    content = gzip.compress(pack_arrays({"a": np.arange(9)}))
    (tmp_path / "file").write_bytes(content + b"surplus" + content[-4:])
    with pytest.raises(InputError, match="broken or incomplete"):
        read_arrays(tmp_path / "file")


def test_a_small_file_that_would_unpack_to_gigabytes_is_not_unpacked(tmp_path: Path) -> None:
    """32 MiB of zeros make 32 kB; that the checksum is right must not help."""
    write_arrays(tmp_path / "file", {"a": np.zeros(1 << 25, np.uint8)}, compress=True)
    with pytest.raises(InputError, match=r"more than .* decompressed"):
        read_arrays(tmp_path / "file")
    honest = gzip.compress(pack_arrays({"a": np.zeros(1 << 25, np.uint8)}))
    (tmp_path / "file").write_bytes(honest[:-4] + (1000).to_bytes(4, "little"))  # says to be small
    with pytest.raises(InputError, match=r"more than .* decompressed"):
        read_arrays(tmp_path / "file")


ORIGINALS: dict[str, Callable[[], bytes]] = {
    "plain": lambda: pack_arrays({"a": np.arange(5.0), "b": np.array([[1, 2]])}, metadata={"kind": "test"}),
    "compressed": lambda: gzip.compress(pack_arrays({"a": np.arange(5.0), "b": np.array([[1, 2]])})),
}


@given(st.sampled_from(sorted(ORIGINALS)), st.binary(max_size=200), st.integers(0, 400))
def test_no_damage_is_more_than_an_input_error(
    tmp_path_factory: Any, name: str, noise: bytes, place: int
) -> None:
    path = tmp_path_factory.mktemp("noise") / "file"
    content = ORIGINALS[name]()
    path.write_bytes(content[:place] + noise + content[place + len(noise) :])
    try:
        found = read_arrays(path)
    except InputError:
        return
    assert all(isinstance(array, np.ndarray) for array in found.arrays.values())


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        write_arrays(tmp_path / "file", {"words": np.array(["no", "numbers"])})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OptionError, match="the prior cannot be written"):
        write_arrays(tmp_path / "no" / "file", {}, what="prior")


SCHEMA = {"start": "int64[rows]", "table": "float32[rows, 2]", "one": "uint8[]"}
FITTING: dict[str, Array] = {
    "start": np.arange(3),
    "table": np.zeros((3, 2), np.float32),
    "one": np.array(1, np.uint8),
}


def test_arrays_are_checked_against_a_schema() -> None:
    assert check_arrays(FITTING, SCHEMA) == {"rows": 3}
    assert check_arrays(FITTING, SCHEMA, rows=3, more=7) == {"rows": 3, "more": 7}
    with pytest.raises(ValueError, match=r"start has the wrong size: \[3\], not \[4\]"):
        check_arrays(FITTING, SCHEMA, rows=4)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"start": None}, "it has no start"),
        ({"other": np.zeros(1)}, "it has an unknown array: other"),
        ({"start": np.arange(3, dtype=np.int32)}, "start has the wrong type: int32, not int64"),
        ({"start": np.arange(4)}, r"table has the wrong size: \[3, 2\], not \[4, 2\]"),
        ({"table": np.zeros((3, 1), np.float32)}, r"table has the wrong size: \[3, 1\], not \[3, 2\]"),
        ({"table": np.zeros(6, np.float32)}, "table has the wrong size"),
        ({"one": np.zeros(1, np.uint8)}, "one has the wrong size"),
    ],
)
def test_arrays_that_do_not_fit_a_schema_are_named(tmp_path: Path, change: dict[str, Any], what: str) -> None:
    arrays = {name: array for name, array in {**FITTING, **change}.items() if array is not None}
    write_arrays(tmp_path / "file", arrays, metadata={"kind": "test", "version": "1"})
    with pytest.raises(InputError, match=f"the test is inconsistent: {what}"):
        read_object(tmp_path / "file", kind="test", version=1, schema=SCHEMA, make=lambda content: content)


def test_an_object_is_made_of_a_file_of_its_kind_and_version_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_arrays(path, FITTING, metadata={"kind": "test", "version": "2"})

    def read(kind: str, version: int, make: Callable[[ArrayFile], Any] = lambda content: content) -> Any:
        return read_object(path, kind=kind, version=version, make=make)

    assert read("test", 2).metadata == {"kind": "test", "version": "2"}
    with pytest.raises(InputError, match="expected prior, got test"):
        read("prior", 2)
    with pytest.raises(InputError, match="test of version 2, this program reads 3"):
        read("test", 3)
    write_arrays(tmp_path / "nameless", FITTING)
    with pytest.raises(InputError, match="expected test, got unknown"):
        read_object(tmp_path / "nameless", kind="test", version=1, make=lambda content: content)
    with pytest.raises(InputError, match="is inconsistent: it has no pair"):
        read("test", 2, lambda content: content.metadata["pair"])


@given(st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"), min_size=1)))
def test_strings_come_back(strings: list[str]) -> None:
    assert unpack_strings(pack_strings(strings)) == tuple(strings)


def test_other_containers_are_refused(tmp_path: Path) -> None:
    """Among them what the program wrote before its first release."""
    np.savez(tmp_path / "file.npz", a=np.arange(3))
    (tmp_path / "file.model").write_bytes(b"ANAPHOR\x1a" + b"\0" * 40)
    for name in ("file.npz", "file.model"):
        with pytest.raises(InputError, match="damaged or truncated"):
            read_arrays(tmp_path / name)
