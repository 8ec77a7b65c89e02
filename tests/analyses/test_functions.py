"""Scores by what *it* does: every *it* of the demo in one function, and the parts add up to the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from anaphor import demo
from anaphor.analyse.function import FUNCTIONS, FunctionClassifier, FunctionGuess, ItPosition
from anaphor.analyses.function_scores import check_functions, scores_by_function
from anaphor.core import FunctionScores, LanguagePair, OptionError, Result, Settings
from anaphor.corpus import Inputs, Text, read_inputs
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment

#: Where the function of the source is asked, texts without a translation will do.
pytestmark = pytest.mark.filterwarnings("ignore:.*equals the source")
SETTINGS = Settings(pair="en-fr", metrics=("bleu", "apt", "autoprf"), samples=0)
IT = 96  # watched *it* of the demo; its heading says so


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return read_inputs(demo.files(alignments=True), LanguagePair("en", "fr"))


@pytest.fixture(scope="module")
def result(inputs: Inputs) -> Result:
    return evaluate_experiment(Experiment.of(inputs, SETTINGS))


@pytest.fixture(scope="module")
def found(result: Result, inputs: Inputs) -> FunctionScores:
    return scores_by_function(Experiment.of(inputs, result.settings), result)


def test_every_it_has_one_function(found: FunctionScores) -> None:
    assert sum(found.counts.values()) == IT
    assert set(found.counts) <= set(FUNCTIONS)


def test_scores_are_those_of_metrics_that_judge_pronouns(found: FunctionScores, result: Result) -> None:
    assert list(found.scores) == ["apt", "autoprf"]
    for systems in found.scores.values():
        assert list(systems) == [system.name for system in result.systems]
        assert all(list(values) == list(found.counts) for values in systems.values())


def test_apt_of_the_functions_adds_up_to_that_of_it(found: FunctionScores, result: Result) -> None:
    """APT is a mean over pronouns, so the mean of the parts, weighted by their size, is that of the whole."""
    assert result.systems
    for system in result.systems:
        parts = found.scores["apt"][system.name]
        whole = sum(found.counts[function] * value for function, value in parts.items()) / IT
        assert whole == pytest.approx(system.by_pronoun["apt"]["it"])


def scored(lines: str, *, documents: tuple[str, ...] | None = None) -> FunctionScores:
    """Functions of a source that is its own translation, for what they are does not hang on that."""
    text = Text.of(lines.splitlines(), path="made")
    settings = replace(SETTINGS, metrics=("apt",), priors="none")
    inputs = Inputs(text, (text,), {"same": text}, documents)
    experiment = Experiment.of(inputs, settings)
    return scores_by_function(experiment, evaluate_experiment(experiment))


def test_textbook_cases_are_distinguished() -> None:
    """What is said of *be* with an adjective and *to*, and of an object after a sentence about a thing."""
    assert scored("It is important to go .\nIt seems that they are here .").counts == {"pleonastic": 2}
    assert scored("The old house is red .\nWe bought it and they sold it .").counts == {"anaphoric": 2}


def test_the_sentence_before_is_looked_at_in_the_same_document_only(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    guess = FunctionClassifier.guess_all

    def watched(self: FunctionClassifier, places: Sequence[ItPosition]) -> list[FunctionGuess]:
        seen.append([place.before is None for place in places])
        return guess(self, places)

    monkeypatch.setattr(FunctionClassifier, "guess_all", watched)
    lines = "it is red .\nit is old .\nthey see it ."
    scored(lines)
    scored(lines, documents=("a", "b", "b"))
    assert seen == [[True, False, False], [True, True, False]]


def test_a_text_without_it_has_no_functions() -> None:
    assert scored("they are here .\nthey see them .").counts == {}


@pytest.mark.parametrize(
    ("changes", "what"),
    [({"pair": "fr-en"}, "English sources"), ({"metrics": ("bleu",)}, "no metric judges pronouns")],
)
def test_what_cannot_be_guessed_is_an_error(changes: dict[str, object], what: str) -> None:
    with pytest.raises(OptionError, match=what):
        check_functions(replace(SETTINGS, **changes))  # type: ignore[arg-type]


def test_no_score_is_missing(found: FunctionScores) -> None:
    systems = [systems for by_system in found.scores.values() for systems in by_system.values()]
    values = [value for system in systems for value in system.values()]
    assert values
    assert not any(map(math.isnan, values))
