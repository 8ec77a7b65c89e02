"""Fuzzes every reader: `python -m tests.fuzz --mutations 100000`. Each reader runs in a process of its own.

A failure is printed with its number, and `--only NAME --first NUMBER --mutations 1` repeats it. With `--write`, counts and
date are kept in `counts.json` every minute and in the table of SECURITY.md at the end, and a reader whose code has not
changed goes on where it stopped. `--table` writes that table alone.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import MutableSequence
from contextlib import nullcontext
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.fuzz.code import ROOT, CalledCode, as_text, code_digest, from_text, loaded_constants
from tests.fuzz.counts import Run, add_run, read_counts, write_table
from tests.fuzz.harness import FuzzedFolder, Reader, close_databases
from tests.fuzz.mutations import MEMORY
from tests.fuzz.readers import READERS

_MEMORY = 6 << 30
_SLOW = 5.0
#: After so many seconds by the clock a mutation counts as a crash: some loops have no end.
_ENDLESS = 120
#: Seconds between two times that counts are kept.
_OFTEN = 60
#: The functions that these first mutations call are noted, and those of one in so many after them: it takes time.
_NOTED, _NOTED_EVERY = 200, 25
#: A reader that ended its process so often is given up.
_MOST_CRASHES = 20
#: What a process counts, in memory that outlives it; the first three together are all that was tried.
REFUSED, READ, FAILED, SLOWEST, SECONDS = range(5)


def fuzz(
    reader: Reader, numbers: range, *, seed: int, counts: MutableSequence[float], code: Path | None = None
) -> None:
    """Tries the mutations of these numbers and counts; `code` has the functions that were called, and gets more.

    Of failures of one kind the first is printed.
    """
    found: set[str] = set()
    made, called, noted = CalledCode(only_tests=True), CalledCode(), 0
    before = set() if code is None else from_text(code.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="files-", dir=MEMORY if code is None else code.parent) as folder:
        with made:
            fuzzed = FuzzedFolder(reader, Path(folder), seed)
        gc.freeze()  # collecting garbage between mutations need not look at modules
        for number in numbers:
            started, outcome, failure = time.process_time(), FAILED, ""
            signal.alarm(_ENDLESS)
            try:
                noting = code is not None and (number < _NOTED or number % _NOTED_EVERY == 0)
                with called if noting else nullcontext():
                    outcome = REFUSED if fuzzed.attempt(number) == "refused" else READ
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                steps = traceback.extract_tb(error.__traceback__)
                last = ([step for step in steps if "/src/anaphor/" in step.filename] or steps)[-1]
                failure = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
                if len(numbers) == 1:
                    traceback.print_exception(error)
            signal.alarm(0)
            close_databases(reader)
            took = time.process_time() - started
            if not failure and took > _SLOW:
                failure = f"more than {_SLOW:.0f} s"
            if failure and failure not in found:
                print(f"  FAILED {number}: {reader.name}: {failure}", flush=True)
                found.add(failure)
            counts[SECONDS] += took
            counts[SLOWEST] = max(counts[SLOWEST], took)
            counts[FAILED if failure else outcome] += 1  # last: what ended the process is not among those
            if code is not None and len(called) > noted and number >= min(_NOTED, numbers[-1]):
                noted = len(called)
                names = before | made.names() | called.names() | loaded_constants()
                code.write_text(as_text(names), encoding="utf-8")


def _work(reader: Reader, numbers: range, seed: int, counts: MutableSequence[float], code: Path) -> None:
    """What a process does, within limits."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    faulthandler.enable()
    faulthandler.register(signal.SIGALRM, chain=True)
    if "LD_PRELOAD" not in os.environ:  # a sanitizer reserves all addresses that there are
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    fuzz(reader, numbers, seed=seed, counts=counts, code=code)


class Job:
    """A reader at work in a process, which is started again behind a mutation that ended it."""

    def __init__(self, reader: Reader, options: argparse.Namespace, folder: Path) -> None:
        self.reader, self.options = reader, options
        self.counts = get_context("fork").RawArray("d", 5)
        self.code = folder / reader.name.replace("/", "-")
        self.code.write_text("", encoding="utf-8")
        self.crashes = 0
        self.process: BaseProcess | None = None
        self.place = "sanitized" if options.sanitized else "plain"
        kept = (
            None if options.write is None else read_counts(options.write).get(reader.name, {}).get(self.place)
        )
        self.earlier = 0
        # A run of the same code goes on; after a change all is tried again.
        if kept is None or options.first:
            return
        self.earlier = kept.get("earlier", 0)
        if kept["code"] == code_digest(kept.get("functions", "")):
            self.counts[REFUSED], self.counts[READ] = kept.get("refused", 0), kept.get("read", 0)
            self.counts[FAILED] = kept["failed"]
            self.code.write_text(kept["functions"], encoding="utf-8")
        else:
            self.earlier += kept["tried"]

    @property
    def tried(self) -> int:
        return int(self.counts[REFUSED] + self.counts[READ] + self.counts[FAILED])

    @property
    def numbers(self) -> range:
        """Those of the mutations that are left."""
        first = self.options.first
        return range(first + self.tried, first + self.options.mutations)

    def start(self) -> None:
        arguments = (self.reader, self.numbers, self.options.seed, self.counts, self.code)
        self.process = get_context("fork").Process(target=_work, args=arguments, daemon=True)
        self.process.start()

    def ended(self) -> bool:
        """Whether all is done; a process that crashed is started again."""
        assert self.process is not None
        self.process.join()
        if self.process.exitcode != 0 and self.numbers:
            self.crashes += 1
            number = self.numbers[0]
            print(f"  CRASHED {number}: {self.reader.name}, {self.process.exitcode}", flush=True)
            self.counts[FAILED] += 1
            if self.crashes < _MOST_CRASHES and self.numbers:
                self.start()
                return False
        refused, read, failed = (int(self.counts[place]) for place in (REFUSED, READ, FAILED))
        times = f"{self.counts[SLOWEST]:.2f} s | {self.counts[SECONDS]:.1f} s"
        print(
            f"| {self.reader.name} | {self.tried:,} | {refused:,} | {read:,} | {failed:,} | {times} |",
            flush=True,
        )
        return True

    def keep(self) -> None:
        functions = self.code.read_text(encoding="utf-8")
        if self.options.write is None or not functions:
            return
        refused, read, failed = (int(self.counts[place]) for place in (REFUSED, READ, FAILED))
        run = Run(
            tried=refused + read + failed,
            refused=refused,
            read=read,
            failed=failed,
            date=datetime.now(UTC).date().isoformat(),
            earlier=self.earlier,
            code=code_digest(functions),
            functions=functions,
        )
        add_run(self.reader.name, run, sanitized=self.options.sanitized, root=self.options.write)


def run_jobs(jobs: list[Job], *, at_once: int, until: float) -> None:
    """All jobs, so many at the same time, as far as they come until a time of the clock."""
    waiting, working = list(jobs), list[Job]()
    try:
        while (waiting or working) and time.monotonic() < until:
            while waiting and len(working) < at_once:
                working.append(waiting.pop(0))
                working[-1].start()
            processes = {job.process.sentinel: job for job in working if job.process is not None}
            for sentinel in wait([*processes], timeout=min(_OFTEN, max(0.0, until - time.monotonic()))):
                job = processes[sentinel]  # type: ignore[index]
                if job.ended():
                    working.remove(job)
                    job.keep()
            for job in working:
                job.keep()
    finally:
        for job in working:
            if job.process is not None:
                job.process.kill()
                job.process.join()
            job.keep()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--mutations", type=int, default=2000, help="of each reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation")
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--only", action="append", help="a reader; all if not given")
    parser.add_argument("--binary", action="store_true", help="only readers whose files reach native code")
    parser.add_argument("--jobs", type=int, default=1, help="readers at work at the same time")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument(
        "--write", nargs="?", type=Path, const=ROOT, metavar="PROJECT", help="keep the counts"
    )
    parser.add_argument(
        "--sanitized", action="store_true", help="they are those of a run under the sanitizers"
    )
    parser.add_argument("--table", action="store_true", help="write the table of SECURITY.md and try nothing")
    options = parser.parse_args()
    if options.table:
        write_table(READERS)
        return 0
    chosen = [reader for reader in READERS if reader.binary or not options.binary]
    chosen = [reader for reader in chosen if not options.only or reader.name in options.only]
    if options.mutations == 1:  # here, with a traceback
        counts = [0.0] * 5
        for reader in chosen:
            fuzz(reader, range(options.first, options.first + 1), seed=options.seed, counts=counts)
        return min(1, int(counts[FAILED]))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print("| reader | mutations | refused | read | failures | slowest | processor |", flush=True)
    print("|---|---|---|---|---|---|---|", flush=True)
    # In memory where that is possible: a database waits for the disk.
    with tempfile.TemporaryDirectory(prefix="anaphor-fuzz-", dir=MEMORY) as folder:
        # Those that take longest come last, so that the others are done if there is no end.
        jobs = [Job(reader, options, Path(folder)) for reader in sorted(chosen, key=lambda one: one.slow)]
        run_jobs(
            [job for job in jobs if job.numbers],
            at_once=options.jobs,
            until=time.monotonic() + 60 * options.minutes,
        )
        if options.write is not None:
            write_table(READERS, options.write)
        return min(1, sum(int(job.counts[FAILED]) for job in jobs))


if __name__ == "__main__":
    sys.exit(main())
