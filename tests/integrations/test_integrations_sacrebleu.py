"""The metric classes work in sacreBLEU as its own do."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

import anaphor
from anaphor.integrations.sacrebleu import APT, PronounMetric

DEMO = Path(anaphor.__file__).parent / "demo"


def lines(name: str) -> list[str]:
    return (DEMO / name).read_text(encoding="utf-8").splitlines()


SOURCE, REFERENCE = lines("source.en"), lines("reference.fr")
SYSTEMS = {name: lines(f"{name}.fr") for name in ("baldur", "dahlia")}


def evaluated(name: str, metric: str) -> float:
    """The score of one system alone, in percent: what the adapter must give."""
    result = anaphor.evaluate(
        source=SOURCE,
        references=[REFERENCE],
        systems={"x": SYSTEMS[name]},
        pair="en-fr",
        metrics=metric,
        samples=0,
    )
    return 100 * result.scores["x"][metric]


@pytest.mark.parametrize("metric", ["apt", "autoprf", "bleu"])
def test_scores_are_those_of_evaluate_in_percent(metric: str) -> None:
    found = PronounMetric(DEMO / "source.en", pair="en-fr", metric=metric).corpus_score(
        SYSTEMS["baldur"], [REFERENCE]
    )
    assert found.score == pytest.approx(evaluated("baldur", metric))


def test_bleu_through_the_adapter_is_that_of_sacrebleu() -> None:
    ours = PronounMetric(SOURCE, pair="en-fr", metric="bleu").corpus_score(SYSTEMS["dahlia"], [REFERENCE])
    assert ours.score == pytest.approx(BLEU().corpus_score(SYSTEMS["dahlia"], [REFERENCE]).score)


def test_score_signature_and_bootstrap_print_as_those_of_sacrebleu() -> None:
    apt = APT(io.StringIO("\n".join(SOURCE)), pair="en-fr", references=[REFERENCE])
    with pytest.raises(ValueError, match="evaluate the metric first"):
        apt.get_signature()
    score = apt.corpus_score(SYSTEMS["baldur"], None, n_bootstrap=200)
    signature = apt.get_signature()
    assert str(score).startswith(f"APT = {evaluated('baldur', 'apt'):.2f} (μ = ")
    assert str(signature).startswith("nrefs:1|bs:200|seed:12345|weights:1,0.5,0,0,0,0|")
    assert f"|anaphor:{anaphor.__version__}|version:" in str(signature)
    assert signature.format(short=True).startswith("#:1|bs:200|rs:12345|")
    found = json.loads(score.format(is_json=True, signature=str(signature)))
    assert (found["name"], found["pair"]) == ("APT", "en-fr")
    assert found["confidence_mean"] == pytest.approx(score.score, abs=5)


@pytest.mark.parametrize("documents", [None, DEMO / "documents"])
@pytest.mark.parametrize("kind", ["ar", "bs"])
def test_paired_tests_take_it_beside_bleu(kind: str, documents: Path | None) -> None:
    metrics = {
        "APT": APT(SOURCE, pair="en-fr", references=[REFERENCE], documents=documents),
        "BLEU": BLEU(references=[REFERENCE]),
    }
    signatures, scores = PairedTest(
        list(SYSTEMS.items()), metrics, references=None, test_type=kind, n_samples=300
    )()
    assert scores["System"] == ["baldur", "dahlia"]
    found: list[Any] = scores["APT"]
    baseline, other = found
    assert baseline.score == pytest.approx(evaluated("baldur", "apt"))
    assert other.score == pytest.approx(evaluated("dahlia", "apt"))
    assert other.p_value < 0.01
    assert "weights:1,0.5,0,0,0,0" in str(signatures["APT"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pair": "english"}, "not a language pair"),
        ({"metric": "bleurt"}, "unknown metric: bleurt"),
        ({"source": SOURCE[:3]}, "has 115 lines"),
        ({"references": None}, "no reference is given"),
        ({"references": [[*REFERENCE[:-1], None]]}, "of type NoneType"),
        ({"clip": "corpus", "metric": "autoprf"}, "clipped over the corpus"),
        ({"samples_": 3}, "samples_"),
    ],
)
def test_what_is_wrong_is_a_user_error(given: dict[str, Any], message: str) -> None:
    more = {"source": SOURCE, "pair": "en-fr", "references": [REFERENCE], **given}
    with pytest.raises(anaphor.UserError, match=message):
        PronounMetric(**more).corpus_score(SYSTEMS["baldur"], None)
