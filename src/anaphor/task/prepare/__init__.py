"""Task files from parallel text.

Read in this order: `preparation` (the pipeline), `parts` (one part of the text) and `placeholders`
(the rules of the shared tasks).
"""

from anaphor.task.prepare.placeholders import LinkThresholds, PronounFilter
from anaphor.task.prepare.plan import PreparationPlan
from anaphor.task.prepare.preparation import LinkConfig, Preparation, PreparationResult
from anaphor.task.prepare.texts import ParallelTable, ParallelText, TextPair

__all__ = [
    "LinkConfig",
    "LinkThresholds",
    "ParallelTable",
    "ParallelText",
    "Preparation",
    "PreparationPlan",
    "PreparationResult",
    "PronounFilter",
    "TextPair",
]
