"""What became of every shard, in a file. It has no times: equal runs write equal bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair
from anaphor.scale.crew import Failed, Outcome
from anaphor.scale.kept import Kept
from anaphor.scale.shards import Shard
from anaphor.scale.survey import Surveyed
from anaphor.task.prepare.part_store import PartReport, sum_reports

MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class ShardState:
    """A shard at the end of a run: what was counted in it, or why it failed."""

    name: str
    inputs: tuple[dict[str, str], ...] = ()
    report: PartReport = field(default_factory=PartReport)
    failed: Failed | None = None


def states_of(
    shards: Sequence[Shard], surveyed: Sequence[Surveyed], outcomes: Sequence[Outcome]
) -> list[ShardState]:
    """What became of every shard, in their order; outcomes are named after shards or their preparation."""
    files = {one.shard.name: one for one in surveyed}
    found = {outcome.name.removeprefix("shards/"): outcome for outcome in outcomes}
    return [_state(shard.name, files.get(shard.name), found[shard.name]) for shard in shards]


def _state(name: str, surveyed: Surveyed | None, outcome: Outcome) -> ShardState:
    read = () if surveyed is None else zip(surveyed.shard.text.paths, surveyed.hashes, strict=True)
    inputs = tuple({"file": Path(path).name, "sha256": sha256} for path, sha256 in read)
    if isinstance(outcome, Failed):
        return ShardState(name, inputs, failed=outcome._replace(name=name))
    return ShardState(name, inputs, PartReport.from_json(outcome.facts))


def write_manifest(states: Sequence[ShardState], kept: Kept, *, pair: LanguagePair) -> None:
    """Write `manifest.json` into the folder of the results."""
    content = {
        "pair": str(pair),
        "complete": all(state.failed is None for state in states),
        "total": sum_reports(state.report for state in states).as_json(),
        "shards": [_entry(state, kept) for state in states],
    }
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    kept.write(MANIFEST, "json", text.encode("utf-8"))


def _entry(state: ShardState, kept: Kept) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": state.name, "inputs": list(state.inputs)}
    if state.failed is not None:
        return entry | {"failed": state.failed._asdict()}
    record = json.loads(kept.path(f"shards/{state.name}", "json").read_text(encoding="utf-8"))
    outputs = {
        f"shards/{state.name}.{suffix}": {"bytes": size, "sha256": sha256}
        for suffix, (size, sha256) in record["files"].items()
    }
    return entry | {"outputs": outputs, "counts": state.report.as_json()}
