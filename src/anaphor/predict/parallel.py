"""A long text looked at by several processes, each of which has some of the documents.

Processes are forked: they see what was read before they began, and only their answers travel. Where a system
cannot fork, or has one core, or a text is short, the same work is done in this process, with the same answer.
"""

from __future__ import annotations

import gc
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
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from anaphor.core import UserError
from anaphor.corpus.processes import Failed, received, running

#: Segments for which it does not pay to start a process.
SHORT = 4000
#: Segments that are in memory at once, and for which it pays to make a piece of them.
_PIECE, _LEAST = 16_000, 2000
#: Families whose models look at a document by itself and whose libraries outlive a fork.
FORKED = frozenset({"crf", "linear-svm", "logistic", "random-forest", "two-step", "weighted-logistic"})

Part = TypeVar("Part")
Answer = TypeVar("Answer")
Tell = Callable[[float], None]


@runtime_checkable
class Reaching(Protocol):
    """A model that knows how many segments before a placeholder it looks at."""

    @property
    def reach(self) -> int: ...


def reach_of(model: object) -> int | None:
    """How many segments before a placeholder a model looks at; None where it may look at all of them."""
    return model.reach if isinstance(model, Reaching) else None


class _Done(NamedTuple):
    """How much of a part a process has done."""

    part: int
    share: float


class _Answered(NamedTuple):
    """What a process has to say of a part."""

    part: int
    answer: Any


def processes_for(segments: int, *, family: str = "linear-svm") -> int:
    """How many processes pay for so many segments: one for each core at most.

    One alone for a family whose models cannot be forked, and where processes cannot be started.
    """
    return max(min(_cores(), segments // SHORT), 1) if family in FORKED else 1


def parts_of(documents: Sequence[str | None], slots: Sequence[int], *, count: int) -> list[range]:
    """The places of segments in so many parts with like many slots, or fewer: a document is never cut."""
    seen = [*accumulate(slots)]
    wanted = (bisect_left(seen, seen[-1] * number // count) for number in range(1, count)) if seen else ()
    inner = {_document_end(documents, at) for at in wanted} - {0, len(documents)}
    return [range(start, end) for start, end in pairwise((0, *sorted(inner), len(documents)))]


def pieces_of(documents: Sequence[str | None], *, processes: int) -> list[range]:
    """The places of segments in pieces that processes take one after the other, each with memory for one.

    The last ones are smaller, so that no process works long after the others. A document is never cut, so
    that a model that looks at documents says the same.
    """
    ends = [0]
    while ends[-1] < len(documents):
        left = len(documents) - ends[-1]
        size = min(_PIECE, max(left // (2 * processes), _LEAST))
        ends.append(_document_end(documents, min(ends[-1] + size, len(documents))))
    return [range(start, end) for start, end in pairwise(ends)]


def _document_end(documents: Sequence[str | None], at: int) -> int:
    """The first place from here on where a document ends."""
    while 0 < at < len(documents) and documents[at] is not None and documents[at] == documents[at - 1]:
        at += 1
    return at


def _cores() -> int:
    """The cores that processes can be started for; a process of a pool may start none."""
    if sys.platform != "linux" or multiprocessing.current_process().daemon:
        return 1
    return len(os.sched_getaffinity(0))


def run_parallel(
    work: Callable[[Part, Tell], Answer],
    parts: Sequence[Part],
    *,
    processes: int,
    tell: Tell = lambda _: None,
) -> Iterator[Answer]:
    """What `work` answers to each part, in order, as soon as it is known; one process alone is this one.

    `work` is given a listener for the share of its part that is done; `tell` hears the share of all.
    """
    shares = [0.0] * len(parts)

    def told(part: int, share: float) -> None:
        shares[part] = share
        tell(sum(shares) / len(shares))

    if min(processes, len(parts)) < 2:
        return (work(part, partial(told, number)) for number, part in enumerate(parts))
    return _in_order(_from_processes(work, parts, min(processes, len(parts)), told), len(parts))


def _from_processes(
    work: Callable[[Part, Tell], Answer],
    parts: Sequence[Part],
    processes: int,
    told: Callable[[int, float], None],
) -> Iterator[_Answered]:
    """Answers in any order. A process is given the part that it works on, and the one after that."""
    left = deque(range(len(parts)))
    with running("fork", _work, [(work, parts)] * processes) as connections:
        owed = dict.fromkeys(connections, 0)
        for connection in (*connections, *connections):
            owed[connection] += _given(connection, left)
        while waiting := [connection for connection in connections if owed[connection]]:
            ready = wait(waiting)
            for connection in (one for one in waiting if one in ready):
                message = received(connection, lost=_lost)
                if isinstance(message, _Done):
                    told(message.part, message.share)
                else:
                    owed[connection] += _given(connection, left) - 1
                    yield message


def _given(connection: Connection, left: deque[int]) -> int:
    """How many parts a process was given of those that are left: one, or none if none is."""
    if not left:
        return 0
    with suppress(OSError):  # of a process that is gone: its answer will be missed
        connection.send(left.popleft())
    return 1


def _in_order(answers: Iterator[_Answered], count: int) -> Iterator[Any]:
    early: dict[int, Any] = {}
    for number in range(count):
        while number not in early:
            part, answer = next(answers)
            early[part] = answer
        yield early.pop(number)


def _lost() -> UserError:
    return UserError(
        "a process stopped before it was done",
        where="the worker processes",
        fix="run again when more memory is free; with one core (taskset -c 0) there is one process only",
    )


def _work(connection: Connection, work: Callable[[Part, Tell], Answer], parts: Sequence[Part]) -> None:
    """The life of a process: one part after another, until whoever gives them ends it."""
    # It ends soon, and a search for garbage would copy the memory that it shares with the others.
    gc.disable()
    with _one_thread(), suppress(EOFError):
        try:
            while True:
                number = connection.recv()
                connection.send(_Answered(number, work(parts[number], partial(_tell, connection, number))))
        except UserError as error:
            connection.send(Failed.of(error))


def _tell(connection: Connection, part: int, share: float) -> None:
    connection.send(_Done(part, share))


def _one_thread() -> Any:
    """Linear algebra in one thread, for there is a process for each core; scikit-learn brings the means."""
    if find_spec("threadpoolctl") is None:
        return nullcontext()
    return import_module("threadpoolctl").threadpool_limits(1)
