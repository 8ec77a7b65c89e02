"""The large detector: a language model that the user has, changed by an adapter of ours."""

from anaphor.predict.detector.large.folder import JoinedDetector, join_detector, large_detector_digest
from anaphor.predict.detector.large.large import LargeDetector

__all__ = ["JoinedDetector", "LargeDetector", "join_detector", "large_detector_digest"]
