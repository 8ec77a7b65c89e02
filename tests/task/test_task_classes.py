"""The five sub-tasks as data: classes, members, aliases and fillers of every year."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from anaphor.core import LanguagePair, OptionError, UnknownNameError
from anaphor.task import TaskClasses, task_classes

#: The official scorer's classes in its order (original-tools, section 4.2; Table 1 of discomt17-findings).
CLASSES = {
    ("en-fr", 2015): "ce cela elle elles il ils on ça OTHER",
    ("en-fr", 2016): "ce elle elles il ils cela on OTHER",
    ("en-fr", 2017): "ce elle elles il ils cela on OTHER",
    ("fr-en", 2016): "he she it they this these there OTHER",
    ("en-de", 2016): "er sie es man OTHER",
    ("en-de", 2017): "er sie es man OTHER",
    ("de-en", 2016): "he she it they you this these there OTHER",
    ("de-en", 2017): "he she it they you this these there OTHER",
    ("es-en", 2017): "he she it they you there OTHER",
    ("en-es", 2017): "él ella ellos ellas lo la NULL OTHER",
}

#: Table 1 of discomt17-findings; Spanish has null subjects instead of pronouns.
SOURCES = {
    "en-fr": "it they",
    "fr-en": "elle elles il ils",
    "en-de": "it they",
    "de-en": "er sie es",
    "es-en": "",
}

#: The lists of the released baseline (original-tools, section 5).
FILLERS = {
    "en-fr": (
        "c' ce elle elles il ils ça cela on",
        "le l' se s' y en qui que qu' tout faire ont fait est parler comprendre chose choses ne pas "
        "dessus dedans",
    ),
    "en-de": ("er sie es man", "diese ihnen ihre ihrer sondern den so werden auch beide dazu dabei"),
    "de-en": (
        "he she it they you this these there",
        "them let me to like would as will by themselves may",
    ),
    "fr-en": (
        "he she it they this these those there",
        "them let me to like would as will by themselves may",
    ),
    "es-en": (
        "he she it they you there",
        "them let me to like would as will by themselves may this these",
    ),
}


def classes_of(pair: str, year: int = 2017) -> TaskClasses:
    return task_classes(LanguagePair.parse(pair), year=year)


@pytest.mark.parametrize(("task", "expected"), CLASSES.items(), ids=lambda value: str(value))
def test_classes_stand_in_the_order_of_the_scorer(task: tuple[str, int], expected: str) -> None:
    assert classes_of(*task).classes == tuple(expected.split())


@pytest.mark.parametrize("pair", SOURCES)
def test_source_pronouns_are_those_of_the_paper(pair: str) -> None:
    assert set(classes_of(pair).source_pronouns) == set(SOURCES[pair].split())
    assert classes_of(pair).null_subjects == (pair == "es-en")


@pytest.mark.parametrize("pair", FILLERS)
def test_fillers_are_those_of_the_baseline(pair: str) -> None:
    classes = classes_of(pair)
    assert (" ".join(classes.fillers), " ".join(classes.other_fillers)) == FILLERS[pair]
    assert all(classes.class_of(word) != classes.other for word in classes.fillers)
    assert all(classes.class_of(word) == classes.other for word in classes.other_fillers)


@pytest.mark.parametrize(
    ("pair", "year", "word", "label"),
    [
        ("en-fr", 2017, "C’", "ce"),
        ("en-fr", 2017, "Ça", "cela"),
        ("en-fr", 2017, "c\u0327a", "cela"),
        ("en-fr", 2017, "ç'", "cela"),
        ("en-fr", 2015, "Ca", "ça"),
        ("en-fr", 2015, "cela", "cela"),
        ("en-fr", 2017, "lui", "OTHER"),
        ("en-fr", 2017, "NONE", "OTHER"),
        ("fr-en", 2016, "That", "this"),
        ("de-en", 2017, "those", "these"),
        ("es-en", 2017, "this", "OTHER"),
        ("en-de", 2017, "Man", "man"),
    ],
)
def test_a_word_has_the_class_of_its_form(pair: str, year: int, word: str, label: str) -> None:
    assert classes_of(pair, year).class_of(word) == label


@pytest.mark.parametrize("task", CLASSES, ids=str)
def test_every_alias_leads_to_a_class(task: tuple[str, int]) -> None:
    classes = classes_of(*task)
    assert set(classes.aliases.values()) == set(classes.classes)
    assert classes.aliases["NONE"] == classes.aliases["OTHER"] == "OTHER"


def test_a_pair_without_the_task_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    folder.mkdir()
    pack = (files("anaphor.languages") / "packs" / "en-es.toml").read_text(encoding="utf-8")
    head, _, rest = pack.partition("[prediction]")
    (folder / "en-es.toml").write_text(head + rest[rest.index("[about]") :], encoding="utf-8")
    with pytest.raises(OptionError, match="en-es has no prediction task"):
        task_classes(LanguagePair.parse("en-es"), folder=folder)
    with pytest.raises(UnknownNameError):
        classes_of("en-xx")


def test_a_year_without_classes_is_refused_and_the_others_are_named() -> None:
    with pytest.raises(OptionError, match="no classes for 2015") as caught:
        classes_of("en-de", 2015)
    assert "2016, 2017" in caught.value.fix


PAIR = """
source_pronouns = ["it"]
target_pronouns = ["il"]
object_pronouns = []
identical = []
equivalent = []
likely = { it = ["il"] }
about = { facts = "made up for a test", licence = "Apache-2.0" }

[prediction]
source_pronouns = ["it"]
fillers = ["il"]
classes = [{ years = [2017], labels = ["il", "on"], members = { on = ["l'on"] } }]
"""


def test_a_new_task_needs_a_pack_and_no_code(tmp_path: Path) -> None:
    (tmp_path / "en-fr.toml").write_text(PAIR, encoding="utf-8")
    classes = task_classes(LanguagePair("en", "fr"), folder=tmp_path)
    assert classes.classes == ("il", "on", "OTHER")
    assert classes.class_of("L’on") == "on"
    assert classes.other_fillers == ()
