"""Occurrences made from marked lines, and texts with their counterparts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphor.core import LanguagePair, Pronoun, Sentence
from anaphor.languages import Tokenizer, fold, load_pair, split_tokens
from anaphor.predict.postedit import LinkedText, Occurrence, OccurrencePrediction
from anaphor.task.classes import task_classes
from anaphor.task.prepare.placeholders import with_enclitics

Mark = Callable[..., Occurrence]


def _mark(
    line: str, *, pair: str = "en-fr", source: str = "it", tokenized: bool = False, segment: int = 0
) -> Occurrence:
    languages = LanguagePair.parse(pair)
    pack = load_pair(languages).target
    start = line.index("[")
    text = line.replace("[", "").replace("]", "")
    sentence: Sentence = split_tokens(text) if tokenized else Tokenizer(pack)(text)
    token = sentence.starts.index(start)
    label = with_enclitics(task_classes(languages), pack).members[fold(sentence.tokens[token])]
    return Occurrence(Pronoun(segment, 0, source), sentence, token, token, label)


@pytest.fixture
def mark() -> Mark:
    """The occurrence whose pronoun stands in brackets."""
    return _mark


@pytest.fixture
def answer() -> Callable[..., OccurrencePrediction]:
    """An answer that gives one class most of the probability, OTHER a little and the candidate's the rest."""

    def make(occurrence: Occurrence, label: str, share: float) -> OccurrencePrediction:
        shares = {label: share, "OTHER": 0.01}
        shares.setdefault(occurrence.label, 0.99 - share)
        return OccurrencePrediction(occurrence, dict(sorted(shares.items(), key=lambda one: -one[1])))

    return make


@pytest.fixture
def text_of() -> Callable[..., LinkedText]:
    """A text whose last line is that of an occurrence; the lines before are context."""

    def make(occurrence: Occurrence, *before: str, pair: str = "en-fr") -> LinkedText:
        languages = LanguagePair.parse(pair)
        cut = Tokenizer(load_pair(languages).target)
        lines = [*map(cut, before), occurrence.sentence]
        source = [split_tokens("a line") for _ in lines]
        return LinkedText(languages, source, lines, (), ())

    return make
