"""Numbers of words: who is known, in which order, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from anaphor.core import InputError, TaskSegment
from anaphor.recipes.neural.contexts import ContextReader, TokenArrays
from anaphor.recipes.neural.vocabulary import (
    CHARACTERS,
    FIELDS,
    LETTERS,
    PADDING,
    UNKNOWN,
    FieldVocabulary,
    learn_vocabularies,
    lettered,
    numbered,
    vocabularies_from_json,
)
from anaphor.task import TaskClasses


@pytest.mark.parametrize(
    ("least", "most", "known"),
    [(1, 10, ("le", "chat", "un", "zoo")), (2, 10, ("le", "chat", "un")), (1, 2, ("le", "chat"))],
)
def test_frequent_words_come_first_and_ties_by_the_alphabet(
    least: int, most: int, known: tuple[str, ...]
) -> None:
    counts = {"zoo": 1, "un": 2, "chat": 2, "le": 5}
    assert FieldVocabulary.learn(counts, least=least, most=most).words == known


def test_numbers_are_reserved_for_padding_and_unknown_words() -> None:
    vocabulary = FieldVocabulary(("le", "chat"))
    assert len(vocabulary) == 4
    assert [vocabulary.number(word) for word in ("le", "chat", "zoo")] == [2, 3, UNKNOWN]


TEXT = TokenArrays(
    (("", "", "", ""), ("It", "it", "PRON", "subject"), ("Internationalisierungen", "x", "NOUN", "")),
    np.array([0, 1, 2, 1]),
    np.array([1, 4]),
)


def test_fields_read_their_column_and_words_are_folded() -> None:
    word = FieldVocabulary(("it",))
    assert numbered(TEXT, "source.word", word).tolist() == [PADDING, 2, UNKNOWN, 2]
    role = FieldVocabulary(("-", "subject"))
    assert numbered(TEXT, "source.role", role).tolist() == [PADDING, 3, 2, 3]


def test_letters_keep_their_case_and_of_a_long_form_both_ends() -> None:
    letters = lettered(TEXT, FieldVocabulary(("I", "t", "n")))
    assert letters.shape == (3, LETTERS)
    assert letters[0].tolist() == [PADDING] * LETTERS
    assert letters[1].tolist() == [2, 3] + [PADDING] * (LETTERS - 2)
    # "Internat" + "ierungen": I, n and t are known, the rest is not.
    assert letters[2].tolist() == [2, 4, 3, 1, 1, 4, 1, 3, 1, 1, 1, 1, 4, 1, 1, 4]


def test_every_field_is_learned_from_the_text(twenty: Sequence[TaskSegment], classes: TaskClasses) -> None:
    contexts = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty)
    names = [*FIELDS, CHARACTERS]
    found = learn_vocabularies(contexts, names, least=1, most=1000)
    assert found["target.word"].words[:2] == (",", ".")  # twenty times each, as often as no other but REPLACE
    assert "maison|NOUN" in found["target.word+tag"].words
    assert "h" in found[CHARACTERS].words
    content = {name: list(vocabulary.words) for name, vocabulary in found.items()}
    assert vocabularies_from_json(content, names, where="file") == found


@pytest.mark.parametrize(
    "content", [None, [], {}, {"source.word": "text"}, {"source.word": [1]}, {"other": []}]
)
def test_invalid_vocabularies_are_an_input_error(content: Any) -> None:
    with pytest.raises(InputError, match=r"vocabularies of source\.word are missing or invalid"):
        vocabularies_from_json(content, ["source.word"], where="file")
