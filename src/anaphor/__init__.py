"""How well does machine translation handle pronouns?

Names are imported on first use, so `import anaphor` is cheap.
"""

from __future__ import annotations

from anaphor.core.lazy import lazy_names

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.core import (
        Alignment,
        Comparison,
        Files,
        InputWarning,
        Interval,
        LanguagePair,
        Outcome,
        Result,
        Score,
        Settings,
        Signature,
        SystemResult,
        UserError,
        Verdict,
    )
    from anaphor.corpus import Inputs, Text
    from anaphor.scoring.score_report import ScoreReport, evaluate

__version__ = "0.1.0"

__all__ = [
    "Alignment",
    "Comparison",
    "Files",
    "InputWarning",
    "Inputs",
    "Interval",
    "LanguagePair",
    "Outcome",
    "Result",
    "Score",
    "ScoreReport",
    "Settings",
    "Signature",
    "SystemResult",
    "Text",
    "UserError",
    "Verdict",
    "evaluate",
]

__getattr__ = lazy_names(
    __name__,
    {
        "anaphor.core": "Alignment Comparison Files InputWarning Interval LanguagePair Outcome Result "
        "Score Settings Signature SystemResult UserError Verdict",
        "anaphor.corpus": "Inputs Text",
        "anaphor.scoring.score_report": "ScoreReport evaluate",
    },
)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
