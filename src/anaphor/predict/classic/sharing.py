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
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, pairwise
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from anaphor.core import UserError
from anaphor.corpus.processes import Failed, received, running

#: Segments for which it does not pay to start a process.
SHORT = 4000
#: Segments that are in memory at once.
_PIECE = 16_000
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
    """How much of its part a process has done."""

    share: float


def parts_of(
    documents: Sequence[str | None],
    slots: Sequence[int],
    *,
    family: str = "linear-svm",
    processes: int | None = None,
) -> list[range]:
    """The places of segments in parts with like many slots, one for each process; a document is never cut.

    There are as many processes as cores, and one for a family whose models cannot be forked.
    """
    most = _cores() if processes is None else processes
    count = min(most, len(documents) // SHORT) if family in FORKED else 1
    seen = [*accumulate(slots)]
    wanted = (bisect_left(seen, seen[-1] * number // count) for number in range(1, count))
    inner = {_document_end(documents, at) for at in wanted} - {0, len(documents)}
    return [range(start, end) for start, end in pairwise((0, *sorted(inner), len(documents)))]


def pieces_of(documents: Sequence[str | None], places: range) -> list[range]:
    """A part in pieces of some thousand segments: memory for the next is that of the last.

    A document is never cut, so that a model that looks at documents says the same.
    """
    wanted = range(places.start + _PIECE, places.stop, _PIECE)
    inner = {end for at in wanted if (end := _document_end(documents, at)) < places.stop}
    return [range(start, end) for start, end in pairwise((places.start, *sorted(inner), places.stop))]


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


def shared_out(
    work: Callable[[Part, Tell], Answer], parts: Sequence[Part], *, tell: Tell = lambda _: None
) -> list[Answer]:
    """What `work` answers to each part, in order. One part alone is worked on in this process.

    `work` is given a listener for the share of its part that is done; `tell` hears the share of all.
    """
    if len(parts) < 2:
        return [work(part, tell) for part in parts]
    shares = [0.0] * len(parts)
    answers: dict[int, Answer] = {}
    with running("fork", _work, [(work, part) for part in parts]) as connections:
        while len(answers) < len(parts):
            waiting = [one for number, one in enumerate(connections) if number not in answers]
            for connection in wait(waiting):
                number = connections.index(connection)  # type: ignore[arg-type]
                message = received(connections[number], lost=_lost)
                if isinstance(message, _Done):
                    shares[number] = message.share
                    tell(sum(shares) / len(shares))
                else:
                    answers[number] = message
    return [answers[number] for number in range(len(parts))]


def _lost() -> UserError:
    return UserError(
        "a process stopped before it was done",
        where="the worker processes",
        fix="run again when more memory is free; with one core (taskset -c 0) there is one process only",
    )


def _work(answers: Connection, work: Callable[[Part, Tell], Answer], part: Part) -> None:
    """The life of a process: one part."""
    # It ends soon, and a search for garbage would copy the memory that it shares with the others.
    gc.disable()
    with _one_thread():
        try:
            answers.send(work(part, lambda share: answers.send(_Done(share))))
        except UserError as error:
            answers.send(Failed.of(error))


def _one_thread() -> Any:
    """Linear algebra in one thread, for there is a process for each core; scikit-learn brings the means."""
    if find_spec("threadpoolctl") is None:
        return nullcontext()
    return import_module("threadpoolctl").threadpool_limits(1)
