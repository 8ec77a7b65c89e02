"""Scores by the predicted function of English *it*: anaphoric, event or pleonastic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from anaphor.analyse import load_analyser
from anaphor.analyse.function import FUNCTIONS, AnalysedSentence, FunctionClassifier, ItPosition
from anaphor.core import FunctionScores, OptionError, PronounPair, Result, Settings
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import candidate_input
from anaphor.metrics import Metric, MetricInput, load_metric
from anaphor.metrics.breakdown import count_by

_ENGLISH, _IT = "en", "it"
#: The function of the *it* at a segment and a token.
Functions = Mapping[tuple[int, int], str]


def check_functions(settings: Settings) -> None:
    """Raise if functions cannot be predicted: not English, or no metric that judges pronouns."""
    if settings.pair.partition("-")[0] != _ENGLISH:
        what = "the function of *it* can only be predicted for English sources"
        raise OptionError(what, where="--functions, --pair", fix="leave --functions out")
    if not any(load_metric(name).pronominal for name in settings.metrics):
        what = "no metric judges pronouns, so there are none to break down"
        fix = "add a metric such as apt, or omit it"
        raise OptionError(what, where="--functions, --metrics", fix=fix)


def scores_by_function(experiment: Experiment, result: Result) -> FunctionScores:
    """The scores of each system over the *it* of each function; functions that do not occur are left out."""
    check_functions(experiment.settings)
    experiment = experiment.aligned()
    pairs = [verdict.pair for verdict in result.systems[0].verdicts]
    functions = _predict_functions(experiment, [pair for pair in pairs if pair.source.form == _IT])
    trials = [
        candidate_input(experiment, system.name, tuple(verdict.pair for verdict in system.verdicts))
        for system in result.systems
    ]
    scores = {
        metric.name: {trial.system: _scores(metric, trial, functions) for trial in trials}
        for metric in experiment.metrics
        if metric.pronominal
    }
    occurring = Counter(functions.values())
    counts = {function: occurring[function] for function in FUNCTIONS if occurring[function]}
    return FunctionScores(counts, scores, FunctionClassifier.built_in().digest())


def _scores(metric: Metric, trial: MetricInput, functions: Functions) -> dict[str, float]:
    kinds = [functions.get((pair.source.segment, pair.source.position)) for pair in trial.pairs]
    counts = dict(count_by(metric, trial, kinds))
    known = (function for function in FUNCTIONS if function in counts)
    return {function: float(metric.value(counts[function].totals())) for function in known}


def _predict_functions(experiment: Experiment, pairs: list[PronounPair]) -> Functions:
    """The function of every pronoun, as the classifier predicts it from its sentence and the one before."""
    inputs, words = experiment.inputs, experiment.source.words
    documents = inputs.documents

    def before(segment: int) -> int | None:
        """The preceding segment of the same document, or the preceding line if no documents are known."""
        if not segment or (documents is not None and documents[segment - 1] != documents[segment]):
            return None
        return segment - 1

    segments = {pair.source.segment for pair in pairs}
    # Only these are analysed: few sentences of a text have an *it*.
    wanted = sorted(segments | {other for other in map(before, segments) if other is not None})
    tokens = [tuple(words(inputs.source.lines[segment])) for segment in wanted]
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
