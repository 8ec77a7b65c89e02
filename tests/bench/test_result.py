"""What is computed from outcomes: accuracies with intervals, parts, blocks, signatures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from anaphor.bench.items import Bench, BenchOutcome
from anaphor.bench.result import BenchResult, SystemOutcomes, summarize
from anaphor.core import MismatchError, OptionError
from anaphor.core.table import Cell
from anaphor.stats import Accuracy
from tests.support.scores import BENCH, LAMP

RIGHT, WRONG = BenchOutcome.RIGHT, BenchOutcome.WRONG
#: Two documents, and four items without one; three blocks; distances on both sides of 3.
DOCUMENTS = ("house",) * 5 + ("",) * 4 + ("tea",) * 3
ITEMS = tuple(
    replace(LAMP, id=f"i{at}", document=document, group=f"g{at // 4}", distance=(1, 3, 4)[at % 3])
    for at, document in enumerate(DOCUMENTS)
)
MANY = Bench("many", BENCH.pair, "contrapro", ITEMS)
#: Without a document an item is one of its own.
CLUSTERS = ["house"] * 5 + [f"i{at}" for at in range(5, 9)] + ["tea"] * 3
FIRST, SECOND = "+++++-+-+---", "++++-+--++-+"


def outcomes(marks: str) -> list[BenchOutcome]:
    return [RIGHT if mark == "+" else WRONG for mark in marks]


def system(name: str, counts: Mapping[str, float] | None = None, **rules: str) -> SystemOutcomes:
    return SystemOutcomes(name, {rule: outcomes(marks) for rule, marks in rules.items()}, counts=counts or {})


def result(*systems: SystemOutcomes, **options: Any) -> BenchResult:
    return summarize(MANY, systems, mode="scores", **options)


def accuracy(name: str, marks: Sequence[str], clusters: Sequence[str]) -> Accuracy:
    return Accuracy.of(name, np.array([mark == "+" for mark in marks], np.float64), clusters, level=0.95)


def test_items_of_one_document_count_together_and_those_without_one_alone() -> None:
    """Everything right in a document is worth less than as many single items."""
    (score,) = result(system("a", official=FIRST)).scores
    assert score.total == accuracy("total", FIRST, CLUSTERS)
    assert score.total.interval != accuracy("total", FIRST, DOCUMENTS).interval
    assert score.total.interval != accuracy("total", FIRST, [item.id for item in ITEMS]).interval
    for part, start in (("1", 0), ("3", 1), (">3", 2)):
        (found,) = (one for one in score.parts["distance"] if one.name == part)
        assert found == accuracy(part, FIRST[start::3], CLUSTERS[start::3])


def test_blocks_count_together_by_the_document_of_their_first_item() -> None:
    items = tuple(replace(item, group=f"g{at // 2}") for at, item in enumerate(ITEMS))
    bench = replace(MANY, items=items)
    (score,) = summarize(bench, [system("a", official=FIRST)], mode="scores").scores
    assert score.blocks == accuracy("blocks", "++----", CLUSTERS[::2])
    assert score.blocks.interval != accuracy("blocks", "++----", [str(at) for at in range(6)]).interval


def test_systems_need_names_of_their_own_and_the_same_rules() -> None:
    with pytest.raises(OptionError, match="the same name"):
        result(system("a", official=FIRST), system("a", official=SECOND))
    with pytest.raises(OptionError, match="no system"):
        result()
    with pytest.raises(MismatchError, match="b was judged"):
        result(system("a", official=FIRST), system("b", strict=SECOND))
    with pytest.raises(MismatchError, match="b was judged"):
        result(system("a", official=FIRST), system("b", official=SECOND[:-1]))


def test_seed_and_resamples_show_in_the_signature_of_paired_tests_alone() -> None:
    both = system("a", official=FIRST), system("b", official=SECOND)
    signed = {
        str(result(*both, paired=True, samples=samples, seed=seed).signatures["official"])
        for samples, seed in ((100, 1), (200, 1), (100, 2))
    }
    assert len(signed) == 3
    assert "seed" not in str(result(*both, seed=1).signatures["official"])
    assert "seed" not in str(result(both[0], seed=1, paired=True).signatures["official"])


def test_the_best_of_each_rule_is_bold_and_counts_are_those_of_each_system() -> None:
    worse = "+" + "-" * 11
    found = result(
        system("a", {"words": 7}, official=FIRST, strict=worse),
        system("b", {"words": 5, "ties": 2}, official=SECOND, strict="-" * 12),
    )
    table = found.accuracy_table(caption="for a paper")
    bold = [
        [cell.style == "bold" for cell in row[1:3] if isinstance(cell, Cell)] for row in map(list, table.rows)
    ]
    # Eight of twelve are right for b by the official rule, seven for a; by the strict one only a has any.
    assert bold == [[False, True], [True, False]]
    notes = " ".join(map(str, table.notes))
    assert "words: a 7, b 5" in notes
    assert "ties: b 2" in notes
