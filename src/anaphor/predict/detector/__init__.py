"""Finds wrong pronouns with a small network that learned typical errors from a large language model."""

from anaphor.predict.detector.detector import PronounDetector, detector_digest, detector_pairs

__all__ = ["PronounDetector", "detector_digest", "detector_pairs"]
