"""References as candidates, references by each other, shuffled output, and the line for the ceiling."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anaphor import demo
from anaphor.analyses.bound_scores import bounds
from anaphor.core import Files, LanguagePair, Result, Settings
from anaphor.corpus import Inputs, read_inputs
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.metrics import MetricInput
from anaphor.metrics.breakdown import ceiling
from anaphor.report.emit import render
from anaphor.report.result_file import result_content, sealed
from anaphor.report.result_tables import result_blocks
from anaphor.scoring.verification import verify
from tests.support.counting import calls
from tests.support.networks import WITHOUT_NETWORKS

#: It would take most of the time, and changes nothing in how bounds are found.
SETTINGS = Settings(
    pair="en-fr", metrics=("apt", "autoprf", "bleu", "accept"), samples=200, options=WITHOUT_NETWORKS
)


@pytest.fixture(scope="module")
def texts() -> Inputs:
    """The demo with its alignments, and one system as a second reference."""
    given = read_inputs(demo.files(alignments=True), LanguagePair.parse("en-fr"))
    links = given.candidate_alignments
    assert links is not None
    assert given.reference_alignments is not None
    return replace(
        given,
        references=(*given.references, given.candidates["baldur"]),
        reference_alignments=(*given.reference_alignments, links["baldur"]),
        candidates={name: given.candidates[name] for name in ("cormoran", "dahlia")},
        candidate_alignments={name: links[name] for name in ("cormoran", "dahlia")},
    )


def as_candidate(texts: Inputs, number: int, references: tuple[int, ...]) -> dict[str, float]:
    """The scores of a reference that is given as a candidate like any other."""
    links = texts.reference_alignments
    assert links is not None
    swapped = replace(
        texts,
        references=tuple(texts.references[one] for one in references),
        reference_alignments=tuple(links[one] for one in references),
        candidates={"x": texts.references[number]},
        candidate_alignments={"x": links[number]},
    )
    return {
        score.metric: score.value
        for score in evaluate_experiment(Experiment.of(swapped, SETTINGS)).systems[0].scores
    }


def test_every_bound_is_what_scoring_it_as_a_candidate_gives(texts: Inputs) -> None:
    result = evaluate_experiment(Experiment.of(texts, SETTINGS))
    found = {bound.name: bound for bound in bounds(Experiment.of(texts, result.settings), result)}
    assert list(found) == [
        "reference 1",
        "reference 1 by the others",
        "reference 2",
        "reference 2 by the others",
        "cormoran shuffled",
    ]
    assert all(bound.intervals.keys() == bound.scores.keys() for bound in found.values())
    assert found["reference 1"].scores == pytest.approx(as_candidate(texts, 0, (0, 1)))
    assert found["reference 2"].scores == pytest.approx(as_candidate(texts, 1, (0, 1)))
    assert found["reference 1 by the others"].scores == pytest.approx(as_candidate(texts, 0, (1,)))
    assert found["reference 2 by the others"].scores == pytest.approx(as_candidate(texts, 1, (0,)))
    # With the usual weights, APT is out of reach where no reference has a listed pronoun, and only there.
    pairs = [verdict.pair for verdict in result.systems[0].verdicts]
    listed = [any(one and one.forms for one in pair.references) for pair in pairs]
    assert result.ceiling == pytest.approx({"apt": sum(listed) / len(listed), "autoprf": 1})
    assert result.ceiling["apt"] > max(found[f"reference {number}"].scores["apt"] for number in (1, 2))
    assert "ceiling, the references themselves: apt " in render(result_blocks(result))
    own = {score.metric: score.value for score in result.systems[0].scores}
    floor = found["cormoran shuffled"].scores
    assert set(floor) == {"apt", "autoprf", "bleu"}
    assert all(0 <= value < own[metric] / 1.5 for metric, value in floor.items())


@pytest.fixture(scope="module")
def demo_result() -> Result:
    return evaluate_experiment(
        Experiment.read(demo.files(alignments=True), replace(SETTINGS, metrics=("apt", "autoprf", "bleu")))
    )


def test_the_line_below_the_table_names_the_ceiling(demo_result: Result) -> None:
    text = render(result_blocks(demo_result))
    assert "\n[ ] 95 % interval\nceiling, the reference itself: apt 84.5, autoprf 100.0\n" in text


@pytest.mark.parametrize("ceiling", [{}, {"ceiling": {"apt": 0.9, "autoprf": 1.0}}])
def test_a_result_without_its_ceiling_does_not_verify(
    demo_result: Result, tmp_path: Path, ceiling: dict[str, Any]
) -> None:
    content = result_content(demo_result, demo.files(alignments=True))
    path = tmp_path / "result.json"
    kept = {key: value for key, value in content.items() if key not in ("ceiling", "seal")}
    path.write_text(json.dumps(sealed({**kept, **ceiling})), "utf-8")
    assert len(verify(str(path)).differences) == 1


def test_news_references_reach_less_than_full_marks(unpacked: Callable[[str], Path]) -> None:
    """newstest2021 English-German, reference A: 68.2 where forms are compared by the list alone."""
    news = unpacked("wmt21-news") / "txt"
    reference = str(news / "references/newstest2021.en-de.ref.A.de")
    files = Files(
        source=str(news / "sources/newstest2021.en-de.src.en"),
        references=(reference,),
        candidates=(("human", reference),),
    )
    for recognize, apt in (("list", 0.682), ("analysis", 0.651)):
        result = evaluate_experiment(
            Experiment.read(files, Settings(pair="en-de", recognize=recognize, samples=0))
        )
        assert result.ceiling["apt"] == pytest.approx(apt, abs=5e-4)
        assert result.systems[0].scores[0].value == result.ceiling["apt"]
        assert f"ceiling, the reference itself: apt {100 * apt:.1f}, autoprf 100.0" in render(
            result_blocks(result)
        )


def test_the_ceiling_costs_little(demo_result: Result) -> None:
    experiment = Experiment.read(demo.files(alignments=True), demo_result.settings)
    metrics = [metric for metric in experiment.metrics if metric.pronominal]
    inputs = experiment.inputs
    pairs = [verdict.pair for verdict in demo_result.systems[0].verdicts]
    trial = MetricInput("x", tuple(text.lines for text in inputs.references), inputs.source.lines, pairs)
    scoring = calls(lambda: evaluate_experiment(Experiment.read(demo.files(), Settings(pair="en-fr"))))
    assert calls(lambda: ceiling(metrics, trial)) < 0.1 * scoring
