"""Scores by the predicted function of English *it*: anaphoric, event or pleonastic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from anaphor.analyse import load_analyser
from anaphor.analyse.function import FUNCTIONS, AnalysedSentence, FunctionClassifier, ItPosition
from anaphor.core import FunctionScores, OptionError, PronounPair, Result, Settings, SystemResult
from anaphor.corpus import Inputs
from anaphor.metrics import METRICS, Metric, MetricInput, ScoringSetup
from anaphor.metrics.breakdown import count_by
from anaphor.pipeline import detector_for, predicted_forms

_ENGLISH, _IT = "en", "it"
#: The function of the *it* at a segment and a token.
Functions = Mapping[tuple[int, int], str]


def check_functions(settings: Settings) -> None:
    """Raise where functions cannot be predicted: not English, or no metric that judges pronouns."""
    if settings.pair.partition("-")[0] != _ENGLISH:
        what = "the function of *it* can be predicted for English sources only"
        raise OptionError(what, where="--functions, --pair", fix="leave --functions out")
    if not _pronominal(settings, ScoringSetup.of(settings)):
        what = "no metric judges pronouns, so there are none to break down"
        fix = "add a metric such as apt, or leave it out"
        raise OptionError(what, where="--functions, --metrics", fix=fix)


def scores_by_function(result: Result, inputs: Inputs) -> FunctionScores:
    """The scores of each system over the *it* of each function; functions that do not occur are left out."""
    check_functions(result.settings)
    setup = ScoringSetup.of(result.settings)
    if not inputs.is_aligned:
        inputs = setup.aligned(inputs)
    pairs = [verdict.pair for verdict in result.systems[0].verdicts]
    functions = _predict_functions(setup, inputs, [pair for pair in pairs if pair.source.form == _IT])
    found = Counter(functions.values())
    scores = {
        metric.name: {
            system.name: _scores(metric, system, inputs, functions, result.settings)
            for system in result.systems
        }
        for metric in _pronominal(result.settings, setup)
    }
    counts = {function: found[function] for function in FUNCTIONS if found[function]}
    return FunctionScores(counts, scores, FunctionClassifier.built_in().digest())


def _pronominal(settings: Settings, setup: ScoringSetup) -> list[Metric]:
    metrics = (METRICS.get(name).build(setup.context) for name in dict.fromkeys(settings.metrics))
    return [metric for metric in metrics if metric.pronominal]


def _scores(
    metric: Metric, system: SystemResult, inputs: Inputs, functions: Functions, settings: Settings
) -> dict[str, float]:
    def function_of(pair: PronounPair) -> str | None:
        return functions.get((pair.source.segment, pair.source.position))

    references = tuple(text.lines for text in inputs.references)
    pairs = tuple(verdict.pair for verdict in system.verdicts)
    trial = MetricInput(
        system.name,
        references,
        inputs.candidates[system.name].lines,
        pairs,
        source=inputs.source.lines,
        documents=inputs.documents,
        alignment=(inputs.candidate_alignments or {}).get(system.name),
        predicted=predicted_forms([metric], inputs, settings, system.name, pairs),
        detector=detector_for([metric], settings),
    )
    counts = dict(count_by(metric, trial, [*map(function_of, trial.pairs)]))
    known = (function for function in FUNCTIONS if function in counts)
    return {function: float(metric.value(counts[function].totals())) for function in known}


def _predict_functions(setup: ScoringSetup, inputs: Inputs, pairs: list[PronounPair]) -> Functions:
    """The function of every pronoun, as the classifier predicts it from its sentence and the one before."""
    documents = inputs.documents

    def before(segment: int) -> int | None:
        """The segment before in the same document; the line before where no documents are known."""
        if not segment or (documents is not None and documents[segment - 1] != documents[segment]):
            return None
        return segment - 1

    segments = {pair.source.segment for pair in pairs}
    # Only these are analysed: few sentences of a text have an *it*.
    wanted = sorted(segments | {other for other in map(before, segments) if other is not None})
    tokens = [tuple(setup.source.words(inputs.source.lines[segment])) for segment in wanted]
    analyses = load_analyser("built-in", language=_ENGLISH).analyse(tokens)
    sentences = dict(zip(wanted, map(AnalysedSentence, tokens, analyses), strict=True))
    places = [(pair.source.segment, pair.source.position) for pair in pairs]
    guesses = FunctionClassifier.built_in().guess_all(
        [
            ItPosition(
                sentences[segment], token, None if (other := before(segment)) is None else sentences[other]
            )
            for segment, token in places
        ]
    )
    return {place: guess.function for place, guess in zip(places, guesses, strict=True)}
