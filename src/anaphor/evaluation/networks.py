"""The networks that the metrics of an experiment use: each is loaded once, and named in signatures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from anaphor.core import LanguagePair, OptionError, Progress
from anaphor.metrics.contract import BUILT_IN, Metric

if TYPE_CHECKING:  # few metrics want a network, and all load slowly
    from anaphor.predict.pointer import AntecedentPointer
    from anaphor.verdict.contract import Detector


class Networks:
    """The detector and the pointer of some metrics on one language pair, and the hashes of all networks.

    Hashes need no network, so what is only signed loads none.
    """

    def __init__(self, pair: LanguagePair, metrics: Sequence[Metric]) -> None:
        self._pair, self._metrics = pair, metrics
        self._detector: Detector | None = None
        self._has_detector = False

    def detector(self, progress: Progress = lambda _: None) -> Detector | None:
        """The detector of wrong pronouns that the metrics use; by default the built-in one, if it covers the
        pair.
        """
        if not self._has_detector:
            self._detector, self._has_detector = self._load_detector(progress), True
        return self._detector

    def _load_detector(self, progress: Progress) -> Detector | None:
        wanted = sorted({metric.detector for metric in self._metrics} - {""})
        if not wanted:
            return None
        if len(wanted) > 1:
            what = f"the metrics need different detectors: {', '.join(wanted)}"
            raise OptionError(what, where="--accept-detector", fix="use one of them at a time")
        if wanted != [BUILT_IN]:  # one that was named knows the pair, or is an error
            from anaphor.predict.detector.large import LargeDetector

            return LargeDetector(wanted[0], self._pair, progress=progress)
        from anaphor.predict.detector import PronounDetector, detector_pairs

        return PronounDetector(self._pair) if str(self._pair) in detector_pairs() else None

    @cached_property
    def pointer(self) -> AntecedentPointer | None:
        """The network that points at antecedents, if a metric uses it and the source is English."""
        if self._pair.source != "en" or not any(metric.pointer for metric in self._metrics):
            return None
        from anaphor.predict.pointer import AntecedentPointer

        return AntecedentPointer.load()

    def hashes(self, metric: Metric) -> dict[str, str]:
        """Hashes of the detector and the pointer that a metric uses."""
        hashes = {}
        if metric.detector == BUILT_IN:
            from anaphor.predict.detector import detector_digest, detector_pairs

            if str(self._pair) in detector_pairs():
                hashes["detector"] = detector_digest()
        elif metric.detector:
            from anaphor.predict.detector.large import large_detector_digest

            hashes["detector"] = large_detector_digest(metric.detector)
        if metric.pointer and self._pair.source == "en":
            from anaphor.predict.pointer import pointer_digest

            hashes["pointer"] = pointer_digest()
        return hashes
