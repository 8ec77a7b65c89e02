"""A predictor asked about the pronouns of a candidate.

All of them are hidden at once, so that a wrong one cannot speak for another of its kind; words that are no
pronoun of the task stay. docs/predict/postedit.md has the measurement behind this choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from anaphor.core import Alignment, MismatchError, OptionError, Prediction, Slot, TaskSegment
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.postedit.nouns import Answer, LinkedText, Occurrence
from anaphor.task.lines import PLACEHOLDER


def check_model(card: ModelCard, text: LinkedText) -> None:
    """An error where a model cannot read the text: another pair, or one that knows lemmas alone."""
    if card.pair != str(text.pair):
        raise MismatchError(
            f"the model is for {card.pair}, not for {text.pair}",
            where=card.recipe,
            fix="use a model that was trained for the pair of the texts",
        )
    if not card.forms:
        raise OptionError(
            "the model knows lemmas with tags, a translation has word forms",
            where=card.recipe,
            fix="use anaphor-1-small, or train on data of `anaphor task prepare --words forms`",
        )


def ask(model: Model, text: LinkedText, occurrences: Sequence[Occurrence]) -> list[Answer]:
    """An answer for every occurrence, in order."""
    check_model(model.card, text)
    predictions = chain.from_iterable(model.predict(list(hidden(text, occurrences))))
    asked = zip(occurrences, predictions, strict=True)
    return [_answer(occurrence, prediction, model.card.classes) for occurrence, prediction in asked]


def hidden(text: LinkedText, occurrences: Sequence[Occurrence]) -> Iterator[TaskSegment]:
    """The segments of a text with every occurrence behind a placeholder."""
    by_segment = {
        segment: list(group) for segment, group in groupby(occurrences, key=lambda one: one.pronoun.segment)
    }
    for number, (source, target) in enumerate(zip(text.source, text.candidate, strict=True)):
        document = "" if text.documents is None else text.documents[number]
        here = by_segment.get(number, [])
        words = list(here[0].sentence.tokens if here else target.tokens)
        for one in here:
            words[one.token] = f"{PLACEHOLDER}_{one.pronoun.position}"
        slots = tuple(Slot(one.pronoun.position, one.token) for one in here)
        # The placeholders alone have links: those of the task come from translations by people.
        links = Alignment(tuple(slot.source for slot in slots), tuple(slot.target for slot in slots))
        yield TaskSegment(source.tokens, tuple(words), slots, links, document)


def _answer(occurrence: Occurrence, prediction: Prediction, classes: Sequence[str]) -> Answer:
    shares = zip(classes, prediction.probabilities, strict=True)
    return Answer(occurrence, dict(sorted(shares, key=lambda share: -share[1])))
