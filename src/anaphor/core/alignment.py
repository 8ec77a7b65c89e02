"""The nouns of word alignment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Link(NamedTuple):
    """A source token and a target token that translate each other, counted from 0."""

    source: int
    target: int
    sure: bool = True
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """The links of one segment, as parallel tuples in the order they were given.

    `sure` and `confidence` are None where every link is sure, or no confidence is known.
    """

    sources: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    sure: tuple[bool, ...] | None = None
    confidence: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.sources)

    def links(self) -> Iterator[Link]:
        for i, (source, target) in enumerate(zip(self.sources, self.targets, strict=True)):
            yield Link(
                source,
                target,
                True if self.sure is None else self.sure[i],
                None if self.confidence is None else self.confidence[i],
            )

    def targets_of(self, source: int) -> tuple[int, ...]:
        """Target positions linked to a source position, ascending, each once."""
        # Most positions have one link or none: counting and finding it is several times faster than a loop.
        links = self.sources.count(source)
        if links == 0:
            return ()
        if links == 1:
            return (self.targets[self.sources.index(source)],)
        linked = zip(self.sources, self.targets, strict=True)
        return tuple(sorted({target for here, target in linked if here == source}))
