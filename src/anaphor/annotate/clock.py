"""Times and fresh ids."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta


def now() -> str:
    """The time in UTC with microseconds: texts that sort as the times do."""
    return _written(datetime.now(tz=UTC))


def later(**parts: float) -> str:
    """The time so many `days`, `hours` or `minutes` from now."""
    return _written(datetime.now(tz=UTC) + timedelta(**parts))


def fresh_id() -> str:
    """An id that nothing else has: 128 random bits."""
    return secrets.token_hex(16)


def _written(time: datetime) -> str:
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")
