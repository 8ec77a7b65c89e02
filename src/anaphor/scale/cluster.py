"""An executor on a Dask cluster: local processes, or a cluster that exists already.

The only module that uses Dask, which it imports when a cluster is opened.
"""

from __future__ import annotations

import logging
import os
import platform
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor import __version__
from anaphor.align.engine import best_engine
from anaphor.core import MismatchError, OptionError, UserError
from anaphor.core.progress import ShareProgress
from anaphor.scale.executor import Executor, Outcome, TaskFailed, run_task
from anaphor.scale.result_store import ResultStore, Task

if TYPE_CHECKING:
    from distributed import Client, Future


_LOCAL = re.compile(r"local(?::([1-9][0-9]{0,3}))?")
_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A number of `workers` on this machine, the `scheduler` of a cluster, or a scheduler `file`."""

    workers: int | None = None
    scheduler: str | None = None
    file: Path | None = None

    @classmethod
    def parse(cls, text: str) -> ClusterAddress:
        """From `local`, `local:4`, `tcp://host:8786` or the path of a scheduler file."""
        if match := _LOCAL.fullmatch(text):
            return cls(workers=int(match[1]) if match[1] else os.cpu_count() or 1)
        if text.startswith(_SCHEMES):
            return cls(scheduler=text)
        if Path(text).is_file():
            return cls(file=Path(text))
        raise OptionError(
            f"not a cluster address: {text}",
            where="--cluster",
            fix="pass local:N for N processes here, tcp://host:port, or the scheduler file of a cluster",
        )

    def __str__(self) -> str:
        return f"local:{self.workers}" if self.workers else str(self.scheduler or self.file)


#: How often a task that raised an exception is run again.
RETRIES = 2
#: Seconds to wait for a scheduler and its first worker.
CONNECTING = 20.0
#: Seconds to wait for workers to return when none are left.
WITHOUT_WORKERS = 120.0
#: Seconds without a finished task after which idle workers also get the tasks of slow ones.
PATIENCE = 60.0


@contextmanager
def open_cluster(address: ClusterAddress, *, patience: float = PATIENCE) -> Iterator[ClusterExecutor]:
    """An executor at this address; local processes end with the block, an existing cluster continues."""
    if find_spec("distributed") is None:
        raise OptionError(
            "Dask is not installed", where="--cluster", fix="install it with pip install 'anaphor[cluster]'"
        )
    with ExitStack() as stack:
        with _explained():
            client = stack.enter_context(_client(address))
            executor = ClusterExecutor(client, workers=address.workers, patience=patience)
            executor.check_versions()
        yield executor


#: Settings of local workers. By default they sample every thread a hundred times per second, tick fifty times
#: and return memory to the system whenever some is free, which costs a fifth of the time of a task.
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
}


class ClusterExecutor(Executor):
    """Runs tasks on the workers of a cluster."""

    def __init__(self, client: Client, *, workers: int | None, patience: float) -> None:
        """`workers`: how many the client's own local cluster should have."""
        super().__init__()
        self._client, self._wanted, self._patience = client, workers, patience
        self._numbers = count()

    @property
    def name(self) -> str:
        return f"{self.workers} workers of {self._client.scheduler.address}"

    @property
    def workers(self) -> int:
        """Workers that are connected now; others may be restarting."""
        return max(len(self._workers()), 1)

    @property
    def dashboard(self) -> str:
        """The address of the Dask dashboard."""
        return str(self._client.dashboard_link)

    def check_versions(self) -> None:
        """Raise unless every worker runs what this process runs."""
        self._client.wait_for_workers(1, timeout=CONNECTING)
        ours = _version()
        for worker, theirs in self._client.run(_version, on_error="return").items():
            if theirs != ours:
                raise MismatchError(
                    f"the worker has {theirs}, but this process has {ours}",
                    where=worker,
                    fix="install the same version of anaphor and Python on all machines, and start the "
                    "workers again",
                )

    def _run(
        self, step: str, tasks: Sequence[Task], store: ResultStore, progress: ShareProgress
    ) -> list[Outcome]:
        """Outcomes in task order; tasks of a worker that dies are given to another."""
        with _explained():
            for worker, seen in self._client.run(store.folder.is_dir, on_error="ignore").items():
                if not seen:
                    raise MismatchError(
                        f"the worker {worker} cannot see the output folder",
                        where=str(store.folder),
                        fix="choose an output on a file system that all machines share, by its full path",
                    )
            outcomes = self._round(step, tasks, store, progress)
            # A task that kills its worker also fails those queued there: each gets a last attempt alone.
            for number, task in enumerate(tasks):
                if isinstance(outcomes[number], _WorkerFailed):
                    outcomes[number] = self._round(step, [task], store, progress)[0]
            return outcomes

    def _round(
        self, step: str, tasks: Sequence[Task], store: ResultStore, progress: ShareProgress
    ) -> list[Outcome]:
        outcomes: dict[int, Outcome] = {}
        waiting = {self._submit(task, store): number for number, task in enumerate(tasks)}
        heard, longest, copied = time.monotonic(), 0.0, False
        while len(outcomes) < len(tasks):
            progress(step, len(outcomes) / len(tasks))
            finished = _finished(waiting)
            for future in finished:
                outcomes.setdefault(waiting[future], _outcome(future, tasks[waiting[future]]))
            # A task whose second copy has finished need not be waited for.
            waiting = {future: number for future, number in waiting.items() if number not in outcomes}
            silence = time.monotonic() - heard
            if finished:
                heard, longest, copied = time.monotonic(), max(longest, silence), False
            else:
                self._check_alive(silence)
            if not copied and silence > max(self._patience, 3 * longest):
                waiting |= (copies := self._copies(waiting, tasks, store))
                copied = bool(copies)
        return [outcomes[number] for number in range(len(tasks))]

    def _check_alive(self, silence: float) -> None:
        """Raise if the scheduler is gone, or has had no workers for too long; dead workers may come back."""
        if self._client.status != "running":
            raise _cluster_lost("the scheduler does not answer")
        if self._wanted is not None:
            # A local process that dies while it starts is given up; this starts others in place of such.
            self._client.cluster.scale(self._wanted)
        if silence > WITHOUT_WORKERS and not self._workers():
            raise _cluster_lost("no workers are left")

    def _submit(self, task: Task, store: ResultStore, *, workers: Sequence[str] | None = None) -> Future:
        key = f"{task.name.replace('/', '-')}-{next(self._numbers)}"
        return self._client.submit(
            run_task,
            task,
            store,
            key=key,
            workers=workers,
            pure=False,
            retries=RETRIES,
            allow_other_workers=False,
        )

    def _copies(
        self, waiting: Mapping[Future, int], tasks: Sequence[Task], store: ResultStore
    ) -> dict[Future, int]:
        """Copies of the tasks of slow workers for idle ones; both write the same bytes."""
        holders = {key: worker for worker, keys in self._client.processing().items() for key in keys}
        idle = [worker for worker in self._workers() if worker not in holders.values()]
        slow = {waiting[future]: future for future in waiting if future.key in holders}
        return {self._submit(tasks[number], store, workers=idle): number for number in slow} if idle else {}

    def _workers(self) -> list[str]:
        return list(self._client.scheduler_info(n_workers=-1)["workers"])


@contextmanager
def _client(address: ClusterAddress) -> Iterator[Client]:
    from dask import config
    from distributed import Client, LocalCluster

    if address.workers is None:
        place = {"scheduler_file": str(address.file)} if address.file else {"address": address.scheduler}
        with Client(**place, timeout=CONNECTING) as client:
            yield client
        return
    # One thread each: the engine releases the interpreter lock, but the code around it does not.
    with (
        config.set(_QUIET),
        LocalCluster(
            n_workers=address.workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _finished(waiting: Mapping[Future, int]) -> set[Future]:
    """The finished tasks, after a second at most."""
    from distributed import wait

    try:
        return set(wait(list(waiting), timeout=1, return_when="FIRST_COMPLETED").done)
    except TimeoutError:
        return set()
    except CancelledError:
        raise _cluster_lost("it lost its tasks") from None


class _WorkerFailed(TaskFailed):
    """A task that ended with an exception or with its worker, not with a `UserError`."""


def _outcome(future: Future, task: Task) -> Outcome:
    from distributed import KilledWorker

    if future.status == "finished":
        outcome: Outcome = future.result()
        return outcome
    if isinstance(error := future.exception(), KilledWorker):
        return _WorkerFailed(
            task.name,
            "its workers died on every attempt",
            str(error.last_worker.address),
            "see their logs; a worker that exceeds its memory limit is killed: allow it more, or "
            "make the shards smaller",
        )
    fix = "this is a bug in anaphor or its installation: see the log of the worker"
    return _WorkerFailed(task.name, f"it failed on every attempt: {error!r}", str(future.key), fix)


def _version() -> str:
    return f"anaphor {__version__} ({best_engine().name} engine), Python {platform.python_version()}"


def _cluster_lost(why: str) -> UserError:
    return UserError(
        f"the connection to the cluster was lost ({why})",
        where="--cluster",
        fix="restart it and rerun the command: finished shards are kept",
    )


@contextmanager
def _explained() -> Iterator[None]:
    """Turns the errors of Dask about an unreachable cluster into a `UserError`."""
    from distributed.comm import CommClosedError

    try:
        yield
    except (TimeoutError, CommClosedError, OSError) as error:
        raise UserError(
            f"the cluster cannot be reached, or has no workers ({error})",
            where="--cluster",
            fix="check the address, and that scheduler and workers are running; finished shards are kept",
        ) from error
