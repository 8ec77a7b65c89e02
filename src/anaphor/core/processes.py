"""Worker processes that end with the block that started them; their errors are re-raised here."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Literal

from anaphor.core import UserError


@contextmanager
def running(
    method: Literal["fork", "spawn"],
    work: Callable[..., None],
    arguments: Iterable[tuple[Any, ...]],
    *,
    environment: Mapping[str, str] | None = None,
) -> Iterator[list[Connection]]:
    """Start one process per tuple and return the connections to them; `work` receives its end of the pipe,
    then the tuple.
    """
    context = get_context("fork") if method == "fork" else get_context("spawn")
    processes, connections = [], []
    try:
        for one in arguments:
            ours, theirs = context.Pipe()
            process = context.Process(target=_begin, args=(work, theirs, *one), daemon=True)
            with _surroundings(environment or {}), _interrupts_blocked():
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


def received(connection: Connection, *, lost: Callable[[], UserError]) -> Any:
    """Receive the next message; raise a worker's `UserError`, or what `lost` returns if it is gone."""
    try:
        message = connection.recv()
    except (EOFError, ConnectionResetError):
        raise lost() from None
    if isinstance(message, UserError):
        raise message
    return message


def _begin(work: Callable[..., None], connection: Connection, *arguments: Any) -> None:
    # Ctrl-C reaches every process of the terminal; the one that started us ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(connection, *arguments)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C while processes start: it could arrive before `_begin`, during their imports."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # unblocks the signal when it starts, so it must run already
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _surroundings(environment: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for processes started inside the block only."""
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        with warnings.catch_warnings():
            # Python warns of forks beside threads; those of linear algebra know how to be forked.
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
