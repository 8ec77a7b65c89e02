"""The safetensors format: what is written is read back, and nothing false is believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import InputError
from anaphor.predict.neural.tensorfile import read_tensors, write_tensors


def written(path: Path, header: Any, data: bytes = b"") -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def test_arrays_of_every_type_and_shape_come_back(tmp_path: Path) -> None:
    arrays = {
        "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
        "scalar": np.array(1.5),
        "none": np.zeros((0, 4), np.int64),
        "bytes": np.array([1, 2, 255], np.uint8),
        "truth": np.array([True, False]),
        "turned": np.arange(6, dtype=np.int16).reshape(2, 3).T,
    }
    write_tensors(tmp_path / "file", arrays, metadata={"made": "here, 'é'"})
    found = read_tensors(tmp_path / "file")
    assert found.metadata == {"made": "here, 'é'"}
    assert list(found.arrays) == list(arrays)
    for name, array in arrays.items():
        assert found.arrays[name].dtype == array.dtype
        assert found.arrays[name].shape == array.shape
        assert np.array_equal(found.arrays[name], array)


def test_the_bytes_are_those_of_the_format(tmp_path: Path) -> None:
    # By hand from the specification of the format: header length, JSON, little-endian data.
    write_tensors(tmp_path / "file", {"a": np.array([1, 2], np.int16)})
    content = (tmp_path / "file").read_bytes()
    length = int.from_bytes(content[:8], "little")
    assert length % 8 == 0
    assert json.loads(content[8 : 8 + length]) == {
        "a": {"dtype": "I16", "shape": [2], "data_offsets": [0, 4]}
    }
    assert content[8 + length :] == b"\x01\x00\x02\x00"


def entry(dtype: str = "F32", shape: Any = (1,), offsets: Any = (0, 4)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


HOSTILE: dict[str, tuple[Any, bytes]] = {
    "no JSON": (b"{", b""),
    "no table": ([1], b""),
    "not UTF-8": (b'{"\xff": 1}', b""),
    "deep": (b"[" * 100_000, b""),
    "no entry": ({"a": 1}, b""),
    "unknown type": ({"a": entry("OBJECT")}, b"1234"),
    "another key": ({"a": {**entry(), "run": "code"}}, b"1234"),
    "beyond the end": ({"a": entry(shape=(2,), offsets=(0, 8))}, b"1234"),
    "shorter than its shape": ({"a": entry(shape=(2,))}, b"1234"),
    "an overlap": ({"a": entry(), "b": entry()}, b"1234"),
    "a gap": ({"a": entry(offsets=(4, 8))}, b"12345678"),
    "bytes left over": ({"a": entry()}, b"123456"),
    "a negative shape": ({"a": entry(shape=(-1, -1))}, b"1234"),
    "a shape of text": ({"a": entry(shape=("1",))}, b"1234"),
    "a fraction": ({"a": entry(offsets=(0.0, 4.0))}, b"1234"),
    "a huge shape": ({"a": entry(shape=(1 << 62, 4), offsets=(0, 4))}, b"1234"),
    "metadata that are no text": ({"__metadata__": {"a": [1]}}, b""),
    "a truth value of 2": ({"a": entry("BOOL", (1,), (0, 1))}, b"\x02"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(name: str, tmp_path: Path) -> None:
    header, data = HOSTILE[name]
    with pytest.raises(InputError, match="safetensors"):
        read_tensors(written(tmp_path / "file", header, data))


@pytest.mark.parametrize("content", [b"", b"1234", b"\xff" * 8, b"\xff" * 64])
def test_what_is_no_such_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(InputError, match="safetensors"):
        read_tensors(tmp_path / "file")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="safetensors"):
        read_tensors(tmp_path / "absent")


@given(st.binary(max_size=200), st.integers(0, 200))
def test_no_damage_is_more_than_an_input_error(tmp_path_factory: Any, noise: bytes, place: int) -> None:
    path = tmp_path_factory.mktemp("noise") / "file"
    write_tensors(path, {"a": np.arange(5.0), "b": np.array([[1, 2]])})
    content = path.read_bytes()
    path.write_bytes(content[:place] + noise + content[place + len(noise) :])
    try:
        found = read_tensors(path)
    except InputError:
        return
    assert all(isinstance(array, np.ndarray) for array in found.arrays.values())


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        write_tensors(tmp_path / "file", {"words": np.array(["no", "numbers"])})
    assert list(tmp_path.iterdir()) == []
