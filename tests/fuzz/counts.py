"""How many damaged files were tried, when, and whether the code has changed since: `counts.json` and SECURITY.md.

`python -m tests.fuzz --write` keeps what it counted; `--table` writes the table again without trying anything,
so that what was not run since its code changed is marked (`tests.fuzz.code` says what that is).
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from tests.fuzz.code import ROOT, code_digest

_COUNTS, _PAGE = Path("tests/fuzz/counts.json"), Path("SECURITY.md")
_BEGIN, _END = "<!-- fuzz: python -m tests.fuzz --table -->", "<!-- end of fuzz -->"
_COLUMNS = ("file", "tried", "refused", "read", "other exceptions", "run", "before", "under the sanitizers")
#: What a mark stands for.
CHANGED = "\\*"


class Run(TypedDict):
    """One run over the files of a reader: numbers, its day (empty if unknown), and the code that it ran."""

    tried: int
    refused: NotRequired[int]  # not known of the first runs under the sanitizers
    read: NotRequired[int]
    failed: int
    date: str
    earlier: NotRequired[int]  # tried before, on other code
    code: str  # the hash of what is below
    functions: NotRequired[str]


#: By reader: the last run, and the last one under the sanitizers.
Counts = dict[str, dict[str, Run]]


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
        cells = ["not run"] + [""] * 5
        if plain is not None:
            numbers = (plain["tried"], plain.get("refused", 0), plain.get("read", 0), plain["failed"])
            cells = [
                *(f"{number:,}" for number in numbers),
                _when(plain, root),
                f"{plain.get('earlier', 0):,}",
            ]
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
    mark = "" if run["code"] == code_digest(run.get("functions", ""), root) else CHANGED
    return (run["date"] or "earlier") + mark


def _sanitized(runs: Mapping[str, Run], root: Path) -> str:
    run = runs.get("sanitized")
    if run is None:
        return "not run"
    return f"{run['tried']:,}, {run['failed'] or 'nothing'} found, {_when(run, root)}"
