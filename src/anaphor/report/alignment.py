"""What `anaphor align evaluate` prints: tables in percent, JSON from 0 to 1."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict

from anaphor.align.evaluate import Evaluation, LinkCounts, PronounLinkCounts, PronounLinkReport
from anaphor.report.table import Paint, table
from anaphor.report.text import percent


def evaluation_text(evaluation: Evaluation, *, paint: Paint) -> str:
    """A heading, a table of all links, a table of pronouns."""
    parts = [f"{evaluation.judged}, {evaluation.segments} segments"]
    if evaluation.links is not None:
        parts.append(table(_links(evaluation.links), paint=paint))
    if evaluation.pronouns is not None:
        parts.append(table(_pronouns(evaluation.pronouns), paint=paint))
    return "\n\n".join(parts)


def evaluation_json(evaluation: Evaluation, *, gold: str) -> str:
    """One object; what cannot be computed is null."""
    links, report = evaluation.links, evaluation.pronouns
    content = {
        "gold": gold,
        "judged": evaluation.judged,
        "segments": evaluation.segments,
        "links": None if links is None else {**_ratios(links), "aer": _known(links.aer)},
        "pronouns": None if report is None else _content(report),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _links(counts: LinkCounts) -> Sequence[Sequence[str]]:
    heading = ["links", "proposed", "sure", "AER", "precision", "recall", "F"]
    ratios = (counts.aer, counts.precision, counts.recall, counts.f)
    return [heading, ["all", str(counts.proposed), str(counts.sure), *map(percent, ratios)]]


def _pronouns(report: PronounLinkReport) -> Sequence[Sequence[str]]:
    """All pronouns, then each form and each function where there are several."""
    heading = ["pronouns", "items", "precision", "recall", "F", "unaligned", "left alone"]
    groups = [group for group in (report.by_form, report.by_function) if len(group) > 1]
    named = [("all", report.total), *(entry for group in groups for entry in group.items())]
    return [heading, *(_row(name, counts) for name, counts in named)]


def _row(name: str, counts: PronounLinkCounts) -> Sequence[str]:
    links = counts.links
    ratios = map(percent, (links.precision, links.recall, links.f))
    return [name, str(counts.items), *ratios, str(counts.unaligned), percent(counts.share_left_alone)]


def _content(report: PronounLinkReport) -> dict[str, object]:
    return {
        **_of_pronouns(report.total),
        "by_form": {name: _of_pronouns(counts) for name, counts in report.by_form.items()},
        "by_function": {name: _of_pronouns(counts) for name, counts in report.by_function.items()},
    }


def _of_pronouns(counts: PronounLinkCounts) -> dict[str, object]:
    return {
        "items": counts.items,
        **_ratios(counts.links),
        "unaligned": counts.unaligned,
        "left_alone": counts.left_alone,
        "share_left_alone": _known(counts.share_left_alone),
    }


def _ratios(counts: LinkCounts) -> dict[str, object]:
    ratios = {"precision": counts.precision, "recall": counts.recall, "f": counts.f}
    return {**asdict(counts), **{name: _known(value) for name, value in ratios.items()}}


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
