"""A command, and what all of its processes together took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

_EVERY = 0.2


@dataclass(slots=True)
class Took:
    """Seconds by the clock and of processors, most memory of all, of one and of a worker, bytes moved."""

    wall: float = 0.0
    most: int = 0
    largest: int = 0
    worker: int = 0
    processors: dict[int, float] = field(default_factory=dict)
    moved: dict[int, int] = field(default_factory=dict)

    def look(self, process: psutil.Process) -> None:
        """Take note of what the process and its descendants have at this moment."""
        sizes = [self._one(one) for one in (process, *process.children(recursive=True))]
        self.most, self.largest = max(self.most, sum(sizes)), max(self.largest, *sizes)
        self.worker = max(self.worker, *sizes[1:], 0)

    def _one(self, process: psutil.Process) -> int:
        try:
            times, size = process.cpu_times(), process.memory_info().rss
            self.processors[process.pid] = times.user + times.system
            with suppress(OSError):  # some systems do not count what a process reads
                counters = process.io_counters()
                self.moved[process.pid] = counters.read_chars + counters.write_chars
            return int(size)
        except psutil.Error:
            return 0  # it has ended since it was listed

    def as_json(self) -> dict[str, float]:
        return {
            "wall_s": round(self.wall, 1),
            "processor_s": round(sum(self.processors.values()), 1),
            "most_mb": round(self.most / 1e6),
            "largest_process_mb": round(self.largest / 1e6),
            "largest_worker_mb": round(self.worker / 1e6),
            "moved_gb": round(sum(self.moved.values()) / 1e9, 2),
        }


def run(arguments: list[str]) -> Took:
    """Run `anaphor` with these arguments; one thread for linear algebra, so that processes are compared."""
    took, began = Took(), time.perf_counter()
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "anaphor.cli.main", *arguments]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as started:
        process = psutil.Process(started.pid)
        while started.poll() is None:
            try:
                took.look(process)
            except psutil.NoSuchProcess:
                break
            time.sleep(_EVERY)
    if started.returncode:
        sys.exit(f"anaphor {' '.join(arguments)} ended with {started.returncode}")
    took.wall = time.perf_counter() - began
    return took
