"""Scores of variants: every format gives the same outcomes, and damaged files say what is wrong and where."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.bench.items import Bench, BenchOutcome
from anaphor.bench.scores import evaluate_scores, judge_scores, read_scores, scores_of, write_scores
from anaphor.core import InputWarning, UserError
from tests.support.scores import (
    BENCH,
    FILES,
    KEY,
    LAMP,
    TEA,
    VALUES,
    ctranslate2,
    echo,
    fairseq,
    lines_of,
    lm_eval,
    marian,
    marian_n_best,
    plain,
    vllm,
)

RIGHT, WRONG, TIE = BenchOutcome.RIGHT, BenchOutcome.WRONG, BenchOutcome.TIE
OUTCOMES = (RIGHT, WRONG, TIE)


def read(folder: Path, content: str, **options: Any) -> Any:
    path = folder / "scores"
    path.write_text(content, encoding="utf-8")
    return read_scores(path, BENCH, **options)


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_recognized_and_gives_the_same_outcomes(name: str, tmp_path: Path) -> None:
    found = read(tmp_path, FILES[name]())
    np.testing.assert_allclose(found.values, VALUES)
    assert found.higher_is_better
    assert found.log_base == math.e
    assert judge_scores(BENCH, found) == OUTCOMES


def test_plain_numbers_are_costs_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    assert judge_scores(BENCH, read(tmp_path, plain(), maximize=True)) == OUTCOMES
    costs = lines_of(*(str(-value) for value in VALUES))
    assert judge_scores(BENCH, read(tmp_path, costs)) == OUTCOMES
    assert judge_scores(BENCH, read(tmp_path, plain(), format="marian")) == OUTCOMES
    # Taken for costs, the same numbers turn around.
    assert judge_scores(BENCH, read(tmp_path, plain(), maximize=False)) == (WRONG, RIGHT, TIE)


def test_log_probabilities_as_plain_numbers_are_not_taken_for_costs_in_silence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="negative") as caught:
        read(tmp_path, plain())
    assert "--maximize" in caught.value.fix


def test_fairseq_has_means_and_sums_on_request(tmp_path: Path) -> None:
    with pytest.warns(InputWarning, match="means over tokens, not sums"):
        found = read(tmp_path, fairseq())
    np.testing.assert_allclose(found.values, VALUES)
    assert (found.measure, found.log_base) == ("mean", 2.0)
    sums = read(tmp_path, fairseq(), sums=True)
    np.testing.assert_allclose(sums.values, [2 * value for value in VALUES])
    assert sums.measure == "sum"


def test_a_mean_and_a_sum_can_disagree(tmp_path: Path) -> None:
    """By hand: -4 / 4 is better than -3 / 2, but -3 is better than -4."""
    bench = Bench("two", BENCH.pair, "contrapro", (TEA,))
    path = tmp_path / "scores"
    path.write_text("H-0\t-1.0\tTrink ihn .\nP-0\t-1 -1 -1 -1\nH-1\t-1.5\tTrink es .\nP-1\t-1.5 -1.5\n")
    with pytest.warns(InputWarning):
        assert judge_scores(bench, read_scores(path, bench)) == (RIGHT,)
    assert judge_scores(bench, read_scores(path, bench, sums=True)) == (WRONG,)


def test_scores_come_back_as_they_were_imported(tmp_path: Path) -> None:
    found = read(tmp_path, ctranslate2())
    write_scores(tmp_path / "kept.jsonl", BENCH, found)
    again = read_scores(tmp_path / "kept.jsonl", BENCH)
    np.testing.assert_array_equal(again.values, found.values)
    assert (again.measure, again.log_base, again.tokens) == ("sum", math.e, found.tokens)
    costs = read(tmp_path, plain(), maximize=False)
    write_scores(tmp_path / "costs.jsonl", BENCH, costs)
    assert not read_scores(tmp_path / "costs.jsonl", BENCH).higher_is_better


def swapped(text: str, one: int, other: int) -> str:
    lines = text.splitlines()
    lines[one], lines[other] = lines[other], lines[one]
    return lines_of(*lines)


DAMAGED: dict[str, tuple[Callable[[], str], dict[str, Any], str, int | None]] = {
    "a line is missing": (
        lambda: lines_of(*plain().splitlines()[:-1]),
        {"maximize": True},
        "6 scores.*7 variants of 3 items",
        7,
    ),
    "a line is surplus": (lambda: plain() + "-1\n", {"maximize": True}, "8 scores.*7 variants", 8),
    "one score per item": (lambda: lines_of("1", "2", "3"), {"maximize": True}, "3 scores", 4),
    "not a number": (lambda: plain().replace("-4.0", "n/a"), {"maximize": True}, "not a number: 'n/a'", 4),
    "NaN": (lambda: plain().replace("-4.0", "nan"), {"maximize": True}, "not a finite number", 4),
    "infinite": (lambda: plain().replace("-4.0", "-inf"), {"maximize": True}, "not a finite number", 4),
    "wrong order": (
        lambda: swapped(ctranslate2(), 2, 4),
        {},
        "a variant of item key, expected one of lamp",
        3,
    ),
    "variants exchanged": (lambda: swapped(ctranslate2(), 3, 4), {}, "another variant of item key", 4),
    "prompts exchanged": (lambda: swapped(echo(), 2, 4), {}, "does not contain the variant of item lamp", 3),
    "fairseq id twice": (lambda: fairseq() + "H-3\t-1\tx\n", {}, "H-3 occurs twice", 30),
    "fairseq id missing": (lambda: fairseq().replace("H-2\t", "D-2\t"), {}, "no line H-2", None),
    "fairseq without P-": (
        lambda: fairseq().replace("P-2\t", "D-2\t"),
        {"sums": True},
        "not every H- line has its P- line",
        None,
    ),
    "item twice": (lambda: lm_eval() + lm_eval().splitlines()[0] + "\n", {}, "tea is scored twice", 4),
    "item missing": (
        lambda: lines_of(*lm_eval().splitlines()[1:]),
        {},
        "no score for variant 1 of item tea",
        None,
    ),
    "unknown item": (lambda: lm_eval().replace('"key"', '"kye"'), {}, "has no item kye", 2),
    "another version": (lambda: lm_eval().replace(BENCH.hash, "0123456789ab"), {}, "another version", 1),
    "NaN of the harness": (lambda: lm_eval().replace('"-4.0"', '"nan"'), {}, "not a finite number", 2),
    "n-best id too high": (lambda: marian_n_best().replace("2 |||", "3 |||"), {}, "n-best list 3", 6),
    "n-best list too long": (
        lambda: marian_n_best() + "2 ||| Trink sie. ||| F0= -1 ||| -1\n",
        {},
        "variant 3 of item tea, which has 2",
        8,
    ),
    "texts of some lines": (
        lambda: swapped(marian_n_best() + "-1.5 ||| x\n", 0, 7),
        {},
        "7 of 8 lines have texts",
        None,
    ),
    "words of some lines": (
        lambda: marian().replace("WordScores=", "x=", 1),
        {},
        "6 of 7 lines have words",
        None,
    ),
    "not JSON": (lambda: vllm() + "{\n", {}, "not a JSON object", 8),
    "no log-probabilities": (lambda: lines_of({"choices": [{"text": "x"}]}), {}, "logprobs: missing", 1),
    "unknown score format": (plain, {"format": "nematus"}, "unknown score format: nematus", None),
    "lower is better?": (marian, {"maximize": False}, "higher scores are better", None),
    "sums of plain numbers": (plain, {"sums": True, "maximize": True}, "sums cannot be computed", None),
}


@pytest.mark.filterwarnings("ignore::anaphor.InputWarning")
@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_stops_with_what_where_and_how_to_fix(name: str, tmp_path: Path) -> None:
    content, options, message, line = DAMAGED[name]
    with pytest.raises(UserError, match=message) as caught:
        read(tmp_path, content(), **options)
    assert caught.value.where.line == line
    assert caught.value.fix


def test_a_set_without_wrong_variants_cannot_be_scored(tmp_path: Path) -> None:
    bench = replace(BENCH, items=(replace(TEA, variants=("Trink ihn.",)),))
    (tmp_path / "scores").write_text("1\n")
    with pytest.raises(UserError, match="no wrong variant"):
        read_scores(tmp_path / "scores", bench)


def test_the_order_of_the_original_is_that_of_score_files(tmp_path: Path) -> None:
    """In ContraCAT's triplets er, sie, es the correct one may be second."""
    item = replace(LAMP, correct_at=1)
    bench = Bench("cat", BENCH.pair, "contracat", (item,))
    path = tmp_path / "scores"
    path.write_text("3\n1\n2\n")  # er 3, sie 1, es 2
    found = read_scores(path, bench)
    assert found.values.tolist() == [1, 3, 2]
    assert judge_scores(bench, found) == (RIGHT,)


@pytest.mark.parametrize("correct_at", [0, 1, 2])
def test_files_that_name_variants_have_the_correct_one_first_or_where_the_original_has_it(
    correct_at: int, tmp_path: Path
) -> None:
    """Our own format and the samples of tasks that we export have it first, lists of Marian do not."""
    bench = replace(BENCH, items=(TEA, replace(LAMP, correct_at=correct_at), KEY))
    values = {"tea": [-1.0, -2.0], "lamp": [-3.0, -4.0, -5.0], "key": [-6.0, -7.0]}
    own = scores_of(bench, values, higher_is_better=True)
    write_scores(tmp_path / "own.jsonl", bench, own)
    samples = [
        {
            "doc": {"id": name, "set_hash": bench.hash, "order": [*reversed(range(len(of)))]},
            "filtered_resps": [[str(value), "False"] for value in reversed(of)],
        }
        for name, of in values.items()
    ]
    (tmp_path / "lm_eval.jsonl").write_text(lines_of(*samples))
    order = [1, 2]
    order.insert(correct_at, 0)
    lists = [
        f"{at} ||| {item.variants[place]} ||| F0= {values[item.id][place]} ||| {values[item.id][place]}"
        for at, item in enumerate(bench.items)
        for place in (order if item.id == "lamp" else range(len(item.variants)))
    ]
    (tmp_path / "marian").write_text(lines_of(*lists))
    for name in ("own.jsonl", "lm_eval.jsonl", "marian"):
        np.testing.assert_array_equal(read_scores(tmp_path / name, bench).values, own.values)


@pytest.mark.parametrize(
    ("scores", "official", "strict"),
    [
        ("1\n1\n2\n", WRONG, TIE),  # er and sie are best: the script takes er, which is wrong
        ("2\n1\n1\n", RIGHT, TIE),  # sie and es: it takes sie
        ("1\n2\n2\n", WRONG, WRONG),
    ],
)
def test_the_scripts_of_some_sets_take_the_first_of_the_best(
    scores: str, official: BenchOutcome, strict: BenchOutcome, tmp_path: Path
) -> None:
    bench = Bench("cat", BENCH.pair, "contracat", (replace(LAMP, correct_at=1),))
    (tmp_path / "scores").write_text(scores)
    found = read_scores(tmp_path / "scores", bench)
    assert judge_scores(bench, found).count(RIGHT) == (official is RIGHT)
    assert judge_scores(bench, found, rule="strict") == (strict,)
    result = evaluate_scores(bench, {"a": found})
    assert result.rules == ("official", "strict")


def test_a_result_has_parts_ties_signature_and_examples() -> None:
    good = scores_of(BENCH, {"lamp": [3, 2, 1], "key": [2, 1], "tea": [2, 1]}, higher_is_better=True)
    bad = scores_of(BENCH, {"lamp": [3, 2, 1], "key": [1, 2], "tea": [1, 1]}, higher_is_better=True)
    result = evaluate_scores(BENCH, {"good": good, "bad": bad}, examples=2)
    by_system = {one.system: one for one in result.scores}
    assert by_system["good"].total.accuracy == 1
    assert by_system["bad"].total.right == 1
    assert by_system["bad"].counts[TIE] == 1
    distances = {one.name: (one.right, one.items) for one in by_system["bad"].parts["distance"]}
    assert distances == {"1": (1, 1), ">3": (0, 1), "unknown": (0, 1)}
    assert {one.name for one in by_system["bad"].parts["pronoun"]} == {"it:sie", "it:ihn", "unknown"}
    assert re.search(r"bad: 1 tie", " ".join(result.notes))
    assert f"hash:{BENCH.hash}" in str(result.signatures["official"])
    assert result.example_items(2) == [1, 2]
    content = result.to_dict()
    assert content["systems"][1]["items"]["tea"] == {"official": "tie"}
    json.dumps(content, allow_nan=False)


def test_paired_tests_compare_with_the_first_system() -> None:
    items = tuple(replace(TEA, id=str(at), document=str(at // 2)) for at in range(40))
    bench = Bench("many", BENCH.pair, "contrapro", items)
    good = scores_of(bench, {str(at): [2, 1] for at in range(40)}, higher_is_better=True)
    half = scores_of(bench, {str(at): [2, 1 + 2 * (at % 2)] for at in range(40)}, higher_is_better=True)
    result = evaluate_scores(bench, {"half": half, "good": good}, paired=True, samples=200)
    (found,) = result.comparisons["official"]
    assert found.difference == 0.5
    # 20 items fall to one system: two-sided, 2 / 2 ** 20.
    assert found.p_mcnemar == pytest.approx(2 / 2**20)
    assert found.p_adjusted < 0.01


def test_blocks_are_right_as_a_whole() -> None:
    """As in DiscEvalMT, whose blocks have four pairs; by hand, one of two blocks here."""
    items = tuple(replace(TEA, id=str(at), group=str(at // 2)) for at in range(4))
    bench = Bench("blocks", BENCH.pair, "disceval", items)
    found = scores_of(bench, {"0": [2, 1], "1": [2, 1], "2": [2, 1], "3": [1, 2]}, higher_is_better=True)
    (score,) = evaluate_scores(bench, {"a": found}).scores
    assert score.blocks is not None
    assert (score.blocks.right, score.blocks.items) == (1, 2)
