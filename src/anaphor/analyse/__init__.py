"""Lemmas, parts of speech and subjects of tokens: an analyser of our own, and adapters for others."""

from anaphor.analyse.contract import ANALYSERS, Analyser, load_analyser

__all__ = ["ANALYSERS", "Analyser", "load_analyser"]
