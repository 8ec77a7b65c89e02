"""The types of post-editing: an aligned candidate, its pronouns, their predictions, and the proposals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anaphor.core import Alignment, Analysis, Counterpart, LanguagePair, Pronoun, Sentence, Span

#: The analysis of the tokens of a line.
Analyse: TypeAlias = Callable[[Sequence[str]], Analysis]


@dataclass(frozen=True, slots=True)
class LinkedText:
    """A candidate and its source, with the counterpart of every source pronoun (None if it has none).

    If the task includes verbs without a subject (Spanish), these count as pronouns. Without `documents` all
    lines are one document. `tokenized`: tokens are separated by white space, also after an elision (`c'
    est`). `alignments` has the links of every line, for antecedents.
    """

    pair: LanguagePair
    source: Sequence[Sentence]
    candidate: Sequence[Sentence]
    pronouns: Sequence[Pronoun]
    counterparts: Sequence[Counterpart | None]
    documents: Sequence[str] | None = None
    tokenized: bool = False
    alignments: Sequence[Alignment] = ()

    def same_document(self, segment: int, *, other: int) -> bool:
        """Whether two segments belong to the same document."""
        return self.documents is None or self.documents[segment] == self.documents[other]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A pronoun of the candidate that is one of the predictor's classes.

    `sentence` is the candidate's line, tokenized so that the pronoun is its token `token`: a given token such
    as `dit-il` is split in two. `position` is the index of the token as it was given.
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
class OccurrencePrediction:
    """The probability of every class at an occurrence, most probable first.

    Occurrences with the same number as `chain` have one antecedent.
    """

    occurrence: Occurrence
    probabilities: Mapping[str, float]
    chain: int | None = None

    @property
    def of_candidate(self) -> float:
        """The probability of the candidate's own pronoun."""
        return self.probabilities[self.occurrence.label]

    def first(self, *, but: str) -> tuple[str, float]:
        """The most probable class other than `but`, and its probability."""
        return next((label, share) for label, share in self.probabilities.items() if label != but)


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters of a line and their replacement."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class AgreeingNoun:
    """A noun of the candidate that agrees with a pronoun: its segment and its form."""

    segment: int
    word: str


@dataclass(frozen=True, slots=True)
class EditProposal:
    """Another pronoun for an occurrence.

    `edit` also changes an adjacent elision and, in English, the verb. `noun` is the nearest
    preceding noun that agrees with the new pronoun, if there is one nearby. `warnings` name words that may
    have to agree with it; these are never changed. `accepted` are the probabilities that a reader accepts the
    pronoun before and after the edit, if the verdict decides.
    """

    prediction: OccurrencePrediction
    label: str
    edit: Edit
    new: str
    noun: AgreeingNoun | None
    warnings: tuple[str, ...]
    accepted: tuple[float, float] | None = None

    @property
    def occurrence(self) -> Occurrence:
        return self.prediction.occurrence

    @property
    def probability(self) -> float:
        """The number that reached the threshold: that of the verdict, or else that of the predictor."""
        return self.prediction.probabilities[self.label] if self.accepted is None else self.accepted[1]


@dataclass(frozen=True, slots=True)
class HeldProposal:
    """A pronoun that was probable enough but cannot be proposed, with the reason."""

    prediction: OccurrencePrediction
    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class EditProposals:
    """All proposals for a candidate, in text order."""

    applied: tuple[EditProposal, ...]
    withheld: tuple[HeldProposal, ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """An occurrence that the predictor finds unlikely, and the class that it finds most probable."""

    occurrence: Occurrence
    probability: float
    likelier: str
    likelier_probability: float
