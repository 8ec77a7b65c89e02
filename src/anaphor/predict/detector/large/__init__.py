"""The large detector: a language model supplied by the user, modified by our adapter."""

from anaphor.predict.detector.large.folder import JoinedDetector, join_detector, large_detector_digest
from anaphor.predict.detector.large.large import LargeDetector

__all__ = ["JoinedDetector", "LargeDetector", "join_detector", "large_detector_digest"]
