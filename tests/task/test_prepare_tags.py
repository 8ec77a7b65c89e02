"""The two tag sets of the task."""

from __future__ import annotations

import pytest

from anaphor.core import Analysis, LanguagePair, OptionError
from anaphor.task.prepare.plan import TAG_SETS, check_tag_set, lemmas_with_tags

TWELVE = frozenset(["ADJ", "ADP", "ADV", "CONJ", "DET", "NOUN", "NUM", "PRON", "PRT", "VERB", "X", "."])


def test_both_sets_know_the_17_tags_of_universal_dependencies() -> None:
    universal, french = TAG_SETS["universal"], TAG_SETS["french"]
    assert len(universal) == 17
    assert universal.keys() == french.keys()


def test_the_universal_set_has_the_twelve_tags_of_petrov() -> None:
    # wmt16-findings, section 3.3: 12 coarse tags
    assert set(TAG_SETS["universal"].values()) == TWELVE


def test_the_french_set_writes_the_example_of_the_paper() -> None:
    # wmt16-findings, Figure 1 (French: être|VER un|DET débat|NOM idiot|ADJ ... .|.)
    analysis = Analysis(
        ("être", "un", "débat", "idiot", "qui", "."), ("AUX", "DET", "NOUN", "ADJ", "PRON", "PUNCT")
    )
    written = lemmas_with_tags(analysis, TAG_SETS["french"])
    assert written == ["être|VER", "un|DET", "débat|NOM", "idiot|ADJ", "qui|PRON", ".|."]


@pytest.mark.parametrize(("name", "pair"), [("french", "en-de"), ("stts", "en-de")])
def test_a_tag_set_that_does_not_fit_is_refused(name: str, pair: str) -> None:
    with pytest.raises(OptionError, match="tags"):
        check_tag_set(name, LanguagePair.parse(pair))
