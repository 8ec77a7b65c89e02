"""Executors run tasks and return an outcome for each; a task that fails stops no other."""

from __future__ import annotations

import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from anaphor.core import InputWarning, UserError
from anaphor.core.progress import ShareProgress
from anaphor.scale.result_store import ResultStore, Task, TaskFacts

#: Called with the current step, the number of its finished tasks, and their total.


class TaskCost(NamedTuple):
    """Processor seconds of a task, and the peak memory of its process in bytes."""

    seconds: float
    memory: int


class TaskDone(NamedTuple):
    """A finished task; `cost` is None if its result was stored by an earlier run."""

    name: str
    facts: TaskFacts
    notes: tuple[str, ...]
    cost: TaskCost | None


class TaskFailed(NamedTuple):
    """A task that failed, as the three parts of an error: a `UserError` cannot be sent between processes."""

    name: str
    what: str
    where: str
    fix: str


Outcome = TaskDone | TaskFailed


class Executor(ABC):
    """Runs independent tasks and adds up their costs; `str()` returns a summary."""

    def __init__(self) -> None:
        self._finished: list[TaskCost | None] = []

    @property
    @abstractmethod
    def name(self) -> str:
        """For messages and manifests."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """The number of tasks that run at the same time, at least one."""

    @abstractmethod
    def _run(
        self, step: str, tasks: Sequence[Task], store: ResultStore, progress: ShareProgress
    ) -> list[Outcome]: ...

    def run(
        self, step: str, tasks: Sequence[Task], store: ResultStore, progress: ShareProgress
    ) -> list[Outcome]:
        """The outcome of every task, in the order of the tasks."""
        outcomes = self._run(step, tasks, store, progress)
        self._finished += [outcome.cost for outcome in outcomes if isinstance(outcome, TaskDone)]
        return outcomes

    def __str__(self) -> str:
        costs = [cost for cost in self._finished if cost is not None]
        seconds, memory = sum(cost.seconds for cost in costs), max((cost.memory for cost in costs), default=0)
        return (
            f"{self.name}: {len(self._finished)} tasks, {len(self._finished) - len(costs)} of them finished "
            f"before, {seconds:.1f} s of processor time, {memory / 1e6:.0f} MB in the largest process"
        )


class LocalExecutor(Executor):
    """Runs one task after the other in this process."""

    name = "this process"
    workers = 1

    def _run(
        self, step: str, tasks: Sequence[Task], store: ResultStore, progress: ShareProgress
    ) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for task in tasks:
            progress(step, len(outcomes) / len(tasks))
            outcomes.append(run_task(task, store))
        return outcomes


def run_task(task: Task, store: ResultStore) -> Outcome:
    """Run one task unless its result is stored; a `UserError` becomes a `TaskFailed`."""
    try:
        key = task.key()
        if (record := store.finished(task.name, key)) is not None:
            return TaskDone(task.name, record.facts, record.notes, None)
        began = time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InputWarning)
            result = task.make(store)
        notes = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, InputWarning))
        record = store.save(task.name, key, result, tuple(notes))
    except UserError as error:
        return TaskFailed(task.name, error.what, str(error.where), error.fix)
    cost = TaskCost(time.process_time() - began, _most_memory())
    return TaskDone(task.name, record.facts, record.notes, cost)


def _most_memory() -> int:
    """Peak memory of this process in bytes; 0 if the system does not report it."""
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def all_done(outcomes: Sequence[Outcome]) -> list[TaskDone]:
    """The finished tasks; failed ones are reported in a single error."""
    if failed := [outcome for outcome in outcomes if isinstance(outcome, TaskFailed)]:
        raise failure(failed, of=len(outcomes))
    return [outcome for outcome in outcomes if isinstance(outcome, TaskDone)]


def failure(failed: Sequence[TaskFailed], *, of: int) -> UserError:
    """One error for all failed tasks, with the message of the first."""
    first = failed[0]
    names = ", ".join(task.name for task in failed[:10]) + (" and others" if len(failed) > 10 else "")
    rest = f" ({len(failed)} of {of} failed: {names}; the others are finished and kept)" if of > 1 else ""
    return UserError(f"{first.name}: {first.what}{rest}", where=first.where, fix=first.fix)
