"""The examples of a page as data for its script, every text stored once.

Judgements, categories and antecedents are annotators' information that a result lacks.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pvariance
from typing import Any, Generic, TypeVar

from anaphor.core import InputError, LanguagePair, Outcome, PronounScore, Span
from anaphor.core.array_types import Doubles
from anaphor.report.cards import Card, CardHint, CardPronoun, Cards, CardSide, RepairSteps
from anaphor.report.escape import shown
from anaphor.report.gates import Gate
from anaphor.report.ranking import Pair, apt_totals, pairwise_p, require_comparable, significance_clusters
from anaphor.report.result_tables import CASE_NAMES
from anaphor.report.stored import StoredResult, StoredSystem

T = TypeVar("T")
#: What each outcome means (apt-2017, section 2.4), in the words of the cards.
RULES = {
    Outcome.IDENTICAL: "both have the same pronoun, or two that the language pack treats as identical",
    Outcome.EQUIVALENT: "the pronouns differ, but the language pack lists them as equivalent",
    Outcome.DIFFERENT: "the pronouns differ and are not listed as equivalent, or one side has another word",
    Outcome.CANDIDATE_MISSING: "the reference has a counterpart, the candidate has none",
    Outcome.REFERENCE_MISSING: "the candidate has a counterpart, the reference has none",
    Outcome.BOTH_MISSING: "neither the reference nor the candidate has a counterpart",
}
#: How right a pronoun is that an outcome or the verdict of a metric is given to; all others are wrong.
_RIGHT: Mapping[Outcome | str, float] = {Outcome.IDENTICAL: 1, "accepted": 1, "open": 0.5}
Pieces = tuple[tuple[str, str], ...]
Mark = tuple[Span, str]
_KINDS = {
    "unaligned": "the aligner linked nothing",
    "non-pronoun": "the aligner linked no pronoun",
    "multiple": "the aligner linked several words",
}


@dataclass(frozen=True, slots=True)
class AntecedentMention:
    """An antecedent: its words and their position in the source."""

    segment: int
    span: Span
    words: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """The category of a source pronoun and its antecedents, if any."""

    category: str
    antecedents: tuple[AntecedentMention, ...] = ()


@dataclass(frozen=True, slots=True)
class HumanAnnotations:
    """Judgements by system, segment and token, in words; categories of judgements; items of a suite.

    `items` is indexed by the segment and first character of a pronoun, because suites have no tokens;
    `source` are the lines of the suite, by segment.
    """

    words: Mapping[tuple[str, int, int], Sequence[str]] = field(default_factory=dict)
    categories: Mapping[tuple[int, int], str] = field(default_factory=dict)
    items: Mapping[tuple[int, int], Annotation] = field(default_factory=dict)
    source: Mapping[int, str] = field(default_factory=dict)


def page_data(view: ReportView) -> dict[str, Any]:
    """All cards of the view; lines, notes and labels are given by list index."""
    pair = LanguagePair.parse(view.results[0].settings.pair)
    maker = _Maker(view)
    cards = sorted(maker.cards(), key=lambda entry: entry[:2])
    return {
        "source": pair.source,
        "target": pair.target,
        "systems": [shown(system.name) for system in view.systems],
        "names": [shown(view.names[system.name]) for system in view.systems],
        "judges": list(view.judges),
        "outcomes": {
            case.value: {"key": str(case.value), "name": CASE_NAMES[case], "rule": RULES[case]}
            for case in Outcome
        },
        "pronouns": maker.pronouns(),
        "before": maker.lines_before(),
        "cards": cards,
        "lines": maker.lines.values,
        "notes": maker.notes.values,
        "labels": maker.labels.values,
    }


def category_of(view: ReportView, pronoun: CardPronoun) -> str:
    """The category that annotators gave to a pronoun; empty if there is none."""
    item = view.annotations.items.get((pronoun.segment, pronoun.span.start))
    judged = view.annotations.categories.get((pronoun.segment, pronoun.token), "")
    return judged if item is None else item.category


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
        """Pronoun, system, outcome, two lines, two labels, two notes, reference, verdicts, human words."""
        order = {system.name: number for number, system in enumerate(self.view.systems)}
        judges = self.view.judges
        for stored in self.view.results:
            if stored.cards is None:
                continue
            for name, judged in stored.cards.judged.items():
                for number, card in enumerate(judged):
                    pronoun = stored.cards.pronouns[number]
                    references = stored.cards.references
                    reference = references[card.reference][pronoun.segment] if references else ""
                    candidate = stored.cards.candidates[name][pronoun.segment]
                    sides = ((reference, card.reference_side), (candidate, card.candidate_side))
                    lines = [
                        cut(line, [(span, "linked") for span in side.spans] if side else [])
                        for line, side in sides
                    ]
                    words = self.view.annotations.words.get((name, pronoun.segment, pronoun.token), ())
                    yield [
                        number,
                        order[name],
                        card.outcome.value,
                        *map(self.lines, lines),
                        [self.labels(shown(label)) for label in card.labels],
                        self.notes(side_notes(card.reference_side)),
                        self.notes(
                            (
                                *side_notes(card.candidate_side),
                                *(() if card.omitted is None else (shown(card.omitted),)),
                                *scored(card.scores),
                                *hint_notes(card.hint),
                            )
                        ),
                        card.reference,
                        [self.labels(card.scores[metric].verdict) for metric in judges],
                        shown("; ".join(words)),
                    ]

    def pronouns(self) -> list[dict[str, Any]]:
        """Every pronoun once, even if several results judge it; `rank` puts disagreements first."""
        known = self.view.cards
        pronouns = known[0].pronouns if known else ()
        # Without a reference every outcome is "missing", and a metric's own verdict tells right from wrong.
        judge = next(iter(self.view.judges), "") if known and not known[0].references else ""

        def label(card: Card) -> Outcome | str:
            return card.scores[judge].verdict if judge else card.outcome

        judged = [
            [label(system[number]) for cards in known for system in cards.judged.values()]
            for number in range(len(pronouns))
        ]
        ranks = {number: rank for rank, number in enumerate(by_disagreement(judged))}
        views = []
        for number, pronoun in enumerate(pronouns):
            documents = known[0].documents
            document = "" if documents is None else documents[pronoun.segment]
            at = f"line {pronoun.segment + 1}, token {pronoun.token + 1}"
            *before, own = (self.lines(pieces) for pieces in self._source_lines(pronoun))
            # Antecedents in the lines that are shown are marked there; others can only be named.
            item = self.view.annotations.items.get((pronoun.segment, pronoun.span.start))
            shown_lines = range(pronoun.segment - len(before), pronoun.segment + 1)
            mentions = () if item is None else item.antecedents
            away = [f"“{m.words}” in line {m.segment + 1}" for m in mentions if m.segment not in shown_lines]
            if away:
                at += f", antecedent {', '.join(away)}"
            views.append(
                {
                    "form": shown(pronoun.form),
                    "at": shown(f"{document}, {at}" if document else at),
                    "source": own,
                    "before": before,
                    "line": pronoun.segment + 1,
                    "document": shown(document),
                    "category": shown(category_of(self.view, pronoun)),
                    "disagreement": len(set(judged[number])) > 1,
                    "rank": ranks[number],
                }
            )
        return views

    def _source_lines(self, pronoun: CardPronoun) -> list[Pieces]:
        """The source lines that are shown for a pronoun, its own the last."""
        cards, annotations = self.view.cards[0], self.view.annotations
        item = annotations.items.get((pronoun.segment, pronoun.span.start))
        antecedents = [] if pronoun.antecedent is None else [pronoun.antecedent]
        if item is not None:
            antecedents = [(mention.segment, mention.span) for mention in item.antecedents]
        first = min([pronoun.segment - pronoun.before, *(segment for segment, _ in antecedents)])
        # The lines of a suite reach further back than those of the cards.
        text = {**annotations.source, **cards.source}
        start = pronoun.segment
        while start > first and start - 1 in text:
            start -= 1
        marks: dict[int, list[Mark]] = {pronoun.segment: [(pronoun.span, "pronoun")]}
        for segment, span in antecedents:
            marks.setdefault(segment, []).append((span, "antecedent"))
        return [cut(text[at], marks.get(at, [])) for at in range(start, pronoun.segment + 1)]

    def lines_before(self) -> dict[str, list[dict[int, int]]]:
        """The lines before a pronoun for references and systems, by 1-based number."""
        needed = sorted(
            {
                at
                for pronoun in (self.view.cards[0].pronouns if self.view.cards else ())
                for at in range(pronoun.segment - pronoun.before, pronoun.segment)
            }
        )

        def numbered(lines: Mapping[int, str]) -> dict[int, int]:
            return {at + 1: self.lines(cut(lines[at], [])) for at in needed if at in lines}

        texts = {name: text for cards in self.view.cards for name, text in cards.candidates.items()}
        references = self.view.cards[0].references if self.view.cards else ()
        return {
            "references": [numbered(lines) for lines in references],
            "systems": [numbered(texts[system.name]) for system in self.view.systems if system.name in texts],
        }


def by_disagreement(judged: Sequence[Sequence[Outcome | str]]) -> list[int]:
    """The pronouns by index, most informative first: those that divide the systems into right and wrong.

    Next come those with other differences, by share of differing pairs; then those that all systems get
    wrong.
    """

    def rank(number: int) -> tuple[float, float, float, int]:
        right = [_RIGHT.get(label, 0.0) for label in judged[number]]
        same = sum((count / len(right)) ** 2 for count in Counter(judged[number]).values())
        return -pvariance(right), same, fmean(right), number

    return sorted(range(len(judged)), key=rank)


def plain_reason(reason: str) -> str:
    """The reason for a verdict with quotes around words."""
    # Reasons mark words with asterisks, which mean nothing in a browser.
    return re.sub(r"\*([^*]+)\*", r"“\1”", reason)


def cut(line: str, marks: Iterable[Mark]) -> Pieces:
    """The line as (text, kind) pieces, kind empty outside marks; of overlapping marks the first wins."""
    pieces, end = [], 0
    for span, kind in sorted(marks):
        start = max(span.start, end)
        if start >= span.end:
            continue
        pieces += [(line[end:start], ""), (line[start : span.end], kind)]
        end = span.end
    pieces.append((line[end:], ""))
    return tuple((shown(text), kind) for text, kind in pieces if text)


def side_notes(side: CardSide | None) -> tuple[str, ...]:
    """The findings on one side: the counterpart, then its forms and repair steps."""
    if side is None:
        return ("no counterpart",)
    words = []
    for word, confidence in zip(side.words, side.confidence, strict=True):
        link = f"link with confidence {'not known' if confidence is None else f'{confidence:.2f}'}"
        # A repair that searched a window found the word by itself.
        if side.repair is not None and side.repair.window is not None:
            link = "no link"
        words.append(f"“{word}” ({link})")
    forms = f"pronoun found: {', '.join(side.forms)}" if side.forms else "no listed pronoun in it"
    return tuple(map(shown, (", ".join(words), forms, *_steps(side.repair))))


def scored(scores: Mapping[str, PronounScore]) -> tuple[str, ...]:
    """The verdict and reason of each metric that judges individual pronouns."""
    return tuple(
        shown(
            f"{metric}: {score.verdict}{'' if score.value is None else f', {score.value:.2f}'}; "
            + plain_reason(score.reason)
        )
        for metric, score in scores.items()
    )


def hint_notes(hint: CardHint | None) -> tuple[str, ...]:
    """A predictor's hint on the candidate's pronoun, marked as not part of the outcome."""
    if hint is None:
        return ()
    likelier = f"{hint.likelier} {hint.likelier_probability:.2f}"
    return (shown(f"hint, not a score: probability {hint.probability:.3f}, likelier {likelier}"),)


def _steps(repair: RepairSteps | None) -> list[str]:
    """The repair of apt-2017, section 2.3, step by step; empty without a repair."""
    if repair is None:
        return []
    before = f" ({_quoted(repair.before)})" if repair.before else ""
    steps = [f"repair: {_KINDS.get(repair.kind, repair.kind)}{before}"]
    if repair.markers is not None:
        steps.append(f"the words next to the pronoun are linked to {_quoted(repair.markers)}")
    if repair.window is not None:
        steps.append(f"searched between them: “{repair.window}”")
    steps.append(f"likely translations there: {_quoted(repair.options)}")
    steps.append(f"chosen: {_quoted(repair.chosen)}")
    return steps


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words) or "nothing"


@dataclass(frozen=True, slots=True)
class ReportView:
    """Comparable results as one. `clusters` is None if individual pronouns are not known.

    APT ranks the systems, or the first metric; `p_values` are of APT, after Holm's correction over all pairs.
    `names` are the displayed system names, without common prefixes and suffixes. `gates` are None if none
    were checked, `date` is the date of the page, empty if it has none.
    """

    title: str
    results: tuple[StoredResult, ...]
    systems: tuple[StoredSystem, ...]
    metrics: tuple[str, ...]
    p_values: Mapping[Pair, float]
    clusters: Mapping[str, int] | None
    names: Mapping[str, str]
    annotations: HumanAnnotations = field(default_factory=HumanAnnotations)
    gates: Sequence[Gate] | None = None
    date: str = ""

    @classmethod
    def of(
        cls,
        results: Sequence[StoredResult],
        *,
        title: str,
        annotations: HumanAnnotations | None = None,
        gates: Sequence[Gate] | None = None,
        date: str = "",
    ) -> ReportView:
        """Combine results into one view; results that are not comparable are an error."""
        require_comparable(results)
        # Signatures name no single positions, so that the cards themselves must tell of the same pronouns.
        known = [(stored, stored.cards.pronouns) for stored in results if stored.cards is not None]
        places = [[(p.segment, p.token) for p in pronouns] for _, pronouns in known]
        for (stored, _), others in zip(known, places, strict=True):
            if others != places[0]:
                what = f"it judges other pronouns than {known[0][0].path}"
                fix = "score all systems on the same set with the same options"
                raise InputError(what, where=stored.path, fix=fix)
        systems = [system for stored in results for system in stored.systems]
        metrics = tuple(score.metric for score in systems[0].scores)
        metric = "apt" if "apt" in metrics else metrics[0]

        def rank(system: StoredSystem) -> tuple[float, str]:
            # Undefined scores come last, equal ones by name.
            score = system.score(metric)
            value = math.nan if score is None else score.value
            return (math.inf if math.isnan(value) else -value, system.name)

        ranked = sorted(systems, key=rank)
        totals: dict[str, Doubles] = {}
        for stored in results:
            if stored.cards is not None:
                totals |= apt_totals(stored.cards)
        # Clusters are those of apt: without it, or without a reference, there are none.
        whole = len(totals) == len(systems) > 1 and "apt" in metrics
        p_values = pairwise_p(totals, results[0].settings) if whole else {}
        clusters = significance_clusters([system.name for system in ranked], p_values) if p_values else None
        return cls(
            title,
            tuple(results),
            tuple(ranked),
            metrics,
            p_values,
            clusters,
            short_names([system.name for system in ranked]),
            annotations or HumanAnnotations(),
            gates,
            date,
        )

    @property
    def forms(self) -> tuple[str, ...]:
        """The evaluated source pronouns of all results, in alphabetical order."""
        all_forms = {form for system in self.systems for score in system.scores for form in score.by_pronoun}
        return tuple(sorted(all_forms))

    @property
    def has_cards(self) -> bool:
        return all(stored.cards is not None for stored in self.results)

    @property
    def cards(self) -> list[Cards]:
        return [stored.cards for stored in self.results if stored.cards is not None]

    @property
    def judges(self) -> tuple[str, ...]:
        """The metrics with a verdict on every pronoun of every system."""
        judged = [card for cards in self.cards for system in cards.judged.values() for card in system]
        return tuple(
            metric for metric in self.metrics if judged and all(metric in system.scores for system in judged)
        )


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The displayed name of each system: without the parts common to the beginning or end of all names.

    `news.hyp.Online-A.de` and `news.hyp.UEdin.de` are *Online-A* and *UEdin*. Parts end at a character that
    is neither a letter nor a digit; a name never becomes empty.
    """

    def cut_start(whole: Sequence[str]) -> list[str]:
        # The smallest and the largest name share what all share.
        first, last = min(whole), max(whole)
        shared = next((i for i, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), 0)
        while shared and first[shared - 1].isalnum():
            shared -= 1
        return [name[shared:] for name in whole]

    backwards = cut_start([name[::-1] for name in cut_start(names)])
    return dict(zip(names, (name[::-1] for name in backwards), strict=True))
