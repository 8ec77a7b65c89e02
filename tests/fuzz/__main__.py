"""Fuzzes every reader: `python -m tests.fuzz --mutations 100000`. Each reader runs in a process of its own.

A failure is printed with its number, and `--only NAME --first NUMBER --mutations 1` repeats it. With `--write`, counts and
date are kept in `counts.json` and in the table of SECURITY.md; `--table` writes that table alone.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from tests.fuzz.counts import ROOT, Run, add_run, code_digest, write_table
from tests.fuzz.harness import FuzzedFolder, Reader, close_databases
from tests.fuzz.mutations import MEMORY
from tests.fuzz.readers import READERS

_MEMORY = 6 << 30
_SLOW = 5.0
#: After so many seconds by the clock a mutation counts as a crash: some loops have no end.
_ENDLESS = 120


def fuzz(
    reader: Reader,
    *,
    first: int,
    count: int,
    seed: int,
    trace: int | None,
    write: Path | None,
    sanitized: bool,
) -> int:
    """The number of failures; of those of one kind the first is printed. `write`: the project with the counts."""
    code = "" if write is None else code_digest(write)  # before it may change
    found: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    begun, slowest = time.process_time(), 0.0
    # In memory where that is possible: a database waits for the disk.
    with tempfile.TemporaryDirectory(prefix="anaphor-fuzz-", dir=MEMORY) as folder:
        fuzzed = FuzzedFolder(reader, Path(folder), seed)
        gc.freeze()  # collecting garbage between mutations need not look at modules
        for number in range(first, first + count):
            if trace is not None:  # what a crash leaves behind
                os.pwrite(trace, f"{number:<12}".encode(), 0)
            started, failure = time.process_time(), ""
            signal.alarm(_ENDLESS)
            try:
                outcomes[fuzzed.attempt(number)] += 1
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                steps = traceback.extract_tb(error.__traceback__)
                last = ([one for one in steps if "/src/anaphor/" in one.filename] or steps)[-1]
                failure = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
                if count == 1:
                    traceback.print_exception(error)
            signal.alarm(0)
            took = time.process_time() - started
            close_databases(reader)
            slowest = max(slowest, took)
            if not failure and took > _SLOW:
                failure = f"more than {_SLOW:.0f} s"
            if failure:
                found[failure] += 1
                if found[failure] == 1:
                    print(f"  FAILED {number}: {failure}", flush=True)
    numbers = (count, outcomes["refused"], outcomes["read"], found.total())
    times = (f"{slowest:.2f} s", f"{time.process_time() - begun:.0f} s")
    print(f"| {' | '.join((reader.name, *(f'{one:,}' for one in numbers), *times))} |", flush=True)
    if write is not None:
        read, today = outcomes["read"], datetime.now(UTC).date().isoformat()
        run = Run(
            tried=count, refused=outcomes["refused"], read=read, failed=found.total(), date=today, code=code
        )
        add_run(reader.name, run, sanitized=sanitized, root=write)
    return found.total()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--mutations", type=int, default=2000, help="of each reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation")
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--only", action="append", help="a reader; all if not given")
    parser.add_argument("--binary", action="store_true", help="only readers whose files reach native code")
    parser.add_argument(
        "--write", nargs="?", type=Path, const=ROOT, metavar="PROJECT", help="keep the counts"
    )
    parser.add_argument(
        "--sanitized", action="store_true", help="they are those of a run under the sanitizers"
    )
    parser.add_argument("--table", action="store_true", help="write the table of SECURITY.md and try nothing")
    parser.add_argument("--trace", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.table:
        write_table(READERS)
        return 0
    chosen = [one for one in READERS if one.binary or not options.binary]
    chosen = [one for one in chosen if not options.only or one.name in options.only]
    if options.trace is not None or options.mutations == 1:
        faulthandler.enable()
        faulthandler.register(signal.SIGALRM, chain=True)
        numbers = {"first": options.first, "count": options.mutations, "seed": options.seed}
        kept = {"write": options.write, "sanitized": options.sanitized}
        return min(1, sum(fuzz(one, **numbers, **kept, trace=options.trace) for one in chosen))
    print("| reader | mutations | refused | read | failures | slowest | processor |", flush=True)
    print("|---|---|---|---|---|---|---|", flush=True)
    failed = 0
    for one in chosen:
        with tempfile.TemporaryFile() as trace:
            done = subprocess.run(
                [
                    *(sys.executable, "-m", "tests.fuzz", "--only", one.name, "--trace", str(trace.fileno())),
                    *("--mutations", str(options.mutations), "--first", str(options.first)),
                    *("--seed", str(options.seed)),
                    *(() if options.write is None else ("--write", str(options.write))),
                    *(("--sanitized",) if options.sanitized else ()),
                ],
                check=False,
                pass_fds=[trace.fileno()],
                # A sanitizer reserves all addresses that there are.
                preexec_fn=None if "LD_PRELOAD" in os.environ else _limit_memory,
            )
            if done.returncode not in (0, 1):
                trace.seek(0)
                print(f"  CRASHED {trace.read().decode().strip()}: {one.name}, {done.returncode}", flush=True)
        failed += done.returncode != 0
    if options.write is not None:
        write_table(READERS, options.write)
    return min(1, failed)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    sys.exit(main())
