"""BLEU and chrF: our sums against sacrebleu's own scores."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu

from anaphor.core import Settings
from anaphor.metrics import METRICS, Metric, MetricContext, MetricInput

REFERENCE = ("Le chat dort sur le tapis.", "Il pleut, dit-elle.", "Ils sont partis hier soir.", "")
SECOND = ("Le chat est couché sur le tapis.", "« Il pleut », dit-elle.", "Elles sont parties hier.", "")
CANDIDATES = {
    "same": REFERENCE,
    "near": ("Le chat dort sur un tapis.", "Il pleut, dit-il.", "Ils sont partis.", ""),
    "short": ("Le", "Il", "Ils", ""),
    "far": ("xyz", "abc def", "ghi", ""),
    "empty": ("", "", "", ""),
}


def metric(name: str) -> Metric:
    return METRICS.get(name).build(MetricContext.of(Settings(pair="en-fr")))


@pytest.mark.parametrize("references", [(REFERENCE,), (REFERENCE, SECOND)], ids=["one", "two"])
@pytest.mark.parametrize("system", CANDIDATES)
@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_corpus_scores_are_sacrebleus(
    name: str, system: str, references: tuple[tuple[str, ...], ...]
) -> None:
    candidate = CANDIDATES[system]
    score = sacrebleu.corpus_bleu if name == "bleu" else sacrebleu.corpus_chrf
    expected = score(list(candidate), [list(lines) for lines in references]).score / 100
    chosen = metric(name)
    totals = chosen.count(MetricInput(system, references, candidate, ())).totals()
    assert float(chosen.value(totals)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_arrays_of_sums_score_like_single_sums(name: str) -> None:
    chosen = metric(name)
    rows = np.stack(
        [chosen.count(MetricInput(s, (REFERENCE,), c, ())).totals() for s, c in CANDIDATES.items()]
    )
    together = chosen.value(rows.reshape(1, *rows.shape))[0]
    assert together.tolist() == [float(chosen.value(row)) for row in rows]
