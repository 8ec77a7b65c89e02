"""Does a system use context: items won and lost, CXMI and its sign."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.bench import write_bench
from anaphor.bench.context import conditional_mutual_information, evaluate_context, p_cxmi
from anaphor.bench.items import Bench
from anaphor.bench.scores import VariantScores, evaluate_scores, read_scores, scores_of
from anaphor.cli.main import main
from anaphor.core import UserError
from tests.support.scores import BENCH, TEA


def scored(bench: Bench, values: dict[str, list[float]]) -> VariantScores:
    return replace(scores_of(bench, values, higher_is_better=True), log_base=math.e, measure="sum")


WITH = scored(BENCH, {"lamp": [-1, -2, -3], "key": [-2, -3], "tea": [-3, -2]})
WITHOUT = scored(BENCH, {"lamp": [-2, -1, -3], "key": [-3, -2], "tea": [-2, -3]})


def test_items_are_won_and_lost_by_context() -> None:
    """By hand: the lamp and the key are won, the tea is lost."""
    scores = {"with": WITH, "without": WITHOUT}
    found = evaluate_context(evaluate_scores(BENCH, scores), scores=scores, examples=1)
    (total,) = found.parts["total"]
    assert (total.right_system, total.right_baseline, total.won, total.lost) == (2, 1, 2, 1)
    assert total.p_value == 1.0
    assert {one.name: (one.won, one.lost) for one in found.parts["distance"]} == {
        "1": (1, 0),
        ">3": (1, 0),
        "unknown": (0, 1),
    }
    assert found.flips() == ([0, 1], [2])
    content = found.to_dict()
    assert (content["won"], content["lost"]) == (["lamp", "key"], ["tea"])
    json.dumps(content, allow_nan=False)


def test_cxmi_is_positive_where_context_makes_the_correct_variant_more_probable() -> None:
    """By hand: +1, +1 and -1 nats; a nat is 1 / ln 2 bits."""
    found = conditional_mutual_information(BENCH, WITH, WITHOUT, level=0.95, samples=100, seed=1)
    assert not isinstance(found, str)
    assert found.per_sentence == pytest.approx(1 / 3 / math.log(2))
    assert found.by_item == pytest.approx([one / math.log(2) for one in (1, 1, -1)])
    swapped = conditional_mutual_information(BENCH, WITHOUT, WITH, level=0.95, samples=100, seed=1)
    assert not isinstance(swapped, str)
    assert swapped.per_sentence == pytest.approx(-found.per_sentence)


def test_cxmi_per_token_needs_the_same_tokens(tmp_path: Path) -> None:
    bench = Bench("tea", BENCH.pair, "contrapro", (TEA,))

    def read(*rows: list[float]) -> VariantScores:
        (tmp_path / "scores").write_text("".join(json.dumps({"log_probs": row}) + "\n" for row in rows))
        return read_scores(tmp_path / "scores", bench)

    has = read([-1.0, -1.0], [-3.0])
    found = conditional_mutual_information(
        bench, has, read([-2.0, -1.5], [-3.0]), level=0.95, samples=100, seed=1
    )
    assert not isinstance(found, str)
    assert found.per_token == pytest.approx(0.75 / math.log(2))
    other = conditional_mutual_information(
        bench, has, read([-1.0] * 3, [-3.0]), level=0.95, samples=100, seed=1
    )
    assert isinstance(other, str)
    assert "tea has 2 tokens with context and 3 without" in other


def test_costs_have_no_cxmi() -> None:
    costs = replace(WITHOUT, log_base=None)
    scores = {"with": WITH, "without": costs}
    found = evaluate_context(evaluate_scores(BENCH, scores), scores=scores)
    assert not found.cxmi
    assert "--log-base" in found.notes[0]


def test_sums_and_means_over_tokens_have_no_cxmi() -> None:
    scores = {"with": WITH, "without": replace(WITHOUT, measure="mean")}
    found = evaluate_context(evaluate_scores(BENCH, scores), scores=scores)
    assert not found.cxmi
    assert "a sum over tokens" in found.notes[0]
    assert "a mean" in found.notes[0]


def test_a_system_without_its_other_half_is_refused() -> None:
    with pytest.raises(UserError, match="there is no system without context"):
        evaluate_context(evaluate_scores(BENCH, {"with": WITH}))


def test_random_context_is_a_third_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bench(tmp_path / "bench.jsonl", BENCH)
    for name, scores in (("with", WITH), ("without", WITHOUT), ("random", WITHOUT)):
        (tmp_path / name).write_text("".join(f"{value}\n" for value in scores.values))
    arguments = [f"--{name}={tmp_path / name}" for name in ("with", "without", "random")]
    command = ["bench", "context", str(tmp_path / "bench.jsonl"), *arguments, "--maximize", "--log-base", "2"]
    assert main([*command, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["random"]["total"][0]["won"] == 2
    assert content["cxmi"]["random"]["bits_per_sentence"] == pytest.approx(1 / 3)
    assert main([*command, "--examples", "1"]) == 0
    printed = capsys.readouterr().out
    assert "won by context" in printed
    assert "lost by context" in printed


def test_the_sign_of_p_cxmi_is_the_opposite_of_pecores_column(unpacked: Callable[[str], Path]) -> None:
    """PECoRe's token scores: `pcxmi` of a row is log2(contrast_prob / probability), which has four digits."""
    (path,) = unpacked("pecore-en-fr").rglob("disc_eval_mt-anaphora-marian-big-scat-cti.tsv")
    checked = 0
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            has, lacks = float(row["probability"]), float(row["contrast_prob"])
            if min(has, lacks) > 0.1:  # below, four digits are too few
                (ours,) = p_cxmi([math.log2(has)], [math.log2(lacks)])
                assert ours == pytest.approx(-float(row["pcxmi"]), abs=0.002)
                assert (ours > 0) == (has > lacks)
                checked += 1
    assert checked > 1000
