"""Prior and model files: what was written comes back, anything else is refused."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from anaphor.align.arrayfile import Array, Arrays, read_arrays, write_arrays
from anaphor.align.hmm_aligner import HmmAligner, TrainedAligner
from anaphor.align.model import LexiconRows
from anaphor.align.priors import (
    KIND,
    VERSION,
    PriorTable,
    built_in_pairs,
    built_in_prior,
    read_prior,
    write_prior,
)
from anaphor.align.programs import SentencePair
from anaphor.core import InputError, LanguagePair, MismatchError, OptionError, UnknownNameError

PAIRS: list[SentencePair] = [(("it", "rains"), ("il", "pleut")), (("it", "is"), ("il", "est"))]


def a_prior() -> PriorTable:
    jumps = np.full(513, 1 / 513, dtype=np.float32)
    return PriorTable(
        LanguagePair("en", "fr"),
        ("it", "rains"),
        ("il", "elle", "pleut"),
        LexiconRows(np.array([0, 2, 3], dtype=np.int64), np.array([0, 1, 2], dtype=np.int32)),
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


#: One array of a good prior in another shape; then what the message says.
FAULTY_ARRAYS: dict[str, tuple[str, Array, str]] = {
    "lengths of another type": ("lengths", np.array([2, 1], np.float32), "word numbers have the wrong type"),
    "words of another type": ("target", np.array([0, 1, 2], np.int64), "word numbers have the wrong type"),
    "rows for a word too many": ("lengths", np.array([2, 1, 0], np.uint16), "rows and words differ"),
    "a word that does not exist": ("target", np.array([0, 1, 3], np.uint16), "a word number is out of range"),
    "a row with a word twice": ("target", np.array([1, 1, 2], np.uint16), "a row is not ascending"),
    "a count too few": ("count", np.zeros(2, np.uint8), "counts and words differ in number"),
    "counts of another type": ("count", np.zeros(3, np.float32), "counts are not in bytes"),
    "a short jump table": ("forward_jumps", np.ones(3, np.float32), "a jump table has the wrong size"),
    "an impossible jump": ("forward_jumps", np.zeros(513, np.float32), "no probabilities above 0"),
    "a jump that is not a number": ("reverse_jumps", np.full(513, np.nan, np.float32), "no probabilities"),
    "a jump without end": ("reverse_jumps", np.full(513, np.inf, np.float32), "no probabilities"),
    "words that are not UTF-8": ("source_forms", np.array([255, 10, 97], np.uint8), "can't decode byte 0xff"),
}


@pytest.mark.parametrize(("name", "array", "what"), FAULTY_ARRAYS.values(), ids=FAULTY_ARRAYS.keys())
def test_a_prior_whose_arrays_do_not_fit_is_refused(
    tmp_path: Path, name: str, array: Array, what: str
) -> None:
    path = tmp_path / "p"
    write_prior(path, a_prior(), origin="invented")
    content = read_arrays(path, kind=KIND, version=VERSION)
    write_arrays(path, Arrays(content.facts, {**content.arrays, name: array}), kind=KIND, version=VERSION)
    with pytest.raises(InputError, match="the prior does not fit together") as caught:
        read_prior(path)
    assert what in caught.value.what
    assert str(caught.value.where) == str(path)


def test_a_prior_without_one_of_its_parts_is_refused(tmp_path: Path) -> None:
    write_prior(tmp_path / "p", a_prior(), origin="invented")
    content = read_arrays(tmp_path / "p", kind=KIND, version=VERSION)
    arrays = {name: array for name, array in content.arrays.items() if name != "count"}
    for less, name in ((Arrays(content.facts, arrays), "count"), (Arrays({}, content.arrays), "pair")):
        write_arrays(tmp_path / "p", less, kind=KIND, version=VERSION)
        with pytest.raises(InputError, match=f"does not fit together: it has no {name}"):
            read_prior(tmp_path / "p")


def test_a_prior_of_no_pair_is_refused_for_its_file_and_not_for_an_option(tmp_path: Path) -> None:
    write_prior(tmp_path / "p", a_prior(), origin="invented")
    data = (tmp_path / "p").read_bytes()
    (tmp_path / "p").write_bytes(rewritten(data, {"facts": {"pair": "english"}}))
    with pytest.raises(InputError, match="does not fit together: not a language pair") as caught:
        read_prior(tmp_path / "p")
    assert str(caught.value.where) == str(tmp_path / "p")


def test_a_small_file_that_would_unpack_to_gigabytes_is_not_unpacked(tmp_path: Path) -> None:
    """32 MiB of zeros make 32 kB; that the checksum is right must not help."""
    array = np.zeros(1 << 25, np.uint8)
    write_arrays(tmp_path / "p", Arrays({}, {"count": array}), kind=KIND, version=VERSION)
    with pytest.raises(InputError, match="damaged or cut short"):
        read_arrays(tmp_path / "p", kind=KIND, version=VERSION)


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
    with pytest.raises(OptionError, match="cannot be written"):
        HmmAligner().train(PAIRS).save(tmp_path / "no" / "model")
