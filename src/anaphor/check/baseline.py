"""Findings that are not reported: those of an earlier run, and those in units noted `anaphor-ignore`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from anaphor.check.findings import Finding, Kind
from anaphor.check.units import Content, Unit
from anaphor.core import InputError

_IGNORE = re.compile(r"\banaphor[-:]\s*ignore\b(?:\s*[\[(]([\w, -]+)[\])])?")
_FORMAT = "anaphor-baseline-1"


def baseline_text(findings: Iterable[Finding]) -> str:
    """The fingerprints of findings, with information that helps a reader recognize them."""
    entries = [
        {
            "fingerprint": finding.fingerprint,
            "kind": finding.kind.value,
            "file": finding.path,
            "unit": finding.unit,
            "word": finding.word,
        }
        for finding in findings
    ]
    return json.dumps({"format": _FORMAT, "findings": entries}, ensure_ascii=False, indent=1) + "\n"


def read_baseline(path: str) -> frozenset[str]:
    """The fingerprints of a baseline file."""
    fix = "write it again with --write-baseline FILE"
    content = Content.read(path)
    try:
        table = json.loads(content.text)
        if table["format"] != _FORMAT:
            raise ValueError("another format")
        return frozenset(str(entry["fingerprint"]) for entry in table["findings"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError("this is not an anaphor check baseline", where=path, fix=fix) from error


def is_ignored(unit: Unit, kind: Kind) -> bool:
    """Whether a note of the unit says `anaphor-ignore`, or `anaphor-ignore[cast, chain]` with this kind."""
    return any(not kinds or kind.value in kinds for kinds in _ignored(unit.notes))


@lru_cache(maxsize=64)
def _ignored(notes: tuple[str, ...]) -> list[set[str]]:
    """The kinds that each `anaphor-ignore` names; none for all. Segments of a unit share their notes."""
    matches = (match for note in notes for match in _IGNORE.finditer(note))
    return [{name.strip() for name in (match[1] or "").split(",")} - {""} for match in matches]
