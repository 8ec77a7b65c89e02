"""The result file: JSON with everything that made the numbers, so that anyone can verify them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from anaphor import __version__
from anaphor.core import Comparison, Files, InputError, Result, Score, Settings, SystemResult, UserError

FORMAT = "anaphor-result"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class StoredResult:
    """What a verification needs of a result file. `scores` maps (system, metric) to the value."""

    version: str
    files: Files
    settings: Settings
    digests: Mapping[str, str]
    scores: Mapping[tuple[str, str], float | None]
    signatures: Mapping[tuple[str, str], str]


def result_json(result: Result, files: Files, *, notes: Sequence[str] = ()) -> str:
    """The same experiment gives the same bytes; NaN is written as null."""
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": __version__,
        "files": asdict(files),
        "settings": asdict(result.settings),
        "digests": dict(result.digests),
        "segments": result.segments,
        "documents": None if result.documents is None else len(set(result.documents)),
        "pronouns": len(result.systems[0].verdicts),
        "systems": [_system(system) for system in result.systems],
        "comparisons": [_comparison(comparison) for comparison in result.comparisons],
        "notes": list(notes),
    }
    return json.dumps(_without_nan(content), ensure_ascii=False, indent=2) + "\n"


def _system(system: SystemResult) -> dict[str, Any]:
    labels = sorted({label for pair in system.confusion for label in pair})
    return {
        "system": system.name,
        "metrics": [_score(score, system) for score in system.scores],
        "confusion": {
            reference: {
                candidate: system.confusion[reference, candidate]
                for candidate in labels
                if (reference, candidate) in system.confusion
            }
            for reference in labels
        },
    }


def _score(score: Score, system: SystemResult) -> dict[str, Any]:
    return {
        "name": score.metric,
        "score": score.value,
        "signature": str(score.signature),
        "signature_fields": score.signature.as_dict(),
        "interval": None if score.interval is None else [score.interval.low, score.interval.high],
        "details": dict(score.details),
        "by_pronoun": dict(system.by_pronoun.get(score.metric, {})),
        "by_document": dict(system.by_document.get(score.metric, {})),
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    content = asdict(comparison)
    content["interval"] = [comparison.interval.low, comparison.interval.high]
    return content


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(part) for key, part in value.items()}
    return [_without_nan(part) for part in value] if isinstance(value, list | tuple) else value


def read_result(path: str | Path) -> StoredResult:
    """A result file; one that is broken, foreign or of a newer format is an error."""
    try:
        content = json.loads(Path(path).read_bytes().decode("utf-8"))
        if content["format"] != FORMAT or content["format_version"] != FORMAT_VERSION:
            raise KeyError("format")
        scores = {(s["system"], m["name"]): m for s in content["systems"] for m in s["metrics"]}
        return StoredResult(
            str(content["version"]),
            _files(content["files"]),
            _settings(content["settings"]),
            {str(role): str(value) for role, value in content["digests"].items()},
            {key: None if m["score"] is None else float(m["score"]) for key, m in scores.items()},
            {key: str(m["signature"]) for key, m in scores.items()},
        )
    except UserError:
        raise
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", where=str(path), fix="name a result file"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"not a result file of format {FORMAT_VERSION}: {error}",
            where=str(path),
            fix="name a file that `anaphor score --output` wrote, unchanged",
        ) from error


def _files(stored: dict[str, Any]) -> Files:
    values = _fields(Files, stored)
    candidates = tuple((str(name), str(place)) for name, place in values.pop("candidates"))
    return Files(candidates=candidates, **values)


def _settings(stored: dict[str, Any]) -> Settings:
    return Settings(**_fields(Settings, stored))


def _fields(noun: type[Files] | type[Settings], stored: dict[str, Any]) -> dict[str, Any]:
    values = {field.name: stored[field.name] for field in fields(noun)}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
