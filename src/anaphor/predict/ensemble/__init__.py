"""Ensembles: several models combined by a weighted mean of their probabilities."""

from anaphor.predict.ensemble.mixture import EnsembleOptions, Mixture
from anaphor.predict.ensemble.model import Ensemble, InterpolatedModel, build_ensemble, find_members

__all__ = ["Ensemble", "EnsembleOptions", "InterpolatedModel", "Mixture", "build_ensemble", "find_members"]
