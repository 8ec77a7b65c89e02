"""Hints of a predictor in tables and on cards."""

from __future__ import annotations

import pytest

from anaphor.analyses.predictor_hints import PredictorHints
from anaphor.core import Pronoun, Sentence, Signature
from anaphor.core.table import Paragraph
from anaphor.predict.postedit import Hint
from anaphor.predict.postedit.types import Occurrence


def hints_of(count: int) -> PredictorHints:
    """Hints at the first tokens of a segment, less probable towards the end."""
    words = ("il",) * count
    sentence = Sentence(" ".join(words), words, tuple(range(0, 3 * count, 3)))
    occurrences = [Occurrence(Pronoun(0, at, "it"), sentence, at, at, "il") for at in range(count)]
    hints = tuple(
        Hint(occurrence, (count - occurrence.token) / 100, "elle", 0.5) for occurrence in occurrences
    )
    return PredictorHints({"a": 50}, {"a": hints}, 0.4, Signature("hint", (), "1"))


def test_every_pronoun_of_a_segment_has_its_hint() -> None:
    cards = hints_of(3).for_cards()
    assert {key: hint.probability for key, hint in cards.items()} == {
        ("a", 0, 0): 0.03,
        ("a", 0, 1): 0.02,
        ("a", 0, 2): 0.01,
    }


@pytest.mark.parametrize(("count", "more"), [(20, 0), (21, 1), (23, 3)])
def test_the_most_unlikely_are_listed_and_the_others_counted(count: int, more: int) -> None:
    (paragraph,) = hints_of(count).tables()
    assert isinstance(paragraph, Paragraph)
    lines = [line for line in paragraph.lines if isinstance(line, str)]
    assert lines[0] == f"a: {count} of 50 pronouns"
    assert lines[1].startswith(f"  line 1 token {count}: il for it 0.010")
    assert len([line for line in lines if "token" in line]) == 20
    assert [line.split()[2] for line in lines if "more" in line] == [str(more)] * bool(more)
