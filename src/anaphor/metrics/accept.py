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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Self

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
from anaphor.corpus import AlignmentFile
from anaphor.languages import fold, split_words
from anaphor.metrics.apt import PronounComparer
from anaphor.metrics.contract import Metric, MetricContext, MetricInput, ratio
from anaphor.metrics.options import ACCEPT

#: Smooths the share of disagreement, so that its logit stays finite.
_SMOOTHING = 0.03
#: With less evidence than this, agreement and disagreement together, the verdict is open.
_LEAST_EVIDENCE = 0.2
#: Nor is a verdict given where the evidence is divided. Chosen on half of the contrastive items, so that what
#: is judged there is right in four of five cases (German).
_LEAST_LOG_ODDS = 0.8
#: Professionals mark one pronoun in twenty, and the same error often not, so that a value below this is low:
#: 17 % of the calibration data have one, with 6 in 10 of the marks.
_REJECTED_BELOW = 0.85
#: The model that is asked for the probability of a form.
_PREDICTOR = "anaphor-1-small"
_KINDEST = (
    Outcome.IDENTICAL,
    Outcome.EQUIVALENT,
    Outcome.REFERENCE_MISSING,
    Outcome.DIFFERENT,
    Outcome.CANDIDATE_MISSING,
    Outcome.BOTH_MISSING,
)
_COLUMNS = ("judged", "probability", "accepted", "open")


@dataclass(frozen=True, slots=True)
class PronounEvidence:
    """What speaks for a mark: the log odds of disagreement with the antecedent, and the kind of form.

    A neutral form is one that can refer to nothing, such as *es*: systems fall back on it. `unpredicted` are
    the log odds of the predictor against the form.
    """

    disagreement: float
    neutral: bool
    untranslated: bool
    unpredicted: float = 0.0


@dataclass(frozen=True, slots=True)
class _Calibration:
    """Coefficients of the logistic model for the probability that a person marks the pronoun as an error."""

    intercept: float
    disagreement: float
    neutral: float
    untranslated: float
    unpredicted: float = 0.0
    different: float = 0.0
    reference_missing: float = 0.0


class Accept(Metric):
    """Mean probability that a person accepts the candidate's pronoun."""

    name = "accept"
    pronominal = True
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
        self._models = _calibrations().get(str(pair), _calibrations()["other"])
        # The predictor is asked only where it was found to help.
        if use_predictor and self._models["free"].unpredicted:
            self.predictor = _PREDICTOR
        self._resolver = Resolver.load(pair.source)
        self._analyser = load_analyser("built-in", language=pair.source)
        self._language = TargetLanguage.load(pair.target)
        self._comparer = PronounComparer(context.pack, other="different")
        self._words = context.words
        self._source_words = context.source_words or split_words
        # Scores by pronoun count the same candidate several times; its documents are built once.
        self._resolved: tuple[MetricInput, list[tuple[int, ResolvedDocument]]] | None = None
        self._targets: tuple[MetricInput, list[TargetDocument]] | None = None

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
        """How likely a person accepts each pronoun, and why; None where that is open."""
        model = self._models["reference" if self._use_reference and trial.references else "free"]
        found = []
        for pair, (evidence, reason) in zip(trial.pairs, self.evidence(trial), strict=True):
            if evidence is None:
                found.append(PronounScore(None, "open", reason))
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
            verdict = "open" if unsure else "rejected" if value < _REJECTED_BELOW else "accepted"
            found.append(PronounScore(value, verdict, f"cannot tell: {reason}" if unsure else reason))
        return found

    def evidence(self, trial: MetricInput) -> list[tuple[PronounEvidence | None, str]]:
        """What can be said of every pronoun without a reference, and its reason in words; None if nothing."""
        if trial.alignment is None:
            raise ValueError("acceptability needs the source and the alignment of the candidate")
        documents = self._resolved_source(trial)
        targets = self._target_documents(trial, trial.alignment, documents)
        starts = [start for start, _ in documents]
        found = []
        for pair in trial.pairs:
            number = bisect_right(starts, pair.source.segment) - 1
            predicted = trial.predicted.get((pair.source.segment, pair.source.position), {})
            found.append(
                self._evidence(pair, targets[number], starts[number], documents[number][1], predicted)
            )
        return found

    def count(self, trial: MetricInput) -> Counts:
        rows = np.zeros((len(trial.candidate), len(_COLUMNS)))
        for pair, score in zip(trial.pairs, self.pronoun_scores(trial), strict=True):
            row = rows[pair.source.segment]
            if score.value is None or score.verdict == "open":
                row[3] += 1
            else:
                row[:3] += (1, score.value, score.verdict == "accepted")
        return Counts(_COLUMNS, rows)

    def value(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        return ratio(totals[..., 1], totals[..., 0])

    def details(self, totals: NDArray[np.float64]) -> Mapping[str, float]:
        judged, _, accepted, undecided = map(float, totals)
        return {"accepted": accepted, "rejected": judged - accepted, "open": undecided}

    def _target_documents(
        self, trial: MetricInput, alignment: AlignmentFile, documents: list[tuple[int, ResolvedDocument]]
    ) -> list[TargetDocument]:
        known = self._targets
        if known and known[0].candidate is trial.candidate and _same_source(known[0], trial):
            return known[1]
        tokens = [tuple(self._words(line)) for line in trial.candidate]
        starts = [start for start, _ in documents]
        targets = []
        for (start, resolved), end in zip(documents, [*starts[1:], len(tokens)], strict=True):
            alignments = [alignment[segment] for segment in range(start, end)]
            targets.append(TargetDocument(self._language, resolved, tokens[start:end], alignments))
        self._targets = (trial, targets)
        return targets

    def _resolved_source(self, trial: MetricInput) -> list[tuple[int, ResolvedDocument]]:
        """The first segment of every document, and its resolved pronouns; all candidates share a source."""
        if self._resolved is None or not _same_source(self._resolved[0], trial):
            tokens = [tuple(self._source_words(line)) for line in trial.source]
            analyses = self._analyser.analyse(tokens)
            sentences = [AnalysedSentence(*pair) for pair in zip(tokens, analyses, strict=True)]
            documents = []
            for start, end in _documents(trial):
                documents.append((start, self._resolver.resolve(sentences[start:end])))
            self._resolved = (trial, documents)
        return self._resolved[1]

    def _evidence(
        self,
        pair: PronounPair,
        target: TargetDocument,
        start: int,
        resolved: ResolvedDocument,
        probabilities: Mapping[str, float],
    ) -> tuple[PronounEvidence | None, str]:
        if pair.candidate is None:
            return None, "no counterpart in the candidate"
        place = Place(pair.source.segment - start, pair.source.position)
        words = [fold(word) for word in pair.candidate.words if word not in pair.candidate.articles]
        form = next((one for one in (*pair.candidate.forms, *words) if self._language.knows(one)), None)
        if form is None and pair.source.form in words:
            return PronounEvidence(_log_odds(1.0), False, True), f"*{pair.source.form}* is not translated"
        if form is None or place not in resolved:
            return None, "not a pronoun whose agreement is known"
        agreement = self._language.agreement(form, target.expectation(place))
        reason = self._reason(pair, form, agreement, target, start, resolved, place)
        known = agreement.agree + agreement.disagree
        disagreement = _log_odds(agreement.disagree / known) if known >= _LEAST_EVIDENCE else None
        # The predictor is asked to choose among the forms that show gender, which it was calibrated for.
        shown = {one: share for one, share in probabilities.items() if self._language.shows_gender(one)}
        unpredicted = 0.0
        if form in shown and sum(shown.values()) > _LEAST_EVIDENCE:
            predicted = shown[form] / sum(shown.values())
            unpredicted = _log_odds(1 - predicted)
            reason += f"; the predictor gives it {predicted:.2f}"
        elif disagreement is None:
            return None, f"cannot tell: {reason}"
        neutral = form in self._language.pleonastic
        return PronounEvidence(disagreement or 0.0, neutral, False, unpredicted), reason

    def _reason(
        self,
        pair: PronounPair,
        form: str,
        agreement: Agreement,
        target: TargetDocument,
        start: int,
        resolved: ResolvedDocument,
        place: Place,
    ) -> str:
        """The likeliest antecedent, what it became, and whether the form agrees with it."""
        antecedents = resolved[place]
        if antecedents.names_something and form in self._language.event:
            return f"*{pair.source.form}* names something; *{form}* can do so with any noun"
        head = max(antecedents.heads, key=lambda one: antecedents.heads[one], default=None)
        share = 0.0 if head is None else antecedents.heads[head]
        source = f"*{pair.source.form}*"
        if head is None or max(antecedents.event, antecedents.pleonastic) > share:
            what = "an event" if antecedents.event > antecedents.pleonastic else "nothing"
            fits = "can" if agreement.agree >= agreement.disagree else "cannot"
            return f"{source} refers to {what}; *{form}* {fits} do so"
        word, readings = target.translation(head)
        line = start + head.sentence + 1
        became = f"→ *{word}* ({self._language.described(readings)})" if word else "→ no linked noun"
        agrees = "agrees" if agreement.agree >= agreement.disagree else "does not agree"
        return f"{source} = *{head.form}* (line {line}) {became}; *{form}* {agrees}"


def _same_source(one: MetricInput, other: MetricInput) -> bool:
    return one.source is other.source and one.documents is other.documents


def _log_odds(share: float) -> float:
    smooth = (share + _SMOOTHING) / (1 + 2 * _SMOOTHING)
    return math.log(smooth / (1 - smooth))


def _documents(trial: MetricInput) -> Iterator[tuple[int, int]]:
    """The first segment of every document, and the segment after its last one."""
    names = trial.documents
    total = len(trial.source)
    starts = [0] if names is None else [i for i in range(total) if i == 0 or names[i] != names[i - 1]]
    yield from zip(starts, [*starts[1:], total], strict=True)


@cache
def _calibrations() -> Mapping[str, Mapping[str, _Calibration]]:
    """The models of `accept.toml` by target language and by whether a reference is used."""
    table = tomllib.loads((files("anaphor.metrics") / "accept.toml").read_text(encoding="utf-8"))
    return {
        language: {mode: _Calibration(**values) for mode, values in modes.items()}
        for language, modes in table.items()
    }
