"""Workers of a cluster on this machine that are killed while they work."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from anaphor.scale.cluster import ClusterExecutor


def pids(executor: ClusterExecutor) -> list[int]:
    """The processes of workers that work; one that dies while it starts would not be replaced."""
    ready = executor._workers()
    nannies = executor._client.cluster.workers.values()
    return [one.pid for one in nannies if one.pid is not None and one.worker_address in ready]


@contextmanager
def killing(executor: ClusterExecutor, *, times: int, every: float) -> Iterator[list[int]]:
    """Kills a worker now and then, drawn at random, until the block ends."""
    over, killed, chance = threading.Event(), list[int](), random.Random(11)

    def kill() -> None:
        while len(killed) < times and not over.wait(every):
            if alive := pids(executor):
                with suppress(ProcessLookupError):
                    os.kill(pid := chance.choice(alive), signal.SIGKILL)
                    killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()
