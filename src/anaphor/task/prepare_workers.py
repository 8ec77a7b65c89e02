"""Parts made side by side: worker processes that are sent jobs and send finished parts back."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import NamedTuple

from anaphor.core import UserError
from anaphor.corpus.processes import Failed, received, running
from anaphor.task.prepare_jobs import Job
from anaphor.task.prepare_part import PartMaker
from anaphor.task.prepare_plan import Plan
from anaphor.task.prepare_report import PartReport

#: There is a process for each core; the libraries behind NumPy read these when they are loaded.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Finished(NamedTuple):
    """A part as it goes to disk: its segments and its document ids, compressed or not."""

    number: int
    contents: tuple[bytes, bytes]
    report: PartReport


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
    arguments = [(plan, model, compress)] * workers
    with running("spawn", _serve, arguments, environment=_ONE_THREAD) as connections:
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
        result: Finished = received(connection, lost=_lost)
        busy.remove(connection)
        if ready:
            busy.append(_sent(connection, ready.pop(0)))
        yield result


def _sent(connection: Connection, job: Job) -> Connection:
    connection.send(job)
    return connection


def _lost() -> UserError:
    return UserError(
        "a worker process stopped before it was done",
        where="--workers",
        fix="run again, with fewer workers if memory is short; finished parts are kept",
    )


def _serve(jobs: Connection, plan: Plan, model: Path | None, compress: bool) -> None:
    """The life of a worker: until nobody sends jobs any more."""
    maker = None
    while True:
        try:
            job = jobs.recv()
            maker = maker or PartMaker(plan, model)
            jobs.send(finish(maker, job, compress=compress))
        except UserError as error:
            jobs.send(Failed.of(error))
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
