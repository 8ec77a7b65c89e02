"""Why-cards inside a result file, under `cards`, with a version and a digest of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from anaphor.core import InputError, Outcome, Span, digest
from anaphor.report.cards import Card, CardHint, CardPronoun, Cards, CardSide, RepairSteps

CARDS_VERSION = 1


def cards_content(cards: Cards) -> dict[str, Any]:
    """The cards for a JSON file; segments, tokens and characters count from 0."""
    content = {
        "documents": None if cards.documents is None else _keyed(cards.documents),
        "source": _keyed(cards.source),
        "references": [_keyed(lines) for lines in cards.references],
        "candidates": {name: _keyed(lines) for name, lines in cards.candidates.items()},
        "pronouns": [asdict(pronoun) for pronoun in cards.pronouns],
        "judged": {name: [_card(card) for card in judged] for name, judged in cards.judged.items()},
    }
    return {"cards_version": CARDS_VERSION, "digest": _digest(content), **content}


def read_cards(content: Any, *, path: str) -> Cards:
    """The cards of a result file; those of another version or changed since they were written are errors."""
    try:
        if content["cards_version"] != CARDS_VERSION:
            raise InputError(
                f"cards of version {content['cards_version']}, this program reads {CARDS_VERSION}",
                where=path,
                fix="score again with --cards",
            )
        body = {key: value for key, value in content.items() if key not in ("cards_version", "digest")}
        if _digest(body) != content["digest"]:
            raise ValueError("they do not have their digest")
        return _cards(body)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            f"the cards were changed after they were written: {error}",
            where=path,
            fix="name a file that `anaphor score --cards --output` wrote, unchanged",
        ) from error


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return digest([text.encode("ascii")])


def _keyed(lines: Mapping[int, str]) -> dict[str, str]:
    return {str(segment): line for segment, line in lines.items()}


def _card(card: Card) -> dict[str, Any]:
    # Without a predictor there is no such key, so that cards stay what they were.
    hint = {} if card.hint is None else {"hint": asdict(card.hint)}
    return {
        "outcome": card.outcome.name.lower(),
        "reference": card.reference,
        "labels": list(card.labels),
        "reference_side": None if card.reference_side is None else asdict(card.reference_side),
        "candidate_side": None if card.candidate_side is None else asdict(card.candidate_side),
        **hint,
    }


def _cards(body: Mapping[str, Any]) -> Cards:
    pronouns = tuple(_pronoun(entry) for entry in body["pronouns"])
    judged = {name: tuple(map(_read_card, entries)) for name, entries in body["judged"].items()}
    if any(len(entries) != len(pronouns) for entries in judged.values()):
        raise ValueError("a system has too few or too many")
    documents = body["documents"]
    cards = Cards(
        None if documents is None else _numbered(documents),
        _numbered(body["source"]),
        tuple(map(_numbered, body["references"])),
        {name: _numbered(lines) for name, lines in body["candidates"].items()},
        pronouns,
        judged,
    )
    _check_texts(cards)
    return cards


def _check_texts(cards: Cards) -> None:
    """Raise ValueError where a card points at a text that is not there."""
    if set(cards.judged) != set(cards.candidates):
        raise ValueError("systems and texts do not fit")
    segments = {pronoun.segment for pronoun in cards.pronouns}
    known = [cards.source, *cards.references, *cards.candidates.values()]
    if any(segments - set(lines) for lines in known):
        raise ValueError("a text is not there")
    if cards.documents is not None and set(cards.source) - set(cards.documents):
        raise ValueError("a document is not there")
    for judged in cards.judged.values():
        if any(not 0 <= card.reference < len(cards.references) for card in judged):
            raise ValueError("a reference is not there")


def _numbered(lines: Mapping[str, Any]) -> dict[int, str]:
    return {int(segment): _text(line) for segment, line in lines.items()}


def _pronoun(entry: Mapping[str, Any]) -> CardPronoun:
    return CardPronoun(int(entry["segment"]), int(entry["token"]), _text(entry["form"]), _span(entry["span"]))


def _read_card(entry: Mapping[str, Any]) -> Card:
    row, column = _texts(entry["labels"])
    sides = (_side(entry["reference_side"]), _side(entry["candidate_side"]))
    outcome = Outcome[entry["outcome"].upper()]
    return Card(outcome, int(entry["reference"]), (row, column), *sides, _hint(entry.get("hint")))


def _hint(entry: Mapping[str, Any] | None) -> CardHint | None:
    if entry is None:
        return None
    shares = float(entry["probability"]), float(entry["likelier_probability"])
    return CardHint(shares[0], _text(entry["likelier"]), shares[1])


def _side(entry: Mapping[str, Any] | None) -> CardSide | None:
    if entry is None:
        return None
    return CardSide(
        tuple(map(_span, entry["spans"])),
        _texts(entry["words"]),
        _texts(entry["forms"]),
        tuple(None if value is None else float(value) for value in entry["confidence"]),
        _steps(entry["repair"]),
    )


def _steps(entry: Mapping[str, Any] | None) -> RepairSteps | None:
    if entry is None:
        return None
    return RepairSteps(
        _text(entry["kind"]),
        _texts(entry["before"]),
        None if entry["markers"] is None else _texts(entry["markers"]),
        None if entry["window"] is None else _text(entry["window"]),
        _texts(entry["options"]),
        _texts(entry["chosen"]),
    )


def _span(value: Sequence[Any]) -> Span:
    start, end = value
    return Span(int(start), int(end))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"no text: {value!r}")
    return value


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(_text, values))
