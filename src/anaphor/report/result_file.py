"""The result file: JSON with everything that made the numbers, so that anyone can verify them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from anaphor import __version__
from anaphor.core import (
    Comparison,
    Files,
    FunctionScores,
    InputError,
    Result,
    Score,
    Sensitivity,
    Settings,
    SystemResult,
    UserError,
    digest,
)
from anaphor.report.cards import Cards
from anaphor.report.cards_file import cards_content
from anaphor.report.functions import functions_content
from anaphor.report.sensitivity import sensitivity_content

FORMAT = "anaphor-result"
FORMAT_VERSION = 2


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A result file: the experiment it names, and all of its content."""

    files: Files
    settings: Settings
    content: Mapping[str, Any]


def result_json(
    result: Result,
    files: Files,
    *,
    notes: Sequence[str] = (),
    sensitivity: Sensitivity | None = None,
    functions: FunctionScores | None = None,
    hints: Mapping[str, Any] | None = None,
    cards: Cards | None = None,
) -> str:
    """The same experiment gives the same bytes; NaN is written as null."""
    content: dict[str, Any] = {
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
    if sensitivity is not None:
        content["alignment_sensitivity"] = sensitivity_content(sensitivity)
    if functions is not None:
        content["functions"] = functions_content(functions)
    if hints is not None:
        content["predictor_hints"] = dict(hints)
    text = json.dumps(sealed(_without_nan(content)), ensure_ascii=False, indent=2)
    if cards is None:
        return text + "\n"
    # One line: cards are many, and spread over lines like the rest they would take three times the room.
    compact = json.dumps(cards_content(cards), ensure_ascii=False, separators=(",", ":"))
    opened = text.removesuffix("\n}")
    return f'{opened},\n  "cards": {compact}\n}}\n'


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with the seal that fits it: a hash of everything but the cards, which have their own.

    It tells a file that was changed from one that was not. Who wants to deceive can seal again; then
    `anaphor verify` still finds every number that the inputs do not give.
    """
    return {**content, "seal": _seal(content)}


def is_unchanged(content: Mapping[str, Any]) -> bool:
    """Whether a result file is as it was written."""
    return bool(content.get("seal") == _seal(content))


def _seal(content: Mapping[str, Any]) -> str:
    body = {key: value for key, value in content.items() if key not in ("seal", "cards")}
    return digest([json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")])


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


def read_result(path: str | Path, *, unchanged: bool = True) -> ResultFile:
    """A result file; one that is broken, foreign or of another format is an error.

    So is one that was changed after it was written, unless `unchanged` is false.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read: {getattr(error, 'strerror', None) or error}",
            where=str(path),
            fix="name a result file",
        ) from error
    return parse_result(data, path=str(path), unchanged=unchanged)


def parse_result(data: bytes, *, path: str, unchanged: bool = True) -> ResultFile:
    """The same from the bytes of a file; `path` is what messages call them."""
    result = _parsed(data, path)
    if unchanged and not is_unchanged(result.content):
        raise InputError(
            "the result was changed after it was written",
            where=path,
            fix="name the file as `anaphor score --output` wrote it; `anaphor verify` says what differs",
        )
    return result


def _parsed(data: bytes, path: str) -> ResultFile:
    try:
        content = json.loads(data.decode("utf-8"))
        if content["format"] != FORMAT or content["format_version"] != FORMAT_VERSION:
            raise KeyError("format")
        if not isinstance(content["version"], str):
            raise TypeError("version")
        return ResultFile(_files(content["files"]), _settings(content["settings"]), content)
    except UserError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"not a result file of format {FORMAT_VERSION}: {error}",
            where=path,
            fix="name a file that `anaphor score --output` wrote, unchanged",
        ) from error


def _files(stored: dict[str, Any]) -> Files:
    values = _fields(Files, stored)
    candidates = tuple((name, place) for name, place in values.pop("candidates"))
    return Files(candidates=candidates, **values)


def _settings(stored: dict[str, Any]) -> Settings:
    return Settings(**_fields(Settings, stored))


def _fields(noun: type[Files] | type[Settings], stored: dict[str, Any]) -> dict[str, Any]:
    """The stored fields of a noun, each of the kind that the noun declares."""
    values = {}
    for field in fields(noun):
        value = stored[field.name]
        if not _KINDS[str(field.type)](value):
            raise TypeError(f"{field.name} is {value!r}")
        values[field.name] = tuple(value) if isinstance(value, list) else value
    return values


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds


def _list_of(one: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(one, value))


def _is_pair(value: Any) -> bool:
    return _list_of(_is(str))(value) and len(value) == 2


#: What JSON must hold for each type that a field of the two nouns has.
_KINDS: dict[str, Callable[[Any], bool]] = {
    "bool": _is(bool),
    "int": _is(int),
    "float": _is(int, float),
    "str": _is(str),
    "str | None": _is(str, type(None)),
    "tuple[int, ...]": _list_of(_is(int)),
    "tuple[float, ...]": _list_of(_is(int, float)),
    "tuple[str, ...]": _list_of(_is(str)),
    "tuple[tuple[str, str], ...]": _list_of(_is_pair),
}
