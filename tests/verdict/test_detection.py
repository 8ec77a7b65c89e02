"""The witness that reports what a detector says. All sentences are invented."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from anaphor.core import Alignment, Detection, MarkedPronoun
from anaphor.verdict import CandidateText, Case, Fusion, Judge, RenderingKind, contract
from anaphor.verdict.detection import DetectionWitness
from anaphor.verdict.fusion import reason_of
from anaphor.verdict.rendering import rendering_of

CaseMaker = Callable[..., list[Case]]
TextMaker = Callable[..., CandidateText]
JudgeMaker = Callable[[str], Judge]


class Recorder:
    """A detector that keeps what it is asked, and says of every pronoun the same."""

    def __init__(self, log_odds: float = 1.0) -> None:
        self.log_odds = log_odds
        self.asked: list[tuple[list[str], list[str], list[MarkedPronoun]]] = []

    def detect(
        self,
        source: Sequence[Sequence[str]],
        target: Sequence[Sequence[str]],
        links: Sequence[Alignment],
        marks: Sequence[MarkedPronoun],
        *,
        written: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> list[Detection]:
        assert len(source) == len(target) == len(links)
        assert written is not None
        for side, words in zip(written, (source, target), strict=True):
            assert [line.split() for line in side] == [list(line) for line in words]
        self.asked.append(([*map(" ".join, source)], [*map(" ".join, target)], list(marks)))
        return [Detection(self.log_odds)] * len(marks)


def said_of(cases_of: CaseMaker, candidate: str, links: str, found: Detection) -> contract.Testimony:
    (case,) = cases_of("en-fr", ("It works .",), (candidate,), (links,))
    said = DetectionWitness().testify(replace(case, detected=found), rendering_of(case))
    assert said
    return said


def test_without_a_detector_it_says_nothing(cases_of: CaseMaker) -> None:
    (case,) = cases_of("en-fr", ("It works .",), ("Elle marche .",), ("0-0 1-1",))
    assert case.detected is None
    assert DetectionWitness().testify(case, rendering_of(case)) is None


@pytest.mark.parametrize(("given", "signal"), [(-9.0, -6.0), (-6.0, -6.0), (0.3, 0.3), (9.0, 6.0)])
def test_the_signal_is_limited(cases_of: CaseMaker, given: float, signal: float) -> None:
    found = said_of(cases_of, "Elle marche .", "0-0 1-1", Detection(given))
    assert found.signals == {"log_odds": signal}


@pytest.mark.parametrize(
    ("log_odds", "expected", "accepts", "rejects"),
    [
        (-3.0, {}, "the detector finds *elle* fitting", "the detector doubts *elle*"),
        (2.0, {"il": 0.9}, "", "the detector flags *elle* as wrong and expects *il* (0.90)"),
        (
            -0.5,
            {"il": 0.6},
            "the detector finds *elle* fitting",
            "the detector doubts *elle* and expects *il* (0.60)",
        ),
        # The own form is expected, or none clearly.
        (2.0, {"elle": 0.7, "il": 0.3}, "", "the detector flags *elle* as wrong"),
        (2.0, {"il": 0.2, "ce": 0.1}, "", "the detector flags *elle* as wrong"),
        (2.0, {"": 0.8}, "", "the detector flags *elle* as wrong and expects no pronoun (0.80)"),
    ],
)
def test_clauses_name_the_form_and_what_is_expected(
    cases_of: CaseMaker, log_odds: float, expected: Mapping[str, float], accepts: str, rejects: str
) -> None:
    found = said_of(cases_of, "Elle marche .", "0-0 1-1", Detection(log_odds, expected))
    assert (found.accepts, found.rejects) == (accepts, rejects)


def test_of_a_missing_pronoun_it_says_whether_a_word_is_missing(cases_of: CaseMaker) -> None:
    found = said_of(cases_of, "Marche .", "1-0", Detection(1.0, {"il": 0.9}))
    assert found.rejects == "the detector misses a word for *it*"
    found = said_of(cases_of, "Marche .", "1-0", Detection(-1.0))
    assert found.accepts == "the detector misses no word for *it*"


def test_a_dropped_subject_is_not_expected_to_be_its_verb(cases_of: CaseMaker) -> None:
    (case,) = cases_of("en-es", ("It works .",), ("Funciona .",), ("0-0 1-0 2-1",))
    rendering = rendering_of(case)
    assert rendering.kind is RenderingKind.NULL_SUBJECT

    def rejects(expected: Mapping[str, float]) -> str:
        said = DetectionWitness().testify(replace(case, detected=Detection(2.0, expected)), rendering)
        return said.rejects if said else ""

    assert "expects" not in rejects({"": 0.9})
    assert rejects({"ella": 0.9}).endswith("and expects *ella* (0.90)")


@pytest.mark.parametrize("odds", [-6.0, -2.0, -0.5, 0.0, 0.5, 2.0, 6.0])
@pytest.mark.parametrize("verdict", ["accepted", "rejected", "open"])
def test_no_reason_argues_against_its_verdict(cases_of: CaseMaker, odds: float, verdict: str) -> None:
    """Whatever the mean of the judged data: the detector's own log odds decide what may be quoted for it."""
    said = {"detector": said_of(cases_of, "Elle marche .", "0-0 1-1", Detection(odds, {"il": 0.8}))}
    for mean in (-3.0, 0.0, 3.0):
        fusion = Fusion(0.0, 0.2, {"detector.log_odds": 0.7}, {"detector.log_odds": mean})
        reason = reason_of(verdict, fusion.weigh(said), said)
        if verdict == "accepted":
            assert "wrong" not in reason
            assert "doubts" not in reason
        if verdict == "rejected":
            assert "fitting" not in reason
        if odds > 0:
            assert "fitting" not in reason
        else:
            assert "wrong" not in reason


SOURCE = ("The lamp is old .", "It fell .", "They saw it .")
CANDIDATE = ("La lampe est vieille .", "Elle est tombée .", "Ils l' ont vue .")
LINKS = ("0-0 1-1 2-2 3-3 4-4", "0-0 1-1 1-2 2-3", "0-0 1-2 1-3 2-1 3-4")


def test_a_detector_is_asked_once_for_each_document_with_places_inside_it(
    text_of: TextMaker, judge_of: JudgeMaker
) -> None:
    text = text_of("en-fr", SOURCE * 2, CANDIDATE * 2, LINKS * 2, documents=("a", "a", "a", "b", "b", "b"))
    found = Recorder()
    heard = list(judge_of("en-fr").evidence(replace(text, detector=found)))
    assert [one.testimonies["detector"].signals["log_odds"] for one in heard] == [1.0] * 6
    assert len(found.asked) == 2
    for source, target, marks in found.asked:
        assert (tuple(source), tuple(target)) == (SOURCE, CANDIDATE)
        assert marks == [MarkedPronoun(1, 0, (0,)), MarkedPronoun(2, 0, (0,)), MarkedPronoun(2, 2, (1,))]


def test_without_a_detector_the_others_say_what_they_say_with_one(
    text_of: TextMaker, judge_of: JudgeMaker
) -> None:
    text = text_of("en-fr", SOURCE, CANDIDATE, LINKS)
    without = list(judge_of("en-fr").evidence(text))
    assert len(without) == 3
    assert all("detector" not in one.testimonies for one in without)
    for one, other in zip(
        without, judge_of("en-fr").evidence(replace(text, detector=Recorder())), strict=True
    ):
        assert other.testimonies == {**one.testimonies, "detector": other.testimonies["detector"]}


def test_a_subject_that_is_dropped_is_marked_as_such(text_of: TextMaker, judge_of: JudgeMaker) -> None:
    text = text_of("en-es", ("It works .",), ("Funciona .",), ("0-0 1-0 2-1",))
    found = Recorder()
    list(judge_of("en-es").evidence(replace(text, detector=found)))
    assert found.asked[0][2] == [MarkedPronoun(0, 0, (0,), dropped=True)]
