"""Fuzzes every reader: `python -m tests.fuzz --mutations 100000`. Each reader runs in a process of its own.

A failure is printed with its number, and `--only NAME --first NUMBER --mutations 1` repeats it.
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
from pathlib import Path

from tests.fuzz.harness import FuzzedFolder, Reader, close_databases
from tests.fuzz.mutations import MEMORY
from tests.fuzz.readers import READERS

_MEMORY = 6 << 30
_SLOW = 5.0
#: After so many seconds by the clock a mutation counts as a crash: some loops have no end.
_ENDLESS = 120


def fuzz(reader: Reader, *, first: int, count: int, seed: int, trace: int | None) -> int:
    """The number of failures; of those of one kind the first is printed."""
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
    return found.total()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--mutations", type=int, default=2000, help="of each reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation")
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--only", action="append", help="a reader; all if not given")
    parser.add_argument("--binary", action="store_true", help="only readers whose files reach native code")
    parser.add_argument("--trace", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    chosen = [one for one in READERS if one.binary or not options.binary]
    chosen = [one for one in chosen if not options.only or one.name in options.only]
    if options.trace is not None or options.mutations == 1:
        faulthandler.enable()
        faulthandler.register(signal.SIGALRM, chain=True)
        numbers = {"first": options.first, "count": options.mutations, "seed": options.seed}
        return min(1, sum(fuzz(one, **numbers, trace=options.trace) for one in chosen))
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
    return min(1, failed)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    sys.exit(main())
