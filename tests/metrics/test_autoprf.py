"""AutoPRF: clipping per pronoun and over the corpus."""

from __future__ import annotations

import pytest

from anaphor.core import Counterpart, Pronoun, PronounPair, Repair, RepairKind
from anaphor.metrics import MetricInput
from anaphor.metrics.autoprf import AutoPrf, matched_words


def words(text: str) -> Counterpart | None:
    split = tuple(text.split())
    return Counterpart(tuple(range(len(split))), split, ()) if split else None


def trial(*pairs: tuple[str, str]) -> MetricInput:
    found = [PronounPair(Pronoun(i, 0, "it"), (words(r),), words(c)) for i, (r, c) in enumerate(pairs)]
    return MetricInput("a", (("",) * len(pairs),), ("",) * len(pairs), found)


# Counted by hand. Per pronoun: 1 + 1 + 0 + 0 matches; over the corpus `il` and `elle` may change places.
EXAMPLE = trial(("il", "il"), ("il se", "se le"), ("elle", "il"), ("il", "elle"), ("", "on"), ("on", ""))


@pytest.mark.parametrize(
    ("clip", "matches", "precision", "recall"), [("pronoun", 2, 2 / 6, 2 / 6), ("corpus", 5, 5 / 6, 5 / 6)]
)
def test_clipping_per_pronoun_and_over_the_corpus(
    clip: str, matches: int, precision: float, recall: float
) -> None:
    metric = AutoPrf(clip=clip)
    totals = metric.count(EXAMPLE).totals()
    details = metric.details(totals)
    assert details["matches"] == matches
    assert details["precision"] == pytest.approx(precision)
    assert details["recall"] == pytest.approx(recall)
    assert float(metric.value(totals)) == pytest.approx(2 * precision * recall / (precision + recall))


def test_words_are_a_multiset() -> None:
    totals = AutoPrf(clip="pronoun").count(trial(("il il le", "il le le"))).totals()
    assert totals.tolist() == [2, 3, 3]


@pytest.mark.parametrize(
    ("reference", "candidate", "shared"),
    [("il il le", "il le le", "il le"), ("il qu'", "qu' il a", "il qu'"), ("il", "elle", ""), ("", "il", "")],
)
def test_matched_words_are_those_of_the_clipped_count(reference: str, candidate: str, shared: str) -> None:
    (pair,) = trial((reference, candidate)).pairs
    assert matched_words(pair) == tuple(shared.split())
    assert AutoPrf(clip="pronoun").count(trial((reference, candidate))).totals()[0] == len(shared.split())


def test_case_matters_as_in_the_released_tool() -> None:
    assert AutoPrf(clip="pronoun").count(trial(("Il", "il"))).totals()[0] == 0


def test_links_count_as_the_aligner_gave_them() -> None:
    repair = Repair(RepairKind.NON_PRONOUN, (1,), ("dort",), (0,), (0,))
    repaired = Counterpart((0,), ("elle",), ("elle",), repair)
    pair = PronounPair(Pronoun(0, 0, "it"), (words("elle"),), repaired)
    totals = AutoPrf(clip="pronoun").count(MetricInput("a", (("",),), ("",), [pair])).totals()
    assert totals.tolist() == [0, 1, 1]


def test_the_best_of_several_references_counts() -> None:
    pair = PronounPair(Pronoun(0, 0, "it"), (words("elle est"), words("il"), None), words("il"))
    totals = AutoPrf(clip="pronoun").count(MetricInput("a", (("",),) * 3, ("",), [pair])).totals()
    assert totals.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("references", "candidate", "chosen"),
    [
        # More matches win, also against fewer words.
        (["elle", "il est"], "il", "il est"),
        (["il", "il est"], "il est", "il est"),
        # Of equally many matches the shorter reference: it costs the least recall.
        (["il est", "il"], "il", "il"),
        (["il", "il est"], "il", "il"),
        (["elle est", "", "ils"], "on", ""),
        # Of equals in both the first.
        (["elle", "ils"], "on", "elle"),
        (["ils", "elle"], "on", "ils"),
        (["il se", "se il", "il le"], "il", "il se"),
    ],
)
def test_ties_between_several_references(references: list[str], candidate: str, chosen: str) -> None:
    pair = PronounPair(Pronoun(0, 0, "it"), tuple(map(words, references)), words(candidate))
    trial = MetricInput("a", (("",),) * len(references), ("",), [pair])
    counts = AutoPrf(clip="corpus").count(trial)
    found = dict(zip(counts.names, counts.totals().tolist(), strict=True))
    used = sorted(
        word
        for name, number in found.items()
        if name.startswith("reference ")
        for word in [name.removeprefix("reference ")] * int(number)
    )
    assert used == sorted(chosen.split())
    assert AutoPrf(clip="pronoun").count(trial).totals()[2] == len(chosen.split())
