"""The words of a whole text at once, where white space separates them: places in its bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SPACE, _NEWLINE = ord(" "), ord("\n")
#: Separators of tokens that are hardly ever used, so that it pays to look for them first.
_RARE = (b"\t", b"\v", b"\f")


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Every run of bytes between separators: where it starts and stops, and the first run of each line.

    Line k has the runs `firsts[k]` to `firsts[k + 1]` (excluded).
    """

    data: bytes
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    firsts: NDArray[np.int64]

    @classmethod
    def of(cls, lines: Sequence[str]) -> Runs:
        data = "\n".join(["", *lines, ""]).encode()
        octets = np.frombuffer(data, np.uint8)
        newline = octets == _NEWLINE
        separates = newline | (octets == _SPACE)
        for separator in _RARE:
            if separator in data:
                separates |= octets == separator[0]
        bounds = np.flatnonzero(separates)
        starts, stops = bounds[:-1] + 1, bounds[1:]
        lines_at = np.flatnonzero(newline[bounds])
        filled = starts < stops
        if filled.all():
            return cls(data, starts, stops, lines_at)
        before = np.concatenate(([0], np.cumsum(filled)))
        return cls(data, starts[filled], stops[filled], before[lines_at])

    def counts(self) -> NDArray[np.int64]:
        """How many runs each line has."""
        return np.diff(self.firsts)

    def words(self, runs: NDArray[np.int64]) -> list[bytes]:
        """The bytes of some runs."""
        data = self.data
        bounds = zip(self.starts[runs].tolist(), self.stops[runs].tolist(), strict=True)
        return [data[start:stop] for start, stop in bounds]

    def holding(self, probes: Iterable[bytes]) -> NDArray[np.int64]:
        """The runs that hold one of the probes, ASCII letters in lower case, in either case."""
        octets = np.frombuffer(self.data.lower(), np.uint8)
        found = [_places(probe, octets) for probe in probes]
        places = np.concatenate(found) if found else np.empty(0, np.int64)
        return distinct(np.searchsorted(self.starts, places, side="right") - 1)


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values in order, each once: np.unique by sorting, which beats its hashing on whole numbers."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def _places(probe: bytes, octets: NDArray[np.uint8]) -> NDArray[np.int64]:
    if len(octets) < len(probe):
        return np.empty(0, np.int64)
    last = len(octets) - len(probe)
    first = octets[: last + 1] == probe[0]
    if len(probe) > 1:  # two letters side by side are rare enough to go on place by place
        first &= octets[1 : last + 2] == probe[1]
    places = np.flatnonzero(first)
    for offset, letter in enumerate(probe[2:], start=2):
        places = places[octets[places + offset] == letter]
    return places
