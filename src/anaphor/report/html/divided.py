"""The pronouns that divide the systems most, for the first screen of a page, the demo and the README."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from anaphor.core import LanguagePair
from anaphor.report.cards import Card, CardPronoun, Cards
from anaphor.report.escape import shown
from anaphor.report.html.data import Mark, Pieces, ReportView, cut, plain_reason

#: What a reason has between an antecedent and its translation.
TRANSLATED = " → "


class DividedVerdict(NamedTuple):
    """A system's rendering of the pronoun: its line, the marked counterpart, and the verdict."""

    system: str
    verdict: str
    line: Pieces
    reason: str


class DividedPronoun(NamedTuple):
    """A pronoun that systems render differently.

    `lines` are those of the antecedent and the pronoun, with the marks `antecedent` and `pronoun`; `verdicts`
    are of the best system and the worst, or of the only one.
    """

    segment: int
    lines: tuple[Pieces, ...]
    verdicts: tuple[DividedVerdict, ...]


def divided_pronouns(view: ReportView) -> list[DividedPronoun]:
    """The pronouns that a judge such as accept accepts in one system and rejects in another.

    Those whose reasons all follow an antecedent into the translation come first, and among these, those with
    an antecedent in an earlier line, as they explain most. The rest are ordered by the difference between the
    probabilities. With a single system, they are its rejected pronouns.
    """
    if not view.judges or not view.cards:
        return []
    judge, pronouns = view.judges[0], view.cards[0].pronouns
    systems = {name: (cards, own) for cards in view.cards for name, own in cards.judged.items()}
    ranked = []
    for number, pronoun in enumerate(pronouns):
        scored = sorted(
            (score.value, name)
            for name, (_, own) in systems.items()
            if (score := own[number].scores[judge]).value is not None
        )
        if not scored:
            continue
        chosen = [name for _, name in (scored[-1:] if len(systems) > 1 else [])] + [scored[0][1]]
        scores = [systems[name][1][number].scores[judge] for name in chosen]
        if [score.verdict for score in scores] in (["accepted", "rejected"], ["rejected"]):
            difference = (scored[-1][0] if len(systems) > 1 else 1) - scored[0][0]
            unexplained = not all(TRANSLATED in score.reason for score in scores)
            ranked.append((unexplained, _distance(pronoun), -difference, number, chosen))
    found = []
    for *_, number, chosen in sorted(ranked):
        pronoun = pronouns[number]
        verdict_of = (
            _verdict(view.names[name], cards.candidates[name], pronoun, own[number], judge)
            for name in chosen
            for cards, own in [systems[name]]
        )
        found.append(DividedPronoun(pronoun.segment, _lines_to(view.cards[0], pronoun), tuple(verdict_of)))
    return found


def card_lines(card: DividedPronoun) -> list[str]:
    """The card as plain text, marked words in brackets: source, then translation and verdict by system."""
    lines = [f"source: {_bracketed(line)}" for line in card.lines]
    for verdict in card.verdicts:
        lines.append(f"{verdict.system}: {_bracketed(verdict.line)}")
        lines.append(f"{verdict.verdict}: {verdict.reason}")
    return lines


def _bracketed(pieces: Pieces) -> str:
    return "".join(f"[{text}]" if kind else text for text, kind in pieces)


def _distance(pronoun: CardPronoun) -> int:
    """0 for an antecedent in an earlier line, 1 for one in the same line, 2 for none."""
    if pronoun.antecedent is None:
        return 2
    return int(pronoun.antecedent[0] == pronoun.segment)


def source_language(view: ReportView) -> str:
    return LanguagePair.parse(view.results[0].settings.pair).source


def _verdict(
    name: str, lines: Mapping[int, str], pronoun: CardPronoun, card: Card, judge: str
) -> DividedVerdict:
    marks = [(span, "linked") for span in card.candidate_side.spans] if card.candidate_side else []
    score = card.scores[judge]
    return DividedVerdict(
        name, score.verdict, cut(lines[pronoun.segment], marks), shown(plain_reason(score.reason))
    )


def _lines_to(cards: Cards, pronoun: CardPronoun) -> tuple[Pieces, ...]:
    """The source line of a pronoun, preceded by that of its antecedent if it differs."""
    marks: dict[int, list[Mark]] = {pronoun.segment: [(pronoun.span, "pronoun")]}
    if pronoun.antecedent is not None and pronoun.antecedent[0] in cards.source:
        marks.setdefault(pronoun.antecedent[0], []).append((pronoun.antecedent[1], "antecedent"))
    return tuple(cut(cards.source[at], marks[at]) for at in sorted(marks))
