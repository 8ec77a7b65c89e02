"""Runs a command whose standard error is a terminal."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress


def run_on_terminal(command: Sequence[str], environment: Mapping[str, str]) -> tuple[bytes, bytes]:
    """What the command wrote to standard output, and all that it showed; it must succeed.

    What is shown is read while the command runs, up to its end: a terminal holds a few kilobytes, gives them
    in pieces, and stops a program that writes more.
    """
    terminal, end = os.openpty()
    shown = b""
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(command, stdout=output, stderr=end, env=environment) as process:
            os.close(end)
            with suppress(OSError):  # on Linux, the end of a terminal is an error
                while part := os.read(terminal, 10_000):
                    shown += part
        os.close(terminal)
        assert process.returncode == 0
        output.seek(0)
        return output.read(), shown
