"""Types of progress callbacks.

Kernels report counts (`ShareDone`), their callers add the step's name and share (`ShareProgress`), and
commands display text (`Progress`).
"""

from __future__ import annotations

from collections.abc import Callable

#: Called with what is being done, as a terminal shows it.
Progress = Callable[[str], None]
#: Called with what is being done and the share of the whole work that is done, 0 to 1, never decreasing.
ShareProgress = Callable[[str, float], None]
#: Called with the share of one step that is done, 0 to 1; an exception that it raises ends the work.
ShareDone = Callable[[float], None]


def no_progress(what: str, share: float) -> None:
    """Reports nothing."""


def in_percent(progress: Progress, prefix: str = "") -> ShareProgress:
    """Format step and share as text: `prefix: step, 40%`."""
    return lambda step, share: progress(
        f"{prefix}: {step}, {share:.0%}" if prefix else f"{step}, {share:.0%}"
    )
