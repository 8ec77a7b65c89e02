"""How many damaged files were tried, when, and whether the code has changed since: `counts.json` and SECURITY.md.

`python -m tests.fuzz --write` keeps what it counted; `--table` writes the table again without trying anything,
so that what was not run since the code changed is marked. The code of a reader is what its process had loaded:
a change elsewhere in the package marks nothing.
"""

from __future__ import annotations

import ast
import fcntl
import hashlib
import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import anaphor

ROOT = Path(__file__).parents[2]
_COUNTS, _PAGE = Path("tests/fuzz/counts.json"), Path("SECURITY.md")
_BEGIN, _END = "<!-- fuzz: python -m tests.fuzz --table -->", "<!-- end of fuzz -->"
_COLUMNS = ("file", "tried", "refused", "read", "other exceptions", "run", "under the sanitizers")
#: What a mark stands for.
CHANGED = "\\*"
#: The sources of the compiled extension, all together.
_NATIVE = "native"
_SELF = ("tests/fuzz/harness.py", "tests/fuzz/mutations.py")


class Run(TypedDict):
    """One run over the files of a reader: numbers, its day (empty if unknown), and the code that it ran."""

    tried: int
    refused: NotRequired[int]  # not known of the first runs under the sanitizers
    read: NotRequired[int]
    failed: int
    date: str
    code: str  # the hash of the files below
    modules: NotRequired[str]


#: By reader: the last run, and the last one under the sanitizers.
Counts = dict[str, dict[str, Run]]


def loaded_code(reader: Any) -> str:
    """The files that this process has loaded for a reader, from the root of the project, separated by spaces."""
    of_reader = reader.read.func if isinstance(reader.read, partial) else reader.read
    found = {*_SELF, Path(inspect.getfile(of_reader)).relative_to(ROOT).as_posix()}
    # The package may run from where it is installed; its files are named as in the project.
    package = Path(anaphor.__file__).parent
    for name, module in list(sys.modules.items()):
        path = Path(getattr(module, "__file__", None) or "")
        if name.startswith("anaphor.") and path.suffix == ".py" and path.is_relative_to(package):
            found.add(f"src/anaphor/{path.relative_to(package).as_posix()}")
        elif name == "anaphor._native":
            found.add(_NATIVE)
    return " ".join(sorted(found))


def code_digest(modules: str, root: Path = ROOT) -> str:
    """A hash of these files; comments, docstrings and layout of Python do not change it."""
    found = hashlib.sha256()
    for name in modules.split():
        paths = sorted((root / name).glob("*.[ch]pp")) if name == _NATIVE else [root / name]
        for path in paths:
            content = (
                _hash(path.read_bytes(), is_python=path.suffix == ".py") if path.is_file() else "missing"
            )
            found.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return found.hexdigest()[:16]


@cache
def _hash(data: bytes, *, is_python: bool) -> str:
    if is_python:
        tree = ast.parse(data)
        for node in ast.walk(tree):
            match getattr(node, "body", None):
                case [ast.Expr(value=ast.Constant(value=str())), *_] as body:
                    body[0] = ast.Pass()
        data = ast.dump(tree).encode()
    return hashlib.sha256(data).hexdigest()


def read_counts(root: Path = ROOT) -> Counts:
    found: Counts = json.loads((root / _COUNTS).read_text(encoding="utf-8"))
    return found


def add_run(reader: str, run: Run, *, sanitized: bool, root: Path = ROOT) -> None:
    """Keep a run in the place of the last one of its kind; others may do so at the same time."""
    path = root / _COUNTS
    with path.open(encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        counts = read_counts(root)
        counts.setdefault(reader, {})["sanitized" if sanitized else "plain"] = run
        path.write_text(json.dumps(counts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def table(counts: Mapping[str, Mapping[str, Run]], readers: Sequence[Any], root: Path = ROOT) -> str:
    """The table of SECURITY.md: a row for each reader, those marked whose code has changed since."""
    lines = [f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}"]
    for reader in readers:
        runs = counts.get(reader.name, {})
        plain = runs.get("plain")
        cells = ["not run"] + [""] * 4
        if plain is not None:
            numbers = (plain["tried"], plain.get("refused", 0), plain.get("read", 0), plain["failed"])
            cells = [*(f"{number:,}" for number in numbers), _when(plain, root)]
        lines.append(f"| {reader.name} | {' | '.join(cells)} | {_sanitized(runs, root)} |")
    return "\n".join(lines) + "\n"


def write_table(readers: Sequence[Any], root: Path = ROOT) -> None:
    """Replace the table between its two marks."""
    page = root / _PAGE
    top, begin, rest = page.read_text(encoding="utf-8").partition(f"{_BEGIN}\n")
    _, end, bottom = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{page} has no table between its marks")
    made = table(read_counts(root), readers, root)
    page.write_text(f"{top}{begin}\n{made}\n{end}{bottom}", encoding="utf-8")


def table_in_page(root: Path = ROOT) -> str:
    """The table as it is in SECURITY.md."""
    text = (root / _PAGE).read_text(encoding="utf-8")
    return text.partition(f"{_BEGIN}\n")[2].partition(_END)[0].strip("\n") + "\n"


def _when(run: Run, root: Path) -> str:
    mark = "" if run["code"] == code_digest(run.get("modules", ""), root) else CHANGED
    return (run["date"] or "earlier") + mark


def _sanitized(runs: Mapping[str, Run], root: Path) -> str:
    run = runs.get("sanitized")
    if run is None:
        return "not run"
    return f"{run['tried']:,}, {run['failed'] or 'nothing'} found, {_when(run, root)}"
