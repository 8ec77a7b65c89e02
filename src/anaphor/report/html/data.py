"""The examples of a page as data for its script, every text stored once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from anaphor.core import LanguagePair, Outcome
from anaphor.report.cards import Card, CardPronoun, Cards
from anaphor.report.charts import CASE_NAMES
from anaphor.report.escape import shown
from anaphor.report.html.pieces import Mark, Pieces, cut, hinted, told
from anaphor.report.html.view import ReportView
from anaphor.report.people import Annotation

T = TypeVar("T")

#: What each outcome means (apt-2017, section 2.4), in the words of the cards.
RULES = {
    Outcome.IDENTICAL: "both have the same pronoun, or two that the language pack takes for identical",
    Outcome.EQUIVALENT: "the pronouns differ, but the language pack lists them as equivalent",
    Outcome.DIFFERENT: "the pronouns differ and are not listed as equivalent, or one side has another word",
    Outcome.CANDIDATE_MISSING: "the reference has a counterpart, the candidate has none",
    Outcome.REFERENCE_MISSING: "the candidate has a counterpart, the reference has none",
    Outcome.BOTH_MISSING: "neither the reference nor the candidate has a counterpart",
}


def page_data(view: ReportView) -> dict[str, Any]:
    """All cards of the view; lines, notes and labels are named by their numbers in lists."""
    pair = LanguagePair.parse(view.results[0].settings.pair)
    maker = _Maker(view)
    cards = sorted(maker.cards(), key=lambda entry: entry[:2])
    return {
        "source": pair.source,
        "target": pair.target,
        "systems": [shown(system.name) for system in view.systems],
        "outcomes": {case.value: _outcome(case) for case in Outcome},
        "pronouns": maker.pronouns(),
        "cards": cards,
        "lines": maker.lines.values,
        "notes": maker.notes.values,
        "labels": maker.labels.values,
    }


def category_of(view: ReportView, pronoun: CardPronoun) -> str:
    """What people call the kind of this pronoun; empty where they say nothing."""
    item = view.people.items.get((pronoun.segment, pronoun.span.start))
    judged = view.people.categories.get((pronoun.segment, pronoun.token), "")
    return judged if item is None else item.category


def _outcome(case: Outcome) -> dict[str, str]:
    return {"key": str(case.value), "name": CASE_NAMES[case], "rule": RULES[case]}


class _Pool(Generic[T]):
    """Values by number; equal ones have one number."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def __call__(self, value: T) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[T]:
        return list(self._numbers)


@dataclass(frozen=True, slots=True)
class _Maker:
    view: ReportView
    lines: _Pool[Pieces] = field(default_factory=_Pool)
    notes: _Pool[tuple[str, ...]] = field(default_factory=_Pool)
    labels: _Pool[str] = field(default_factory=_Pool)

    def cards(self) -> Iterator[list[Any]]:
        """Pronoun, system, outcome, two lines, two labels, two notes, and what people said."""
        order = {system.name: number for number, system in enumerate(self.view.systems)}
        for stored in self.view.results:
            if stored.cards is None:
                continue
            for name, judged in stored.cards.judged.items():
                for number, card in enumerate(judged):
                    found = self._card(stored.cards, name, stored.cards.pronouns[number], card)
                    yield [number, order[name], *found]

    def _card(self, cards: Cards, system: str, pronoun: CardPronoun, card: Card) -> list[Any]:
        reference = cards.references[card.reference][pronoun.segment]
        candidate = cards.candidates[system][pronoun.segment]
        sides = ((reference, card.reference_side), (candidate, card.candidate_side))
        marks = [[(span, "linked") for span in side.spans] if side else [] for _, side in sides]
        words = self.view.people.words.get((system, pronoun.segment, pronoun.token), ())
        return [
            card.outcome.value,
            *(self.lines(cut(line, found)) for (line, _), found in zip(sides, marks, strict=True)),
            [self.labels(shown(label)) for label in card.labels],
            self.notes(told(card.reference_side)),
            self.notes((*told(card.candidate_side), *hinted(card.hint))),
            shown("; ".join(map(str, words))),
        ]

    def pronouns(self) -> list[dict[str, Any]]:
        """Every pronoun once, also where several results judge it."""
        known = [stored.cards for stored in self.view.results if stored.cards is not None]
        found = []
        for number, pronoun in enumerate(known[0].pronouns if known else ()):
            outcomes = {judged[number].outcome for cards in known for judged in cards.judged.values()}
            found.append(self._pronoun(known[0], pronoun, disagreement=len(outcomes) > 1))
        return found

    def _pronoun(self, cards: Cards, pronoun: CardPronoun, *, disagreement: bool) -> dict[str, Any]:
        document = "" if cards.documents is None else f"{cards.documents[pronoun.segment]}, "
        item = self.view.people.items.get((pronoun.segment, pronoun.span.start))
        at = f"{document}line {pronoun.segment + 1}, token {pronoun.token + 1}{_elsewhere(item, pronoun)}"
        marks: list[Mark] = [(pronoun.span, "pronoun")]
        if item is not None:
            here = (mention for mention in item.antecedents if mention.segment == pronoun.segment)
            marks += [(mention.span, "antecedent") for mention in here]
        return {
            "form": shown(pronoun.form),
            "at": shown(at),
            "source": self.lines(cut(cards.source[pronoun.segment], marks)),
            "category": shown(category_of(self.view, pronoun)),
            "disagreement": disagreement,
        }


def _elsewhere(item: Annotation | None, pronoun: CardPronoun) -> str:
    """The antecedents of other lines, in words."""
    mentions = () if item is None else item.antecedents
    away = [f"“{one.words}” in line {one.segment + 1}" for one in mentions if one.segment != pronoun.segment]
    return f", antecedent {', '.join(away)}" if away else ""
