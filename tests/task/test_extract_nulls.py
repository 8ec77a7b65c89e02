"""Spanish verbs without a subject: on analyses written by hand, and from sentences to placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from anaphor.analyse import load_analyser
from anaphor.core import Alignment, Analysis, Tree
from anaphor.task.prepare.null_subjects import AnalysedPair, may_be_third_person, null_subject_placeholders
from anaphor.task.prepare.placeholders import LinkThresholds, Placeholder

SPANISH = ("Dijo", "que", "vendría", ".")
SOURCE = Analysis(
    ("decir", "que", "venir", "."), ("VERB", "SCONJ", "VERB", "PUNCT"), null_subjects=frozenset([0, 2])
)
ENGLISH = ("He", "said", "that", "it", "would", "come", ".")
TARGET = Analysis(
    ("he", "say", "that", "it", "will", "come", "."),
    ("PRON", "VERB", "SCONJ", "PRON", "AUX", "VERB", "PUNCT"),
    subjects=frozenset([0, 3]),
)
TREE = Tree((1, None, 5, 5, 5, 1, 1), ("nsubj", "root", "mark", "nsubj", "aux", "ccomp", "punct"))
LINKS = Alignment((0, 1, 2, 3), (1, 2, 5, 6))


def found(
    source: Sequence[str], spanish: Analysis, target: Sequence[str], english: Analysis, links: Alignment
) -> tuple[Placeholder, ...]:
    return null_subject_placeholders(AnalysedPair(source, spanish, target, english, links), LinkThresholds())


@pytest.mark.parametrize("tree", [None, TREE], ids=["without a tree", "by the tree"])
def test_a_null_subject_hides_the_subject_of_the_linked_verb(tree: Tree | None) -> None:
    # discomt17-findings, section 3.3.1: the placeholder carries the position of the Spanish verb
    places = found(SPANISH, SOURCE, ENGLISH, replace(TARGET, tree=tree), LINKS)
    assert places == (Placeholder(0, 0, hides=True), Placeholder(2, 3, hides=True))


@pytest.mark.parametrize("tree", [None, TREE], ids=["without a tree", "by the tree"])
def test_a_linked_auxiliary_leads_to_the_subject_of_its_verb(tree: Tree | None) -> None:
    places = found(SPANISH, SOURCE, ENGLISH, replace(TARGET, tree=tree), Alignment((2,), (4,)))
    assert places[1] == Placeholder(2, 3, hides=True)


def test_two_verbs_do_not_hide_the_same_subject() -> None:
    english = Analysis(("he", "have", "go"), ("PRON", "AUX", "VERB"), subjects=frozenset([0]))
    spanish = Analysis(("ir", "ir"), ("VERB", "VERB"), null_subjects=frozenset([0, 1]))
    words, links = ["he", "has", "gone"], Alignment((0, 1), (1, 2))
    places = found(["va", "va"], spanish, words, english, links)
    assert [place.hides for place in places] == [True, False]
    # By itself, each of the verbs hides it.
    for verb in (0, 1):
        alone = replace(spanish, null_subjects=frozenset([verb]))
        assert [one.hides for one in found(["va", "va"], alone, words, english, links)] == [True]


SENTENCES = [
    # A missing subject that a pronoun renders.
    ("Llegó ayer .", "She arrived yesterday .", "0-1 1-2 2-3", ["She"]),
    ("Es muy importante .", "It is very important .", "0-1 1-2 2-3 3-4", ["It"]),
    ("Hay muchos problemas .", "There are many problems .", "0-1 1-2 2-3 3-4", ["There"]),
    ("No puede haber paz .", "There can be no peace .", "0-3 1-1 2-2 3-4 4-5", ["There"]),
    ("Creo que no han venido .", "I think they have not come .", "0-1 2-4 3-3 4-5 5-6", ["they"]),
    ("Se trata de un error .", "This is a mistake .", "1-1 3-2 4-3 5-4", ["This"]),
    ("¿ Está de acuerdo ?", "Do you agree ?", "1-2 2-2 3-2 4-3", ["you"]),
    ("No hay que olvidar esto .", "We must not forget this .", "0-2 1-1 3-3 4-4 5-5", ["We"]),
    # The object of a relative clause leaves the subject open.
    ("Es el libro que ha leído .", "It is the book that he has read .", "0-1 2-3 3-4 4-6 5-7", ["It", "he"]),
    # Verbs that are no examples.
    ("Estaba en casa .", "I was at home .", "0-1 1-2 2-3 3-4", []),
    ("Hice una película .", "I made a movie .", "0-1 1-2 2-3 3-4", []),
    ("Hay una mujer que canta .", "There is a woman who sings .", "0-1 1-2 2-3 3-4 4-5 5-6", ["There"]),
    ("La mujer llegó y cantó .", "The woman arrived and sang .", "0-0 1-1 2-2 3-3 4-4 5-5", []),
    ("¿ Cómo puede un juez decidir ?", "How can a judge decide ?", "1-0 2-1 3-2 4-3 5-4 6-5", []),
    ("Si eliminan ustedes el Pacto", "If you remove the Pact", "0-0 1-2 3-3 4-4", []),
    ("Eso es cierto .", "It is true .", "0-0 1-1 2-2 3-3", []),
    ("Pregunten a su médico .", "Ask your doctor .", "0-0 2-1 3-2 4-3", []),
    ("Se necesitan medidas .", "We need measures .", "1-1 2-2 3-3", []),
    ("Existe un riesgo .", "There is a risk .", "0-1 1-2 2-3 3-4", []),
    ("Son los jefes .", "It is the bosses .", "0-1 1-2 2-3 3-4", []),
]  # fmt: skip


@pytest.mark.parametrize(("spanish", "english", "links", "hidden"), SENTENCES)
def test_which_verbs_are_examples(spanish: str, english: str, links: str, hidden: list[str]) -> None:
    """Whatever the analyser says: every finite-looking verb is offered as one without a subject."""
    source, target = spanish.split(), english.split()
    (analysis,) = load_analyser("built-in", language="es").analyse([source])
    (translated,) = load_analyser("built-in", language="en").analyse([target])
    verbs = frozenset(n for n, tag in enumerate(analysis.tags) if tag in ("VERB", "AUX"))
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    alignment = Alignment(tuple(one for one, _ in pairs), tuple(other for _, other in pairs))
    places = found(source, replace(analysis, null_subjects=verbs), target, translated, alignment)
    assert sorted(target[place.target] for place in places if place.hides) == sorted(hidden)


@pytest.mark.parametrize(
    "form",
    [
        "es",
        "hay",
        "dice",
        "dijo",
        "hizo",
        "tuvo",
        "habló",
        "comió",
        "esté",
        "existe",
        "insiste",
        "van",
        "puso",
        "Será",
    ],
)
def test_forms_of_the_third_person(form: str) -> None:
    assert may_be_third_person(form)


@pytest.mark.parametrize(
    "form",
    [
        "digo",
        "soy",
        "voy",
        "hice",
        "dije",
        "lancé",
        "comí",
        "mostraré",
        "hablamos",
        "tienes",
        "dijiste",
        "hablad",
        "ver",
        "verlo",
        "viendo",
        "he",
    ],
)
def test_forms_that_are_not_in_the_third_person(form: str) -> None:
    assert not may_be_third_person(form)
