"""How far APT hangs on the alignment: the same texts scored under four ways to join the directions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor import demo
from anaphor.align import HmmAligner, SentencePair, TrainedAligner
from anaphor.analyses.rescoring import SYMMETRIZATIONS, alignment_sensitivity
from anaphor.analyses.sensitivity import AlignmentSensitivity
from anaphor.core import LanguagePair, OptionError, Outcome, Pronoun, Result, Sensitivity, Settings
from anaphor.corpus import Inputs, read_inputs
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.scoring.verification import verify
from tests.support.results import result_json

#: Without priors, so that nothing here depends on those that ship.
SETTINGS = Settings(pair="en-fr", metrics=("bleu", "apt"), samples=0, priors="none")
PRONOUNS = 142  # watched pronouns of the demo, for each system
#: Two systems of the demo without the links that come with it.
FILES = replace(demo.files(), candidates=demo.files().candidates[:2])


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return read_inputs(FILES, LanguagePair("en", "fr"))


@pytest.fixture(scope="module")
def found(inputs: Inputs) -> Sensitivity:
    return alignment_sensitivity(inputs, SETTINGS)


@pytest.fixture(scope="module")
def by_way(inputs: Inputs) -> dict[str, Result]:
    """What `evaluate` says of each way, one at a time."""
    return {
        way: evaluate_experiment(Experiment.of(inputs, replace(SETTINGS, symmetrization=way)))
        for way in SYMMETRIZATIONS
    }


def test_every_symmetrization_and_system_has_the_apt_that_it_has_alone(
    found: Sensitivity, by_way: dict[str, Result]
) -> None:
    assert tuple(found.scores) == SYMMETRIZATIONS
    assert found.scores == {
        way: {system.name: system.scores[1].value for system in result.systems}
        for way, result in by_way.items()
    }


def test_symmetrizations_go_from_few_links_to_many(by_way: dict[str, Result]) -> None:
    """Counted over linked words, before any repair: what a way links, the next one links as well or more."""
    linked = [
        sum(
            len(verdict.pair.candidate.linked_words)
            for system in result.systems
            for verdict in system.verdicts
            if verdict.pair.candidate is not None
        )
        for result in (by_way["intersection"], by_way["grow-diag-final-and"], by_way["union"])
    ]
    assert linked == sorted(set(linked))


def test_the_flips_are_the_pronouns_whose_outcomes_differ_and_no_others(
    found: Sensitivity, by_way: dict[str, Result]
) -> None:
    outcomes: dict[tuple[str, Pronoun], dict[str, Outcome]] = {}
    for way, result in by_way.items():
        for system in result.systems:
            for verdict in system.verdicts:
                outcomes.setdefault((system.name, verdict.pair.source), {})[way] = verdict.outcome
    differ = {key: by for key, by in outcomes.items() if len(set(by.values())) > 1}
    assert found.flips, "an alignment learned from 115 sentences alone is nowhere in doubt"
    assert {(flip.system, flip.pronoun): flip.outcomes for flip in found.flips} == differ
    assert found.pronouns == len(outcomes) == 2 * PRONOUNS


def test_the_flips_stand_in_the_order_of_systems_and_text(found: Sensitivity) -> None:
    places = [
        (("baldur", "cormoran").index(flip.system), flip.pronoun.segment, flip.pronoun.position)
        for flip in found.flips
    ]
    assert places == sorted(places)


def test_other_settings_of_the_experiment_hold_under_every_way(inputs: Inputs, found: Sensitivity) -> None:
    """Half credit for equivalent pronouns is taken away, so that no score can rise."""
    strict = alignment_sensitivity(inputs, replace(SETTINGS, options={"weights": (1, 0, 0, 0, 0, 0)}))
    assert strict.flips == found.flips
    for way, systems in found.scores.items():
        assert all(strict.scores[way][system] <= score for system, score in systems.items())


def test_progress_names_every_way(inputs: Inputs) -> None:
    steps: list[str] = []
    alignment_sensitivity(inputs, SETTINGS, steps.append)
    names = [step for step in steps if not step.startswith("aligning: ")]
    assert names == ["aligning", *(f"scoring with {way}" for way in SYMMETRIZATIONS)]


def test_one_model_is_trained_for_all_symmetrizations(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[TrainedAligner] = []
    train = HmmAligner.train

    def counted(aligner: HmmAligner, pairs: Iterable[SentencePair]) -> TrainedAligner:
        trained.append(train(aligner, pairs))
        return trained[-1]

    monkeypatch.setattr(HmmAligner, "train", counted)
    alignment_sensitivity(inputs, SETTINGS)
    assert len(trained) == 1


@pytest.mark.parametrize("given", ["reference candidate", "candidate", "reference"])
def test_given_alignments_are_refused(given: str) -> None:
    whole = read_inputs(demo.files(alignments=True), LanguagePair("en", "fr"))
    inputs = replace(
        whole,
        reference_alignments=whole.reference_alignments if "reference" in given else None,
        candidate_alignments=whole.candidate_alignments if "candidate" in given else None,
    )
    with pytest.raises(OptionError, match="nothing to symmetrize") as caught:
        alignment_sensitivity(inputs, SETTINGS)
    assert str(caught.value.where) == "--alignment-sensitivity"


@pytest.mark.parametrize("aligner", ["simalign", "awesome-align"])
def test_an_aligner_without_directions_is_refused(inputs: Inputs, aligner: str) -> None:
    with pytest.raises(OptionError, match=f"{aligner} aligns both directions at once") as caught:
        alignment_sensitivity(inputs, replace(SETTINGS, aligner=aligner, priors="built-in"))
    assert str(caught.value.where) == "--alignment-sensitivity, --aligner"


def test_a_result_file_with_a_sensitivity_is_verified_without_it(
    inputs: Inputs, found: Sensitivity, tmp_path: Path
) -> None:
    result = evaluate_experiment(Experiment.of(inputs, SETTINGS))
    path = tmp_path / "result.json"
    path.write_text(
        result_json(
            result, FILES, analyses={"alignment_sensitivity": AlignmentSensitivity({}).to_dict(found)}
        ),
        encoding="utf-8",
    )
    assert "alignment_sensitivity" in json.loads(path.read_text("utf-8"))
    assert verify(str(path)).differences == ()
