"""Why-cards: for every judged pronoun of every system, all that led to its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from anaphor.core import Counterpart, Outcome, Pronoun, Repair, Result, Sentence, Span, Verdict
from anaphor.corpus import AlignmentFile, Inputs
from anaphor.metrics import ScoringSetup
from anaphor.metrics.apt import Apt, PronounComparer
from anaphor.metrics.breakdown import confusion


@dataclass(frozen=True, slots=True)
class RepairSteps:
    """How a repair went, in the words of the translation; markers and window are None without a search."""

    kind: str
    before: tuple[str, ...]
    markers: tuple[str, ...] | None
    window: str | None
    options: tuple[str, ...]
    chosen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardSide:
    """What one translation has for the pronoun.

    A confidence is None where there is no link, as for a word that a repair chose, and where nobody knows it,
    as for links from a file.
    """

    spans: tuple[Span, ...]
    words: tuple[str, ...]
    forms: tuple[str, ...]
    confidence: tuple[float | None, ...]
    repair: RepairSteps | None


@dataclass(frozen=True, slots=True)
class CardPronoun:
    """A source pronoun: segment and token from 0, its form, its characters in the source line."""

    segment: int
    token: int
    form: str
    span: Span


@dataclass(frozen=True, slots=True)
class CardHint:
    """What a predictor says of a candidate's pronoun that it finds unlikely; no part of the outcome."""

    probability: float
    likelier: str
    likelier_probability: float


@dataclass(frozen=True, slots=True)
class Card:
    """One system on one pronoun; `labels` are the row and the column of the confusion matrix."""

    outcome: Outcome
    reference: int
    labels: tuple[str, str]
    reference_side: CardSide | None
    candidate_side: CardSide | None
    hint: CardHint | None = None


@dataclass(frozen=True, slots=True)
class Cards:
    """The cards of a result: texts by segment number, pronouns, and a card for each by system."""

    documents: Mapping[int, str] | None
    source: Mapping[int, str]
    references: tuple[Mapping[int, str], ...]
    candidates: Mapping[str, Mapping[int, str]]
    pronouns: tuple[CardPronoun, ...]
    judged: Mapping[str, tuple[Card, ...]]


def cards_of(
    result: Result, inputs: Inputs, hints: Mapping[tuple[str, int, int], CardHint] = MappingProxyType({})
) -> Cards:
    """The cards of a result that was just computed from these inputs, with the confidences of their links.

    `hints` are by system, segment and source token.
    """
    setup = ScoringSetup.of(result.settings)
    maker = _Maker(setup, inputs, Apt.build(setup.options).comparer, hints)
    pronouns = [verdict.pair.source for verdict in result.systems[0].verdicts]
    segments = sorted({pronoun.segment for pronoun in pronouns})
    documents = result.documents
    sentences = {segment: setup.source.sentence(inputs.source.lines[segment]) for segment in segments}
    return Cards(
        None if documents is None else {segment: documents[segment] for segment in segments},
        _lines(inputs.source.lines, segments),
        tuple(_lines(text.lines, segments) for text in inputs.references),
        {name: _lines(text.lines, segments) for name, text in inputs.candidates.items()},
        tuple(
            CardPronoun(p.segment, p.position, p.form, sentences[p.segment].span(p.position))
            for p in pronouns
        ),
        {system.name: maker.cards(system.name, system.verdicts) for system in result.systems},
    )


def _lines(lines: Sequence[str], segments: Iterable[int]) -> dict[int, str]:
    return {segment: lines[segment] for segment in segments}


@dataclass(frozen=True, slots=True)
class _Maker:
    setup: ScoringSetup
    inputs: Inputs
    comparer: PronounComparer
    hints: Mapping[tuple[str, int, int], CardHint]

    def cards(self, system: str, verdicts: Sequence[Verdict]) -> tuple[Card, ...]:
        return tuple(self._card(system, verdict) for verdict in verdicts)

    def _card(self, system: str, verdict: Verdict) -> Card:
        pair, number = verdict.pair, verdict.reference
        segment = pair.source.segment
        inputs = self.inputs
        made = inputs.reference_alignments, inputs.candidate_alignments
        reference = None if made[0] is None else made[0][number]
        candidate = None if made[1] is None else made[1][system]
        ((labels, _),) = confusion([verdict], self.comparer).items()
        return Card(
            verdict.outcome,
            number,
            labels,
            self._side(
                pair.references[number],
                inputs.references[number].lines[segment],
                _confidences(reference, pair.source),
            ),
            self._side(
                pair.candidate,
                inputs.candidates[system].lines[segment],
                _confidences(candidate, pair.source),
            ),
            self.hints.get((system, segment, pair.source.position)),
        )

    def _side(self, found: Counterpart | None, line: str, links: Mapping[int, float]) -> CardSide | None:
        if found is None:
            return None
        sentence = self.setup.target.sentence(line)
        return CardSide(
            tuple(map(sentence.span, found.positions)),
            found.words,
            found.forms,
            tuple(links.get(position) for position in found.positions),
            None if found.repair is None else _steps(found.repair, sentence),
        )


def _confidences(alignments: AlignmentFile | None, pronoun: Pronoun) -> dict[int, float]:
    """How sure the aligner is of each link of a pronoun, by target token; empty where nobody knows."""
    if alignments is None or alignments.links.confidence is None:
        return {}
    return {
        link.target: round(link.confidence, 4)
        for link in alignments[pronoun.segment].links()
        if link.source == pronoun.position and link.confidence is not None
    }


def _steps(repair: Repair, sentence: Sentence) -> RepairSteps:
    def words(positions: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(sentence.tokens[position] for position in positions)

    window = None if repair.window is None else " ".join(sentence.tokens[slice(*repair.window)])
    return RepairSteps(
        repair.kind.value,
        repair.words_before,
        None if repair.markers is None else words(repair.markers),
        window,
        words(repair.options),
        words(repair.chosen),
    )
