"""A resolver for third-person pronouns: a log-linear model over the mentions before a pronoun.

Every candidate, and each of the functions *event* and *pleonastic*, gets a score that is the sum of the
weights of its features; probabilities are their softmax. The weights are a table of text that can be read
(`models/<language>/weights.tsv`), learned by `tools/make_resolver.py` and, for other languages than English,
`tools/make_other_resolvers.py`; the cards beside them name the data.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents.english import EnglishText
from anaphor.antecedents.features import PlainText
from anaphor.antecedents.mentions import Mention, find_mentions, names_something
from anaphor.antecedents.source import SourceLanguage
from anaphor.core import InputError, UnknownNameError, Where, digest

#: Candidates below this probability are dropped; together they rarely matter, and chains stay short.
_LEAST = 0.003


class Place(NamedTuple):
    """A token: the number of its sentence in the document, and its position there."""

    sentence: int
    position: int


@dataclass(frozen=True, slots=True)
class PronounAntecedents:
    """What a pronoun may refer to: mentions with probabilities, likeliest first, an event, or nothing.

    `heads` are the nouns among them, and those that other pronouns lead to. Probabilities sum to at most 1;
    the rest belongs to candidates too unlikely to be kept, and to pronouns that lead nowhere.
    `names_something` is true of *they* in *they are the sounds of space*. `generic` is the share of people
    whom the text does not name, as in *they say it will rain*; English alone has it.
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
    """The source languages with a resolver."""
    return tuple(
        sorted(entry.name for entry in (files("anaphor.antecedents") / "models").iterdir() if entry.is_dir())
    )


class Resolver:
    """Finds the antecedents of third-person pronouns: English *it* and *they*, German *er*, *sie*, *es*."""

    def __init__(self, weights: Mapping[str, float], language: str = "en") -> None:
        self._weights = weights
        self._language = SourceLanguage.load(language)

    @classmethod
    def load(cls, language: str) -> Resolver:
        """The resolver that ships for a language."""
        if language not in resolver_languages():
            raise UnknownNameError.among(language, resolver_languages(), kind="language", where="resolver")
        return cls(_shipped(language), language)

    def digest(self) -> str:
        """Identifies the weights, for signatures."""
        return digest(f"{name}\t{weight:g}\n".encode() for name, weight in sorted(self._weights.items()))

    def resolve(self, sentences: Sequence[AnalysedSentence]) -> ResolvedDocument:
        """The antecedents of every pronoun of one document."""
        mentions = [
            find_mentions(number, *sentence, self._language) for number, sentence in enumerate(sentences)
        ]
        text = described(sentences, mentions, self._language)
        resolved: dict[Place, PronounAntecedents] = {}
        for number, sentence in enumerate(sentences):
            for position in range(len(sentence.tokens)):
                if self._language.is_resolved(sentence.tokens, position):
                    place = Place(number, position)
                    resolved[place] = self._antecedents(sentences, text, place, resolved)
        return resolved

    def _antecedents(
        self,
        sentences: Sequence[AnalysedSentence],
        text: PlainText | EnglishText,
        place: Place,
        before: ResolvedDocument,
    ) -> PronounAntecedents:
        candidates, rows = text.describe(*place)
        weight = self._weights.get
        scores = [sum([weight(feature, 0.0) for feature in row]) for row in rows]
        highest = max(scores)
        raised = [math.exp(score - highest) for score in scores]
        total = sum(raised)
        shares = [value / total for value in raised]
        functions = dict(zip(text.functions, shares[len(candidates) :], strict=True))
        kept = [
            (candidate, share)
            for candidate, share in zip(candidates, shares, strict=False)
            if share >= _LEAST
        ]
        kept.sort(key=lambda pair: -pair[1])
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
        naming = names_something(place.position, *sentences[place.sentence])
        return PronounAntecedents(tuple(kept), heads, names_something=naming, **functions)


def described(
    sentences: Sequence[AnalysedSentence], mentions: Sequence[Sequence[Mention]], language: SourceLanguage
) -> PlainText | EnglishText:
    """The document in the form in which its pronouns are described to the model of the language."""
    kind = EnglishText if language.code == "en" else PlainText
    return kind(sentences, mentions, language)


@cache
def _shipped(language: str) -> Mapping[str, float]:
    path = files("anaphor.antecedents") / "models" / language / "weights.tsv"
    return parse_weights(path.read_text(encoding="utf-8"), path=str(path))


def parse_weights(text: str, *, path: str) -> dict[str, float]:
    """A table of features and weights, one per line with a tab between them; `#` begins a comment."""
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
