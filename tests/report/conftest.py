"""An invented result: two systems, two metrics, three pronouns in two documents."""

from __future__ import annotations

import math

import pytest

from anaphor.core import (
    Comparison,
    Counterpart,
    Interval,
    Outcome,
    Pronoun,
    PronounPair,
    Repair,
    RepairKind,
    Result,
    Score,
    Settings,
    Signature,
    SystemResult,
    Verdict,
)

IL = Counterpart((0,), ("Il",), ("il",))
ELLE = Counterpart((0,), ("Elle",), ("elle",))
REPAIRED = Counterpart((3,), ("ils",), ("ils",), Repair(RepairKind.NON_PRONOUN, (4,), ("ont",), (3,), (3,)))
IT = Pronoun(0, 0, "it")
THEY = Pronoun(2, 1, "they")


def _verdict(
    source: Pronoun, reference: Counterpart | None, candidate: Counterpart | None, outcome: Outcome
) -> Verdict:
    return Verdict(PronounPair(source, (reference,), candidate), outcome, 0)


def _system(name: str, apt: float, bleu: float, verdicts: tuple[Verdict, ...]) -> SystemResult:
    signatures = [
        Signature(metric, (("pair", "en-fr"), ("cand", f"hash-{name}")), "9.9") for metric in ("apt", "b_l")
    ]
    scores = (
        Score("apt", name, apt, signatures[0], {"case_1": 1.0}, Interval(apt - 0.1, apt + 0.1, 0.95)),
        Score("b_l", name, bleu, signatures[1], {}),
    )
    parts = {"it": apt, "they": math.nan}
    documents = {"d1": apt, "d2": 0.25}
    matrix = {("il", "il"): 1, ("il", "elle"): 2}
    return SystemResult(name, scores, {"apt": parts}, {"apt": documents, "b_l": documents}, verdicts, matrix)


@pytest.fixture
def result() -> Result:
    good = (
        _verdict(IT, IL, IL, Outcome.IDENTICAL),
        _verdict(Pronoun(1, 0, "it"), IL, IL, Outcome.IDENTICAL),
        _verdict(THEY, None, REPAIRED, Outcome.REFERENCE_MISSING),
    )
    bad = (
        _verdict(IT, IL, ELLE, Outcome.DIFFERENT),
        _verdict(Pronoun(1, 0, "it"), IL, IL, Outcome.IDENTICAL),
        _verdict(THEY, None, None, Outcome.BOTH_MISSING),
    )
    drop = Interval(-0.5, -0.1, 0.95)
    comparisons = (
        Comparison("apt", "good_1", "bad", -0.3, drop, 0.01, 0.02, 0.5, 0.04, 0.2),
        Comparison("b_l", "good_1", "bad", 0.05, Interval(-0.1, 0.2, 0.95), 0.6, 0.7, None, 0.7, 0.2),
    )
    systems = (_system("good_1", 0.8, math.nan, good), _system("bad", 0.5, 0.25, bad))
    settings = Settings(pair="en-fr", paired=True)
    return Result(settings, 3, ("d1", "d1", "d2"), systems, comparisons, {"source": "abc"})
