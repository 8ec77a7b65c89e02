"""Who does tasks: a crew gives an outcome for each, finished or failed; one that fails stops no other."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from anaphor.core import InputWarning, UserError
from anaphor.scale.kept import Facts, Kept, Task

Tell = Callable[[str, int, int], None]
"""Told what is being done, how many of its tasks are finished, and how many there are."""


class Cost(NamedTuple):
    """What a task took: seconds of a processor, and the most memory that its process ever had, in bytes."""

    seconds: float
    memory: int


class Done(NamedTuple):
    """A finished task; `cost` is None where its result was there from an earlier run."""

    name: str
    facts: Facts
    notes: tuple[str, ...]
    cost: Cost | None


class Failed(NamedTuple):
    """A task that could not be done, in the three parts of an error, which itself cannot travel."""

    name: str
    what: str
    where: str
    fix: str


Outcome = Done | Failed


class Crew(Protocol):
    """Does tasks that do not wait for each other."""

    @property
    def name(self) -> str:
        """For messages and manifests."""

    @property
    def workers(self) -> int:
        """How many tasks are done at a time, at least one."""

    def run(self, step: str, tasks: Sequence[Task], kept: Kept, tell: Tell) -> list[Outcome]:
        """The outcome of every task, in the order of the tasks."""


class ThisProcess:
    """One task after the other."""

    name = "this process"
    workers = 1

    def run(self, step: str, tasks: Sequence[Task], kept: Kept, tell: Tell) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for task in tasks:
            tell(step, len(outcomes), len(tasks))
            outcomes.append(do(task, kept))
        return outcomes


class Accounted:
    """A crew whose work is added up."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._finished: list[Cost | None] = []

    @property
    def name(self) -> str:
        return self._crew.name

    @property
    def workers(self) -> int:
        return self._crew.workers

    def run(self, step: str, tasks: Sequence[Task], kept: Kept, tell: Tell) -> list[Outcome]:
        outcomes = self._crew.run(step, tasks, kept, tell)
        self._finished += [outcome.cost for outcome in outcomes if isinstance(outcome, Done)]
        return outcomes

    def __str__(self) -> str:
        """One line for people."""
        costs = [cost for cost in self._finished if cost is not None]
        seconds, memory = sum(cost.seconds for cost in costs), max((cost.memory for cost in costs), default=0)
        return (
            f"{self.name}: {len(self._finished)} tasks, {len(self._finished) - len(costs)} of them finished "
            f"before, {seconds:.1f} s of processor time, {memory / 1e6:.0f} MB in the largest process"
        )


def do(task: Task, kept: Kept) -> Outcome:
    """Do one task, unless its result is there; mistakes of users become a `Failed`."""
    try:
        key = task.key()
        if (record := kept.finished(task.name, key)) is not None:
            return Done(task.name, record.facts, record.notes, None)
        began = time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InputWarning)
            made = task.make(kept)
        notes = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, InputWarning))
        record = kept.keep(task.name, key, made, tuple(notes))
    except UserError as error:
        return Failed(task.name, error.what, str(error.where), error.fix)
    cost = Cost(time.process_time() - began, _most_memory())
    return Done(task.name, record.facts, record.notes, cost)


def _most_memory() -> int:
    """The most memory that this process ever had, in bytes; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def all_done(outcomes: Sequence[Outcome]) -> list[Done]:
    """The finished tasks where all are; else one error that names those that are not."""
    if failed := [outcome for outcome in outcomes if isinstance(outcome, Failed)]:
        raise failure(failed, of=len(outcomes))
    return [outcome for outcome in outcomes if isinstance(outcome, Done)]


def failure(failed: Sequence[Failed], *, of: int) -> UserError:
    """One error for tasks that failed; what the first one says stands for the others."""
    first = failed[0]
    names = ", ".join(one.name for one in failed[:10]) + (" and others" if len(failed) > 10 else "")
    rest = f" ({len(failed)} of {of} failed: {names}; the others are finished and kept)" if of > 1 else ""
    return UserError(f"{first.name}: {first.what}{rest}", where=first.where, fix=first.fix)
