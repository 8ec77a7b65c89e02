"""The types shared by all packages. Standard library only.

Names are imported on first use, so a help text does not build every dataclass.
"""

# ruff: noqa: F403 - the stars are for type checkers alone; the names below are what is exported
from __future__ import annotations

from anaphor.core.lazy import lazy_names

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.core.errors import *
    from anaphor.core.experiment import *
    from anaphor.core.options import *
    from anaphor.core.progress import *
    from anaphor.core.pronoun import *
    from anaphor.core.registry import *
    from anaphor.core.slots import *
    from anaphor.core.suite import *
    from anaphor.core.text import *

_HOMES = {
    "anaphor.core.errors": "CheckError GateError InputError InputWarning MismatchError OptionError "
    "UnknownNameError UserError Where",
    "anaphor.core.experiment": "Bound CandidateSegmentation Comparison Counts Files Flip FunctionScores "
    "Interval Result Score Sensitivity Settings Signature SystemResult default_metrics digest",
    "anaphor.core.options": "PAPER_WEIGHTS MetricOption",
    "anaphor.core.progress": "Progress ShareProgress",
    "anaphor.core.pronoun": "CONTEXT_LINES Counterpart Detection DroppedSubject MarkedPronoun Outcome "
    "Pronoun PronounContext PronounPair PronounScore Repair RepairKind Verdict VerdictCounts "
    "first_context_line marked",
    "anaphor.core.registry": "Registry",
    "anaphor.core.slots": "Prediction Slot TaskSegment",
    "anaphor.core.suite": "Alternative Antecedent Category Item ReferencePair Suite SuiteDocument TextPlace",
    "anaphor.core.text": "Alignment Analysis LanguagePair Link Sentence Span Tree",
}
__all__ = sorted(name for names in _HOMES.values() for name in names.split())
__getattr__ = lazy_names(__name__, _HOMES)
