"""The suites that ship: complete, true to the demo documents, full marks for their own references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from itertools import groupby
from pathlib import Path

import pytest

from anaphor.align import AlignerChoice
from anaphor.cli.main import main
from anaphor.core import OptionError, UnknownNameError
from anaphor.corpus import read_text
from anaphor.scoring.selfcheck import check_suite
from anaphor.suite import (
    EvaluationOptions,
    LoadedSuite,
    copy_shipped,
    evaluate_suite,
    load_categories,
    load_shipped,
    load_suite,
    shipped_suites,
)

SHIPPED = Path(str(files("anaphor.suite") / "shipped"))
DEMO = Path(str(files("anaphor") / "demo"))
NAMES = ("anaphor-en-de", "anaphor-en-fr")
SYSTEMS = {"anaphor-en-de": ("eider.de", "falke.de"), "anaphor-en-fr": ("baldur.fr", "cormoran.fr")}

Shipped = Callable[[str], LoadedSuite]


def options(loaded: LoadedSuite) -> EvaluationOptions:
    return EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))


def test_two_suites_ship() -> None:
    assert shipped_suites() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_category_of_protest_has_ten_items_or_more(name: str) -> None:
    suite = load_shipped(name).suite
    counts = Counter(item.category for item in suite.items)
    assert suite.categories == load_categories("protest").categories
    assert min(counts[category.name] for category in suite.categories) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_the_features_of_every_item_put_it_into_its_category(name: str) -> None:
    pack = load_categories("protest")
    items = list(load_shipped(name).suite.items)
    assert items
    for item in items:
        assert item.category in pack.categories_of(item.features), item.id


@pytest.mark.parametrize("name", NAMES)
def test_features_match_the_text(name: str) -> None:
    loaded = load_shipped(name)
    locators = loaded.texts.locators["source"]
    assert loaded.suite.items
    for item in loaded.suite.items:
        source = locators[item.document]
        assert source.text(item.pronoun).lower() == item.features["form"], item.id
        if item.antecedents:
            (at,) = source.stretches(item.pronoun)
            (head,) = source.stretches(item.antecedents[-1].head)
            assert (head.segment, head.start) < (at.segment, at.start), item.id
            assert item.features["distance"] == ("intra" if head.segment == at.segment else "inter"), item.id


@pytest.mark.parametrize("name", NAMES)
def test_both_suites_have_second_references_and_approved_alternatives(name: str) -> None:
    suite = load_shipped(name).suite
    assert sum(len(item.references) == 2 for item in suite.items) == 40
    assert sum(bool(item.alternatives) for item in suite.items) >= 10


def test_both_suites_ask_the_same_pronouns() -> None:
    german, french = (load_shipped(name) for name in NAMES)
    assert german.texts.source_lines == french.texts.source_lines
    assert [(one.id, one.category, one.pronoun) for one in german.suite.items] == [
        (one.id, one.category, one.pronoun) for one in french.suite.items
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_reference_of_a_shipped_suite_gets_full_marks(name: str) -> None:
    loaded = load_shipped(name)
    findings = list(check_suite(loaded, options(loaded)))
    assert len(findings) == 8  # four for each of two references
    assert all(finding.holds for finding in findings)


def test_the_demo_documents_in_the_french_suite_are_those_of_the_demo() -> None:
    texts = load_shipped("anaphor-en-fr").texts
    documents = read_text(DEMO / "documents").lines
    source, reference = (read_text(DEMO / name).lines for name in ("source.en", "reference.fr"))
    assert documents
    for name, rows in groupby(zip(documents, source, reference, strict=True), key=lambda row: row[0]):
        lines = list(rows)
        assert texts.source[name].lines == tuple(line for _, line, _ in lines)
        assert texts.references["reference"][name].lines == tuple(line for _, _, line in lines)


@pytest.mark.parametrize("system", ["baldur.fr", "cormoran.fr"])
def test_the_demo_systems_translate_the_demo_documents_as_in_the_demo(system: str) -> None:
    demo = read_text(DEMO / system).lines
    assert read_text(SHIPPED / "anaphor-en-fr" / "candidates" / system).lines[: len(demo)] == demo


@pytest.mark.parametrize("name", NAMES)
def test_the_careful_system_is_better_and_agrees_more_with_itself(name: str) -> None:
    """The systems were written so: the first follows its own nouns, the second is blind to gender."""
    loaded = load_shipped(name)
    paths = {system: SHIPPED / name / "candidates" / system for system in SYSTEMS[name]}
    report = evaluate_suite(
        loaded, {system: read_text(path) for system, path in paths.items()}, options(loaded)
    )
    careful, careless = (system.category_scores[-1] for system in report.systems)
    assert careful.right > careless.right
    assert careful.agreeing > careless.agreeing


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_is_the_suite_with_its_candidates(name: str, tmp_path: Path) -> None:
    copy_shipped(name, tmp_path / "copy")
    assert load_suite(tmp_path / "copy").suite == load_shipped(name).suite
    found = tuple(sorted(path.name for path in (tmp_path / "copy" / "candidates").iterdir()))
    assert found == SYSTEMS[name]


def test_a_copy_replaces_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OptionError, match="it exists already"):
        copy_shipped("anaphor-en-fr", tmp_path / "there")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="unknown shipped suite: anaphor-en-es") as caught:
        load_shipped("anaphor-en-es")
    assert "did you mean anaphor-en-de?" in caught.value.fix


def test_the_command_lists_and_copies(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["suite", "shipped"]) == 0
    assert "anaphor-en-fr      1.0  en-fr         10    162  Apache-2.0" in capsys.readouterr().out
    assert main(["suite", "shipped", "--json"]) == 0
    assert '"pair": "en-de"' in capsys.readouterr().out
    assert main(["suite", "shipped", "anaphor-en-de", "--output", "mine"]) == 0
    assert capsys.readouterr().out == "mine: anaphor-en-de\n"
    assert main(["suite", "shipped", "anaphor-en-de"]) == 1
    assert "a copy needs a name and a folder" in capsys.readouterr().err
