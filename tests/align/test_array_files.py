"""Prior and model files: what was written comes back, anything else is refused."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from anaphor.align.aligner import HmmAligner, TrainedAligner
from anaphor.align.model import Rows
from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior, read_prior, write_prior
from anaphor.align.programs import SentencePair
from anaphor.core import InputError, LanguagePair, MismatchError, UnknownNameError

PAIRS: list[SentencePair] = [(("it", "rains"), ("il", "pleut")), (("it", "is"), ("il", "est"))]


def a_prior() -> PriorTable:
    jumps = np.full(513, 1 / 513, dtype=np.float32)
    return PriorTable(
        LanguagePair("en", "fr"),
        ("it", "rains"),
        ("il", "elle", "pleut"),
        Rows(np.array([0, 2, 3], dtype=np.int64), np.array([0, 1, 2], dtype=np.int32)),
        np.array([64, 16, 4], dtype=np.float32),
        np.array([100, 5], dtype=np.float32),
        np.array([80, 20, 5], dtype=np.float32),
        jumps,
        jumps,
    )


def test_a_prior_comes_back_with_counts_to_a_sixteenth_of_an_octave(tmp_path: Path) -> None:
    write_prior(tmp_path / "p", a_prior(), origin="invented")
    back = read_prior(tmp_path / "p")
    assert back.source_forms == ("it", "rains")
    assert back.pair == LanguagePair("en", "fr")
    np.testing.assert_allclose(back.count, [64, 16, 4])
    np.testing.assert_allclose(back.source_total, [100, 5], rtol=2 ** (1 / 16) - 1)


def test_a_prior_turned_round_twice_is_itself() -> None:
    twice = a_prior().reversed().reversed()
    assert np.array_equal(twice.rows.start, a_prior().rows.start)
    assert np.array_equal(twice.rows.target, a_prior().rows.target)
    assert np.array_equal(twice.count, a_prior().count)
    turned = a_prior().reversed()
    assert turned.rows.start.tolist() == [0, 1, 2, 3]
    assert turned.rows.target.tolist() == [0, 0, 1]


def test_a_prior_links_words_that_one_sentence_alone_could_not() -> None:
    pair: SentencePair = (("rains", "it"), ("il", "pleut"))
    (links,) = HmmAligner(prior=a_prior()).align([pair])
    assert set(zip(links.sources, links.targets, strict=True)) == {(0, 1), (1, 0)}


def test_a_prior_of_another_pair_is_refused() -> None:
    with pytest.raises(MismatchError, match="the prior is for en-fr"):
        HmmAligner(pair=LanguagePair("fr", "en"), prior=a_prior())


def test_every_shipped_prior_can_be_used_in_both_directions() -> None:
    for name in built_in_pairs():
        pair = LanguagePair.parse(name)
        assert built_in_prior(pair).pair == pair
    with pytest.raises(UnknownNameError, match="unknown prior"):
        built_in_prior(LanguagePair("xx", "yy"))


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    HmmAligner().train(PAIRS).save(tmp_path / "model")
    return tmp_path / "model"


def rewritten(data: bytes, change: dict[str, object]) -> bytes:
    length = int.from_bytes(data[8:12], "little")
    head = json.dumps({**json.loads(data[12 : 12 + length]), **change}).encode()
    return data[:8] + len(head).to_bytes(4, "little") + head + data[12 + length :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"PK\x03\x04" + data,
        lambda data: data[:10],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data[:8] + b"\xff\xff\xff\xff" + data[12:],
        lambda data: data[:12] + b"{" * 200 + data[212:],
        lambda data: rewritten(data, {"kind": "prior"}),
        lambda data: rewritten(data, {"version": 99}),
        lambda data: rewritten(data, {"size": 1 << 60}),
        lambda data: rewritten(data, {"arrays": [["tables", "O8", 4]]}),
        lambda data: rewritten(data, {"arrays": [["tables", "f4", -4]]}),
        lambda data: rewritten(data, {"arrays": 7}),
        lambda data: rewritten(data, {"facts": []}),
        lambda data: rewritten(data, {"facts": {"pair": "", "options": "{}"}}),
        lambda data: rewritten(data, {"facts": {"pair": "", "options": "[1"}}),
    ],
)
def test_a_damaged_or_hostile_model_is_refused(model_file: Path, damage: object) -> None:
    assert callable(damage)
    model_file.write_bytes(damage(model_file.read_bytes()))
    with pytest.raises(InputError):
        TrainedAligner.load(model_file)


def test_a_model_whose_numbers_lie_is_refused(model_file: Path) -> None:
    data = model_file.read_bytes()
    length = int.from_bytes(data[8:12], "little")
    header = json.loads(data[12 : 12 + length])
    payload = bytearray(zlib.decompress(data[12 + length :]))
    offset = 0
    for name, code, size in header["arrays"]:
        if name == "target":
            payload[offset : offset + 4] = (10**6).to_bytes(4, "little")
        offset += size * int(code[1])
    packed = rewritten(data[: 12 + length], {"crc": zlib.crc32(payload)}) + zlib.compress(bytes(payload))
    model_file.write_bytes(packed)
    with pytest.raises(InputError, match="out of range"):
        TrainedAligner.load(model_file)


def test_a_missing_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        TrainedAligner.load(tmp_path / "none")


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        HmmAligner().train(PAIRS).save(tmp_path / "no" / "model")
