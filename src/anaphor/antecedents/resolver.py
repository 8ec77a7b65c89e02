"""A resolver for third-person pronouns: a log-linear model over the mentions before a pronoun.

Every candidate, and each of the functions *event* and *pleonastic*, gets the sum of the weights of its
features as a score; probabilities are their softmax. The weights are a readable table
(`models/<language>/weights.tsv`), trained by `tools/make_resolver.py` for English and
`tools/make_other_resolvers.py` for other languages; the cards in the same folders name the data.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents.english import EnglishText
from anaphor.antecedents.features import PlainText
from anaphor.antecedents.mentions import Mention, find_mentions, names_something, quantified
from anaphor.antecedents.pointing import Influence, PointedPronoun, Pointer, parse_influence
from anaphor.antecedents.source import SourceLanguage, weights_by_language
from anaphor.core import InputError, UnknownNameError, Where, digest
from anaphor.core.learned import learned_components, learned_folder

#: Candidates below this probability are dropped; together they rarely matter, and chains stay short.
_LEAST = 0.003


class Place(NamedTuple):
    """A token: the number of its sentence in the document, and its position in the sentence."""

    sentence: int
    position: int


@dataclass(frozen=True, slots=True)
class PronounAntecedents:
    """The possible referents of a pronoun: mentions with probabilities, most likely first, an event, or
    nothing.

    `heads` are the nouns among them, and those that other pronouns lead to. Probabilities sum to at most 1;
    the rest belongs to candidates too unlikely to be kept, and to pronouns without an antecedent.
    `names_something` is true of *they* in *they are the sounds of space*. `generic` is the share of people
    whom the text does not name, as in *they say it will rain*; it is only used for English.
    """

    candidates: tuple[tuple[Mention, float], ...]
    heads: Mapping[Mention, float]
    event: float
    pleonastic: float
    names_something: bool = False
    generic: float = 0.0


#: The antecedents of every resolved pronoun of a document, in the order of the text.
ResolvedDocument = Mapping[Place, PronounAntecedents]


def resolver_languages() -> tuple[str, ...]:
    """The source languages with a resolver, of their own or of a similar language."""
    trained = learned_components("antecedents/models")
    return tuple(code for code, weights in weights_by_language().items() if weights in trained)


class Resolver:
    """Finds the antecedents of third-person pronouns: English *it* and *they*, German *er*, *sie*, *es*."""

    def __init__(
        self,
        weights: Mapping[str, float],
        language: str = "en",
        *,
        pointer: Pointer | None = None,
        influence: Mapping[str, Influence] = MappingProxyType({}),
    ) -> None:
        """A pointer gives a second opinion, weighted differently for *it* and *they*."""
        self.weights = weights
        self._language = SourceLanguage.load(language)
        self._pointer, self._influence = pointer, influence

    @classmethod
    def load(cls, language: str) -> Resolver:
        """Load the shipped resolver of a language."""
        if language not in resolver_languages():
            raise UnknownNameError.among(language, resolver_languages(), kind="language", where="resolver")
        return cls(_shipped(weights_by_language()[language]), language)

    def with_pointer(self, pointer: Pointer | None) -> Resolver:
        """Return the same resolver with a pointer, which is only used for English."""
        if pointer is None or self._language.code != "en":
            return self
        return Resolver(self.weights, pointer=pointer, influence=shipped_influence())

    def digest(self) -> str:
        """A hash of the weights, for signatures."""
        return digest(f"{name}\t{weight:g}\n".encode() for name, weight in sorted(self.weights.items()))

    def resolve(
        self, sentences: Sequence[AnalysedSentence], wanted: Collection[Place] | None = None
    ) -> ResolvedDocument:
        """The antecedents of every pronoun of one document, or only of the wanted ones and of those that may
        be their antecedents, which are the same as among all.
        """
        mentions = [
            find_mentions(number, *sentence, self._language) for number, sentence in enumerate(sentences)
        ]
        text = described(sentences, mentions, self._language)
        places = [
            Place(number, position)
            for number, sentence in enumerate(sentences)
            for position in range(len(sentence.tokens))
            if self._language.is_resolved(sentence.tokens, position)
        ]
        meant: dict[Mention, Mention] = {}
        for row, sentence in zip(mentions, sentences, strict=True):
            meant |= quantified(row, sentence.tokens, self._language)
        referents: dict[Place, _Referents] = {}
        asked = places if wanted is None else [place for place in places if place in wanted]
        while asked:
            for place, opinion in zip(asked, self._opinions(sentences, text, asked), strict=True):
                referents[place] = self._referents(sentences, text, place, opinion, meant)
            reached = {earlier for place in asked for earlier in referents[place].pronouns()}
            asked = [place for place in places if place in reached and place not in referents]
        resolved: dict[Place, PronounAntecedents] = {}
        for place in places:
            if place in referents:
                naming = names_something(place.position, *sentences[place.sentence])
                kept, functions = referents[place]
                heads = _heads(kept, resolved)
                resolved[place] = PronounAntecedents(kept, heads, names_something=naming, **functions)
        return resolved

    def _opinions(
        self, sentences: Sequence[AnalysedSentence], text: PlainText | EnglishText, places: Sequence[Place]
    ) -> Sequence[Sequence[float]]:
        """What the pointer says of some pronouns; empty without one."""
        if self._pointer is None or not isinstance(text, EnglishText):
            return [()] * len(places)
        words = (sentences[place.sentence].tokens[place.position].lower() for place in places)
        pointed = [
            PointedPronoun(*place, text.fitting(*place, word))
            for place, word in zip(places, words, strict=True)
        ]
        return self._pointer.point(sentences, pointed)

    def _referents(
        self,
        sentences: Sequence[AnalysedSentence],
        text: PlainText | EnglishText,
        place: Place,
        opinion: Sequence[float],
        meant: Mapping[Mention, Mention],
    ) -> _Referents:
        candidates, rows = text.describe(*place)
        weight = self.weights.get
        scores = [sum([weight(feature, 0.0) for feature in row]) for row in rows]
        if opinion:
            word = sentences[place.sentence].tokens[place.position].lower()
            influence = self._influence[self._language.resolved[word]]
            scores = influence.scores(scores, opinion, candidates)
        # A softmax; without the highest score the exponentials could overflow.
        highest = max(scores)
        raised = [math.exp(score - highest) for score in scores]
        total = sum(raised)
        shares = [value / total for value in raised]
        functions = dict(zip(text.functions, shares[len(candidates) :], strict=True))
        referents: defaultdict[Mention, float] = defaultdict(float)
        for candidate, share in zip(candidates, shares, strict=False):
            if share >= _LEAST:
                referents[meant.get(candidate, candidate)] += share
        return _Referents(tuple(sorted(referents.items(), key=lambda pair: -pair[1])), functions)


class _Referents(NamedTuple):
    """What a pronoun may refer to, before it is known where the pronouns among it lead."""

    kept: tuple[tuple[Mention, float], ...]
    functions: Mapping[str, float]

    def pronouns(self) -> Iterator[Place]:
        """The places of the pronouns among it."""
        for mention, _ in self.kept:
            if mention.kind == "pronoun":
                yield Place(mention.sentence, mention.position)


def _heads(kept: Sequence[tuple[Mention, float]], before: ResolvedDocument) -> Mapping[Mention, float]:
    """The nouns among some mentions. A pronoun passes its probability on to those it was resolved to."""
    heads: defaultdict[Mention, float] = defaultdict(float)
    for candidate, share in kept:
        earlier = before.get(Place(candidate.sentence, candidate.position))
        if candidate.kind != "pronoun":
            heads[candidate] += share
        elif earlier is not None:
            for head, part in earlier.heads.items():
                # Small shares are dropped, so that a chain through a whole document stays short.
                if share * part >= _LEAST:
                    heads[head] += share * part
    return heads


def described(
    sentences: Sequence[AnalysedSentence], mentions: Sequence[Sequence[Mention]], language: SourceLanguage
) -> PlainText | EnglishText:
    """The document in the form in which its pronouns are described to the language's model."""
    kind = EnglishText if language.code == "en" else PlainText
    return kind(sentences, mentions, language)


@cache
def shipped_influence() -> Mapping[str, Influence]:
    """The weights of the shipped pointer."""
    path = learned_folder("antecedents/models/en") / "pointer.tsv"
    return parse_influence(path.read_text(encoding="utf-8"), path=str(path))


@cache
def _shipped(language: str) -> Mapping[str, float]:
    path = learned_folder(f"antecedents/models/{language}") / "weights.tsv"
    return parse_weights(path.read_text(encoding="utf-8"), path=str(path))


def parse_weights(text: str, *, path: str) -> dict[str, float]:
    """Parse a table of tab-separated features and weights; `#` begins a comment."""
    weights: dict[str, float] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.startswith("#"):
            continue
        name, _, value = line.partition("\t")
        try:
            weight = float(value)
        except ValueError:
            weight = math.nan
        if not math.isfinite(weight) or name in weights:
            raise InputError(
                f"not a new feature and its weight: {line!r}",
                where=Where(path, number),
                fix="write each feature once, a tab and a number",
            )
        weights[name] = weight
    return weights
