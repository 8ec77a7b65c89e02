"""Terminal features: colour on stdout, progress on stderr."""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anaphor.core.errors import InputWarning

if TYPE_CHECKING:
    from anaphor.report.emit import Paint


def paint(options: argparse.Namespace) -> Paint:
    """Colours on a terminal unless NO_COLOR is set; table width from the terminal or --width."""
    # Late, so that commands can import this module for its progress without slowing their help.
    from anaphor.report.emit import Paint

    terminal = sys.stdout.isatty()
    width = getattr(options, "width", None)
    if width is None and terminal:
        import shutil

        width = shutil.get_terminal_size().columns
    return Paint(terminal and not os.environ.get("NO_COLOR"), width or None)


#: Seconds between two lines of progress where stderr is a file: in a log, a line per step would be too many.
LOG_EVERY = 30.0


class TerminalProgress:
    """Names the step at work on stderr; silent if `quiet`.

    On a terminal, progress is a single line that is overwritten. Otherwise a new line is written from time to
    time, so the log of a long run shows its progress, and a short command writes none.
    """

    def __init__(self, *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._shown = sys.stderr.isatty() and not quiet
        self._logged = not sys.stderr.isatty() and not quiet
        self._step = ""
        self._clock, self._last = clock, clock()

    def __call__(self, step: str) -> None:
        # Shares of a step come by the thousand and read alike; the terminal is told what changed.
        if step == self._step:
            return
        if self._shown:
            print(f"\r\x1b[K{step} ...", end="", file=sys.stderr, flush=True)
        elif self._logged and self._clock() - self._last >= LOG_EVERY:
            self._last = self._clock()
            print(f"{step} ...", file=sys.stderr, flush=True)
        self._step = step

    def __enter__(self) -> TerminalProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def collected_notes(*, once: bool = False) -> Iterator[list[str]]:
    """The tolerances used inside the block, as text; each is still shown to the user.

    With `once`, repeated ones are shown once, for blocks that read their texts several times.
    """
    notes: list[str] = []
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InputWarning)
            yield notes
    finally:
        for warning in {str(warning.message): warning for warning in caught}.values() if once else caught:
            if issubclass(warning.category, InputWarning):
                notes.append(str(warning.message))
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
