"""Meta-evaluation: does a metric agree with people, where not, and what can be learned from judgements.

Beside it stands the semi-automatic estimate: people judge a sample, and the accuracy of all is estimated.
"""

from anaphor.meta.cases import Confrontation, confront
from anaphor.meta.correlate import Study, correlate
from anaphor.meta.equivalents import Proposal, pack_fragment, propose
from anaphor.meta.estimate import Findings, estimate
from anaphor.meta.gaps import GapScores, read_gaps, score_gaps
from anaphor.meta.grid import weight_grid
from anaphor.meta.judgements import join, read_cases, read_judgements
from anaphor.meta.plan import Plan, make_plan
from anaphor.meta.plan_file import parse_plan, plan_json, read_plan
from anaphor.meta.population import read_population
from anaphor.meta.published import PublishedTable, published_names, published_table
from anaphor.meta.sample import Sample, take_sample
from anaphor.meta.scores import ScoreColumn, read_score_table
from anaphor.meta.stopping import Needed, needed

__all__ = [
    "Confrontation",
    "Findings",
    "GapScores",
    "Needed",
    "Plan",
    "Proposal",
    "PublishedTable",
    "Sample",
    "ScoreColumn",
    "Study",
    "confront",
    "correlate",
    "estimate",
    "join",
    "make_plan",
    "needed",
    "pack_fragment",
    "parse_plan",
    "plan_json",
    "propose",
    "published_names",
    "published_table",
    "read_cases",
    "read_gaps",
    "read_judgements",
    "read_plan",
    "read_population",
    "read_score_table",
    "score_gaps",
    "take_sample",
    "weight_grid",
]
