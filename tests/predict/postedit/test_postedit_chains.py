"""Pronouns with one antecedent: one gender and number, or no proposal."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from anaphor.core import LanguagePair, Settings
from anaphor.corpus import Text
from anaphor.evaluation.postediting import postedit
from anaphor.evaluation.predictions import link_candidate
from anaphor.predict.postedit import (
    LinkedText,
    OccurrencePrediction,
    Proposer,
    apply_proposals,
    combine_chains,
    find_occurrences,
)
from anaphor.predict.shipped import find_model

PLANTS = ("The flowers need water.", "If they dry, they die.")
FLEURS = ("Les fleurs ont besoin d'eau.", "S'ils sèchent, ils meurent.")


def linked(source: tuple[str, ...], candidate: tuple[str, ...], *documents: str) -> LinkedText:
    return link_candidate(
        Settings(pair="en-fr"),
        source=Text.of(source, path="source"),
        candidate=Text.of(candidate, path="candidate"),
        documents=documents or None,
        links=None,
    )


def predicted(text: LinkedText, *shares: Mapping[str, float]) -> list[OccurrencePrediction]:
    return [
        OccurrencePrediction(one, share)
        for one, share in zip(find_occurrences(text, year=2016), shares, strict=True)
    ]


def first(one: OccurrencePrediction) -> tuple[str, float]:
    label, share = one.first(but="OTHER")
    return label, round(share, 3)


def test_pronouns_of_a_chain_share_gender_and_number() -> None:
    text = linked(PLANTS, FLEURS)
    given = predicted(
        text, {"ils": 0.5, "elles": 0.4, "ce": 0.1}, {"elles": 0.9, "OTHER": 0.08, "ils": 0.01, "ce": 0.01}
    )
    assert given[0].chain is None
    together = combine_chains(text, given)
    # sqrt(.4 * .9) = .6 and sqrt(.5 * .01) = .0707: elles has .8946 of what is personal.
    assert [first(one) for one in together] == [("elles", 0.805), ("elles", 0.814)]
    assert together[0].chain == together[1].chain
    assert [one.probabilities["ce"] for one in together] == [0.1, 0.01]
    assert [round(sum(one.probabilities.values()), 9) for one in together] == [1.0, 1.0]


def test_documents_and_other_antecedents_divide_chains() -> None:
    shares = {"ils": 0.6, "elles": 0.4}
    apart = linked(
        ("The flowers need water.", "They dry.", "They die."),
        (*FLEURS[:1], "Ils sèchent.", "Ils meurent."),
        "a",
        "a",
        "b",
    )
    assert [one.chain for one in combine_chains(apart, predicted(apart, shares, shares))] == [None, None]
    mixed = linked(
        ("The flower needs water.", "It dries, and they are sorry."),
        ("La fleur a besoin d'eau.", "Elle sèche, et ils sont tristes."),
    )
    found = combine_chains(mixed, predicted(mixed, {"elle": 0.6, "il": 0.4}, shares))
    assert [one.chain for one in found] == [None, None]


@pytest.mark.parametrize(("share", "edited"), [(0.95, "Si elles sèchent, elles meurent."), (0.2, FLEURS[1])])
def test_a_chain_is_changed_as_a_whole_or_not_at_all(share: float, edited: str) -> None:
    text = linked(PLANTS, FLEURS)
    given = predicted(
        text, {"elles": share, "OTHER": 0.99 - share, "ils": 0.01}, {"elles": 0.98, "ils": 0.02}
    )
    found = Proposer(text).propose(combine_chains(text, given), threshold=0.9)
    assert apply_proposals(FLEURS, found.applied)[1] == edited
    if edited == FLEURS[1]:
        (held,) = found.withheld
        assert "inconsistent with another pronoun" in held.reason


def test_the_shipped_model_never_divides_a_chain() -> None:
    for threshold in (0.3, 0.5, 0.7, 0.9):
        result = postedit(
            find_model("anaphor-2-small", pair="en-fr"),
            Settings(pair="en-fr"),
            name="anaphor-2-small",
            source=Text.of(PLANTS, path="source"),
            candidate=Text.of(FLEURS, path="candidate"),
            threshold=threshold,
        )
        assert result.lines[1] in (FLEURS[1], "Si elles sèchent, elles meurent.")


def test_other_languages_than_those_of_the_resolver_have_no_chains() -> None:
    text = LinkedText(LanguagePair.parse("pt-fr"), (), (), (), ())
    assert combine_chains(text, []) == []
