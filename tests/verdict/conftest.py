"""Pronouns of short invented texts as the witnesses see them. Links are Pharaoh's, one string per line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest

from anaphor.core import Settings
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.evaluation.experiment import Experiment
from anaphor.metrics.contract import MetricContext
from anaphor.verdict import CandidateText, Case, Judge

#: Makes the text of a judge: pair, source, candidate, links.
TextMaker = Callable[..., CandidateText]
#: Makes all cases of a text.
CaseMaker = Callable[..., list[Case]]


def _settings(pair: str) -> Settings:
    pronouns = ("it", "they", "them") if pair.startswith("en") else ()
    return Settings(pair=pair, metrics=("apt",), tokenized=True, samples=0, pronouns=pronouns)


@cache
def _judge(pair: str) -> Judge:
    context = MetricContext.of(_settings(pair))
    return Judge(context.pack.pair, words=context.target.words, source_words=context.source.words)


def _text(
    pair: str,
    source: Sequence[str],
    candidate: Sequence[str],
    links: Sequence[str],
    documents: tuple[str, ...] | None = None,
) -> CandidateText:
    pharaoh = "".join(f"{line}\n" for line in links)
    alignment = AlignmentFile.of(parse_pharaoh(pharaoh.encode(), path="links"), path="links")
    inputs = Inputs(
        source=Text.of(source, path="source"),
        references=(),
        candidates={"system": Text.of(candidate, path="candidate")},
        candidate_alignments={"system": alignment},
        documents=documents,
    )
    return CandidateText(
        source=inputs.source.lines,
        candidate=inputs.candidates["system"].lines,
        pairs=Experiment.of(inputs, _settings(pair)).pairs["system"],
        alignment=list(alignment),
        documents=documents,
    )


@pytest.fixture
def text_of() -> TextMaker:
    """A candidate with its pronouns found and linked."""
    return _text


@pytest.fixture
def judge_of() -> Callable[[str], Judge]:
    """The judge of a language pair, loaded once."""
    return _judge


@pytest.fixture
def cases_of() -> CaseMaker:
    """The pronouns of a candidate before the witnesses."""

    def make(pair: str, *text: Sequence[str]) -> list[Case]:
        source, candidate, links = text
        return list(_judge(pair).cases(_text(pair, source, candidate, links)))

    return make
