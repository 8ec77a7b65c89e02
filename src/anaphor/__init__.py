"""How well does machine translation handle pronouns?

Names are loaded when they are first used, so that `import anaphor` costs next to nothing.
"""

from __future__ import annotations

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
    from anaphor.scoring import ScoreReport, evaluate

__version__ = "0.1.0"

#: Where names are that are not in `core`.
_HOMES = {
    "Inputs": "corpus",
    "ScoreReport": "scoring",
    "Text": "corpus",
    "evaluate": "scoring",
}

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


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'anaphor' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"anaphor.{_HOMES.get(name, 'core')}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
