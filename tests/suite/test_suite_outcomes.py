"""What a match is, on words alone. Every row names the example of a paper that it is modelled on."""

from __future__ import annotations

import pytest

from anaphor.core import Item, LanguagePair, Span
from anaphor.suite.outcomes import AcceptedTranslation, CandidateWords, ItemOutcome, OverlapMatcher

COMPARER = OverlapMatcher(LanguagePair("en", "fr"))
ITEM = Item("x", "d", "c", (Span(0, 2),))


def accepted(origin: str, pronoun: str, *heads: str) -> AcceptedTranslation:
    return AcceptedTranslation(origin, COMPARER.units(pronoun), tuple(map(COMPARER.units, heads)))


BICYCLE = [accepted("human", "Il", "vélo")]
FUNERAL = [accepted("first", "Elles", "funérailles"), accepted("second", "Il", "enterrement")]
CORPORATIONS = [accepted("human", "elles", "entreprises")]
CLIPS = [accepted("human", "elles", "vidéos"), accepted("approved by A", "ils", "extraits")]


@pytest.mark.parametrize(
    ("pairs", "pronoun", "heads", "outcome", "origin"),
    [
        # protest-2016, examples 3 to 5
        (BICYCLE, ("Il",), ("vélo",), ItemOutcome.MATCH, "human"),
        (BICYCLE, ("Elle",), ("bicyclette",), ItemOutcome.BOTH_DIFFER, None),
        (BICYCLE, ("Il",), ("bicyclette",), ItemOutcome.HEAD_DIFFERS, None),
        (BICYCLE, ("Elle",), ("vélo",), ItemOutcome.PRONOUN_DIFFERS, None),
        (BICYCLE, (), ("vélo",), ItemOutcome.PRONOUN_DIFFERS, None),
        # examples 6 to 9: more words than the head may be linked
        (CORPORATIONS, ("elles",), ("les", "entreprises"), ItemOutcome.MATCH, "human"),
        (CORPORATIONS, ("ils",), ("les", "entreprises"), ItemOutcome.PRONOUN_DIFFERS, None),
        # examples 10 to 12: either pair, but no mixture
        (FUNERAL, ("elles",), ("funérailles",), ItemOutcome.MATCH, "first"),
        (FUNERAL, ("il",), ("enterrement",), ItemOutcome.MATCH, "second"),
        (FUNERAL, ("il",), ("funérailles",), ItemOutcome.CROSSED, None),
        ([*BICYCLE, accepted("other", "il", "vélo")], ("il",), ("vélo",), ItemOutcome.MATCH, "human"),
        # guillou-hardmeier-2018: approved by people, as section 6 of protest-2016 proposes
        (CLIPS, ("ils",), ("extraits",), ItemOutcome.MATCH, "approved by A"),
        (CLIPS, ("ils",), ("vidéos",), ItemOutcome.CROSSED, None),
    ],
)
def test_pronoun_and_head_must_match_one_accepted_pair(
    pairs: list[AcceptedTranslation],
    pronoun: tuple[str, ...],
    heads: tuple[str, ...],
    outcome: ItemOutcome,
    origin: str | None,
) -> None:
    judged = COMPARER.judge(ITEM, CandidateWords(pronoun, (heads,)), pairs, antecedent=True)
    assert (judged.outcome, judged.origin) == (outcome, origin)


def test_the_head_does_not_count_where_the_category_says_so() -> None:
    found = CandidateWords(("Il",), (("bicyclette",),))
    assert COMPARER.judge(ITEM, found, BICYCLE, antecedent=False).outcome is ItemOutcome.MATCH


def test_every_one_of_several_heads_must_match() -> None:
    pairs = [accepted("human", "ils", "Anne", "Marc")]
    both, one = (CandidateWords(("ils",), (("Anne",), second)) for second in (("Marc",), ("Luc",)))
    assert COMPARER.judge(ITEM, both, pairs, antecedent=True).outcome is ItemOutcome.MATCH
    assert COMPARER.judge(ITEM, one, pairs, antecedent=True).outcome is ItemOutcome.HEAD_DIFFERS


@pytest.mark.parametrize(("pronoun", "matches"), [((), True), ((",",), True), (("il",), False)])
def test_a_pronoun_that_the_reference_leaves_out_must_be_left_out(
    pronoun: tuple[str, ...], matches: bool
) -> None:
    judged = COMPARER.judge(ITEM, CandidateWords(pronoun), [accepted("human", "")], antecedent=False)
    assert (judged.outcome is ItemOutcome.MATCH) is matches


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Il", {"il"}),
        ("est-il", {"est", "il"}),
        ("a-t-elle", {"a", "elle"}),
        ("-il", {"il"}),
        ("C’", {"c"}),
        ("c'", {"c"}),
        ("qu'elle", {"qu", "elle"}),
        ("les entreprises ,", {"les", "entreprises"}),
        ("e\u0301le\u0301phant", {"éléphant"}),
        ("…", set()),
        ("", set()),
    ],
)
def test_words_are_compared_without_case_punctuation_and_the_tokenisers_ways(
    text: str, units: set[str]
) -> None:
    assert COMPARER.units(text) == units


def test_a_language_without_a_pack_is_cut_at_spaces() -> None:
    assert OverlapMatcher(LanguagePair("en", "sk")).units("To , Je") == {"to", "je"}
