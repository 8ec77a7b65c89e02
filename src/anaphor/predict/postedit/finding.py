"""The pronouns of a candidate that a predictor has a class for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path

from anaphor.core import Counterpart, Pronoun, Sentence
from anaphor.languages import Tokenizer, fold, load_pair
from anaphor.predict.postedit.nouns import LinkedText, Occurrence
from anaphor.task.classes import TaskClasses, task_classes
from anaphor.task.prepare.placeholders import with_enclitics

Linked = tuple[Pronoun, Counterpart | None]


def find_occurrences(text: LinkedText, *, year: int, packs: Path | None = None) -> list[Occurrence]:
    """Where a source pronoun of the task has exactly one pronoun of its classes for a counterpart.

    Other counterparts (objects, nouns, nothing) are left out: no class of the task could replace them. A word
    that two source pronouns share counts once, for the first. They come in the order of the candidate.
    """
    pack = load_pair(text.pair, folder=packs)
    classes = with_enclitics(task_classes(text.pair, year=year, folder=packs), pack.target)
    finder = _Finder(Tokenizer(pack.target), classes)
    pairs = zip(text.pronouns, text.counterparts, strict=True)
    groups = groupby(pairs, key=lambda pair: pair[0].segment)
    found = (finder.find(text.candidate[segment], list(group)) for segment, group in groups)
    return list(chain.from_iterable(found))


class _Finder:
    """Finds the occurrences of one segment; given tokens are cut so that a pronoun in them stands alone."""

    def __init__(self, tokenizer: Tokenizer, classes: TaskClasses) -> None:
        self._tokenizer, self._classes = tokenizer, classes

    def find(self, sentence: Sentence, pairs: Sequence[Linked]) -> list[Occurrence]:
        linked = [
            (pronoun, counterpart)
            for pronoun, counterpart in pairs
            if counterpart is not None and counterpart.forms and self._is_asked(pronoun)
        ]
        parts = {
            position: self._tokenizer(sentence.tokens[position])
            for _, counterpart in linked
            for position in counterpart.positions
        }
        cut, firsts = _cut(sentence, parts)
        found: dict[int, Occurrence] = {}
        for pronoun, counterpart in linked:
            places = list(self._places(counterpart, parts, firsts))
            if len(places) == 1:
                token, position, label = places[0]
                found.setdefault(token, Occurrence(pronoun, cut, token, position, label))
        return [found[token] for token in sorted(found)]

    def _is_asked(self, pronoun: Pronoun) -> bool:
        return pronoun.form in self._classes.source_pronouns

    def _places(
        self, counterpart: Counterpart, parts: Mapping[int, Sentence], firsts: Mapping[int, int]
    ) -> Iterator[tuple[int, int, str]]:
        """For every pronoun in a counterpart: its token in the cut sentence, the given token, its class."""
        for position in counterpart.positions:
            for number, part in enumerate(map(fold, parts[position].tokens)):
                if part in self._classes.members:
                    yield firsts[position] + number, position, self._classes.members[part]


def _cut(sentence: Sentence, parts: Mapping[int, Sentence]) -> tuple[Sentence, dict[int, int]]:
    """The sentence with some tokens replaced by their parts, and where each of these begins in it."""
    tokens: list[str] = []
    starts: list[int] = []
    firsts: dict[int, int] = {}
    for position, (token, start) in enumerate(zip(sentence.tokens, sentence.starts, strict=True)):
        firsts[position] = len(tokens)
        inside: Iterable[tuple[str, int]] = [(token, 0)]
        if position in parts:
            inside = zip(parts[position].tokens, parts[position].starts, strict=True)
        for part, offset in inside:
            tokens.append(part)
            starts.append(start + offset)
    return Sentence(sentence.text, tuple(tokens), tuple(starts)), firsts
