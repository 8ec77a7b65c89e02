"""Prior and model files: what was written comes back, anything else is refused."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from anaphor.align.hmm_aligner import HmmAligner, TrainedAligner
from anaphor.align.model import LexiconRows
from anaphor.align.priors import (
    PriorTable,
    built_in_pairs,
    built_in_prior,
    read_prior,
    write_prior,
)
from anaphor.align.programs import SentencePair
from anaphor.core import InputError, LanguagePair, MismatchError, OptionError, UnknownNameError
from anaphor.files.arrays import Array, read_arrays, write_arrays

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
    names = built_in_pairs()
    assert "en-fr" in names
    for name in names:
        pair = LanguagePair.parse(name)
        assert built_in_prior(pair).pair == pair
    with pytest.raises(UnknownNameError, match="unknown prior"):
        built_in_prior(LanguagePair("xx", "yy"))


#: One array of a good prior in another shape; then what the message says.
FAULTY_ARRAYS: dict[str, tuple[str, Array, str]] = {
    "lengths of another type": ("lengths", np.array([2, 1], np.float32), "lengths has the wrong type"),
    "words of another type": ("target", np.array([0, 1, 2], np.int64), "target has the wrong type"),
    "rows for a word too many": (
        "lengths",
        np.array([2, 1, 0], np.uint16),
        "lengths has the wrong size: [3], not [2]",
    ),
    "a word that does not exist": (
        "target",
        np.array([0, 1, 3], np.uint16),
        "target has a number that is not < 3",
    ),
    "a row with a word twice": ("target", np.array([1, 1, 2], np.uint16), "target is not ascending"),
    "a count too few": ("count", np.zeros(2, np.uint8), "count has the wrong size: [2], not [3]"),
    "counts of another type": (
        "count",
        np.zeros(3, np.float32),
        "count has the wrong type: float32, not uint8",
    ),
    "a short jump table": (
        "forward_jumps",
        np.ones(3, np.float32),
        "forward_jumps has the wrong size: [3], not [513]",
    ),
    "an impossible jump": ("forward_jumps", np.zeros(513, np.float32), "not > 0"),
    "a jump that is not a number": ("reverse_jumps", np.full(513, np.nan, np.float32), "not finite"),
    "a jump without end": ("reverse_jumps", np.full(513, np.inf, np.float32), "not finite"),
    "a word too few": ("target_forms", np.array([97, 10, 98], np.uint8), "target_total has the wrong size"),
    "a word too many": (
        "target_forms",
        np.array([97, 10] * 4, np.uint8),
        "target_total has the wrong size",
    ),
    "a form twice": ("source_forms", np.array([97, 10, 97], np.uint8), "it contains a word twice"),
    "words that are not UTF-8": ("source_forms", np.array([255, 10, 97], np.uint8), "can't decode byte 0xff"),
}


@pytest.mark.parametrize(("name", "array", "what"), FAULTY_ARRAYS.values(), ids=FAULTY_ARRAYS.keys())
def test_a_prior_whose_arrays_do_not_fit_is_refused(
    tmp_path: Path, name: str, array: Array, what: str
) -> None:
    path = tmp_path / "p"
    write_prior(path, a_prior(), origin="invented")
    content = read_arrays(path)
    write_arrays(path, {**content.arrays, name: array}, metadata=content.metadata)
    with pytest.raises(InputError, match="the prior is inconsistent") as caught:
        read_prior(path)
    assert what in caught.value.what
    assert str(caught.value.where) == str(path)


def test_a_prior_without_one_of_its_parts_is_refused(tmp_path: Path) -> None:
    write_prior(tmp_path / "p", a_prior(), origin="invented")
    content = read_arrays(tmp_path / "p")
    arrays = {name: array for name, array in content.arrays.items() if name != "count"}
    nameless = {name: text for name, text in content.metadata.items() if name != "pair"}
    for less, metadata, name in ((arrays, content.metadata, "count"), (content.arrays, nameless, "pair")):
        write_arrays(tmp_path / "p", less, metadata=metadata)
        with pytest.raises(InputError, match=f"is inconsistent: it has no {name}"):
            read_prior(tmp_path / "p")


def test_a_prior_of_no_pair_is_refused_for_its_file_and_not_for_an_option(tmp_path: Path) -> None:
    write_prior(tmp_path / "p", a_prior(), origin="invented")
    content = read_arrays(tmp_path / "p")
    write_arrays(tmp_path / "p", content.arrays, metadata={**content.metadata, "pair": "english"})
    with pytest.raises(InputError, match="is inconsistent: not a language pair") as caught:
        read_prior(tmp_path / "p")
    assert str(caught.value.where) == str(tmp_path / "p")


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    HmmAligner().train(PAIRS).save(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"PK\x03\x04" + data,
        lambda data: data[:10],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: gzip.decompress(data)[:-1],
    ],
)
def test_a_damaged_model_is_refused(model_file: Path, damage: Callable[[bytes], bytes]) -> None:
    model_file.write_bytes(damage(model_file.read_bytes()))
    with pytest.raises(InputError, match=r"damaged or truncated|broken or incomplete"):
        TrainedAligner.load(model_file)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"kind": "prior"}, "expected alignment model, got prior"),
        ({"version": "99"}, "of version 99, this program reads 3"),
        ({"options": "{}"}, "the options were written by another version"),
        ({"options": "[1"}, "is inconsistent"),
        ({"pair": "english"}, "not a language pair"),
    ],
)
def test_a_model_with_other_facts_is_refused(model_file: Path, change: dict[str, str], what: str) -> None:
    content = read_arrays(model_file)
    write_arrays(model_file, content.arrays, metadata={**content.metadata, **change})
    with pytest.raises(InputError, match=what):
        TrainedAligner.load(model_file)


@pytest.mark.parametrize(
    ("name", "at", "value", "what"),
    [
        ("target", 0, 10**6, "target has a number that is not <"),
        ("target", 0, -1, "target has a number that is not >= 0"),
        ("start", 1, 5, "the rows of start overlap"),
        ("tables", 0, 2, "tables has a number that is not <= 1"),
        ("tables", 1, np.nan, "tables has a number that is not finite"),
        ("source_unigram", 0, 0, "source_unigram has a number that is not > 0"),
        ("target_null", 1, -1, "target_null has a number that is not > 0"),
        ("reverse_jumps", 7, 0, "reverse_jumps has a number that is not > 0"),
    ],
)
def test_a_model_whose_numbers_lie_is_refused(
    model_file: Path, name: str, at: int, value: float, what: str
) -> None:
    content = read_arrays(model_file)
    changed = content.arrays[name].copy()
    changed[at] = value
    write_arrays(model_file, {**content.arrays, name: changed}, metadata=content.metadata)
    with pytest.raises(InputError, match=what):
        TrainedAligner.load(model_file)


@pytest.mark.parametrize(
    "name", ["source_unigram", "source_null", "target_unigram", "tables", "source_forms"]
)
def test_a_model_with_too_few_numbers_is_refused(model_file: Path, name: str) -> None:
    content = read_arrays(model_file)
    shorter = {**content.arrays, name: content.arrays[name][: len(content.arrays[name]) // 2]}
    write_arrays(model_file, shorter, metadata=content.metadata)
    with pytest.raises(InputError, match="is inconsistent"):
        TrainedAligner.load(model_file)


def test_a_missing_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        TrainedAligner.load(tmp_path / "none")


def test_a_folder_that_cannot_be_written_to_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be written"):
        HmmAligner().train(PAIRS).save(tmp_path / "no" / "model")
