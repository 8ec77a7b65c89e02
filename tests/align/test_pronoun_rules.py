"""The confidence that links of evaluated pronouns need, and how tokens are split; numbers are invented."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from anaphor.align import HmmAligner
from anaphor.align.model import DecodedLinks, HmmOptions, LexiconRows, LinkPlaces
from anaphor.align.programs import SentencePair
from anaphor.align.pronoun_rules import PronounRules
from anaphor.align.vocabulary import WordVocabulary, load_packs, number_pairs, split_clitics, whole_words
from anaphor.core import LanguagePair
from anaphor.languages import load_language, load_pair

SOURCE = ["they", "say", "it", "works", "and", "it", "sells"]
TARGET = ["ellos", "dicen", "que", "funciona", "y", "se", "vende"]
OPTIONS = HmmOptions(threshold=0.3, pronoun_threshold=0.1, stray_threshold=0.8)
THEY, SAY, IT, AND, IT_AGAIN = 0, 1, 2, 4, 5
ELLOS, DICEN, QUE, FUNCIONA, SE = 0, 1, 2, 3, 5


def least(pair: LanguagePair | None, *found: tuple[int, int, float]) -> list[float]:
    """The confidence asked of links of SOURCE and TARGET, given as source, target and confidence."""
    source, target = WordVocabulary(whole_words), WordVocabulary(whole_words)
    numbered = number_pairs([(SOURCE, TARGET)], source=source, target=target)
    rules = PronounRules.of(load_packs(pair).pair, source, target)
    links = DecodedLinks(
        np.array([0, len(found)], np.int64),
        np.array([link[0] for link in found], np.int32),
        np.array([link[1] for link in found], np.int32),
        np.array([link[2] for link in found], np.float32),
    )
    return list(rules.least(numbered.text, links, LinkPlaces.of(numbered.text, links), OPTIONS))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param([(SAY, DICEN, 0.5)], [0.3], id="not an evaluated pronoun"),
        pytest.param([(SAY, QUE, 0.5)], [0.3], id="a particle is a word like others to other words"),
        pytest.param([(THEY, ELLOS, 0.2)], [0.1], id="usual translation"),
        pytest.param([(IT, ELLOS, 0.2)], [0.8], id="a pronoun, but no usual translation of this one"),
        pytest.param([(IT, FUNCIONA, 0.5)], [0.8], id="stray"),
        pytest.param([(IT, QUE, 0.9)], [math.inf], id="particle"),
        pytest.param([(IT, SE, 0.2), (IT_AGAIN, SE, 0.5)], [0.3, 0.1], id="the surer source word has it"),
        pytest.param([(IT, SE, 0.49), (IT_AGAIN, SE, 0.5)], [0.3, 0.1], id="however little the surer one is"),
        pytest.param([(IT, SE, 0.5), (IT_AGAIN, SE, 0.5)], [0.1, 0.1], id="equally sure ones both have it"),
        pytest.param([(THEY, ELLOS, 0.5), (THEY, SE, 0.5)], [0.1, 0.1], id="and so have two translations"),
        pytest.param([(AND, SE, 0.5), (IT, SE, 0.2)], [0.3, 0.3], id="any source word can be the surer one"),
        pytest.param([(THEY, ELLOS, 0.2), (THEY, SE, 0.5)], [0.8, 0.1], id="a second translation is a stray"),
        pytest.param([(THEY, ELLOS, 0.2), (THEY, DICEN, 0.5)], [0.1, 0.8], id="a stray is no rival"),
        pytest.param([], [], id="no links"),
    ],
)
def test_what_a_link_needs_depends_on_its_words_and_its_rivals(
    found: list[tuple[int, int, float]], expected: list[float]
) -> None:
    assert least(LanguagePair("en", "es"), *found) == pytest.approx(expected)


@pytest.mark.parametrize("pair", [None, LanguagePair("en", "xx"), LanguagePair("de", "fr")])
def test_without_a_pack_of_the_pair_all_links_are_plain(pair: LanguagePair | None) -> None:
    assert least(pair, (THEY, ELLOS, 0.2), (IT, QUE, 0.9)) == pytest.approx([0.3, 0.3])


def test_an_evaluated_pronoun_and_a_particle_are_not_a_word_pair() -> None:
    source, target = WordVocabulary(whole_words, ["it", "not"]), WordVocabulary(whole_words, ["no", "lo"])
    rules = PronounRules.of(load_pair(LanguagePair("en", "es")), source, target)
    every_pair = LexiconRows(np.array([0, 2, 4], np.int64), np.array([0, 1, 0, 1], np.int32))
    assert rules.allowed(every_pair).tolist() == [False, True, True, True]


def test_a_usual_translation_that_is_also_a_particle_stays_a_translation() -> None:
    pack = load_pair(LanguagePair("en", "es"))
    both = replace(pack, target=replace(pack.target, particles=(*pack.target.particles, "lo")))
    source, target = WordVocabulary(whole_words, ["it", "not"]), WordVocabulary(whole_words, ["no", "lo"])
    rules = PronounRules.of(both, source, target)
    assert "lo" in pack.likely["it"]
    every_pair = LexiconRows(np.array([0, 2, 4], np.int64), np.array([0, 1, 0, 1], np.int32))
    assert rules.allowed(every_pair).tolist() == [False, True, True, True]


@pytest.mark.parametrize(("pair", "linked"), [(None, True), (LanguagePair("en", "es"), False)])
def test_a_dropped_subject_does_not_take_the_negation(pair: LanguagePair | None, linked: bool) -> None:
    pairs: list[SentencePair] = [
        (("it", "fails"), ("no", "funciona")),
        (("it", "stays"), ("no", "cambia")),
    ]
    first, _ = HmmAligner(pair=pair).align(pairs)
    assert (first.targets_of(0) == (0,)) is linked


def test_polite_address_keeps_its_capital() -> None:
    parts = split_clitics(load_language("de"))
    assert (parts("Sie"), parts("sie"), parts("SIE"), parts("Haus")) == (
        ("Sie",),
        ("sie",),
        ("sie",),
        ("haus",),
    )


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("sentirla", ("sentir", "la")),
        ("Déjala", ("deja", "la")),  # the accent is there only because of the clitic
        ("la", ("la",)),
        ("árbol", ("árbol",)),
    ],
)
def test_a_clitic_is_split_off_and_its_host_loses_the_accent(token: str, words: tuple[str, ...]) -> None:
    assert split_clitics(load_language("es"))(token) == words
