"""Finds wrong pronouns: a small network that was taught by a large language model what errors look like."""

from anaphor.predict.detector.detector import PronounDetector, detector_digest, detector_pairs

__all__ = ["PronounDetector", "detector_digest", "detector_pairs"]
