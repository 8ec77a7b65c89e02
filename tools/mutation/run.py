"""Puts hand-made faults into a copy of the project, one at a time, and runs the tests that should notice.

Usage: python tools/mutation/run.py [FILE ...] [--only TEXT] [--jobs N] [--minutes N] [--results FILE]
           [--list] [--unchanged]

FILE has faults as TOML (by default all `*.toml` beside this script); an entry names a file, a passage that
occurs in it once, what it becomes, and the tests:

    [[fault]]
    file = "src/anaphor/metrics/apt.py"
    old = "if reference is None:"
    new = "if candidate is None:"
    tests = ["tests/metrics"]

A fault is killed if a test fails, and survives if all pass. The project itself is never changed: everything
happens in a temporary folder. Results are kept in `--results` as they come, so that an interrupted run goes
on where it stopped; a fault is run again when its entry, its file or its tests have changed. Faults in
`native/` need CMake and nanobind (of the interpreter that BUILD_PYTHON names), and are not run without.
A test that fails anyway would kill every fault: `--unchanged` runs the tests of all faults without any.
README.md has the counts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KILLED, SURVIVED, BROKEN, NOT_RUN, OUTDATED = "killed", "survived", "broken", "not run", "outdated"
#: Tests of one fault that take longer count as killed: an endless loop is noticed, too.
LONGEST = 900


@dataclass(frozen=True)
class Fault:
    """A passage of a file, what it becomes, and the tests that should fail."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Fault:
        return cls(entry["file"], entry["old"], entry["new"], tuple(entry["tests"]))

    def fits(self) -> bool:
        """Whether the passage and the tests are still there; if not, the entry has to follow the code."""
        path = ROOT / self.file
        count = path.read_text(encoding="utf-8").count(self.old) if path.is_file() else 0
        tests = all((ROOT / test.partition("::")[0]).exists() for test in self.tests)
        return count == 1 and tests and self.old != self.new

    def key(self) -> str:
        """A hash of the fault, of its file and of its tests: what decides the result."""
        found = hashlib.sha256(repr(self).encode())
        for name in (self.file, *(test.partition("::")[0] for test in self.tests)):
            path = ROOT / name
            for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
                found.update(file.read_bytes())
        return found.hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.file}: {' '.join(self.old.split())[:50]} -> {' '.join(self.new.split())[:50]}"


def faults_of(paths: list[Path]) -> Iterator[Fault]:
    for path in paths:
        yield from map(Fault.of, tomllib.loads(path.read_text(encoding="utf-8"))["fault"])


def copy_project(folder: Path) -> None:
    """The tracked files, new ones that are not ignored, and the compiled extension."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    extension = (path.relative_to(ROOT) for path in (ROOT / "src" / "anaphor").glob("_native*.so"))
    for name in (*filter(None, names), *map(str, extension)):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def built(folder: Path) -> bool:
    """Whether the extension could be compiled again from the files of a copy."""
    build = folder / "build"
    python = os.environ.get("BUILD_PYTHON", sys.executable)
    steps = (
        ["cmake", "-S", str(folder), "-B", str(build), f"-DPython_EXECUTABLE={python}"],
        ["cmake", "--build", str(build), "--parallel", "2"],
    )
    for step in steps:
        if subprocess.run(step, check=False, capture_output=True).returncode != 0:
            return False
    for made in build.glob("_native*.so"):
        shutil.copy2(made, folder / "src" / "anaphor")
    return True


def tested(folder: Path, tests: Iterable[str]) -> int:
    """What pytest returns for some tests in a copy of the project."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--assert=plain", "-p", "no:cacheprovider"]
    environment = {
        **os.environ,
        "PYTHONPATH": f"src{os.pathsep}packages/anaphor-research/src",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [*command, "-m", "not slow", *tests],
        cwd=folder,
        check=False,
        capture_output=True,
        timeout=LONGEST,
        env=environment,
    ).returncode


def run(fault: Fault, folder: Path) -> str:
    """What became of a fault in a copy of the project, which is as before in the end."""
    path = folder / fault.file
    before = path.read_bytes()
    native = fault.file.startswith("native/")
    extension = {one: one.read_bytes() for one in (folder / "src" / "anaphor").glob("_native*.so")}
    try:
        path.write_bytes(before.decode().replace(fault.old, fault.new).encode())
        if native and not built(folder):
            return NOT_RUN
        code = tested(folder, fault.tests)
    except subprocess.TimeoutExpired:
        return KILLED
    finally:
        path.write_bytes(before)
        for one, content in extension.items():
            one.write_bytes(content)
    # 1: a test failed; 2: a test file could not even be imported, which is noticed as well; 0: all passed.
    return {0: SURVIVED, 1: KILLED, 2: KILLED}.get(code, BROKEN)


def unchanged(faults: list[Fault]) -> int:
    """Whether the tests of all faults pass without any, as an exit status."""
    failed = []
    with tempfile.TemporaryDirectory(prefix="anaphor-mutation-") as place:
        copy_project(Path(place))
        for test in sorted({test for fault in faults for test in fault.tests}):
            if tested(Path(place), [test]) not in (0, 5):  # 5: all of its tests are slow, and left out here
                failed.append(test)
                print(f"fails without a fault: {test}", flush=True)
    return 1 if failed else 0


def main() -> int:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--only", default="", help="faults whose file or text contains this")
    parser.add_argument("--jobs", type=int, default=1, help="copies of the project at work at once")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "mutation.jsonl")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no fault after so long")
    parser.add_argument("--list", action="store_true", help="print what is known and run nothing")
    parser.add_argument("--unchanged", action="store_true", help="run the tests of all faults without any")
    options = parser.parse_args()
    chosen = faults_of(options.files or sorted(HERE.glob("*.toml")))
    faults = [one for one in chosen if options.only in str(one)]
    if options.unchanged:
        return unchanged(faults)
    options.results.parent.mkdir(parents=True, exist_ok=True)
    options.results.touch()
    rows = map(json.loads, options.results.read_text(encoding="utf-8").splitlines())
    known = {row["key"]: row["result"] for row in rows if row["result"] in (KILLED, SURVIVED)}
    # Before the project is copied: whoever goes on working on it must not change what a result is about.
    keys = {one: one.key() if one.fits() else f"outdated {one}" for one in faults}
    known |= {key: OUTDATED for key in keys.values() if key.startswith(OUTDATED)}
    left = [one for one in faults if keys[one] not in known and not options.list]
    with (
        tempfile.TemporaryDirectory(prefix="anaphor-mutation-") as place,
        ThreadPoolExecutor(options.jobs) as threads,
    ):
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(min(options.jobs, len(left))):
            copy_project(Path(place, str(number)))
            copies.put(Path(place, str(number)))

        until = time.monotonic() + 60 * options.minutes

        def result_of(fault: Fault) -> tuple[Fault, str]:
            if time.monotonic() > until:
                return fault, NOT_RUN
            folder = copies.get()
            try:
                return fault, run(fault, folder)
            finally:
                copies.put(folder)

        for done in as_completed([threads.submit(result_of, fault) for fault in left]):
            fault, result = done.result()
            known[keys[fault]] = result
            if result == NOT_RUN:
                continue
            row = json.dumps({"key": keys[fault], "fault": str(fault), "result": result})
            with options.results.open("a", encoding="utf-8") as file:
                file.write(row + "\n")
            print(f"{result:9} {fault}", flush=True)
    found = Counter(known.get(keys[one], NOT_RUN) for one in faults)
    for one in faults:
        if known.get(keys[one]) not in (KILLED, None):
            print(f"  {known[keys[one]]}: {one}")
    print(f"{len(faults)} faults: " + ", ".join(f"{count} {name}" for name, count in found.most_common()))
    return 0 if found[KILLED] == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
