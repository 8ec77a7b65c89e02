"""Models in our own format come back the same, and damage is noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import InputError, OptionError
from anaphor.files.arrays import read_arrays, write_arrays
from anaphor.recipes.lm.arpa import read_arpa
from anaphor.recipes.lm.model import read_lm, write_lm


@pytest.fixture(scope="module")
def lm(small_arpa: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lm") / "small.lm"
    write_lm(path, read_arpa(small_arpa))
    return path


def test_a_saved_model_is_read_back(small_arpa: Path, lm: Path) -> None:
    before, after = read_arpa(small_arpa), read_lm(lm)
    assert dict(after.words) == dict(before.words)
    for old, new in zip(before.levels, after.levels, strict=True):
        assert new.key.tolist() == old.key.tolist()
        assert new.probability.tolist() == old.probability.tolist()
        assert new.backoff.tolist() == old.backoff.tolist()


@given(st.data())
def test_a_changed_or_missing_byte_is_noticed(
    lm: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = lm.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        damaged = content[:place]
    else:
        damaged = content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]
    path = tmp_path_factory.mktemp("damaged") / "small.lm"
    path.write_bytes(damaged)
    with pytest.raises(InputError):
        read_lm(path)


@pytest.mark.parametrize(
    ("change", "facts", "what"),
    [
        ({}, {"version": "2"}, "version 2"),
        ({}, {"kind": "prior"}, "expected language model, got prior"),
        ({"1.key": None}, {}, "it has no 1.key"),
        ({"1.key": None, "2.key": None}, {}, "is inconsistent"),
        ({"9.key": np.arange(3)}, {}, "is inconsistent"),
        ({"1.backoff": np.zeros(2, np.float32)}, {}, "1.backoff has the wrong size"),
        ({"1.probability": np.zeros(3)}, {}, "1.probability has the wrong type"),
        ({"vocabulary": np.frombuffer(b"<s>\n</s>", np.uint8)}, {}, "vocabulary has the wrong size"),
        ({"vocabulary": np.frombuffer(b"\xff", np.uint8)}, {}, "is inconsistent"),
    ],
)
def test_other_files_are_refused(
    lm: Path, tmp_path: Path, change: dict[str, Any], facts: dict[str, str], what: str
) -> None:
    path, content = tmp_path / "other.lm", read_arrays(lm)
    arrays = {name: array for name, array in {**content.arrays, **change}.items() if array is not None}
    write_arrays(path, arrays, metadata={**content.metadata, **facts})
    with pytest.raises(InputError, match=what):
        read_lm(path)


def test_a_file_that_cannot_be_written_leaves_nothing(small_arpa: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be written"):
        write_lm(tmp_path / "absent" / "small.lm", read_arpa(small_arpa))
    assert list(tmp_path.iterdir()) == []
