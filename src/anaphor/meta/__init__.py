"""Meta-evaluation: whether and where a metric agrees with human judgements, and how to learn from them.

It also contains semi-automatic estimates: annotators judge a sample, and the overall accuracy is estimated.
"""

from anaphor.meta.correlate import CorrelationStudy, MetaEvaluation, correlate, meta_evaluate, weight_grid
from anaphor.meta.detection import MarkedItem, MarkEvaluation, evaluate_marks
from anaphor.meta.equivalents import EquivalentsProposal, judged_pairs, pack_fragment, propose
from anaphor.meta.estimate import (
    Estimates,
    Estimation,
    FurtherJudgements,
    estimate,
    further_judgements,
    plan_judgements,
    run_estimation,
)
from anaphor.meta.gaps import GapEvaluation, GapScores, read_gaps, score_gaps
from anaphor.meta.judgements import (
    CaseComparison,
    JudgedPronoun,
    Judgement,
    compare_cases,
    join,
    read_cases,
    read_judgements,
)
from anaphor.meta.plan import (
    PlannedUnit,
    SamplingPlan,
    make_plan,
    parse_plan,
    plan_json,
    read_plan,
    read_population,
)
from anaphor.meta.published import PublishedTable, published_names, published_table, published_tables
from anaphor.meta.sample import JudgedSample, take_sample
from anaphor.meta.scores import ScoreColumn, read_score_table
from anaphor.meta.spans import SpanAnnotation, evaluate_spans, read_annotation, write_texts

__all__ = [
    "CaseComparison",
    "CorrelationStudy",
    "EquivalentsProposal",
    "Estimates",
    "Estimation",
    "FurtherJudgements",
    "GapEvaluation",
    "GapScores",
    "JudgedPronoun",
    "JudgedSample",
    "Judgement",
    "MarkEvaluation",
    "MarkedItem",
    "MetaEvaluation",
    "PlannedUnit",
    "PublishedTable",
    "SamplingPlan",
    "ScoreColumn",
    "SpanAnnotation",
    "compare_cases",
    "correlate",
    "estimate",
    "evaluate_marks",
    "evaluate_spans",
    "further_judgements",
    "join",
    "judged_pairs",
    "make_plan",
    "meta_evaluate",
    "pack_fragment",
    "parse_plan",
    "plan_json",
    "plan_judgements",
    "propose",
    "published_names",
    "published_table",
    "published_tables",
    "read_annotation",
    "read_cases",
    "read_gaps",
    "read_judgements",
    "read_plan",
    "read_population",
    "read_score_table",
    "run_estimation",
    "score_gaps",
    "take_sample",
    "weight_grid",
    "write_texts",
]
