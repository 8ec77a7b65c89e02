"""Models in our own format come back the same, and damage is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import InputError, OptionError
from anaphor.predict.lm.arpa import read_arpa
from anaphor.predict.lm.file import read_lm, stored_model, write_lm


@pytest.fixture(scope="module")
def lm(small_arpa: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lm") / "small.lm"
    write_lm(path, *stored_model(read_arpa(small_arpa)))
    return path


def test_a_model_comes_back_the_same(small_arpa: Path, lm: Path) -> None:
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
    ("old", "new", "what"),
    [
        (b'"version": 1', b'"version": 2', "version 2"),
        (b"ANAPHLM", b"ANAPHOR", "no model that anaphor wrote"),
    ],
)
def test_other_files_are_refused(lm: Path, tmp_path: Path, old: bytes, new: bytes, what: str) -> None:
    path = tmp_path / "other.lm"
    path.write_bytes(lm.read_bytes().replace(old, new))
    with pytest.raises(InputError, match=what):
        read_lm(path)


def test_a_file_that_cannot_be_written_leaves_nothing(small_arpa: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be written"):
        write_lm(tmp_path / "absent" / "small.lm", *stored_model(read_arpa(small_arpa)))
    assert list(tmp_path.iterdir()) == []
