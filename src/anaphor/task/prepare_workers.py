"""Parts made side by side: worker processes that are sent jobs and send finished parts back."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import NamedTuple

from anaphor.core import InputError, UserError
from anaphor.task.prepare_jobs import Job
from anaphor.task.prepare_part import PartMaker
from anaphor.task.prepare_plan import Plan
from anaphor.task.prepare_report import PartReport

#: The libraries behind NumPy read these when they are loaded.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Finished(NamedTuple):
    """A part as it goes to disk: its segments and its document ids, compressed or not."""

    number: int
    contents: tuple[bytes, bytes]
    report: PartReport


class _Failed(NamedTuple):
    """A mistake of the user that a worker found; the error itself cannot travel between processes."""

    what: str
    where: str
    fix: str


def make_parts(
    jobs: Iterable[Job], plan: Plan, *, model: Path | None, compress: bool, workers: int
) -> Iterator[Finished]:
    """Finished parts in any order. One job alone is done in this process, which saves starting others."""
    remaining = iter(jobs)
    first = list(islice(remaining, 2))
    if workers == 1 or len(first) < 2:
        maker = PartMaker(plan, model)
        for job in chain(first, remaining):
            yield finish(maker, job, compress=compress)
        return
    with _started(workers, plan, model, compress=compress) as connections:
        yield from _exchange(chain(first, remaining), connections)


def _exchange(jobs: Iterator[Job], connections: list[Connection]) -> Iterator[Finished]:
    """Keep every worker busy until all jobs are done.

    A worker gets its next job only when it has sent its last part: two large messages that meet in a pipe
    would wait for each other for ever. The next job is read beforehand, so that no worker waits for it.
    """
    ready = list(islice(jobs, len(connections)))
    busy = [_sent(connection, ready.pop(0)) for connection in connections[: len(ready)]]
    while busy:
        ready += islice(jobs, 1 - len(ready))
        arrived = wait(busy)
        connection = next(one for one in busy if one in arrived)
        result = _received(connection)
        busy.remove(connection)
        if ready:
            busy.append(_sent(connection, ready.pop(0)))
        yield result


def _sent(connection: Connection, job: Job) -> Connection:
    connection.send(job)
    return connection


def _received(connection: Connection) -> Finished:
    try:
        result: Finished | _Failed = connection.recv()
    except EOFError:
        raise UserError(
            "a worker process stopped before it was done",
            where="--workers",
            fix="run again, with fewer workers if memory is short; finished parts are kept",
        ) from None
    if isinstance(result, _Failed):
        raise InputError(result.what, where=result.where, fix=result.fix)
    return result


@contextmanager
def _started(workers: int, plan: Plan, model: Path | None, *, compress: bool) -> Iterator[list[Connection]]:
    """Connections to fresh processes, which end with the block however it is left."""
    context = multiprocessing.get_context("spawn")
    processes, connections = [], []
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, plan, model, compress), daemon=True)
            with _one_thread_each():
                process.start()
            theirs.close()
            processes.append(process)
            connections.append(ours)
        yield connections
    finally:
        for connection, process in zip(connections, processes, strict=True):
            connection.close()
            process.terminate()
            process.join()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started inside use one thread for linear algebra: there is one process for each core."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _serve(jobs: Connection, plan: Plan, model: Path | None, compress: bool) -> None:
    """The life of a worker: until nobody sends jobs any more."""
    # Ctrl-C reaches every process of the terminal; the one that started us ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    maker = None
    while True:
        try:
            job = jobs.recv()
            maker = maker or PartMaker(plan, model)
            jobs.send(finish(maker, job, compress=compress))
        except UserError as error:
            jobs.send(_Failed(error.what, str(error.where), error.fix))
        except (EOFError, BrokenPipeError):
            return


def finish(maker: PartMaker, job: Job, *, compress: bool) -> Finished:
    """A part as it goes to disk."""
    prepared = maker.make(job)
    lines, documents = (_packed(texts, compress=compress) for texts in (prepared.lines, prepared.documents))
    return Finished(job.number, (lines, documents), prepared.report)


def _packed(lines: Iterable[str], *, compress: bool) -> bytes:
    """A piece of a file; compressed pieces one after the other are a compressed file."""
    data = "".join([f"{line}\n" for line in lines]).encode("utf-8")
    return gzip.compress(data, compresslevel=4, mtime=0) if compress else data
