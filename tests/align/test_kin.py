"""What word pairs learn from pairs that begin like them: numbers by hand, and a text that needs it."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.align import HmmAligner, SentencePair
from anaphor.align.model import HmmOptions, LexiconRows
from anaphor.align.train import PrefixFamilies
from anaphor.core import OptionError

SOURCES = ["decide", "decided", "dog"]
TARGETS = ["décide", "décidé", "chien", "chienne"]
ROWS = LexiconRows(np.array([0, 2, 4, 6], np.int64), np.array([0, 1, 1, 2, 2, 3], np.int32))
"""decide: décide, décidé; decided: décidé, chien; dog: chien, chienne."""


def test_a_pair_gets_what_its_kin_is_expected_to_count() -> None:
    """By hand. Families: deci, dog; déci, chie. C(deci) = 8, C(dog) = 4, C(déci) = 7, C(chie) = 5.

    C(deci,déci) = 7, C(deci,chie) = 1, C(dog,chie) = 4; kin = 2 (C(S,T) - c) / (C(S) + C(T) + 1).
    """
    kin = PrefixFamilies.of(source_forms=SOURCES, target_forms=TARGETS)
    count = np.array([4.0, 1.0, 2.0, 1.0, 3.0, 1.0])
    expected = [2 * 3 / 16, 2 * 6 / 16, 2 * 5 / 16, 0, 2 * 1 / 10, 2 * 3 / 10]
    np.testing.assert_allclose(kin.pseudo_counts(ROWS, count, weight=1), expected, rtol=1e-6)
    np.testing.assert_allclose(kin.pseudo_counts(ROWS, count, weight=2), 2 * np.array(expected), rtol=1e-6)


def test_words_without_kin_learn_nothing_from_others() -> None:
    kin = PrefixFamilies.of(source_forms=["it", "its", "dog"], target_forms=["es", "sein", "Hund", "Tier"])
    assert not kin.pseudo_counts(ROWS, np.ones(6), weight=10).any()


def test_a_table_without_entries_has_no_pseudo_counts() -> None:
    kin = PrefixFamilies.of(source_forms=[], target_forms=[])
    nothing = LexiconRows(np.zeros(1, np.int64), np.zeros(0, np.int32))
    assert len(kin.pseudo_counts(nothing, np.zeros(0), weight=1)) == 0


def rare_forms() -> list[SentencePair]:
    """Two forms met once, in one sentence, in opposite order; other forms of theirs are met apart."""
    known: list[SentencePair] = [(["lamps"], ["xuborek"]), (["clocks"], ["zimarek"])] * 5
    return [(["lamped", "clocked"], ["zimarol", "xuborol"]), *known]


@pytest.mark.parametrize(("weight", "found"), [(0.0, False), (10.0, True)])
def test_forms_met_once_are_linked_as_their_kin_is(weight: float, found: bool) -> None:
    first = next(iter(HmmAligner(HmmOptions(kin=weight)).align(rare_forms())))
    assert ({(link.source, link.target) for link in first.links()} == {(0, 1), (1, 0)}) is found


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(OptionError, match="kin is -1"):
        HmmOptions(kin=-1)
