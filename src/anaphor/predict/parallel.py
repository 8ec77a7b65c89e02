"""Parallel work on a long text: several processes, each with some of the documents.

Processes are forked, so they share everything already read and send back only results. If the system cannot
fork or has one core, or the text is short, the same work is done in this process, with the same result.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, pairwise
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from anaphor.core import UserError
from anaphor.core.processes import received, running
from anaphor.core.progress import ShareDone

#: Segments per process below which starting it does not pay.
SHORT = 4000
#: The largest and the smallest chunk of segments that a process takes at once; the largest bounds memory.
_LARGEST, _SMALLEST = 16_000, 2000
#: Families whose models read each document by itself and whose libraries survive a fork.
FORKED = frozenset({"crf", "linear-svm", "logistic", "random-forest", "two-step", "weighted-logistic"})

Part = TypeVar("Part")
Result = TypeVar("Result")


def reach_of(model: object) -> int | None:
    """The number of segments before a placeholder that a model reads; None if there is no limit."""
    return getattr(model, "reach", None)


def processes_for(segments: int, *, family: str = "linear-svm") -> int:
    """The number of processes that pays off for this many segments, at most one per core.

    It is 1 for a family whose models cannot be forked, or if processes cannot be started.
    """
    # A daemonic process may not start others.
    if family not in FORKED or sys.platform != "linux" or multiprocessing.current_process().daemon:
        return 1
    return max(min(len(os.sched_getaffinity(0)), segments // SHORT), 1)


def parts_of(documents: Sequence[str | None], slots: Sequence[int], *, count: int) -> list[range]:
    """Split segments into at most `count` ranges with about equally many slots; documents are not split."""
    seen = [*accumulate(slots)]
    wanted = (bisect_left(seen, seen[-1] * number // count) for number in range(1, count)) if seen else ()
    inner = {_document_end(documents, at) for at in wanted} - {0, len(documents)}
    return [range(start, end) for start, end in pairwise((0, *sorted(inner), len(documents)))]


def chunks_of(documents: Sequence[str | None], *, processes: int) -> list[range]:
    """Split segments into chunks that processes take one after the other.

    The last chunks are smaller, so all processes finish at about the same time. Documents are not split,
    so models see the same context as without processes.
    """
    ends = [0]
    while ends[-1] < len(documents):
        left = len(documents) - ends[-1]
        size = min(_LARGEST, max(left // (2 * processes), _SMALLEST))
        ends.append(_document_end(documents, min(ends[-1] + size, len(documents))))
    return [range(start, end) for start, end in pairwise(ends)]


def _document_end(documents: Sequence[str | None], at: int) -> int:
    """The first document boundary at or after this position."""
    while 0 < at < len(documents) and documents[at] is not None and documents[at] == documents[at - 1]:
        at += 1
    return at


def run_parallel(
    work: Callable[[Part, ShareDone], Result],
    parts: Sequence[Part],
    *,
    processes: int,
    progress: ShareDone = lambda _: None,
) -> Iterator[Result]:
    """The results of `work` for all parts, in order, as soon as they are available.

    `work` receives a function that reports the finished share of its part; `progress` receives the share of
    all parts. With one process, the work is done in this one.
    """
    shares = [0.0] * len(parts)

    def report(part: int, share: float) -> None:
        shares[part] = share
        progress(sum(shares) / len(shares))

    if min(processes, len(parts)) < 2:
        return (work(part, partial(report, number)) for number, part in enumerate(parts))
    return _in_order(_from_processes(work, parts, min(processes, len(parts)), report), len(parts))


def _from_processes(
    work: Callable[[Part, ShareDone], Result],
    parts: Sequence[Part],
    processes: int,
    report: Callable[[int, float], None],
) -> Iterator[tuple[int, Result]]:
    """Results in any order. A process has the part it is working on, and one more waiting."""
    left = deque(range(len(parts)))

    def send_next(connection: Connection) -> int:
        """Send a process the next part; returns how many were sent."""
        if not left:
            return 0
        with suppress(OSError):  # the process is gone, which is noticed when its result is missing
            connection.send(left.popleft())
        return 1

    with running("fork", _work, [(work, parts)] * processes) as connections:
        pending = dict.fromkeys(connections, 0)
        for connection in (*connections, *connections):
            pending[connection] += send_next(connection)
        while waiting := [connection for connection in connections if pending[connection]]:
            ready = wait(waiting)
            for connection in (other for other in waiting if other in ready):
                done, part, value = received(connection, lost=_lost)
                if not done:
                    report(part, value)
                else:
                    pending[connection] += send_next(connection) - 1
                    yield part, value


def _in_order(results: Iterator[tuple[int, Any]], count: int) -> Iterator[Any]:
    early: dict[int, Any] = {}
    for number in range(count):
        while number not in early:
            part, result = next(results)
            early[part] = result
        yield early.pop(number)


def _lost() -> UserError:
    return UserError(
        "a worker process ended prematurely",
        where="the worker processes",
        fix="run again when more memory is free, or on one core (taskset -c 0), which needs one process only",
    )


def _work(connection: Connection, work: Callable[[Part, ShareDone], Result], parts: Sequence[Part]) -> None:
    """The main function of a process: one part after another, until the parent ends it.

    It sends whether a part is done, the number of the part, and its result or the share that is done.
    """
    limits: Any = nullcontext()
    if find_spec("threadpoolctl") is not None:  # comes with scikit-learn
        # There is a process per core, so linear algebra should not start threads of its own.
        limits = import_module("threadpoolctl").threadpool_limits(1)
    with limits, suppress(EOFError):
        try:
            while True:
                number = connection.recv()

                def report(share: float, part: int = number) -> None:
                    connection.send((False, part, share))

                connection.send((True, number, work(parts[number], report)))
        except UserError as error:
            connection.send(error)
