"""What the parsers of alignment files hand over: the links of all segments in arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The links of all segments, one after the other, as a parser found them.

    Segment k has the links `offsets[k]` to `offsets[k + 1]` (excluded). `sure` is None where every
    link is sure. `columns` are 1-based places in the line, and the line of segment k is
    `lines_each * (k + 1)`: one line a segment in Pharaoh files, the last of three in GIZA files.
    `confidence` is what an aligner of ours said of its links, None where nothing is known.
    """

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    sure: NDArray[np.bool_] | None
    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    lines_each: int = 1
    confidence: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def without(self, dropped: NDArray[np.bool_]) -> Links:
        """The links that are not marked."""
        kept = ~dropped
        before = np.concatenate(([0], np.cumsum(kept)))
        return Links(
            sources=self.sources[kept],
            targets=self.targets[kept],
            sure=None if self.sure is None else self.sure[kept],
            offsets=before[self.offsets],
            columns=self.columns[kept],
            lines_each=self.lines_each,
            confidence=None if self.confidence is None else self.confidence[kept],
        )
