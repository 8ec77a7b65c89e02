"""Draws a larger sample if the judgements show that it is needed, as in "judge 213 more"."""

from __future__ import annotations

import warnings

from anaphor.annotate.campaign.facts import campaign_plan
from anaphor.annotate.campaign.grow import GrownCampaign, judge_more
from anaphor.annotate.campaign.pool import Guesser
from anaphor.annotate.campaign.sampling import stored_population
from anaphor.annotate.judging.answer_rows import judged_rows
from anaphor.annotate.store import Store
from anaphor.annotate.store.audit import COMMAND_LINE
from anaphor.core import InputWarning, OptionError
from anaphor.meta import take_sample
from anaphor.meta.estimate import planned_for_target
from anaphor.meta.plan import extend_plan


def draw_more(
    store: Store, *, target: float = 0.02, guess: Guesser | None = None, by: str = COMMAND_LINE
) -> GrownCampaign:
    """Draw and assign as many more examples as the intervals of all systems need for ± `target`.

    `guess` is the automatic verdict, for a campaign with suggestions.

    The campaign must store the population of its sample, and enough of the sample must be judged.
    """
    with store.read() as connection:
        plan, population = campaign_plan(connection), stored_population(connection)
        judged = tuple(judged_rows(connection, final=True))
    if plan is None or population is None:
        what = "the campaign includes everything already, or its population is not stored"
        fix = "make campaigns with --budget, or with --plan and --items; or give a larger --plan"
        raise OptionError(what, where="the campaign", fix=fix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # of judgements that are still missing
        sample = take_sample(plan, judged, path=store.address)
    wanted = planned_for_target(sample, target=target, level=0.95)
    if sum(wanted.values()) == plan.budget:
        what, fix = "no more examples are needed", "let annotators finish their current items first"
        raise OptionError(what, where="the campaign", fix=fix)
    return judge_more(store, extend_plan(population, plan, wanted), guess=guess, by=by)
