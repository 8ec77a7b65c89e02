"""What `import` and `merge` share: how far they may go, and what they say of every answer."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anaphor.annotate.merging import MergeConflict, MergeReport, MergeRules


def add_rules(parser: argparse.ArgumentParser, *, create: bool = True) -> None:
    add = parser.add_argument
    add("--dry-run", action="store_true", help="write nothing, say what would be written")
    add("--skip", action="store_true", help="leave out conflicts and answers without a place, write the rest")
    if create:
        add("--create", action="store_true", help="make annotators and assignments that are missing")
    add("--json", action="store_true", help="print JSON")


def rules_of(options: argparse.Namespace) -> MergeRules:
    from anaphor.annotate.merging import MergeRules

    create = getattr(options, "create", False)
    return MergeRules(dry_run=options.dry_run, skip=options.skip, create=create)


def show(report: MergeReport, options: argparse.Namespace, *, title: str = "") -> int | None:
    """Print what became of the answers; the exit code is 1 where conflicts stopped it."""
    print(
        json.dumps(_content(report, title), ensure_ascii=False, indent=2)
        if options.json
        else _text(report, title)
    )
    return None if report.written or options.dry_run else 1


def _text(report: MergeReport, title: str) -> str:
    head = f"{title}: " if title else ""
    state = "written" if report.written else "nothing written"
    lines = [f"{head}{report.added} new answers, {report.unchanged} known, {state}"]
    lines += [f"no place: {one}" for one in report.unknown]
    for one in report.conflicts:
        lines += [
            f"conflict: {one.person}, example {one.unit} ({one.where})",
            f"  here:  {_answer(one, present=True)}",
            f"  there: {_answer(one, present=False)}",
        ]
    return "\n".join(lines)


def _content(report: MergeReport, title: str) -> dict[str, Any]:
    from anaphor.annotate.content import answer_content

    return {
        **({"file": title} if title else {}),
        "added": report.added,
        "known": report.unchanged,
        "written": report.written,
        "unknown": list(report.unknown),
        "conflicts": [
            {
                "unit": one.unit,
                "annotator": one.person,
                "where": str(one.where),
                "here": answer_content(one.present),
                "there": answer_content(one.incoming),
            }
            for one in report.conflicts
        ],
    }


def _answer(one: MergeConflict, *, present: bool) -> str:
    """An answer in one line: what is not empty."""
    from anaphor.annotate.content import answer_content

    content = answer_content(one.present if present else one.incoming)
    kept = {name: value for name, value in content.items() if value not in ("", "unset", [])}
    return json.dumps(kept, ensure_ascii=False)
