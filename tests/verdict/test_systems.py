"""Scores of whole systems: against judgements by hand, with exchanged pronouns, with shuffled lines."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from anaphor import demo
from anaphor.core import InputWarning, PronounScore, Result, Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.languages import Tokenizer, fold, load_language

DATA = Path(__file__).parent / "data"
#: The share of `ok` among `ok` and `wrong` in `demo_verdicts.tsv`, in per cent.
JUDGED = {"baldur": 97.2, "cormoran": 71.1, "dahlia": 33.8}
#: A wrong form for each French form that can be exchanged without changing other words.
EXCHANGED = {
    "il": "elle", "elle": "il", "ils": "elles", "elles": "ils", "le": "la", "la": "le", "les": "le",
    "ce": "elle", "cela": "elle", "ça": "elle", "on": "elle",
}  # fmt: skip


def settings(pair: str, *, tokenized: bool = True) -> Settings:
    return Settings(pair=pair, metrics=("accept",), tokenized=tokenized, samples=0)


# The demo, judged by hand


class Judged(NamedTuple):
    """A pronoun of the demo with what a reader and the metric say of it."""

    system: str
    segment: int
    pronoun: str
    word: str
    why: str
    wrong: bool
    score: PronounScore

    @property
    def probability(self) -> float:
        assert self.score.value is not None
        return self.score.value


@cache
def demo_result(manual: bool) -> Result:
    """The demo without its reference, word-aligned on the way or by hand."""
    files = replace(demo.files(alignments=manual), references=(), reference_alignments=())
    chosen = settings("en-fr", tokenized=False)
    return evaluate_experiment(Experiment.read(files, chosen))


def judged_pronouns(result: Result) -> Iterator[Judged]:
    """Pronouns on which the reader was sure."""
    lines = (DATA / "demo_verdicts.tsv").read_text(encoding="utf-8").splitlines()
    rows = {
        (row["system"], int(row["segment"]), int(row["token"])): row
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    }
    for system in result.systems:
        for verdict, score in zip(system.verdicts, system.pronoun_scores["accept"], strict=True):
            source = verdict.pair.source
            row = rows.pop((system.name, source.segment, source.position))
            assert row["pronoun"] == source.form
            if row["verdict"] != "unsure":
                facts = (row["pronoun"], row["word"], row["why"], row["verdict"] == "wrong")
                yield Judged(system.name, source.segment, *facts, score)
    assert not rows


def detection(pronouns: Sequence[Judged]) -> Mapping[str, float]:
    """How well wrong pronouns are found: AUC by probability; precision and recall of rejections."""
    right = [one.probability for one in pronouns if not one.wrong]
    wrong = [one.probability for one in pronouns if one.wrong]
    wins = sum((low < high) + (low == high) / 2 for low in wrong for high in right)
    rejected = [one for one in pronouns if one.score.verdict == "rejected"]
    confirmed = sum(one.wrong for one in rejected)
    return {
        "AUC": wins / (len(right) * len(wrong)),
        "precision": confirmed / len(rejected),
        "recall": confirmed / len(wrong),
    }


def report(pronouns: Sequence[Judged], *, worst: int = 20) -> str:
    """Figures, and the pronouns on which metric and reader differ most."""
    lines = [", ".join(f"{name} {value:.3f}" for name, value in detection(pronouns).items())]
    surprising = sorted(pronouns, key=lambda one: -abs((not one.wrong) - one.probability))
    for one in surprising[:worst]:
        reader = f"wrong ({one.why})" if one.wrong else "ok"
        lines.append(
            f"{one.system} {one.segment} {one.pronoun} → {one.word}: {reader}; "
            f"{one.score.verdict} {one.probability:.2f}: {one.score.reason}"
        )
    return "\n".join(lines)


def test_the_file_of_judgements_has_these_shares() -> None:
    pronouns = list(judged_pronouns(demo_result(manual=False)))
    for system, share in JUDGED.items():
        own = [not one.wrong for one in pronouns if one.system == system]
        assert round(100 * sum(own) / len(own), 1) == share


@pytest.mark.parametrize(
    "manual",
    [
        pytest.param(False, id="own links"),
        pytest.param(True, id="manual links", marks=pytest.mark.slow),
    ],
)
@pytest.mark.xfail(
    strict=True,
    reason="the three scores are drawn together (86, 77 and 46): cela for a noun is accepted in dahlia, ils "
    "for feminine nouns in cormoran, and correct il and ils of baldur are doubted",
)
def test_scores_without_a_reference_are_close_to_the_share_that_a_reader_accepts(manual: bool) -> None:
    result = demo_result(manual)
    print(report(list(judged_pronouns(result))))  # noqa: T201  (shown by pytest -s, and on failure)
    assert result.systems
    for system in result.systems:
        assert 100 * system.scores[0].value == pytest.approx(JUDGED[system.name], abs=5), system.name


def test_wrong_pronouns_are_told_from_right_ones() -> None:
    """A floor far below what is reached today, so that a broken witness shows."""
    found = detection(list(judged_pronouns(demo_result(manual=False))))
    assert found["AUC"] > 0.75
    assert found["precision"] > 0.6


# Systems made worse


def tokenized(text: Text, code: str) -> Text:
    tokenize = Tokenizer(load_language(code))
    return Text.of([" ".join(tokenize(line).tokens) for line in text.lines], path=code)


class Damaged(NamedTuple):
    """A text and what replaces words of its translation, each by segment and token, one pronoun per entry."""

    inputs: Inputs
    pair: str
    wrong: Mapping[tuple[int, int], str]

    def score(self, *, every: int | None = None) -> float:
        """The score in per cent with every so-manieth pronoun exchanged."""
        lines = [line.split() for line in self.inputs.candidates["original"].lines]
        for number, ((segment, token), word) in enumerate(sorted(self.wrong.items())):
            if every and number % every == every - 1:
                lines[segment][token] = word
        text = Text.of([" ".join(line) for line in lines], path="candidate")
        given = replace(self.inputs, candidates={"original": text})
        (score,) = evaluate_experiment(Experiment.of(given, settings(self.pair))).systems[0].scores
        return 100 * score.value


def french() -> Damaged:
    """The demo's best system alone, with manual alignments and without the reference."""
    files = replace(demo.files(alignments=True), references=(), reference_alignments=())
    given = Experiment.read(files, settings("en-fr")).inputs
    given = replace(
        given,
        source=tokenized(given.source, "en"),
        candidates={"original": tokenized(given.candidates["baldur"], "fr")},
        candidate_alignments={"original": (given.candidate_alignments or {})["baldur"]},
    )
    wrong = {}
    for pair in Experiment.of(given, settings("en-fr")).pairs["original"]:
        segment = pair.source.segment
        tokens = given.candidates["original"].lines[segment].split()
        for token in pair.candidate.positions if pair.candidate else ():
            # An inverted subject keeps its hyphens: *-t-il*.
            hyphens, form = re.fullmatch(r"((?:.*-)?)(.*)", tokens[token]).groups()  # type: ignore[union-attr]
            if other := EXCHANGED.get(fold(form)):
                wrong[segment, token] = hyphens + (other.capitalize() if form[:1].isupper() else other)
    return Damaged(given, "en-fr", wrong)


def written(name: str, code: str) -> Damaged:
    """A small set of `data`. It is aligned once, and exchanged words keep their links."""
    rows = [line.split("\t") for line in (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]
    documents, source, right, exchanged = zip(*rows, strict=True)
    given = Inputs(
        source=tokenized(Text.of(source, path="source"), "en"),
        references=(),
        candidates={"original": tokenized(Text.of(right, path="translation"), code)},
        documents=documents,
    )
    wrong = {}
    others = tokenized(Text.of(exchanged, path="exchanged"), code).lines
    for segment, (line, other) in enumerate(zip(given.candidates["original"].lines, others, strict=True)):
        if other:
            pairs = enumerate(zip(line.split(), other.split(), strict=True))
            ((token, word),) = [(token, new) for token, (old, new) in pairs if old != new]
            wrong[segment, token] = word
    return Damaged(Experiment.of(given, settings(f"en-{code}")).aligned().inputs, f"en-{code}", wrong)


@pytest.mark.parametrize("language", ["fr", "de", "es"])
def test_the_more_pronouns_are_exchanged_the_lower_the_score(language: str) -> None:
    names = {"de": "german", "es": "spanish"}
    text = french() if language == "fr" else written(names[language], language)
    assert len(text.wrong) >= 15
    scores = [text.score(), text.score(every=5), text.score(every=2)]
    print(language, *(f"{score:.1f}" for score in scores))  # noqa: T201
    assert scores[0] > scores[1] > scores[2]


def test_shuffled_lines_are_far_below_the_system() -> None:
    """Lines of other segments translate nothing; they are word-aligned like any candidate."""
    text = french()
    lines = list(text.inputs.candidates["original"].lines)
    random.Random(5).shuffle(lines)
    candidates = {**text.inputs.candidates, "shuffled": Text.of(lines, path="shuffled")}
    given = replace(text.inputs, candidates=candidates, candidate_alignments=None)
    with pytest.warns(InputWarning, match="does not look like a translation"):
        result = evaluate_experiment(Experiment.of(given, settings("en-fr")))
    whole, shuffled = (100 * one.scores[0].value for one in result.systems)
    print(f"original {whole:.1f}, shuffled {shuffled:.1f}")  # noqa: T201
    assert shuffled < whole - 30
