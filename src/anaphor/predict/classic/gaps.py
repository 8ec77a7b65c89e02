"""What a language model says of gaps: the best filling of all together, and how likely each option is.

Gaps so far apart that no n-gram sees two of them are on their own; nearer ones make a cluster. Where the ways
to fill a cluster are few, all are scored, with those of many other clusters at once; else it is a lattice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anaphor.predict.classic.gap import Filled, Gapped
from anaphor.predict.classic.gap_lattice import Lattice
from anaphor.predict.classic.gap_table import WayTable
from anaphor.predict.ngram_model import END_MARK, NgramModel

_FEW = 1500  # ways to fill that are scored one by one


@dataclass(frozen=True, slots=True, eq=False)
class GapReader:
    """A model that fills gaps; `penalty` is the log10 price of filling nothing."""

    model: NgramModel
    penalty: float = 0.0

    def read(self, sentences: Sequence[Gapped]) -> list[Filled]:
        """The filling of every sentence."""
        clusters = [[*self._clusters(gapped)] for gapped in sentences]
        listed = iter(self._listed([one for found in clusters for one in found if one.ways <= _FEW]))
        lattice = Lattice(self.model, self.penalty)
        return [
            _joined([next(listed) if one.ways <= _FEW else lattice.filled(one) for one in found])
            for found in clusters
        ]

    def _listed(self, clusters: Sequence[Gapped]) -> list[Filled]:
        return WayTable(self.model, self.penalty).filled(clusters)

    def _clusters(self, gapped: Gapped) -> Iterator[Gapped]:
        """Gaps that n-grams see together, with the words that these see; the end of a sentence is a word."""
        reach = self.model.order - 1
        parts = [*gapped.parts[:-1], (*gapped.parts[-1][:reach], END_MARK)]
        start = 0
        for end in range(1, len(parts)):
            if end == len(parts) - 1 or len(parts[end]) >= reach:
                first, behind = parts[start][-reach:], parts[end][:reach]
                yield Gapped((first, *parts[start + 1 : end], behind), gapped.options[start:end])
                start = end


def _joined(clusters: Sequence[Filled]) -> Filled:
    """The filling of a sentence from those of its clusters."""
    if len(clusters) == 1:
        return clusters[0]
    best = (number for filled in clusters for number in filled.best)
    return Filled(tuple(best), tuple(share for filled in clusters for share in filled.shares))
