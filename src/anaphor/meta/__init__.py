"""Meta-evaluation: does a metric agree with people, where not, and what can be learned from judgements."""

from anaphor.meta.cases import Confrontation, confront
from anaphor.meta.correlate import Study, correlate
from anaphor.meta.equivalents import Proposal, pack_fragment, propose
from anaphor.meta.gaps import GapScores, read_gaps, score_gaps
from anaphor.meta.grid import weight_grid
from anaphor.meta.judgements import join, read_cases, read_judgements
from anaphor.meta.published import PublishedTable, published_names, published_table
from anaphor.meta.scores import ScoreColumn, read_score_table

__all__ = [
    "Confrontation",
    "GapScores",
    "Proposal",
    "PublishedTable",
    "ScoreColumn",
    "Study",
    "confront",
    "correlate",
    "join",
    "pack_fragment",
    "propose",
    "published_names",
    "published_table",
    "read_cases",
    "read_gaps",
    "read_judgements",
    "read_score_table",
    "score_gaps",
    "weight_grid",
]
