"""The benchmark on SCAT: how marks are read, how orders are judged, and that pages show its figures."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from anaphor.languages import Tokenizer, load_language

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "predict-neural"


@pytest.fixture(scope="module")
def benchmark() -> dict[str, ModuleType]:
    sys.path.insert(0, str(FOLDER))
    try:
        return {name: import_module(name) for name in ("scat", "scat_items", "scat_table")}
    finally:
        sys.path.pop(0)


def test_marks_count_where_they_are_around_a_whole_token(benchmark: dict[str, ModuleType]) -> None:
    french = Tokenizer(load_language("fr"))
    text = "La  <hon>grande maison<hoff>  de t<p>elle</p> rue : <p>elle</p> dort."
    found = benchmark["scat_items"].marked(text, french, "target")
    assert [found.tokens[place] for place in sorted(found.highlighted)] == ["grande", "maison"]
    assert [found.tokens[place - 1] for place in found.pronouns] == [":"]


@pytest.mark.parametrize(
    ("scores", "wanted", "precision", "rank", "auc"),
    [
        ([3, 2, 1, 0], [0], 1.0, 1, 1.0),
        ([3, 2, 1, 0], [1], 0.0, 2, 2 / 3),
        ([3, 2, 1, 0], [0, 3], 0.5, 1, 0.5),
        ([0, 0, 0, 0], [2], 0.25, 2.5, 0.5),  # no order: one of four, the mean of four places
        ([1, 1, 0, 0], [0], 0.5, 1.5, 2.5 / 3),
    ],
)
def test_an_order_is_judged_by_its_first_words_and_by_all(
    benchmark: dict[str, ModuleType],
    scores: list[float],
    wanted: list[int],
    precision: float,
    rank: float,
    auc: float,
) -> None:
    found = benchmark["scat"].ranking(scores, [place in wanted for place in range(len(scores))])
    assert (found.precision, found.rank, found.auc) == pytest.approx((precision, rank, auc))


def test_pages_show_the_figures_of_the_results(benchmark: dict[str, ModuleType]) -> None:
    pages = benchmark["scat_table"].pages()
    assert pages
    for page, text in pages.items():
        assert page.read_text(encoding="utf-8") == text, "run benchmarks/predict-neural/scat.py --write"
