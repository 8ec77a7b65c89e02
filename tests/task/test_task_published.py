"""The stored results of 2016 and 2017: complete, and true to the arithmetic that made them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from anaphor.core import LanguagePair, OptionError
from anaphor.task import task_classes
from anaphor.task.published import PublishedResults, PublishedSystem, published_results, published_tasks

#: Rows of Tables 6-9 of wmt16-findings and 5-8 of discomt17-findings, counted in the papers.
ROWS = {
    ("de-en", 2016): 11,
    ("en-de", 2016): 16,
    ("fr-en", 2016): 9,
    ("en-fr", 2016): 18,
    ("de-en", 2017): 11,
    ("en-de", 2017): 11,
    ("es-en", 2017): 10,
    ("en-fr", 2017): 11,
}
TABLES = [published_results(LanguagePair.parse(pair), year=year) for pair, year in ROWS]
ROWS_OF_2017 = [(table, system) for table in TABLES if table.year == 2017 for system in table.systems]


def table_id(table: PublishedResults) -> str:
    return f"{table.pair} {table.year}"


def primaries(table: PublishedResults) -> list[PublishedSystem]:
    return [system for system in table.systems if system.rank is not None]


def test_all_rows_of_the_papers_are_present() -> None:
    assert published_tasks() == tuple(ROWS)
    assert {(str(t.pair), t.year): len(t.systems) for t in TABLES} == ROWS
    assert len(ROWS_OF_2017) == 43


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_rows_stand_in_the_order_of_macro_recall_and_names_differ(table: PublishedResults) -> None:
    recalls = [system.macro_recall for system in table.systems]
    assert recalls == sorted(recalls, reverse=True)
    assert len({system.name for system in table.systems}) == len(table.systems)


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_ranks_are_those_of_the_primary_submissions(table: PublishedResults) -> None:
    ranked = primaries(table)
    assert [system.rank for system in ranked] == list(range(1, len(ranked) + 1))
    assert {system.name.endswith("-primary") for system in ranked} == {True}
    by_accuracy = sorted(ranked, key=lambda system: system.accuracy_rank or 0)
    assert [system.accuracy_rank for system in by_accuracy] == [n + 1 for n in range(len(ranked))]
    accuracies = [system.accuracy for system in by_accuracy]
    assert accuracies == sorted(accuracies, reverse=True)


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_two_baselines_are_named_by_their_penalty_and_zero_is_the_weaker(table: PublishedResults) -> None:
    tuned, plain = [system for system in table.systems if system.name.startswith("baseline")]
    assert float(tuned.name.removeprefix("baseline")) < 0
    assert plain.name == "baseline0"


#: The one size below 500 that makes every accuracy of a table a fraction of whole numbers.
SIZES = {"de-en": 483, "en-de": 383, "fr-en": 328, "en-fr": 373}


@pytest.mark.parametrize("table", [t for t in TABLES if t.year == 2016], ids=table_id)
def test_the_accuracies_of_2016_are_fractions_of_one_size(table: PublishedResults) -> None:
    """A figure misread from the paper would leave no size at all."""

    def fits(size: int) -> bool:
        return all(
            f"{100 * round(system.accuracy * size) / size:.2f}" == f"{100 * system.accuracy:.2f}"
            for system in table.systems
        )

    assert [size for size in range(50, 500) if fits(size)] == [SIZES[str(table.pair)]]


@pytest.mark.parametrize(
    ("table", "system"), ROWS_OF_2017, ids=lambda v: getattr(v, "name", "") or str(v.pair)
)
def test_the_scores_of_2017_follow_from_recalls_per_class(
    table: PublishedResults, system: PublishedSystem
) -> None:
    assert table.instances is not None
    assert system.recalls is not None
    assert list(system.recalls) == list(table.instances)
    mean = sum(system.recalls.values()) / len(system.recalls)
    # A recall is a fraction of the class's instances: the counts are whole numbers.
    right = [round(system.recalls[label] * count) for label, count in table.instances.items()]
    assert 100 * mean == pytest.approx(100 * system.macro_recall, abs=0.01)
    accuracy = 100 * sum(right) / sum(table.instances.values())
    assert accuracy == pytest.approx(100 * system.accuracy, abs=0.01)
    for (label, count), hits in zip(table.instances.items(), right, strict=True):
        assert 100 * hits / count == pytest.approx(100 * system.recalls[label], abs=0.006)


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_classes_are_those_of_the_task(table: PublishedResults) -> None:
    classes = task_classes(table.pair, year=table.year).classes
    if table.instances is not None:
        assert tuple(label for label in classes if label in table.instances) == tuple(table.instances)
        assert set(classes) - set(table.instances) <= {"man"}  # Table 10: none in the test set


def test_the_recalls_are_those_of_the_golden_table(golden_dir: Path) -> None:
    path = golden_dir / "discomt17_published" / "recall_tables.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        golden = {
            (row["pair"], _our_name(row["system"])): row for row in csv.DictReader(lines, delimiter="\t")
        }
    assert len(golden) == 43
    for table, system in ROWS_OF_2017:
        row = golden[str(table.pair), system.name]
        assert table.instances is not None
        assert system.recalls is not None
        assert row["classes"].split() == list(table.instances)
        assert [int(count) for count in row["instances"].split()] == list(table.instances.values())
        recalls = [round(100 * recall, 2) for recall in system.recalls.values()]
        assert recalls == [float(recall) for recall in row["recall_per_class"].split()]
        assert round(100 * system.macro_recall, 2) == float(row["published_macro_R"])
        assert round(100 * system.accuracy, 2) == float(row["published_accuracy"])


def _our_name(golden: str) -> str:
    name = golden.replace("Baseline", "baseline")
    return f"{name}-primary" if name == "UU-Stymne16" else name


#: Figures that the papers' prose repeats (wmt16-findings and discomt17-findings, section 7).
@pytest.mark.parametrize(
    ("pair", "year", "name", "macro_recall"),
    [
        ("de-en", 2016, "UHELSINKI-primary", 69.76),
        ("en-de", 2016, "UKYOTO-primary", 52.50),
        ("en-de", 2016, "UU-Stymne-primary", 52.12),
        ("fr-en", 2016, "UUPPSALA-primary", 62.65),
        ("fr-en", 2016, "baseline-1.5", 42.96),
        ("en-fr", 2016, "UU-Stymne-primary", 65.35),
        ("de-en", 2017, "Uppsala-primary", 68.55),
        ("en-de", 2017, "Uppsala-primary", 78.38),
        ("es-en", 2017, "TurkuNLP-primary", 58.82),
        ("en-fr", 2017, "UU-Hardmeier-primary", 62.86),
    ],
)
def test_a_figure_of_the_prose_is_that_of_the_table(
    pair: str, year: int, name: str, macro_recall: float
) -> None:
    table = published_results(LanguagePair.parse(pair), year=year)
    (system,) = [system for system in table.systems if system.name == name]
    assert 100 * system.macro_recall == pytest.approx(macro_recall)


@pytest.mark.parametrize(("pair", "year"), [("fr-en", 2017), ("es-en", 2016), ("en-fr", 2015)])
def test_unpublished_results_are_refused(pair: str, year: int) -> None:
    with pytest.raises(OptionError, match="no published results") as caught:
        published_results(LanguagePair.parse(pair), year=year)
    assert "es-en 2017" in caught.value.fix
