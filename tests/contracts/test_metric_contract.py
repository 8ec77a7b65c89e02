"""What every metric promises, checked on every metric in the registry."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import LanguagePair, PronounPair, Settings
from anaphor.corpus import AlignmentFile
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.judge import name_server
from anaphor.languages import FormMatcher, Runs, load_pair, split_words
from anaphor.metrics import METRICS, Metric, MetricContext, MetricInput
from anaphor.pronouns import AlignedTranslation, CounterpartFinder, find_by_form

EN_FR = load_pair(LanguagePair("en", "fr"))
SOURCE = ("it sleeps", "they say it is late", "nothing here", "it is fine and they know it")
REFERENCE = ("elle dort", "ils disent qu' il est tard", "rien ici", "c' est bien et ils le savent")
CANDIDATE = ("il dort", "elles disent qu' il est tard", "rien du tout", "ça va et ils savent")
ALIGNMENTS: dict[tuple[str, ...], tuple[str, ...]] = {
    REFERENCE: ("0-0 1-1", "0-0 1-1 2-3 3-4 4-5", "0-0 1-1", "0-0 1-1 2-2 3-3 4-4 5-6 6-5"),
    CANDIDATE: ("0-0 1-1", "0-0 1-1 2-3 3-4 4-5", "0-0 1-2", "0-0 1-1 3-2 4-3 5-4"),
}


def side(text: tuple[str, ...]) -> AlignedTranslation:
    data = "".join(f"{line}\n" for line in ALIGNMENTS[text]).encode()
    return AlignedTranslation(
        text, split_words, AlignmentFile.of(parse_pharaoh(data, path="links"), path="links")
    )


def trial(candidate: tuple[str, ...], *references: tuple[str, ...]) -> MetricInput:
    finder = CounterpartFinder(EN_FR, EN_FR.target_pronouns)
    watched = FormMatcher(EN_FR.source, EN_FR.source_pronouns)
    pronouns = list(find_by_form(SOURCE, Runs.of(SOURCE), watched, words=None))
    found = [finder.find(pronouns, side(text)) for text in (candidate, *references)]
    pairs = [PronounPair(p, tuple(r), c) for p, c, *r in zip(pronouns, *found, strict=True)]
    return MetricInput("a", references, candidate, pairs, SOURCE, None, side(candidate).alignments)


def fits_where_the_reference_has_it(prompt: str) -> str:
    """The answer of a judge that knows the reference."""
    last = prompt.partition("\nEND")[0].rpartition("\n| ")[2]
    rendering = re.search(">>(.*?)<<", last)
    known = {word for line in REFERENCE for word in line.split()}
    return "1" if rendering is not None and known.issuperset(rendering[1].split()) else "2"


@pytest.fixture(params=list(METRICS))
def metric(request: pytest.FixtureRequest, tmp_path: Path) -> Metric:
    given = {}
    if request.param == "judge":
        judging = request.getfixturevalue("server")
        judging.answer = fits_where_the_reference_has_it
        name_server(judging.url, cache=str(tmp_path))
        given = {"judge_server": judging.url, "judge_model": "tiny"}
    if request.param == "comet" and find_spec("comet") is None:
        pytest.skip("unbabel-comet is not installed; tests/metrics/test_comet.py says how it was tested")
    settings = Settings(pair="en-fr", metrics=(request.param,), tokenized=True, options=given)
    return METRICS.get(request.param).build(MetricContext.of(settings))


def value(metric: Metric, trial: MetricInput) -> float:
    return float(metric.value(metric.count(trial).totals()))


def test_its_name_is_its_name_in_the_registry(metric: Metric) -> None:
    assert METRICS.get(metric.name) is type(metric)


def test_counting_twice_gives_the_same_counts(metric: Metric) -> None:
    first, second = (metric.count(trial(CANDIDATE, REFERENCE)) for _ in range(2))
    assert first.names == second.names
    assert np.array_equal(first.rows, second.rows)


def test_a_row_per_segment_and_a_column_per_name(metric: Metric) -> None:
    counts = metric.count(trial(CANDIDATE, REFERENCE))
    assert counts.rows.shape == (len(SOURCE), len(counts.names))
    assert (counts.rows >= 0).all()


def test_scores_lie_between_0_and_1(metric: Metric) -> None:
    assert 0 < value(metric, trial(CANDIDATE, REFERENCE)) < 1


def test_the_reference_scores_at_least_as_well_as_any_candidate(metric: Metric) -> None:
    best = value(metric, trial(REFERENCE, REFERENCE))
    assert best > value(metric, trial(CANDIDATE, REFERENCE))


def test_a_corpus_said_twice_scores_the_same(metric: Metric) -> None:
    counts = metric.count(trial(CANDIDATE, REFERENCE))
    assert float(metric.value(2 * counts.totals())) == pytest.approx(float(metric.value(counts.totals())))


def test_scoring_many_sums_at_once_scores_each(metric: Metric) -> None:
    rows = metric.count(trial(CANDIDATE, REFERENCE)).rows
    sums = np.stack([rows[:2].sum(axis=0), rows.sum(axis=0)])
    assert metric.value(sums).tolist() == [float(metric.value(row)) for row in sums]


def test_a_second_reference_never_hurts(metric: Metric) -> None:
    alone = value(metric, trial(CANDIDATE, REFERENCE))
    assert value(metric, trial(CANDIDATE, REFERENCE, CANDIDATE)) >= alone


def test_no_pronouns_is_undefined_only_for_pronoun_metrics(metric: Metric) -> None:
    without = replace(trial(CANDIDATE, REFERENCE), pairs=())
    assert np.isnan(value(metric, without)) == metric.pronominal


def test_the_signature_is_text_and_the_details_are_numbers(metric: Metric) -> None:
    assert all(isinstance(part, str) for item in metric.settings().items() for part in item)
    details = metric.details(metric.count(trial(CANDIDATE, REFERENCE)).totals())
    assert details
    assert all(isinstance(number, float) for number in details.values())
