"""The nouns of post-editing: a linked candidate, its pronouns, what a predictor says, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import Counterpart, LanguagePair, Pronoun, Sentence, Span


@dataclass(frozen=True, slots=True)
class LinkedText:
    """A candidate beside its source, and what it has for every source pronoun, None where nothing.

    Without `documents` all lines are one text. `tokenised`: white space separates its tokens, also
    after an elision (`c' est`).
    """

    pair: LanguagePair
    source: Sequence[Sentence]
    candidate: Sequence[Sentence]
    pronouns: Sequence[Pronoun]
    counterparts: Sequence[Counterpart | None]
    documents: Sequence[str] | None = None
    tokenised: bool = False

    def same_document(self, one: int, *, other: int) -> bool:
        """Whether two segments belong to one document."""
        return self.documents is None or self.documents[one] == self.documents[other]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A pronoun of the candidate that a predictor has a class for.

    `sentence` is the candidate's line, cut so that the pronoun is its token `token`: a given token such as
    `dit-il` is cut in two. `position` is the token as it was given.
    """

    pronoun: Pronoun
    sentence: Sentence
    token: int
    position: int
    label: str

    @property
    def word(self) -> str:
        return self.sentence.tokens[self.token]

    @property
    def span(self) -> Span:
        return self.sentence.span(self.token)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a predictor says of an occurrence: a probability for every class, most probable first."""

    occurrence: Occurrence
    probabilities: Mapping[str, float]

    @property
    def of_candidate(self) -> float:
        """The probability of the candidate's own pronoun."""
        return self.probabilities[self.occurrence.label]

    def first(self, *, but: str) -> tuple[str, float]:
        """The most probable class other than one, and its probability."""
        return next((label, share) for label, share in self.probabilities.items() if label != but)


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters of a line and what replaces them."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun of the candidate: its segment and how it is written."""

    segment: int
    word: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Another pronoun for an occurrence.

    `noun` is the nearest noun before it that agrees with the new pronoun, if there is one near. `warnings`
    name words that may have to agree with it; nobody changes them.
    """

    answer: Answer
    label: str
    edit: Edit
    new: str
    noun: Noun | None
    warnings: tuple[str, ...]

    @property
    def occurrence(self) -> Occurrence:
        return self.answer.occurrence

    @property
    def probability(self) -> float:
        return self.answer.probabilities[self.label]


@dataclass(frozen=True, slots=True)
class Held:
    """A pronoun that was probable enough and still is not proposed, with the reason."""

    answer: Answer
    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Proposals:
    """All that came of the answers to a candidate, in the order of the text."""

    made: tuple[Proposal, ...]
    held: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """An occurrence that a predictor finds unlikely, and the class that it finds likeliest."""

    occurrence: Occurrence
    probability: float
    likelier: str
    likelier_probability: float
