"""The section on the prediction task in a pair's pack: what it may say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair
from anaphor.languages import ClassSet, PredictionPack, known_pairs, load_pair

HEAD = """
source_pronouns = ["it"]
target_pronouns = ["il"]
object_pronouns = []
identical = []
equivalent = []
likely = { it = ["il"] }
about = { facts = "made up for a test", licence = "Apache-2.0" }

[prediction]
"""
PRONOUNS = 'source_pronouns = ["it"]\n'
CLASSES = 'classes = [{ years = [2017], labels = ["ce", "il"], members = { ce = ["c\'"] } }]\n'


def loaded(folder: Path, section: str) -> PredictionPack | None:
    (folder / "en-fr.toml").write_text(HEAD + section, encoding="utf-8")
    return load_pair(LanguagePair("en", "fr"), folder=folder).prediction


def test_a_section_is_read_and_lists_may_be_left_out(tmp_path: Path) -> None:
    expected = ClassSet(years=(2017,), labels=("ce", "il"), members={"ce": ("c'",)})
    assert loaded(tmp_path, PRONOUNS + CLASSES) == PredictionPack(("it",), False, (expected,), (), ())
    assert expected.words() == {"ce": "ce", "il": "il", "c'": "ce"}


def test_the_pairs_of_the_shared_tasks_and_english_to_spanish_have_the_task() -> None:
    packs = {pair: load_pair(LanguagePair.parse(pair)).prediction for pair in known_pairs()}
    assert {pair for pair, pack in packs.items() if pack} == {
        *("de-en", "en-de", "en-es", "en-fr", "es-en", "fr-en"),
    }
    assert {pair for pair, pack in packs.items() if pack and pack.dropped} == {"en-es"}


@pytest.mark.parametrize("label", ["null", "OTHER", "NONE", "N1"])
def test_the_label_of_dropped_subjects_is_no_word(tmp_path: Path, label: str) -> None:
    with pytest.raises(InputError, match="not a label"):
        loaded(tmp_path, f'{PRONOUNS}dropped = "{label}"\n' + CLASSES)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (PRONOUNS, "prediction.classes: missing"),
        (CLASSES, "prediction.source_pronouns: missing"),
        (PRONOUNS + "classes = []", "prediction.classes: empty"),
        ("source_pronouns = []\n" + CLASSES, "source_pronouns: empty"),
        ('source_pronouns = ["itt"]\n' + CLASSES, "itt is not in the forms of en.toml"),
        (PRONOUNS + CLASSES + "null_subjects = 1", "expected true or false, got 1"),
        (PRONOUNS + CLASSES + "more = 1", "prediction.more: unknown key"),
        (PRONOUNS + CLASSES + 'fillers = ["elle"]', "fillers: elle is not in the words"),
        (PRONOUNS + CLASSES + 'fillers = ["il"]\nother_fillers = ["il"]', "il is also in fillers"),
        (PRONOUNS + "classes = [{ years = [], labels = ['il'] }]", "years: empty"),
        (
            PRONOUNS + "classes = [{ years = [2014], labels = ['il'] }]",
            "expected an integer from 2015 to 2017, got 2014",
        ),
        (
            PRONOUNS + "classes = [{ years = [2016, 2016], labels = ['il'] }]",
            "years: a number is listed twice",
        ),
        (PRONOUNS + "classes = [{ years = [2016], labels = [] }]", "labels: empty"),
        (PRONOUNS + "classes = [{ years = [2016], labels = ['Il'] }]", "not in the form that is compared"),
        (
            PRONOUNS + "classes = [{ years = [2016], labels = ['il'], members = { on = ['l'] } }]",
            "on is not in labels",
        ),
        (
            PRONOUNS + "classes = [{ years = [2016], labels = ['il', 'on'], members = { on = ['il'] } }]",
            "members.on: il is in two classes",
        ),
        (
            PRONOUNS + "classes = [{ years = [2016], labels = ['il'] }, { years = [2016], labels = ['on'] }]",
            "a year is listed twice",
        ),
    ],
)
def test_a_wrong_section_is_refused_with_its_key(tmp_path: Path, section: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, section)
    assert message in caught.value.what
    assert caught.value.where.path == str(tmp_path / "en-fr.toml")
    assert caught.value.where.line is not None
    assert caught.value.where.line >= HEAD.splitlines().index("[prediction]") + 1
