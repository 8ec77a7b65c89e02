"""Analyses in addition to the scores: bounds, sensitivity, hints, cards, gates.

To add an analysis, write a module with a subclass of `Analysis` and add its line to the table below. Its
options are then options of `anaphor score` and of `anaphor.evaluate`; its tables are printed below the
scores, and its content is in the result file. Modules of analyses are loaded to show help, so they import
little at the top.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from anaphor.analyses.contract import AnalysisOption, ScoreAnalysis, Scored

if TYPE_CHECKING:
    from anaphor.core import Settings

#: In the order in which they run, and in which help and results show them.
ANALYSES = {
    "alignment_sensitivity": "anaphor.analyses.sensitivity:AlignmentSensitivity",
    "segmentation_sensitivity": "anaphor.analyses.sensitivity:SegmentationSensitivity",
    "functions": "anaphor.analyses.functions:FunctionsOfIt",
    "bounds": "anaphor.analyses.bounds:Bounds",
    "predictor_hints": "anaphor.analyses.hints:Hints",
    "cards": "anaphor.analyses.cards:WhyCards",
    "gates": "anaphor.analyses.gates:Gates",
}

__all__ = [
    "ANALYSES",
    "AnalysisOption",
    "ScoreAnalysis",
    "Scored",
    "choose_analyses",
    "known_analyses",
    "take_options",
]


def known_analyses() -> tuple[type[ScoreAnalysis], ...]:
    """The classes of all analyses."""
    kinds = []
    for target in ANALYSES.values():
        module, _, name = target.partition(":")
        kinds.append(getattr(import_module(module), name))
    return tuple(kinds)


def take_options(values: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of analyses from any keywords, and return them, checked."""
    taken = {}
    for kind in known_analyses():
        for option in kind.options:
            if option.keyword in values:
                taken[option.keyword] = option.checked(values.pop(option.keyword))
    return taken


def choose_analyses(values: Mapping[str, Any], settings: Settings) -> dict[str, ScoreAnalysis]:
    """The requested analyses by name; one that these settings do not allow is an error."""
    chosen = {}
    for kind in known_analyses():
        own = {option.keyword: values.get(option.keyword, option.default) for option in kind.options}
        if any(option.asks and own[option.keyword] != option.default for option in kind.options):
            analysis = kind(own)
            analysis.check(settings)
            chosen[kind.name] = analysis
    return chosen
