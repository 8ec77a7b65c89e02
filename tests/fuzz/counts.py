"""How many damaged files were tried, when, and whether the code has changed since: `counts.json` and SECURITY.md.

`python -m tests.fuzz --write` keeps what it counted; `--table` writes the table again without trying anything,
so that what was not run since the code changed is marked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

ROOT = Path(__file__).parents[2]
_COUNTS, _PAGE = Path("tests/fuzz/counts.json"), Path("SECURITY.md")
_BEGIN, _END = "<!-- fuzz: python -m tests.fuzz --table -->", "<!-- end of fuzz -->"
_COLUMNS = ("file", "tried", "refused", "read", "other exceptions", "run", "under the sanitizers")
#: What a mark stands for.
CHANGED = "\\*"


class Run(TypedDict):
    """One run over the files of a reader: numbers, its day (empty if unknown) and the hash of the code."""

    tried: int
    refused: NotRequired[int]  # not known of the first runs under the sanitizers
    read: NotRequired[int]
    failed: int
    date: str
    code: str


#: By reader: the last run, and the last one under the sanitizers.
Counts = dict[str, dict[str, Run]]


def code_digest(root: Path = ROOT) -> str:
    """A hash of all that is run: the package without its models, the native core, and the ways of damaging."""
    found = hashlib.sha256()
    for pattern in ("src/anaphor/**/*.py", "native/*.[ch]pp", "tests/fuzz/mutations.py"):
        for path in sorted(root.glob(pattern)):
            found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def read_counts(root: Path = ROOT) -> Counts:
    found: Counts = json.loads((root / _COUNTS).read_text(encoding="utf-8"))
    return found


def add_run(reader: str, run: Run, *, sanitized: bool, root: Path = ROOT) -> None:
    """Keep a run in the place of the last one of its kind."""
    counts = read_counts(root)
    counts.setdefault(reader, {})["sanitized" if sanitized else "plain"] = run
    text = json.dumps(counts, indent=1, ensure_ascii=False) + "\n"
    (root / _COUNTS).write_text(text, encoding="utf-8")


def table(counts: Mapping[str, Mapping[str, Run]], readers: Sequence[Any], code: str) -> str:
    """The table of SECURITY.md: a row for each reader, those marked whose code has changed since."""
    lines = [f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}"]
    for reader in readers:
        runs = counts.get(reader.name, {})
        plain = runs.get("plain")
        cells = ["not run"] + [""] * 4
        if plain is not None:
            numbers = (plain["tried"], plain.get("refused", 0), plain.get("read", 0), plain["failed"])
            cells = [*(f"{number:,}" for number in numbers), _when(plain, code)]
        lines.append(f"| {reader.name} | {' | '.join(cells)} | {_sanitized(runs, code)} |")
    return "\n".join(lines) + "\n"


def write_table(readers: Sequence[Any], root: Path = ROOT) -> None:
    """Replace the table between its two marks."""
    page = root / _PAGE
    top, begin, rest = page.read_text(encoding="utf-8").partition(f"{_BEGIN}\n")
    _, end, bottom = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{page} has no table between its marks")
    made = table(read_counts(root), readers, code_digest(root))
    page.write_text(f"{top}{begin}\n{made}\n{end}{bottom}", encoding="utf-8")


def table_in_page(root: Path = ROOT) -> str:
    """The table as it is in SECURITY.md."""
    text = (root / _PAGE).read_text(encoding="utf-8")
    return text.partition(f"{_BEGIN}\n")[2].partition(_END)[0].strip("\n") + "\n"


def _when(run: Run, code: str) -> str:
    mark = "" if run["code"] == code else CHANGED
    return (run["date"] or "earlier") + mark


def _sanitized(runs: Mapping[str, Run], code: str) -> str:
    run = runs.get("sanitized")
    if run is None:
        return "not run"
    return f"{run['tried']:,}, {run['failed'] or 'nothing'} found, {_when(run, code)}"
