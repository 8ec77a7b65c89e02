"""Rate limits per visitor and action. They must slow down guessing but not annotating."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from litestar.exceptions import TooManyRequestsException

#: The most buckets held in memory; beyond it the half that was used longest ago is dropped.
MAX_BUCKETS = 20_000


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `burst` requests at once, and `per_minute` on average."""

    name: str
    burst: int
    per_minute: float


LOGIN = RateLimit("login", burst=8, per_minute=6)
LOGINS = RateLimit("logins", burst=30, per_minute=20)  # of all names from one address
LINK = RateLimit("link", burst=120, per_minute=60)  # a whole class may enter at once from one address
ANSWER = RateLimit("answer", burst=300, per_minute=600)  # a browser sends all its offline answers at once
HEAVY = RateLimit("heavy", burst=20, per_minute=30)


class RateLimiter:
    """Token buckets by limit and visitor, in memory only: a restart resets them, which is harmless."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}

    def __len__(self) -> int:
        """The number of buckets held."""
        return len(self._buckets)

    def require(self, limit: RateLimit, visitor: str) -> None:
        """Count one use; excess uses are rejected with the seconds to wait."""
        with self._lock:
            now, key = self._clock(), (limit.name, visitor)
            left, since = self._buckets.get(key, (float(limit.burst), now))
            left = min(float(limit.burst), left + (now - since) * limit.per_minute / 60)
            allowed = left >= 1
            self._buckets[key] = (left - 1 if allowed else left, now)
            if len(self._buckets) > MAX_BUCKETS:
                # An attacker who invents names must neither fill the memory nor reset the buckets in use.
                by_age = sorted(self._buckets, key=lambda key: self._buckets[key][1])
                for old in by_age[: len(by_age) // 2]:
                    del self._buckets[old]
        if not allowed:
            seconds = str(int((1 - left) * 60 / limit.per_minute) + 1)
            raise TooManyRequestsException(
                f"too many requests; wait {seconds} seconds", headers={"Retry-After": seconds}
            )
