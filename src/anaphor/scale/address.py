"""Which cluster: what `--cluster` says."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import OptionError

_LOCAL = re.compile(r"local(?::([1-9][0-9]{0,3}))?")
_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")


@dataclass(frozen=True, slots=True)
class Address:
    """So many `workers` on this machine, or the `scheduler` of a cluster, or a `file` that names it."""

    workers: int | None = None
    scheduler: str | None = None
    file: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Address:
        """From `local`, `local:4`, `tcp://host:8786` or the path of a scheduler file."""
        if match := _LOCAL.fullmatch(text):
            return cls(workers=int(match[1]) if match[1] else os.cpu_count() or 1)
        if text.startswith(_SCHEMES):
            return cls(scheduler=text)
        if Path(text).is_file():
            return cls(file=Path(text))
        raise OptionError(
            f"no cluster: {text}",
            where="--cluster",
            fix="give local:N for N processes here, tcp://host:port, or the scheduler file of a cluster",
        )

    def __str__(self) -> str:
        return f"local:{self.workers}" if self.workers else str(self.scheduler or self.file)
