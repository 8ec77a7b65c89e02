"""The pronouns of a candidate that a predictor has a class for, and their predictions.

All of them are hidden at once, so that a wrong pronoun cannot support another wrong one; words that are no
pronoun of the task stay visible. docs/predict/postedit.md has the measurement behind this choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path

from anaphor.core import (
    Alignment,
    Counterpart,
    MismatchError,
    OptionError,
    Pronoun,
    Sentence,
    Slot,
    TaskSegment,
)
from anaphor.languages import Tokenizer, fold, load_pair
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.postedit.types import LinkedText, Occurrence, OccurrencePrediction
from anaphor.task.classes import TaskClasses, task_classes
from anaphor.task.lines import PLACEHOLDER
from anaphor.task.prepare.placeholders import with_enclitics


def find_occurrences(text: LinkedText, *, year: int, packs: Path | None = None) -> list[Occurrence]:
    """The source pronouns of the task whose counterpart has exactly one pronoun of its classes.

    Other counterparts (objects, nouns, none at all) are left out: no class of the task could replace them. A
    word shared by two source pronouns counts once, for the first. They come in the order of the candidate.
    """
    pack = load_pair(text.pair, folder=packs)
    classes = with_enclitics(task_classes(text.pair, year=year, folder=packs), pack.target)
    tokenizer = Tokenizer(pack.target)
    linked = (
        (pronoun, counterpart)
        for pronoun, counterpart in zip(text.pronouns, text.counterparts, strict=True)
        if counterpart is not None and counterpart.forms and pronoun.form in classes.source_pronouns
    )
    found: list[Occurrence] = []
    for segment, group in groupby(linked, key=lambda pair: pair[0].segment):
        found += _segment_occurrences(text.candidate[segment], list(group), tokenizer, classes)
    return found


def _segment_occurrences(
    sentence: Sentence,
    linked: Sequence[tuple[Pronoun, Counterpart]],
    tokenizer: Tokenizer,
    classes: TaskClasses,
) -> list[Occurrence]:
    """The occurrences of one segment; given tokens are split so that a pronoun in them is a token."""
    parts = {
        position: tokenizer(sentence.tokens[position])
        for _, counterpart in linked
        for position in counterpart.positions
    }
    split, firsts = _split(sentence, parts)
    found: dict[int, Occurrence] = {}
    for pronoun, counterpart in linked:
        pronouns = [
            (firsts[position] + number, position, classes.members[part])
            for position in counterpart.positions
            for number, part in enumerate(map(fold, parts[position].tokens))
            if part in classes.members
        ]
        if len(pronouns) == 1:
            token, position, label = pronouns[0]
            found.setdefault(token, Occurrence(pronoun, split, token, position, label))
    return [found[token] for token in sorted(found)]


def _split(sentence: Sentence, parts: Mapping[int, Sentence]) -> tuple[Sentence, dict[int, int]]:
    """The sentence with some tokens replaced by their parts, and the new index of every given token."""
    tokens: list[str] = []
    starts: list[int] = []
    firsts: dict[int, int] = {}
    for position, (token, start) in enumerate(zip(sentence.tokens, sentence.starts, strict=True)):
        firsts[position] = len(tokens)
        part = parts.get(position)
        tokens += [token] if part is None else part.tokens
        starts += [start] if part is None else [start + offset for offset in part.starts]
    return Sentence(sentence.text, tuple(tokens), tuple(starts)), firsts


def check_model(card: ModelCard, text: LinkedText) -> None:
    """Raise an error if a model cannot read the text: another pair, or trained on lemmas only."""
    if card.pair != str(text.pair):
        raise MismatchError(
            f"the model is for {card.pair}, not for {text.pair}",
            where=card.recipe,
            fix="use a model that was trained for the pair of the texts",
        )
    if not card.forms:
        raise OptionError(
            "the model reads lemmas with tags, but a translation has word forms",
            where=card.recipe,
            fix="use anaphor-2-small, or train on data of `anaphor task prepare --words forms`",
        )


def predict_occurrences(
    model: Model, text: LinkedText, occurrences: Sequence[Occurrence]
) -> list[OccurrencePrediction]:
    """One prediction per occurrence, in order."""
    check_model(model.card, text)
    predictions = chain.from_iterable(model.predict(list(hide_occurrences(text, occurrences))))
    found = []
    for occurrence, prediction in zip(occurrences, predictions, strict=True):
        shares = zip(model.card.classes, prediction.probabilities, strict=True)
        by_probability = dict(sorted(shares, key=lambda share: -share[1]))
        found.append(OccurrencePrediction(occurrence, by_probability))
    return found


def hide_occurrences(text: LinkedText, occurrences: Sequence[Occurrence]) -> Iterator[TaskSegment]:
    """The segments of a text with every occurrence replaced by a placeholder."""
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
        # Only placeholders are linked: in the data of the task, links come from human translations.
        links = Alignment(tuple(slot.source for slot in slots), tuple(slot.target for slot in slots))
        yield TaskSegment(source.tokens, tuple(words), slots, links, document)
