"""An invented result: two systems, two metrics, three pronouns in two documents; and the demo's, computed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from anaphor.core import (
    Comparison,
    Counterpart,
    Files,
    Interval,
    LanguagePair,
    Outcome,
    Pronoun,
    PronounContext,
    PronounPair,
    Repair,
    RepairKind,
    Result,
    Score,
    Settings,
    Signature,
    Span,
    SystemResult,
    Verdict,
)
from anaphor.corpus import Inputs, read_inputs
from anaphor.demo import files as demo_files
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.report.cards import cards_of
from anaphor.report.result_file import parse_result
from anaphor.report.stored import StoredResult, stored_of
from tests.support.results import result_json

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
    lines = ("It is here.", "It was there.", "Are they new?")
    contexts = (
        PronounContext((), lines[0], Span(0, 2)),
        PronounContext(lines[:1], lines[1], Span(0, 2)),
        PronounContext((), lines[2], Span(4, 8)),
    )
    return Result(settings, 3, ("d1", "d1", "d2"), systems, comparisons, {"source": "abc"}, contexts)


DEMO = demo_files(alignments=True)


@pytest.fixture(scope="session")
def demo() -> tuple[Result, Inputs]:
    """The demo's three systems with the links that were set by hand."""
    inputs = read_inputs(DEMO, LanguagePair.parse("en-fr"))
    return evaluate_experiment(Experiment.of(inputs, Settings(pair="en-fr", paired=True))), inputs


@pytest.fixture(scope="session")
def demo_json(demo: tuple[Result, Inputs]) -> str:
    result, inputs = demo
    return result_json(
        result, DEMO, cards=cards_of(Experiment.of(inputs, result.settings), result), counts=True
    )


@pytest.fixture(scope="session")
def demo_stored(demo_json: str) -> StoredResult:
    return stored_of(parse_result(demo_json.encode(), path="demo.json"), path="demo.json")


#: Texts that would take over a page, or turn it round, if they were not escaped.
SCRIPT = "</script><script>alert(1)</script>"
HOSTILE = {
    "source": f"It works. {SCRIPT} \u202eit is\u202c here & there.",
    "reference": f"Il marche. {SCRIPT} \u202eil est\u202c ici & là.",
    "candidate": f"<img src=x onerror=alert(2)> Il marche. {SCRIPT} \u2066elle est\u2069 \u0007ici.",
}


@pytest.fixture
def hostile(tmp_path: Path) -> StoredResult:
    """A result whose texts and names are attacks on a page."""
    for name, line in HOSTILE.items():
        (tmp_path / name).write_text(f"{line}\n" * 2, encoding="utf-8")
    files = Files(
        source=str(tmp_path / "source"),
        references=(str(tmp_path / "reference"),),
        candidates=((f'"><b>\u202e{SCRIPT}', str(tmp_path / "candidate")),),
    )
    inputs = read_inputs(files, LanguagePair.parse("en-fr"))
    result = evaluate_experiment(Experiment.of(inputs, Settings(pair="en-fr", metrics=("apt",), samples=0)))
    text = result_json(
        result, files, notes=[SCRIPT], cards=cards_of(Experiment.of(inputs, result.settings), result)
    )
    return stored_of(parse_result(text.encode(), path="hostile.json"), path="hostile.json")
