"""A small campaign, and answers that somebody could give."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from litestar import Litestar
from sqlalchemy import event

from anaphor.annotate.campaign.create import CampaignConfig, CreatedCampaign
from anaphor.annotate.campaign.workload import WorkloadConfig
from anaphor.annotate.judging.views import AssignmentView
from anaphor.annotate.store.database import Store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode

ANNOTATORS = ("ann", "bob", "cem")

CONFIG = CampaignConfig(
    annotators=ANNOTATORS, attention=2, workload=WorkloadConfig(overlap=0.3, batch_size=10)
)

Make = Callable[..., CreatedCampaign]

AnswerAll = Callable[..., int]

MakeApp = Callable[..., Litestar]


def statements_of(store: Store) -> list[tuple[str, Any]]:
    """A list that gets every statement that the store executes from now on, with its parameters."""
    executed: list[tuple[str, Any]] = []
    with store.write() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", lambda *given: executed.append(given[2:4]))
    return executed


def made_up(view: AssignmentView, draw: random.Random) -> AnnotatorAnswer:
    """An answer that somebody could give."""
    if view.mode is Mode.GAPS:
        return AnnotatorAnswer(choices=tuple(sorted(draw.sample(("il", "elle", "ils", "other"), 2))))
    if view.mode is Mode.COMPARE:
        first, *others = draw.sample(view.slots, len(view.slots))
        return AnnotatorAnswer(order=((first,), tuple(sorted(others))))
    if draw.random() < 0.1:
        return AnnotatorAnswer(tags=("bad_translation",))
    right = draw.random() < 0.7
    antecedent = Mark.UNSET
    if view.asks_antecedent:
        antecedent = Mark.YES if draw.random() < 0.8 else Mark.NO
    heads = antecedent is Mark.YES and right
    return AnnotatorAnswer(
        antecedent=antecedent,
        pronoun=Mark.YES if right else Mark.NO,
        words=view.highlighted if heads or (right and not view.asks_antecedent) else (),
        remark='été, "l\'a"\tdit;\n=<b>' if draw.random() < 0.2 else "",
    )
