"""Progress where stderr is a log file: a line from time to time, none for short commands."""

from __future__ import annotations

import pytest

from anaphor.cli.terminal import LOG_EVERY, TerminalProgress


@pytest.mark.parametrize(
    ("quiet", "expected"), [(False, "epoch 2 ...\nepoch 4 ...\n"), (True, "")], ids=["logged", "quiet"]
)
def test_a_log_gets_a_line_from_time_to_time(
    quiet: bool, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    with TerminalProgress(quiet=quiet, clock=lambda: now) as progress:
        for epoch, seconds in enumerate((1.0, LOG_EVERY, LOG_EVERY + 1, 2 * LOG_EVERY), start=1):
            now = seconds
            progress(f"epoch {epoch}")
    assert capsys.readouterr().err == expected
