"""Acceptability: would a person accept the pronoun of this translation?

APT asks whether a pronoun is the reference's. This metric asks whether it agrees with its antecedent in the
candidate's own text (guillou-hardmeier-2018, section 6): a resolver finds who is meant in the source, word
alignment leads to the translation of that noun, and its gender and number are compared with the pronoun's.
A logistic model, calibrated on error annotation by professionals, turns agreement, form and, where it is
used, the outcome against the reference into the probability that a person accepts the pronoun. Without
evidence the verdict is open: it is counted and shown, and is no part of the score.
"""

from __future__ import annotations

import math
import tomllib
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import (
    Agreement,
    ResolvedDocument,
    Resolver,
    TargetDocument,
    TargetLanguage,
    resolver_languages,
    target_languages,
)
from anaphor.antecedents.resolver import Place
from anaphor.core import Counts, OptionError, Outcome, PronounPair, PronounScore, digest
from anaphor.languages import fold, split_words
from anaphor.metrics.apt import PronounComparer
from anaphor.metrics.contract import MetricContext, MetricInput, PairMetric, PredictedForm, ratio
from anaphor.metrics.options import ACCEPT

T = TypeVar("T")

#: Smooths the share of disagreement, so that its logit stays finite.
_SMOOTHING = 0.03
#: With less evidence than this, agreement and disagreement together, the verdict is open.
_LEAST_EVIDENCE = 0.2
#: Nor is a verdict given where the evidence is divided. Chosen on half of the contrastive items, so that what
#: is judged there is right in four of five cases (German).
_LEAST_LOG_ODDS = 0.8
#: A form that is rarer in training than this is not favoured further.
_LEAST_FREQUENCY = 0.01
#: The model that is asked for the probability of a form.
_PREDICTOR = "anaphor-2-small"
_KINDEST = (
    Outcome.IDENTICAL,
    Outcome.EQUIVALENT,
    Outcome.REFERENCE_MISSING,
    Outcome.DIFFERENT,
    Outcome.CANDIDATE_MISSING,
    Outcome.BOTH_MISSING,
)
#: Long documents are judged in pieces of so many segments, each with some segments before it: antecedents are
#: sought three sentences back, and what a chain of pronouns brings from further away fades quickly.
_BLOCK, _OVERLAP = 500, 30
_KEPT_BLOCKS = 8
_COLUMNS = ("judged", "probability", "accepted", "open")


@dataclass(frozen=True, slots=True)
class PronounEvidence:
    """What speaks for a mark: the log odds of disagreement with the antecedent, and the kind of form.

    A neutral form is one that can refer to nothing, such as *es*: systems fall back on it. `unpredicted` are
    the log odds of the predictor against the form, as if all forms were equally frequent.
    """

    disagreement: float
    neutral: bool
    untranslated: bool
    unpredicted: float = 0.0


class _Judged(NamedTuple):
    """The evidence, None without any, its reason in words, and segment and token of the antecedent."""

    evidence: PronounEvidence | None
    reason: str
    antecedent: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Calibration:
    """Coefficients of the logistic model for the probability that a person marks the pronoun as an error.

    Professionals mark one pronoun in twenty, and the same error often not, so that a value below
    `rejected_below` is low already: for German about four in ten of the calibration data with one are marked.
    """

    intercept: float
    disagreement: float
    neutral: float
    untranslated: float
    unpredicted: float = 0.0
    different: float = 0.0
    reference_missing: float = 0.0
    rejected_below: float = 0.85


class _Piece(NamedTuple):
    """Segments of one document that are judged together, from `first` to before `end`.

    Antecedents are sought from `start` on, which is earlier where the document was cut.
    """

    start: int
    first: int
    end: int


class Accept(PairMetric):
    """Mean probability that a person accepts the candidate's pronoun."""

    name = "accept"
    depends = frozenset({"tok", "packs", "forms", "pronouns", "repair", "aligner", "documents"})
    reference_is_perfect = False
    needs_reference = False
    options = ACCEPT

    def __init__(self, context: MetricContext, *, use_reference: bool, use_predictor: bool) -> None:
        pair = context.pack.pair
        if pair.source not in resolver_languages() or pair.target not in target_languages():
            known = [f"{s}-{t}" for s in resolver_languages() for t in target_languages()]
            raise OptionError(
                f"acceptability is not available for {pair}",
                where="--metrics accept",
                fix=f"use it for one of {', '.join(known)}, or use apt",
            )
        self._use_reference = use_reference
        models = _calibrations()
        self._models = models.get(str(pair) if use_predictor else f"{pair}-alone", models["other"])
        # The predictor is asked only where it was found to help.
        if self._models["free"].unpredicted:
            self.predictor = _PREDICTOR
        self._resolver = Resolver.load(pair.source)
        self._analyser = load_analyser("built-in", language=pair.source)
        self._language = TargetLanguage.load(pair.target)
        self._comparer = PronounComparer(context.pack, other="different")
        self._words = context.words
        self._source_words = context.source_words or split_words
        # Counts and verdicts are asked for one after the other.
        self._scored: dict[str, tuple[MetricInput, list[PronounScore]]] = {}
        # Candidates share a source. Texts of usual length are resolved once for all of them; of long ones the
        # last blocks are kept, so that memory does not grow.
        self._source: MetricInput | None = None
        self._candidate: Sequence[str] | None = None
        self._resolved: dict[_Piece, dict[_Piece, ResolvedDocument]] = {}
        self._targets: dict[_Piece, dict[_Piece, TargetDocument]] = {}

    @classmethod
    def build(cls, context: MetricContext) -> Self:
        values = context.values(cls)
        return cls(
            context,
            use_reference=values["accept-reference"] == "use",
            use_predictor=values["accept-predictor"] == "use",
        )

    def settings(self) -> Mapping[str, str]:
        calibration = digest([(files("anaphor.metrics") / "accept.toml").read_bytes()])
        found = {"resolver": self._resolver.digest(), "calibration": calibration}
        if self.predictor:
            card = files("anaphor") / "predict" / "models" / self.predictor / "model.json"
            found["predictor"] = digest([card.read_bytes()])
        return found

    def pronoun_scores(self, trial: MetricInput) -> list[PronounScore]:
        """How likely a person accepts each pronoun, and why; None without any evidence."""
        known, scores = self._scored.get(trial.system, (None, []))
        if known is not trial:
            scores = self._judge(trial)
            self._scored[trial.system] = trial, scores
        return scores

    def _judge(self, trial: MetricInput) -> list[PronounScore]:
        model = self._models["reference" if self._use_reference and trial.references else "free"]
        found = []
        for pair, (evidence, reason, place) in zip(trial.pairs, self.evidence(trial), strict=True):
            if evidence is None:
                found.append(PronounScore(None, "open", reason, place))
                continue
            # Of several references the kindest.
            outcomes = [self._comparer.outcome(reference, pair.candidate) for reference in pair.references]
            outcome = min(outcomes, key=_KINDEST.index, default=Outcome.IDENTICAL)
            against = model.disagreement * evidence.disagreement + model.unpredicted * evidence.unpredicted
            unsure = not evidence.untranslated and abs(against) < _LEAST_LOG_ODDS * model.disagreement
            score = model.intercept + against
            score += model.neutral * evidence.neutral + model.untranslated * evidence.untranslated
            score += model.different * (outcome is Outcome.DIFFERENT)
            score += model.reference_missing * (outcome is Outcome.REFERENCE_MISSING)
            value = 1 / (1 + math.exp(score))
            verdict = "open" if unsure else "rejected" if value < model.rejected_below else "accepted"
            reason = f"cannot tell: {reason}" if unsure else reason
            found.append(PronounScore(value, verdict, reason, place))
        return found

    def evidence(self, trial: MetricInput) -> list[_Judged]:
        """What can be said of every pronoun without a reference, its reason in words, and the antecedent."""
        found = []
        pairs = deque(trial.pairs)
        for pieces in _blocks(trial):
            if not pairs or pairs[0].source.segment >= pieces[-1].end:
                continue
            resolved, target = self._resolved_block(trial, pieces), self._target_block(trial, pieces)
            while pairs and pairs[0].source.segment < pieces[-1].end:
                pair = pairs.popleft()
                piece = pieces[bisect_right(pieces, pair.source.segment, key=lambda one: one.first) - 1]
                predicted = trial.predicted.get((pair.source.segment, pair.source.position), {})
                found.append(self._evidence(pair, target[piece], piece.start, resolved[piece], predicted))
        return found

    def count_pairs(self, trial: MetricInput) -> Counts:
        rows = np.zeros((len(trial.pairs), len(_COLUMNS)))
        for row, score in zip(rows, self.pronoun_scores(trial), strict=True):
            if score.value is None or score.verdict == "open":
                row[3] = 1
            else:
                row[:3] = (1, score.value, score.verdict == "accepted")
        return Counts(_COLUMNS, rows)

    def value(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        return ratio(totals[..., 1], totals[..., 0])

    def details(self, totals: NDArray[np.float64]) -> Mapping[str, float]:
        judged, _, accepted, undecided = map(float, totals)
        return {"accepted": accepted, "rejected": judged - accepted, "open": undecided}

    def _target_block(self, trial: MetricInput, pieces: Sequence[_Piece]) -> dict[_Piece, TargetDocument]:
        if self._candidate is not trial.candidate or not self._is_same_source(trial):
            self._candidate = trial.candidate
            self._targets.clear()
        if (alignment := trial.alignment) is None:
            raise ValueError("acceptability needs the source and the alignment of the candidate")
        if pieces[0] not in self._targets:
            found = {}
            for piece, resolved in self._resolved_block(trial, pieces).items():
                segments = range(piece.start, piece.end)
                tokens = [tuple(self._words(trial.candidate[segment])) for segment in segments]
                links = [alignment[segment] for segment in segments]
                found[piece] = TargetDocument(self._language, resolved, tokens, links)
            _keep(self._targets, pieces[0], found)
        return self._targets[pieces[0]]

    def _resolved_block(self, trial: MetricInput, pieces: Sequence[_Piece]) -> dict[_Piece, ResolvedDocument]:
        """The resolved pronouns of every piece; all candidates share a source."""
        if not self._is_same_source(trial):
            self._source = trial
            self._resolved.clear()
            self._targets.clear()
        if pieces[0] not in self._resolved:
            tokens = [
                tuple(self._source_words(trial.source[segment]))
                for piece in pieces
                for segment in range(piece.start, piece.end)
            ]
            analysed = zip(tokens, self._analyser.analyse(tokens), strict=True)
            found = {
                piece: self._resolver.resolve(
                    [AnalysedSentence(*pair) for pair in islice(analysed, piece.end - piece.start)]
                )
                for piece in pieces
            }
            _keep(self._resolved, pieces[0], found)
        return self._resolved[pieces[0]]

    def _is_same_source(self, trial: MetricInput) -> bool:
        known = self._source
        return known is not None and known.source is trial.source and known.documents is trial.documents

    def _evidence(
        self,
        pair: PronounPair,
        target: TargetDocument,
        start: int,
        resolved: ResolvedDocument,
        predicted: Mapping[str, PredictedForm],
    ) -> _Judged:
        if pair.candidate is None:
            return _Judged(None, "no counterpart in the candidate")
        place = Place(pair.source.segment - start, pair.source.position)
        words = [fold(word) for word in pair.candidate.words if word not in pair.candidate.articles]
        form = next((one for one in (*pair.candidate.forms, *words) if self._language.knows(one)), None)
        if form is None and pair.source.form in words:
            reason = f"*{pair.source.form}* is not translated"
            return _Judged(PronounEvidence(_log_odds(1.0), False, True), reason)
        if form is None or place not in resolved:
            return _Judged(None, "not a pronoun whose agreement is known")
        agreement = self._language.agreement(form, target.expectation(place))
        reason, antecedent = self._reason(pair, form, agreement, target, start, resolved, place)
        known = agreement.agree + agreement.disagree
        disagreement = _log_odds(agreement.disagree / known) if known >= _LEAST_EVIDENCE else None
        # The predictor is asked to choose among the forms that show gender, which it was calibrated for. It
        # knows that most *it* are *es* in German; what counts is what this text adds to that.
        shown = {one: given for one, given in predicted.items() if self._language.shows_gender(one)}
        unpredicted = 0.0
        if form in shown and sum(given.probability for given in shown.values()) > _LEAST_EVIDENCE:
            ratios = {
                one: given.probability / max(given.frequency, _LEAST_FREQUENCY)
                for one, given in shown.items()
            }
            share = ratios[form] / sum(ratios.values())
            unpredicted = _log_odds(1 - share)
            reason += f"; the predictor gives it {share:.2f}"
        elif disagreement is None:
            return _Judged(None, f"cannot tell: {reason}", antecedent)
        neutral = form in self._language.pleonastic
        found = PronounEvidence(disagreement or 0.0, neutral, False, unpredicted)
        return _Judged(found, reason, antecedent)

    def _reason(
        self,
        pair: PronounPair,
        form: str,
        agreement: Agreement,
        target: TargetDocument,
        start: int,
        resolved: ResolvedDocument,
        place: Place,
    ) -> tuple[str, tuple[int, int] | None]:
        """The likeliest antecedent, what it became, and whether the form agrees; and where it stands."""
        antecedents = resolved[place]
        if antecedents.names_something and form in self._language.event:
            return f"*{pair.source.form}* names something; *{form}* can do so with any noun", None
        head = max(antecedents.heads, key=lambda one: antecedents.heads[one], default=None)
        share = 0.0 if head is None else antecedents.heads[head]
        source = f"*{pair.source.form}*"
        if head is None or max(antecedents.event, antecedents.pleonastic) > share:
            what = "an event" if antecedents.event > antecedents.pleonastic else "nothing"
            fits = "can" if agreement.agree >= agreement.disagree else "cannot"
            return f"{source} refers to {what}; *{form}* {fits} do so", None
        word, readings = target.translation(head)
        segment = start + head.sentence
        became = f"→ *{word}* ({self._language.described(readings)})" if word else "→ no linked noun"
        agrees = "agrees" if agreement.agree >= agreement.disagree else "does not agree"
        reason = f"{source} = *{head.form}* (line {segment + 1}) {became}; *{form}* {agrees}"
        return reason, (segment, head.position)


def _log_odds(share: float) -> float:
    smooth = (share + _SMOOTHING) / (1 + 2 * _SMOOTHING)
    return math.log(smooth / (1 - smooth))


def _blocks(trial: MetricInput) -> Iterator[list[_Piece]]:
    """The text in blocks of several documents, or of a piece of a long one."""
    names, total = trial.documents, len(trial.source)
    starts = [0] if names is None else [i for i in range(total) if i == 0 or names[i] != names[i - 1]]
    block: list[_Piece] = []
    for start, end in zip(starts, [*starts[1:], total], strict=True):
        for first in range(start, end, _BLOCK):
            block.append(_Piece(max(start, first - _OVERLAP), first, min(end, first + _BLOCK)))
            if block[-1].end - block[0].start >= _BLOCK:
                yield block
                block = []
    if block:
        yield block


def _keep(blocks: dict[_Piece, T], name: _Piece, block: T) -> None:
    """Add a block, and forget the oldest one where there are too many."""
    if len(blocks) >= _KEPT_BLOCKS:
        del blocks[next(iter(blocks))]
    blocks[name] = block


@cache
def _calibrations() -> Mapping[str, Mapping[str, _Calibration]]:
    """The models of `accept.toml` by language pair, also without the predictor, and by use of a reference."""
    table = tomllib.loads((files("anaphor.metrics") / "accept.toml").read_text(encoding="utf-8"))
    return {
        language: {mode: _Calibration(**values) for mode, values in modes.items()}
        for language, modes in table.items()
    }
