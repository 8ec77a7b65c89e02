"""The shipped predictor as a scorer of variants."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anaphor.bench import write_bench
from anaphor.bench.items import Bench, BenchItem
from anaphor.bench.predictor import predictor_scores
from anaphor.cli.main import main
from anaphor.core import InputWarning, LanguagePair, UserError
from anaphor.predict.shipped import find_model

LAMP = BenchItem(
    "lamp",
    ("The lamp fell.", "It is broken."),
    context=("La lampe est tombée.",),
    variants=("Elle est cassée.", "Il est cassé."),
)
BENCH = Bench("fr", LanguagePair("en", "fr"), "contrapro", (LAMP,))


def test_variants_get_the_probability_of_their_pronoun() -> None:
    found = predictor_scores(BENCH, find_model("anaphor-2-small", pair="en-fr", forms=True))
    assert found.higher_is_better
    assert ((found.values > 0) & (found.values < 1)).all()
    assert found.values.sum() < 1
    # The feminine antecedent and nothing else speaks for *elle*.
    assert found.values[0] > found.values[1]


def test_agreeing_words_give_no_variant_an_advantage() -> None:
    """*cassée* stands in one text and *cassé* in the other; turned around, scores turn around with them."""
    model = find_model("anaphor-2-small", pair="en-fr", forms=True)
    turned = replace(BENCH, items=(replace(LAMP, variants=LAMP.variants[::-1]),))
    one, other = (predictor_scores(bench, model, context=False).values for bench in (BENCH, turned))
    np.testing.assert_allclose(one, other[::-1], atol=1e-6)


def test_a_set_without_the_sentences_of_its_antecedents_is_noted() -> None:
    model = find_model("anaphor-2-small", pair="en-fr", forms=True)
    seen = replace(LAMP, id="seen", distance=1)
    blind = replace(LAMP, id="blind", distance=1, source=LAMP.source[-1:], context=())
    with pytest.warns(InputWarning, match="in 1 of 2 items of fr the antecedent"):
        predictor_scores(replace(BENCH, items=(seen, blind)), model)


def test_items_without_a_pronoun_of_the_model_are_ties() -> None:
    noun = replace(LAMP, id="noun", variants=("La lampe est cassée.", "La lampe est vieille."))
    model = find_model("anaphor-2-small", pair="en-fr", forms=True)
    with pytest.warns(InputWarning, match="1 of 2 items of fr"):
        found = predictor_scores(replace(BENCH, items=(LAMP, noun)), model)
    assert found.values[2:].tolist() == [0, 0]


def test_a_model_for_another_pair_is_refused() -> None:
    with pytest.raises(UserError, match="the model is for en-de, not for en-fr"):
        predictor_scores(BENCH, find_model("anaphor-2-small", pair="en-de", forms=True))


def test_the_command_scores_with_a_predictor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bench(tmp_path / "bench.jsonl", BENCH)
    assert (
        main(["bench", "score", str(tmp_path / "bench.jsonl"), "--predictor", "anaphor-2-small", "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["scores"][0]["accuracy"] == 1
