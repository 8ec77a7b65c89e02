"""How long work says how far it is.

Kernels count (`ShareDone`), what calls them knows the name of the step and its part of the work
(`ShareProgress`), and commands show text (`Progress`).
"""

from __future__ import annotations

from collections.abc import Callable

#: Called with what is being done, as a terminal shows it.
Progress = Callable[[str], None]
#: Called with what is being done and the share of the whole work that is done, 0 to 1, never decreasing.
ShareProgress = Callable[[str, float], None]
#: Called with the share of one step that is done, 0 to 1; an exception that it raises ends the work.
ShareDone = Callable[[float], None]


def in_percent(progress: Progress, prefix: str = "") -> ShareProgress:
    """Shows the step and the share as text: `prefix: step, 40%`."""
    return lambda step, share: progress(
        f"{prefix}: {step}, {share:.0%}" if prefix else f"{step}, {share:.0%}"
    )
