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
        UserError,
        Verdict,
    )
    from anaphor.corpus import Inputs, Text
    from anaphor.pipeline import evaluate, run

__version__ = "0.1.0"

_HOMES = {
    "Alignment": "core",
    "Comparison": "core",
    "evaluate": "pipeline",
    "Files": "core",
    "Inputs": "corpus",
    "InputWarning": "core",
    "Interval": "core",
    "LanguagePair": "core",
    "Outcome": "core",
    "Result": "core",
    "run": "pipeline",
    "Score": "core",
    "Settings": "core",
    "Signature": "core",
    "Text": "corpus",
    "UserError": "core",
    "Verdict": "core",
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
    "Settings",
    "Signature",
    "Text",
    "UserError",
    "Verdict",
    "evaluate",
    "run",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'anaphor' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"anaphor.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
