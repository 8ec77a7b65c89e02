"""Rate limits: how often one visitor may do one thing. Guessing must be slow, working must not be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from litestar.exceptions import TooManyRequestsException

#: So many visitors are remembered; beyond, those whose bucket is full again are forgotten first.
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `burst` at once, then `per_minute` in the long run."""

    name: str
    burst: int
    per_minute: float


#: A password or a link that is guessed; and somebody who judges, with many answers kept while offline.
LOGIN = Limit("login", burst=8, per_minute=6)
LINK = Limit("link", burst=120, per_minute=60)  # a whole class may come in at once from one address
ANSWER = Limit("answer", burst=300, per_minute=600)
HEAVY = Limit("heavy", burst=20, per_minute=30)


class Pace:
    """Token buckets by limit and visitor, in memory: a restart forgets them, which harms nobody."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}

    def require(self, limit: Limit, visitor: str) -> None:
        """Count one use; too many are refused with the seconds to wait."""
        wait = self._take(limit, visitor)
        if wait > 0:
            seconds = str(int(wait) + 1)
            raise TooManyRequestsException(
                f"too many requests; wait {seconds} seconds", headers={"Retry-After": seconds}
            )

    def _take(self, limit: Limit, visitor: str) -> float:
        with self._lock:
            now, key = self._clock(), (limit.name, visitor)
            left, since = self._buckets.get(key, (float(limit.burst), now))
            left = min(float(limit.burst), left + (now - since) * limit.per_minute / 60)
            allowed = left >= 1
            self._buckets[key] = (left - 1 if allowed else left, now)
            if len(self._buckets) > _REMEMBERED:
                self._forget()
            return 0.0 if allowed else (1 - left) * 60 / limit.per_minute

    def _forget(self) -> None:
        """Drop the half that was seen longest ago."""
        oldest = sorted(self._buckets, key=lambda key: self._buckets[key][1])
        for key in oldest[: len(oldest) // 2]:
            del self._buckets[key]
