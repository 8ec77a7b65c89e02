"""A proposal is much more acceptable than what it replaces, at any threshold."""

from __future__ import annotations

from importlib.resources import files

from anaphor.core import Settings
from anaphor.corpus import Text
from anaphor.evaluation.postediting import LEAST_GAIN, postedit
from anaphor.predict.shipped import find_model
from anaphor.verdict import verdict_of

LINES = 30


def read(name: str) -> Text:
    lines = files("anaphor.demo").joinpath(name).read_text(encoding="utf-8").splitlines()[:LINES]
    return Text.of(tuple(lines), path=name)


def test_proposals_are_twice_as_acceptable_as_the_rejected_form() -> None:
    result = postedit(
        find_model("anaphor-2-small", pair="en-fr"),
        Settings(pair="en-fr"),
        name="anaphor-2-small",
        source=read("source.en"),
        candidate=read("dahlia.fr"),
        threshold=0.01,
    )
    pairs = [proposal.accepted for proposal in result.proposals.applied if proposal.accepted is not None]
    assert len(pairs) == len(result.proposals.applied) >= 3
    for before, after in pairs:
        assert verdict_of(before) == "rejected"
        assert after >= LEAST_GAIN * before
