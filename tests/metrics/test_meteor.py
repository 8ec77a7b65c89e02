"""METEOR: against nltk where both mean the same, and by hand where the papers add to it."""

from __future__ import annotations

import pytest
from nltk.stem.snowball import FrenchStemmer
from nltk.translate.meteor_score import single_meteor_score

from anaphor.core import LanguagePair
from anaphor.languages import load_pair, split_words
from anaphor.metrics import METRICS, Metric, MetricContext, MetricInput


class _NoSynonyms:
    """nltk asks a WordNet for synonyms of every word; ours has none, as our METEOR has none."""

    def synsets(self, word: str) -> list[object]:
        return []


def metric(name: str = "meteor", pair: str = "en-fr") -> Metric:
    pack = load_pair(LanguagePair.parse(pair))
    return METRICS.get(name).build(
        MetricContext(pack=pack, forms=pack.target_pronouns, words=split_words, tokenized=True)
    )


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
