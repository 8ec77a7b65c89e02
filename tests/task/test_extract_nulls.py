"""Spanish verbs without a subject, on analyses written by hand."""

from __future__ import annotations

import pytest

from anaphor.core import Alignment, Analysis, Tree
from anaphor.task.prepare.placeholders import LinkThresholds, Placeholder, null_subject_placeholders

# Dijo que vendría . / He said that it would come .
SPANISH = Analysis(
    ("decir", "que", "venir", "."), ("VERB", "SCONJ", "VERB", "PUNCT"), null_subjects=frozenset([0, 2])
)
ENGLISH_TAGS = ("PRON", "VERB", "SCONJ", "PRON", "AUX", "VERB", "PUNCT")
ENGLISH_LEMMAS = ("he", "say", "that", "it", "will", "come", ".")
TREE = Tree((1, None, 5, 5, 5, 1, 1), ("nsubj", "root", "mark", "nsubj", "aux", "ccomp", "punct"))
LINKS = Alignment((0, 1, 2, 3), (1, 2, 5, 6))


@pytest.mark.parametrize("tree", [None, TREE], ids=["without a tree", "by the tree"])
def test_a_left_out_subject_hides_the_subject_of_the_linked_verb(tree: Tree | None) -> None:
    # discomt17-findings, section 3.3.1: the placeholder carries the position of the Spanish verb
    english = Analysis(ENGLISH_LEMMAS, ENGLISH_TAGS, subjects=frozenset([0, 3]), tree=tree)
    found = null_subject_placeholders(SPANISH, english, LINKS, LinkThresholds())
    assert found == (Placeholder(0, 0, hides=True), Placeholder(2, 3, hides=True))


def test_a_linked_auxiliary_leads_to_the_subject_of_its_verb() -> None:
    english = Analysis(ENGLISH_LEMMAS, ENGLISH_TAGS, subjects=frozenset([0, 3]), tree=TREE)
    found = null_subject_placeholders(SPANISH, english, Alignment((2,), (4,)), LinkThresholds())
    assert found[1] == Placeholder(2, 3, hides=True)


@pytest.mark.parametrize(
    ("links", "gap"),
    [
        pytest.param(LINKS, 1, id="the subject is a noun: before the linked verb"),
        pytest.param(Alignment((0,), (0,)), 0, id="linked to no verb: before the linked word"),
        pytest.param(Alignment(), 0, id="no link: at a similar position"),
    ],
)
def test_a_verb_that_leads_to_no_pronoun_has_its_placeholder_beside_the_verb(
    links: Alignment, gap: int
) -> None:
    noun = Analysis(("president", "say", "."), ("NOUN", "VERB", "PUNCT"), subjects=frozenset([0]))
    spanish = Analysis(("decir", "."), ("VERB", "PUNCT"), null_subjects=frozenset([0]))
    kept = Alignment(links.sources[:1], links.targets[:1])
    assert null_subject_placeholders(spanish, noun, kept, LinkThresholds()) == (
        Placeholder(0, gap, hides=False),
    )


def test_two_verbs_do_not_hide_the_same_subject() -> None:
    english = Analysis(("he", "go"), ("PRON", "VERB"), subjects=frozenset([0]))
    spanish = Analysis(("ir", "ir"), ("VERB", "VERB"), null_subjects=frozenset([0, 1]))
    found = null_subject_placeholders(spanish, english, Alignment((0, 1), (1, 1)), LinkThresholds())
    assert found == (Placeholder(0, 0, hides=True), Placeholder(1, 1, hides=False))
