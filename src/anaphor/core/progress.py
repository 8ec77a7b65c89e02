"""How long work says how far it is."""

from __future__ import annotations

from collections.abc import Callable

#: Called with what is being done, as a terminal shows it.
Progress = Callable[[str], None]
#: Called with what is being done and the share of the whole work that is done, 0 to 1, never decreasing.
ShareProgress = Callable[[str, float], None]
