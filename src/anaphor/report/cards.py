"""Why-cards: for every judged pronoun of every system, everything that led to its outcome."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from anaphor.core import (
    Counterpart,
    InputError,
    Outcome,
    Pronoun,
    PronounScore,
    Repair,
    Result,
    Sentence,
    Span,
    SystemResult,
    digest,
)
from anaphor.corpus import AlignmentFile
from anaphor.evaluation.experiment import Experiment
from anaphor.metrics.apt import Apt
from anaphor.metrics.breakdown import confusion


@dataclass(frozen=True, slots=True)
class RepairSteps:
    """The steps of a repair, as words of the translation; markers and window are None without a search."""

    kind: str
    before: tuple[str, ...]
    markers: tuple[str, ...] | None
    window: str | None
    options: tuple[str, ...]
    chosen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardSide:
    """A translation's counterpart of the pronoun.

    A confidence is None without a link, as for a word chosen by a repair, and if unknown, as for links from a
    file.
    """

    spans: tuple[Span, ...]
    words: tuple[str, ...]
    forms: tuple[str, ...]
    confidence: tuple[float | None, ...]
    repair: RepairSteps | None


@dataclass(frozen=True, slots=True)
class CardPronoun:
    """A source pronoun: segment and token from 0, its form, its characters in the source line.

    `before` is the number of preceding lines that a reader needs, `antecedent` the segment of the most likely
    antecedent and the characters of its head; older cards have neither.
    """

    segment: int
    token: int
    form: str
    span: Span
    before: int = 0
    antecedent: tuple[int, Span] | None = None


@dataclass(frozen=True, slots=True)
class CardHint:
    """A predictor's hint on a pronoun that it finds unlikely; not part of the outcome."""

    probability: float
    likelier: str
    likelier_probability: float


@dataclass(frozen=True, slots=True)
class Card:
    """One system on one pronoun; `labels` are the row and the column of the confusion matrix.

    `scores` are those of the metrics that judge individual pronouns, with reasons. `omitted` is the reason
    why the segment has no translation, if the candidate was cut from whole documents.
    """

    outcome: Outcome
    reference: int
    labels: tuple[str, str]
    reference_side: CardSide | None
    candidate_side: CardSide | None
    hint: CardHint | None = None
    scores: Mapping[str, PronounScore] = field(default_factory=dict)
    omitted: str | None = None


@dataclass(frozen=True, slots=True)
class Cards:
    """The cards of a result: texts by segment number, pronouns, and a card for each by system.

    Only texts of segments with a pronoun are included, and the preceding lines that a reader needs.
    """

    documents: Mapping[int, str] | None
    source: Mapping[int, str]
    references: tuple[Mapping[int, str], ...]
    candidates: Mapping[str, Mapping[int, str]]
    pronouns: tuple[CardPronoun, ...]
    judged: Mapping[str, tuple[Card, ...]]


def cards_of(
    experiment: Experiment,
    result: Result,
    hints: Mapping[tuple[str, int, int], CardHint] = MappingProxyType({}),
) -> Cards:
    """The cards of a result that was just computed from an experiment, with the confidences of its links.

    `hints` are by system, segment and source token.
    """
    inputs = experiment.inputs
    comparer = Apt.build(experiment.context).comparer
    pronouns = [verdict.pair.source for verdict in result.systems[0].verdicts]
    shown = tuple(
        CardPronoun(pronoun.segment, pronoun.position, pronoun.form, at.span, len(at.before), at.antecedent)
        for pronoun, at in zip(pronouns, result.contexts, strict=True)
    )
    segments = sorted(
        {at for pronoun in shown for at in range(pronoun.segment - pronoun.before, pronoun.segment + 1)}
    )
    documents = result.documents
    omitted = {name: segmentation.reasons for name, segmentation in inputs.segmentations.items()}

    def lines(text: Sequence[str]) -> dict[int, str]:
        return {segment: text[segment] for segment in segments}

    def side(
        counterpart: Counterpart | None, line: str, alignments: AlignmentFile | None, pronoun: Pronoun
    ) -> CardSide | None:
        if counterpart is None:
            return None
        sentence = experiment.target.sentence(line)
        links = _confidences(alignments, pronoun)
        return CardSide(
            tuple(map(sentence.span, counterpart.positions)),
            counterpart.words,
            counterpart.forms,
            tuple(links.get(position) for position in counterpart.positions),
            None if counterpart.repair is None else _repair_steps(counterpart.repair, sentence),
        )

    def card(result: SystemResult, index: int) -> Card:
        system, verdict = result.name, result.verdicts[index]
        pair, number = verdict.pair, verdict.reference
        pronoun = pair.source
        references, candidates = inputs.reference_alignments, inputs.candidate_alignments
        ((labels, _),) = confusion([verdict], comparer).items()
        return Card(
            verdict.outcome,
            number,
            labels,
            side(
                pair.references[number],
                inputs.references[number].lines[pronoun.segment],
                None if references is None else references[number],
                pronoun,
            )
            if pair.references
            else None,
            side(
                pair.candidate,
                inputs.candidates[system].lines[pronoun.segment],
                None if candidates is None else candidates[system],
                pronoun,
            ),
            hints.get((system, pronoun.segment, pronoun.position)),
            # The antecedent stands with the pronoun: it is the same for all systems.
            {m: replace(scores[index], antecedent=None) for m, scores in result.pronoun_scores.items()},
            omitted[system].get(pronoun.segment) if system in omitted else None,
        )

    return Cards(
        None if documents is None else {segment: documents[segment] for segment in segments},
        lines(inputs.source.lines),
        tuple(lines(text.lines) for text in inputs.references),
        {name: lines(text.lines) for name, text in inputs.candidates.items()},
        shown,
        {
            system.name: tuple(card(system, index) for index in range(len(system.verdicts)))
            for system in result.systems
        },
    )


def _confidences(alignments: AlignmentFile | None, pronoun: Pronoun) -> dict[int, float]:
    """The aligner's confidence in each link of a pronoun, by target token; empty if it is unknown."""
    if alignments is None or alignments.links.confidence is None:
        return {}
    return {
        link.target: round(link.confidence, 4)
        for link in alignments[pronoun.segment].links()
        if link.source == pronoun.position and link.confidence is not None
    }


def _repair_steps(repair: Repair, sentence: Sentence) -> RepairSteps:
    def words(positions: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(sentence.tokens[position] for position in positions)

    return RepairSteps(
        repair.kind.value,
        repair.words_before,
        None if repair.markers is None else words(repair.markers),
        None if repair.window is None else " ".join(sentence.tokens[slice(*repair.window)]),
        words(repair.options),
        words(repair.chosen),
    )


# Inside a result file cards stand under `cards`, with a version and a digest of their own.

CARDS_VERSION = 1


def cards_content(cards: Cards) -> dict[str, Any]:
    """The cards for a JSON file; segments, tokens and characters are counted from 0."""

    def keyed(lines: Mapping[int, str]) -> dict[str, str]:
        return {str(segment): line for segment, line in lines.items()}

    def card_content(card: Card) -> dict[str, Any]:
        # Left out where there is nothing, so that the digest of older cards stays the same.
        more: dict[str, Any] = {} if card.hint is None else {"hint": asdict(card.hint)}
        if card.omitted is not None:
            more["omitted"] = card.omitted
        if card.scores:
            more["scores"] = {
                metric: {"value": score.value, "verdict": score.verdict, "reason": score.reason}
                for metric, score in card.scores.items()
            }
        return {
            "outcome": card.outcome.label,
            "reference": card.reference,
            "labels": list(card.labels),
            "reference_side": None if card.reference_side is None else asdict(card.reference_side),
            "candidate_side": None if card.candidate_side is None else asdict(card.candidate_side),
            **more,
        }

    content = {
        "documents": None if cards.documents is None else keyed(cards.documents),
        "source": keyed(cards.source),
        "references": [keyed(lines) for lines in cards.references],
        "candidates": {name: keyed(lines) for name, lines in cards.candidates.items()},
        "pronouns": [asdict(pronoun) for pronoun in cards.pronouns],
        "judged": {name: [card_content(card) for card in judged] for name, judged in cards.judged.items()},
    }
    return {"cards_version": CARDS_VERSION, "digest": cards_digest(content), **content}


def read_cards(content: Any, *, path: str) -> Cards:
    """The cards of a result file; another version or later modification is an error."""
    # Not through `Record`: a large test set has a hundred thousand cards, and the digest covers every key.
    try:
        if content["cards_version"] != CARDS_VERSION:
            raise InputError(
                f"cards of version {content['cards_version']}, this program reads {CARDS_VERSION}",
                where=path,
                fix="score again with --cards",
            )
        body = {key: value for key, value in content.items() if key not in ("cards_version", "digest")}
        if cards_digest(body) != content["digest"]:
            raise ValueError("the digest does not match")
        documents = body["documents"]
        cards = Cards(
            None if documents is None else _numbered(documents),
            _numbered(body["source"]),
            tuple(map(_numbered, body["references"])),
            {name: _numbered(lines) for name, lines in body["candidates"].items()},
            tuple(
                CardPronoun(
                    int(entry["segment"]),
                    int(entry["token"]),
                    _text(entry["form"]),
                    _span(entry["span"]),
                    int(entry["before"]),
                    _mention(entry["antecedent"]),
                )
                for entry in body["pronouns"]
            ),
            {name: tuple(map(_card, entries)) for name, entries in body["judged"].items()},
        )
        # A card must not point at a text that is missing.
        if any(len(entries) != len(cards.pronouns) for entries in cards.judged.values()):
            raise ValueError("a system has too few or too many")
        if set(cards.judged) != set(cards.candidates):
            raise ValueError("systems and texts do not match")
        if any(
            not 0 <= pronoun.before <= min(pronoun.segment, len(cards.source)) for pronoun in cards.pronouns
        ):
            raise ValueError("a context is impossible")
        segments = {
            at
            for pronoun in cards.pronouns
            for at in range(pronoun.segment - pronoun.before, pronoun.segment + 1)
        }
        known = [cards.source, *cards.references, *cards.candidates.values()]
        if any(segments - set(lines) for lines in known):
            raise ValueError("a text is missing")
        if cards.documents is not None and set(cards.source) - set(cards.documents):
            raise ValueError("a document is missing")
        for judged in cards.judged.values():
            if cards.references and any(not 0 <= card.reference < len(cards.references) for card in judged):
                raise ValueError("a reference is missing")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            f"the cards were changed after they were written: {error}",
            where=path,
            fix="pass an unmodified file written by `anaphor score --cards --output`",
        ) from error
    return cards


def cards_digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return digest([text.encode("ascii")])


def _card(entry: Mapping[str, Any]) -> Card:
    row, column = _texts(entry["labels"])
    hint = entry.get("hint")
    return Card(
        Outcome[entry["outcome"].upper()],
        int(entry["reference"]),
        (row, column),
        _side(entry["reference_side"]),
        _side(entry["candidate_side"]),
        None
        if hint is None
        else CardHint(
            float(hint["probability"]), _text(hint["likelier"]), float(hint["likelier_probability"])
        ),
        {
            _text(metric): PronounScore(
                None if score["value"] is None else float(score["value"]),
                _text(score["verdict"]),
                _text(score["reason"]),
            )
            for metric, score in entry.get("scores", {}).items()
        },
        None if entry.get("omitted") is None else _text(entry["omitted"]),
    )


def _side(entry: Mapping[str, Any] | None) -> CardSide | None:
    if entry is None:
        return None
    repair = entry["repair"]
    if len(entry["words"]) != len(entry["confidence"]):
        raise ValueError("words and confidences differ in number")
    return CardSide(
        tuple(map(_span, entry["spans"])),
        _texts(entry["words"]),
        _texts(entry["forms"]),
        tuple(None if value is None else float(value) for value in entry["confidence"]),
        None
        if repair is None
        else RepairSteps(
            _text(repair["kind"]),
            _texts(repair["before"]),
            None if repair["markers"] is None else _texts(repair["markers"]),
            None if repair["window"] is None else _text(repair["window"]),
            _texts(repair["options"]),
            _texts(repair["chosen"]),
        ),
    )


def _numbered(lines: Mapping[str, Any]) -> dict[int, str]:
    return {int(segment): _text(line) for segment, line in lines.items()}


def _span(value: Sequence[Any]) -> Span:
    start, end = value
    return Span(int(start), int(end))


def _mention(value: Sequence[Any] | None) -> tuple[int, Span] | None:
    if value is None:
        return None
    segment, span = value
    return int(segment), _span(span)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not text: {value!r}")
    return value


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(_text, values))
