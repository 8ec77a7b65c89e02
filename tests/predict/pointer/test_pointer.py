"""The pointer: what it reads of a pronoun, and that a network's numbers become opinions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents.english import EnglishText
from anaphor.antecedents.mentions import find_mentions
from anaphor.antecedents.pointing import PointedPronoun
from anaphor.antecedents.source import SourceLanguage
from anaphor.core import InputError
from anaphor.files.arrays import Array, write_arrays
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape, expected_shapes, rounded
from anaphor.predict.anaphor2.subwords import SPECIALS, START, Subwords
from anaphor.predict.anaphor2.windows import LONGEST, InputBatch
from anaphor.predict.pointer.pointer import AntecedentPointer, pointing_network
from anaphor.predict.pointer.windows import (
    CLASSES,
    DEPTH,
    FITS,
    FUNCTIONS,
    PRONOUN,
    Candidate,
    SourceLine,
    tag_number,
    window_of,
)

LETTERS = [*SPECIALS, START, *"abcdefghijklmnopqrstuvwxyz.,"]
SHAPE = Shape(pieces=len(LETTERS), classes=CLASSES, width=16, layers=2, heads=2)
TEXT = ("The ship was old .", "We liked a house .", "It sank because it leaked .")


def line(words: int, size: int = 1) -> SourceLine:
    """A sentence of words that have so many pieces each."""
    pieces = np.arange(20, 20 + words * size)
    return SourceLine(pieces, np.full(words * size, tag_number("NOUN")), range(0, words * size + 1, size))


def network(seed: int = 0) -> NumpyNetwork:
    rng = np.random.default_rng(seed)
    sizes = expected_shapes(SHAPE)
    return NumpyNetwork(SHAPE, {name: rng.normal(0, 0.3, size).astype("f4") for name, size in sizes.items()})


def pointed(*lines: str) -> tuple[list[AnalysedSentence], list[PointedPronoun]]:
    """The sentences, and every *it* in them."""
    language = SourceLanguage.load("en")
    tokens = [tuple(one.split()) for one in lines]
    analyses = load_analyser("built-in", language="en").analyse(tokens)
    sentences = [AnalysedSentence(*pair) for pair in zip(tokens, analyses, strict=True)]
    mentions = [find_mentions(number, *one, language) for number, one in enumerate(sentences)]
    text = EnglishText(sentences, mentions, language)
    places = [(s, at) for s, row in enumerate(tokens) for at, word in enumerate(row) if word.lower() == "it"]
    return sentences, [PointedPronoun(*place, text.fitting(*place, "it")) for place in places]


# Windows


def test_pronoun_and_candidates_are_marked_at_their_first_piece() -> None:
    candidates = [Candidate(0, 1, FITS["yes"]), Candidate(1, 0, FITS["same"])]
    window = window_of([line(3, 2), line(4, 2), line(2)], 1, 2, candidates)
    marks = {int(at): int(window.rows[3, at]) for at in np.flatnonzero(window.rows[3])}
    assert marks == {3: FITS["yes"], 7: FITS["same"], 11: PRONOUN}
    assert window.candidates.tolist() == [3, 7]
    assert window.place == 11
    # The first place belongs to no sentence.
    assert window.rows[1].tolist() == [0, *[0] * 6, *[1] * 8, *[2] * 2]


def test_sentences_are_read_as_far_as_they_fit() -> None:
    lines = [line(100), line(100), line(100), line(20)]
    window = window_of(lines, 2, 0, [Candidate(0, 0, 2), Candidate(1, 5, 2)])
    assert window.candidates.tolist() == [-1, 6]
    assert window.rows.shape[1] == 1 + 220
    assert window.place == 101


def test_nothing_is_read_beyond_a_sentence_before_that_does_not_fit() -> None:
    window = window_of([line(10), line(600), line(20), line(20)], 2, 0, [])
    assert window.rows.shape[1] == 1 + 20


@pytest.mark.parametrize("position", [0, 200, 599])
def test_a_sentence_that_is_too_long_is_cut_around_the_pronoun(position: int) -> None:
    words = max(0, position - 9), 300
    window = window_of([line(600)], 0, position, [Candidate(0, word, 2) for word in words])
    assert window.rows.shape[1] == LONGEST
    assert window.rows[0, window.place] == 20 + position
    assert window.rows[3, window.place] == PRONOUN
    for at, word in zip(window.candidates.tolist(), words, strict=True):
        assert at == -1 or window.rows[0, at] == 20 + word


# Opinions


def test_opinions_are_log_probabilities_of_what_was_read() -> None:
    sentences, pronouns = pointed(*TEXT)
    found = AntecedentPointer(Subwords(LETTERS), network()).point(sentences, pronouns)
    assert [len(one) for one in found] == [len(one.candidates) + FUNCTIONS for one in pronouns]
    for one in found:
        assert sum(map(math.exp, one)) == pytest.approx(1)


def test_a_pronoun_has_the_same_opinion_alone_and_among_others() -> None:
    sentences, pronouns = pointed(*TEXT, "A dog saw it .", "It barked at it .")
    pointer = AntecedentPointer(Subwords(LETTERS), network())
    together = pointer.point(sentences, pronouns)
    assert len(together) > 1
    for one, opinion in zip(pronouns, together, strict=True):
        assert pointer.point(sentences, [one])[0] == pytest.approx(opinion, abs=1e-4)


def test_candidates_differ_by_their_own_score_and_by_the_product_of_two_vectors() -> None:
    """The numbers are written out here, from the scores that the network gives at single places."""
    sentences, pronouns = pointed(*TEXT)
    subwords, made = Subwords(LETTERS), network()
    (found, _) = AntecedentPointer(subwords, made).point(sentences, pronouns)
    pointer = AntecedentPointer(subwords, made)
    lines = [pointer._line(one) for one in sentences]
    links = [Candidate(c.sentence, c.position, FITS[fit]) for c, fit in pronouns[0].candidates]
    window = window_of(lines, 2, 0, links)
    batch = InputBatch(*(row[None] for row in window.rows))
    places = [window.place, *window.candidates.tolist()]
    own, *others = made.scores(batch, np.zeros(len(places), int), np.array(places))
    asked = own[1 + FUNCTIONS : 1 + FUNCTIONS + DEPTH]
    scores = [one[0] + one[1 + FUNCTIONS + DEPTH :] @ asked / math.sqrt(DEPTH) for one in others]
    scores += own[1 : 1 + FUNCTIONS].tolist()
    assert np.diff(found) == pytest.approx(np.diff(scores), abs=1e-4)


def test_a_candidate_out_of_the_window_has_no_opinion() -> None:
    long = "a dog , " * 60 + "."
    sentences, pronouns = pointed("The ship was old .", long, "It sank .")
    (found,) = AntecedentPointer(Subwords(LETTERS), network()).point(sentences, pronouns)
    (ship,) = (n for n, (one, _) in enumerate(pronouns[0].candidates) if one.form == "ship")
    assert math.isnan(found[ship])
    assert sum(math.exp(one) for one in found if not math.isnan(one)) == pytest.approx(1)


def test_a_text_without_pronouns_has_no_opinions() -> None:
    pointer = AntecedentPointer(Subwords(LETTERS), network())
    assert pointer.point([], []) == []
    assert pointer.point(pointed("The ship sank .")[0], []) == []


# The file


def changes(rng: np.random.Generator) -> dict[str, Array]:
    plain: dict[str, Array] = {"classes.bias": np.zeros(CLASSES, "f4")}
    matrices = {"classes.weight": (CLASSES, 16)}
    for name, size in expected_shapes(SHAPE).items():
        layer = name.removesuffix(".weight")
        if name.startswith("blocks.") and len(size) == 2:
            matrices |= {f"{layer}.a": (3, size[1]), f"{layer}.b": (size[0], 3)}
        elif layer in ("link", "tag", "sentence"):
            matrices[name] = (size[0], size[1])
        elif len(size) == 1 and name != "classes.bias":
            plain[name] = np.ones(size, "f4")
    for name, shape in matrices.items():
        plain[name], plain[f"{name}.scale"] = rounded(rng.normal(0, 0.1, shape))
    return plain


def test_a_file_changes_matrices_and_replaces_small_tables(tmp_path: Path) -> None:
    arrays, base = changes(np.random.default_rng(1)), network()
    write_arrays(tmp_path / "changes.safetensors", arrays)
    made = pointing_network(base, tmp_path / "changes.safetensors").weights
    a, b = (arrays[f"blocks.0.query.{n}"] * arrays[f"blocks.0.query.{n}.scale"] for n in "ab")
    assert made["blocks.0.query.weight"] == pytest.approx(base.weights["blocks.0.query.weight"] + b @ a)
    assert made["link.weight"] == pytest.approx(arrays["link.weight"] * arrays["link.weight.scale"])
    assert made["piece.weight"] is base.weights["piece.weight"]


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    arrays = changes(np.random.default_rng(1))
    del arrays["tag.weight"]
    write_arrays(tmp_path / "changes.safetensors", arrays)
    with pytest.raises(InputError, match=r"tag\.weight"):
        pointing_network(network(), tmp_path / "changes.safetensors")
