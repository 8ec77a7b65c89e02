"""The questions about one pronoun, and the verdict derived from the answers.

Two modes. *Questions*: what does the pronoun refer to, with the candidates in two orders, and does the
rendering fit. *Comparison*: the rendering against the form that agrees with the most likely antecedent, or
the next best one if it agrees itself, in both orders.

A reply that cannot be read is missing: the pronoun has no value. If the server gives log-probabilities of the
first token and it is a number, the value is the probability of the rendering, over both orders in a
comparison: a forced choice without ties.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

from anaphor.core import PronounScore
from anaphor.core.text import Sentence
from anaphor.judge.prompts import (
    EVENT,
    NOTHING,
    CaseTexts,
    Marked,
    clean,
    compares_query,
    fits_query,
    read_reply,
    refers_query,
)
from anaphor.predict.server.client import Completion, Query
from anaphor.predict.server.replies import ABSTENTION, choice_shares
from anaphor.verdict import Case, Rendering, RenderingKind

#: Nouns that are offered as antecedents, likeliest first.
_MOST_CANDIDATES = 4
#: The reason for a missing value.
UNREADABLE = "the judge's answer is unreadable"


class Inquiry(Protocol):
    """The questions about one pronoun."""

    @property
    def queries(self) -> tuple[Query, ...]:
        """The prompts to send; empty if no question can be asked."""
        ...

    def verdict(self, answers: Sequence[Completion]) -> PronounScore:
        """The verdict from the answers to all queries, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Questions:
    """What the pronoun refers to, in two orders, and whether its rendering fits.

    `candidates` are the choices of the first query; `places` has segment and token of those that are nouns.
    """

    queries: tuple[Query, ...]
    candidates: Sequence[str]
    places: Mapping[str, tuple[int, int]]
    rendering: str

    def verdict(self, answers: Sequence[Completion]) -> PronounScore:
        """The answer to whether it fits decides; its referent is the reason."""
        there, back = (self._referent(answer, order) for answer, order in zip(answers, (1, -1), strict=False))
        named = there if there is not None and there == back else None
        referent = f"; it refers to {named}" if named else "; what it refers to depends on the order"
        if there is None or back is None:
            referent = "; what it refers to is open"
        antecedent = None if named is None else self.places.get(named)
        fits, share = read_reply(answers[2].text, 2), _share(answers[2], 2)
        if fits is None and share is None:
            return PronounScore(None, "open", UNREADABLE, antecedent)
        if share is None:
            share = 0.5 if fits == ABSTENTION else 1.0 - float(fits or 0)
        said = {"accepted": "fits", "rejected": "does not fit", "open": "may or may not fit"}
        verdict = _verdict(share)
        return PronounScore(
            share, verdict, f"the judge says that {self.rendering} {said[verdict]}{referent}", antecedent
        )

    def _referent(self, answer: Completion, order: int) -> str | None:
        chosen = read_reply(answer.text, len(self.candidates))
        return self.candidates[::order][chosen] if isinstance(chosen, int) else None


@dataclass(frozen=True, slots=True)
class RenderingComparison:
    """The rendering against another form, in both orders; `first` says where the rendering is in each."""

    queries: tuple[Query, ...]
    first: tuple[bool, ...]
    rendering: str
    alternative: str

    def verdict(self, answers: Sequence[Completion]) -> PronounScore:
        """The form that both orders name; a tie if they differ."""
        if not self.queries:
            return PronounScore(None, "open", "there is no form to compare with")
        shares = [self._own_share(answer, first) for answer, first in zip(answers, self.first, strict=True)]
        known = [share for share in shares if share is not None]
        # One order alone would let the position of the forms decide.
        if len(known) < len(shares):
            return PronounScore(None, "open", UNREADABLE)
        value = sum(known) / len(known)
        verdict = _verdict(value)
        said = {
            "accepted": f"the judge prefers {self.rendering} to *{self.alternative}*",
            "rejected": f"the judge prefers *{self.alternative}* to {self.rendering}",
            "open": f"the judge does not decide between {self.rendering} and *{self.alternative}*",
        }
        return PronounScore(value, verdict, said[verdict])

    @staticmethod
    def _own_share(answer: Completion, first: bool) -> float | None:
        share, chosen = _share(answer, 2), read_reply(answer.text, 2)
        if share is None:
            if chosen is None:
                return None
            share = 0.5 if chosen == ABSTENTION else 1.0 - float(chosen)
        return share if first else 1 - share


def _share(answer: Completion, choices: int) -> float | None:
    """The probability of the first choice; None without log-probabilities of the choices."""
    shares = choice_shares(answer.first_token, choices)
    return shares[0] if shares else None


def _verdict(share: float) -> str:
    if share == 0.5:
        return "open"
    return "accepted" if share > 0.5 else "rejected"


def inquiry_of(case: Case, rendering: Rendering, texts: CaseTexts, *, mode: str, seed: int) -> Inquiry:
    """The inquiry about a pronoun in the mode `questions` or `comparison`."""
    shown = rendering.shown if rendering.positions else "leaving it out"
    if mode == "comparison":
        return _comparison(case, rendering, texts, shown, seed)
    candidates, places = _candidates(case)
    rng = random.Random(f"{seed}\n{texts.source.shown()}")  # noqa: S311 - no secret depends on it
    # Models favour the choice that comes first, so the order is drawn, and asked the other way round as well.
    rng.shuffle(candidates)
    queries = (refers_query(texts, candidates), refers_query(texts, candidates[::-1]), fits_query(texts))
    return Questions(queries, candidates, places, shown)


def _candidates(case: Case) -> tuple[list[str], dict[str, tuple[int, int]]]:
    """The most likely antecedents, described, then an event and nothing; and the positions of nouns."""
    antecedents = case.document.source.antecedents.get(case.place)
    heads = {} if antecedents is None else antecedents.heads
    places: dict[str, tuple[int, int]] = {}
    for mention in sorted(heads, key=lambda head: -heads[head])[:_MOST_CANDIDATES]:
        tokens = case.document.source.sentences[mention.sentence].tokens
        phrase = " ".join(tokens[mention.start : mention.position + 1])
        distance = case.place.sentence - mention.sentence
        where = "the same line" if not distance else f"{distance} line{'s' * (distance > 1)} before"
        places.setdefault(f"“{clean(phrase)}” ({where})", (case.start + mention.sentence, mention.position))
    return [*places, EVENT, NOTHING], places


def _comparison(
    case: Case, rendering: Rendering, texts: CaseTexts, shown: str, seed: int
) -> RenderingComparison:
    alternative = alternative_form(case, rendering)
    # In a rendering of several places, one form cannot simply take the place of the other.
    if not alternative or len(texts.target.spans) != 1:
        return RenderingComparison((), (), shown, "")
    (start, end), line = texts.target.spans[0], texts.target.line
    # The capital at the start of a sentence must not give away which form was there.
    if line[start:end][:1].isupper():
        alternative = alternative[0].upper() + alternative[1:]
    other = Marked(f"{line[:start]}{alternative}{line[end:]}", ((start, start + len(alternative)),))
    versions = [texts.target, other]
    rng = random.Random(f"{seed}\n{texts.target.shown()}")  # noqa: S311 - no secret depends on it
    rng.shuffle(versions)
    orders = (versions, versions[::-1])
    queries = tuple(compares_query(texts, order) for order in orders)
    return RenderingComparison(
        queries, tuple(order[0] is texts.target for order in orders), shown, alternative.lower()
    )


def alternative_form(case: Case, rendering: Rendering) -> str:
    """The form of the same group that agrees best with the antecedents; empty if there is none."""
    language = case.document.language
    if rendering.kind is not RenderingKind.PRONOUN or case.place not in case.document.source.antecedents:
        return ""
    expected = case.document.target.expectation(case.place)
    for group in _groups().get(language.code, ()):
        forms = group.split()
        if rendering.form in forms:
            others = [form for form in forms if form != rendering.form]
            return max(others, key=lambda form: language.agreement(form, expected).agree)
    return ""


@cache
def _groups() -> Mapping[str, Sequence[str]]:
    return tomllib.loads((files("anaphor.judge") / "alternatives.toml").read_text(encoding="utf-8"))


def sentence_of(line: str, tokens: Sequence[str]) -> Sentence:
    """A line with its tokens, which are slices of it in order."""
    starts, at = [], 0
    for token in tokens:
        at = max(at, line.find(token, at))
        starts.append(at)
        at += len(token)
    return Sentence(line, tuple(tokens), tuple(starts))


def marked_sentence(sentence: Sentence, positions: Sequence[int]) -> Marked:
    """A line with the tokens at some positions marked; neighbours are marked together."""
    spans: list[tuple[int, int]] = []
    for position in sorted(positions):
        start, end = sentence.span(position)
        if spans and sentence.text[spans[-1][1] : start].strip() == "":
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return Marked(sentence.text, tuple(spans))
