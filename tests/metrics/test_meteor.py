"""METEOR: against nltk where both mean the same, and by hand where the papers add to it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.snowball import FrenchStemmer
from nltk.translate.meteor_score import single_meteor_score

from anaphor.core import Settings
from anaphor.metrics import METRICS, Metric, MetricContext, MetricInput
from anaphor.metrics.meteor import REACH, Meteor


class _NoSynonyms:
    """nltk asks a WordNet for synonyms of every word; ours has none, as our METEOR has none."""

    def synsets(self, word: str) -> list[object]:
        return []


def metric(name: str = "meteor", pair: str = "en-fr") -> Metric:
    return METRICS.get(name).build(MetricContext.of(Settings(pair=pair, tokenized=True)))


def score(candidate: str, *references: str, name: str = "meteor") -> float:
    chosen = metric(name)
    trial = MetricInput("a", tuple((reference,) for reference in references), (candidate,), ())
    return float(chosen.value(chosen.count(trial).totals()))


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("le chat dort sur le tapis", "le chat dort sur le tapis"),
        ("le chat dort sur un tapis", "sur un tapis dort le chat"),
        ("elle mange une pomme verte", "il mangeait des pommes vertes"),
        ("ils sont venus hier", "elles viendront demain"),
        ("une phrase", "une phrase bien plus longue que la référence"),
        ("une phrase bien plus longue que le candidat", "une phrase"),
    ],
)
def test_same_as_nltk_without_synonyms(reference: str, candidate: str) -> None:
    expected = single_meteor_score(
        reference.split(), candidate.split(), stemmer=FrenchStemmer(), wordnet=_NoSynonyms()
    )
    assert score(candidate, reference) == pytest.approx(expected)


def test_fewest_chunks_where_nltk_takes_the_first_match() -> None:
    # sur le tapis | dort | le chat: three chunks of six matches, whichever `le` stands first.
    assert score("sur le tapis dort le chat", "le chat dort sur le tapis") == pytest.approx(1 - 0.5 / 8)


def test_fewest_chunks_among_equal_matches() -> None:
    # `de` of the candidate can match either `de`; only the second keeps `de la` in one chunk.
    chosen = metric()
    trial = MetricInput("a", (("de lui et de la mer",),), ("de la mer",), ())
    assert chosen.count(trial).totals()[4:].tolist() == [3, 1]


def test_exact_matches_come_before_stems() -> None:
    chosen = metric()
    trial = MetricInput("a", (("mangeait mange",),), ("mange",), ())
    assert chosen.count(trial).totals()[4] == 1
    assert score("mange", "mangeait mange") == score("mange", "x mange")


def test_pronouns_alone_decide_with_delta_zero() -> None:
    # apt-2017, section 3.2: function words are the pronouns, delta 0. One of two pronouns matches.
    chosen = metric("meteor-pronouns")
    trial = MetricInput("a", (("il dort et elle mange",),), ("il rêve et on boit",), ())
    totals = chosen.count(trial).totals()
    assert totals[:4].tolist() == [1, 2, 1, 2]
    assert score("il a b", "il c d", name="meteor-pronouns") == pytest.approx(1 - 0.5 * 1**3)


def test_the_best_reference_counts() -> None:
    assert score("il dort", "elle mange", "il dort") == score("il dort", "il dort")


def test_the_signature_says_what_is_matched() -> None:
    assert metric().settings()["match"] == "exact+stem"
    assert metric("meteor-pronouns").settings()["delta"] == "0"


def test_nothing_to_match() -> None:
    assert score("", "") != score("", "")  # NaN
    assert score("", "il dort") == 0
    assert score("il dort", "") == 0


def full_beam(candidate: list[str], reference: list[str], stem: Callable[[str], str]) -> tuple[int, int, int]:
    """Matches, inexact ones and chunks of the full search: all free targets, then the best eight."""
    beam: list[tuple[tuple[int, int, int], tuple[tuple[int, int], ...]]] = [((0, 0, 0), ())]
    for c, word in enumerate(candidate):
        grown = [
            (
                (m - 1, inexact + (word != reference[r]), chunks + ((c - 1, r - 1) not in pairs[-1:])),
                (*pairs, (c, r)),
            )
            for (m, inexact, chunks), pairs in beam
            for r in range(len(reference))
            if stem(word) == stem(reference[r]) and all(r != used for _, used in pairs)
        ]
        if grown:
            beam = sorted(beam + grown, key=lambda one: one[0])[:8]
    (matches, inexact, chunks), _ = beam[0]
    return -matches, inexact, chunks


some_words = st.lists(
    st.sampled_from(["le", "la", "mange", "mangeons", "manger", "petite", "petit"]), max_size=25
)


@given(some_words, some_words)
def test_targets_that_are_left_out_would_not_have_been_chosen(
    candidate: list[str], reference: list[str]
) -> None:
    meteor = metric()
    assert isinstance(meteor, Meteor)
    found = meteor._match(candidate, reference)
    assert found[:3] == full_beam(candidate, reference, meteor._stem)
    assert len(found.pairs()) == found.matches


def test_the_search_finds_what_the_full_one_finds_in_200_made_pairs() -> None:
    """Seeded, so that the same pairs are tried wherever the tests run; many have stems and several chunks."""
    rng = random.Random(11)
    words = ["le", "la", "mange", "mangeons", "manger", "petite", "petit"]
    meteor = metric()
    assert isinstance(meteor, Meteor)
    kinds = set()
    for _ in range(200):
        candidate, reference = (rng.choices(words, k=rng.randrange(1, 16)) for _ in range(2))
        found = meteor._match(candidate, reference)
        assert found[:3] == full_beam(candidate, reference, meteor._stem)
        kinds.add((found.inexact > 0, found.chunks > 2))
    assert kinds == {(a, b) for a in (True, False) for b in (True, False)}


@pytest.mark.parametrize("length", [REACH, REACH + 1, 1500])
def test_long_lines_match_in_time_that_grows_with_their_length(length: int) -> None:
    # With every free target tried, the time grew with the third power of the length.
    words = [("le", "la", "mange", "petit", "et")[k * k % 13 % 5] for k in range(length)]
    meteor = metric()
    trial = MetricInput("a", ((" ".join(words),),), (" ".join(words),), ())
    assert meteor.count(trial).rows[0, 4:].tolist() == [length, 1]


def test_matches_beyond_reach_are_found_in_ordinary_lines_alone() -> None:
    # The one word in common stands first in the candidate and last in the reference.
    for length, expected in ((REACH, 1), (REACH + 2, 0)):
        reference = " ".join([*["autre"] * (length - 1), "mot"])
        candidate = " ".join(["mot", *["rien"] * (length - 1)])
        assert metric().count(MetricInput("a", ((reference,),), (candidate,), ())).rows[0, 4] == expected
