"""Lemmas, parts of speech and subjects of tokens: the built-in analyser, and adapters for others."""

from anaphor.analyse.contract import ANALYSERS, Analyser, load_analyser

__all__ = ["ANALYSERS", "Analyser", "load_analyser"]
