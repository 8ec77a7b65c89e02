"""Which pronouns of a candidate a predictor can be asked about, and how they are hidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from anaphor.core import (
    Counterpart,
    LanguagePair,
    MismatchError,
    OptionError,
    Prediction,
    Pronoun,
    Sentence,
    TaskSegment,
)
from anaphor.languages import split_tokens
from anaphor.predict.contract import ModelCard
from anaphor.predict.postedit import LinkedText, find_occurrences, predict_occurrences
from anaphor.predict.postedit.occurrences import check_model, hide_occurrences

PAIR = LanguagePair("en", "fr")


def linked(source: str, candidate: str, *links: tuple[int, tuple[int, ...]]) -> LinkedText:
    """One segment of tokens; a link is a source position and the target positions."""
    tokens = split_tokens(candidate)
    pronouns = [Pronoun(0, place, source.split()[place].lower()) for place, _ in links]
    counterparts = [_counterpart(tokens, positions) for _, positions in links]
    return LinkedText(PAIR, [split_tokens(source)], [tokens], pronouns, counterparts, None, tokenized=True)


def _counterpart(tokens: Sentence, positions: tuple[int, ...]) -> Counterpart | None:
    words = tuple(tokens.tokens[place] for place in positions)
    return Counterpart(positions, words, ("some form",)) if positions else None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (linked("it sleeps", "Il dort", (0, (0,))), [("Il", "il")]),
        (linked("it is", "c' est", (0, (0, 1))), [("c'", "ce")]),
        (linked("it is", "c'est beau", (0, (0,))), [("c'", "ce")]),
        (linked("he says it", "dit-il ici", (2, (0,))), [("-il", "il")]),
        (linked("I see it", "je le vois", (2, (1,))), []),
        (linked("it sleeps", "dort", (0, ())), []),
        (linked("it sleeps", "il elle dort", (0, (0, 1))), []),
        (linked("it says it", "il dort", (0, (0,)), (2, (0,))), [("il", "il")]),
        (linked("you sleep", "il dort", (0, (0,))), []),
    ],
    ids=["plain", "two words", "one token", "inversion", "object", "nothing", "two", "shared", "not asked"],
)
def test_a_single_pronoun_of_the_task_is_found(text: LinkedText, found: list[tuple[str, str]]) -> None:
    assert [(one.word, one.label) for one in find_occurrences(text, year=2016)] == found


def test_every_occurrence_is_hidden_and_all_else_stays() -> None:
    text = linked("it says that they sleep", "il dit qu'ils dorment", (0, (0,)), (3, (2,)))
    (segment,) = hide_occurrences(text, find_occurrences(text, year=2016))
    assert segment.target == ("REPLACE_0", "dit", "qu'", "REPLACE_3", "dorment")
    assert [(slot.source, slot.target) for slot in segment.slots] == [(0, 0), (3, 3)]
    assert segment.document == ""


def card(*, pair: str = "en-fr", forms: bool = True) -> ModelCard:
    return ModelCard(recipe="r", family="f", version=1, pair=pair, year=2016, forms=forms, classes=("il",))


def test_a_model_of_another_pair_or_of_lemmas_is_refused() -> None:
    text = linked("it sleeps", "Il dort", (0, (0,)))
    check_model(card(), text)
    with pytest.raises(MismatchError, match="the model is for en-de, not for en-fr"):
        check_model(card(pair="en-de"), text)
    with pytest.raises(OptionError, match="the model reads French lemmas"):
        check_model(card(forms=False), text)


def test_a_shared_word_belongs_to_the_first_source_pronoun_and_words_come_in_target_order() -> None:
    shared = linked("it says it", "il dort", (0, (0,)), (2, (0,)))
    assert [one.pronoun.position for one in find_occurrences(shared, year=2016)] == [0]
    crossed = linked("it says it", "dit-elle il", (0, (1,)), (2, (0,)))
    found = find_occurrences(crossed, year=2016)
    assert [(one.word, one.token, one.position, one.pronoun.position) for one in found] == [
        ("-elle", 1, 0, 2),
        ("il", 2, 1, 0),
    ]
    assert [one.span.start for one in found] == [3, 9]


@dataclass
class Even:
    """Gives every class the same probability, but for the last, which has none."""

    card: ModelCard
    seen: list[TaskSegment] = field(default_factory=list)

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        self.seen += segments
        count = len(self.card.classes)
        row = (*(1 / (count - 1) for _ in range(count - 1)), 0.0)
        return iter([tuple(Prediction(self.card.classes[0], row) for _ in one.slots) for one in segments])

    def save(self, folder: Path) -> None:
        raise NotImplementedError


def test_predictions_are_sorted_by_probability_and_ties_stay_in_the_order_of_classes() -> None:
    text = linked("it says that they sleep", "il dit qu'ils dorment", (0, (0,)), (3, (2,)))
    model = Even(replace(card(), classes=("ils", "il", "elle", "OTHER")))
    first, second = predict_occurrences(model, text, find_occurrences(text, year=2016))
    assert list(first.probabilities) == ["ils", "il", "elle", "OTHER"]
    assert first.first(but="ils")[0] == "il"
    assert (first.occurrence.word, second.occurrence.word) == ("il", "ils")
    assert len(model.seen) == 1
