"""The result file: JSON with everything that affected the numbers, so that anyone can verify them.

`result_content` creates it, and `read_result` reads the experiment it describes. `stored.py` has its
numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from anaphor import __version__
from anaphor.core import (
    Counts,
    Files,
    InputError,
    OptionError,
    Result,
    Settings,
    UserError,
    digest,
)
from anaphor.core.table import plain
from anaphor.corpus.text import unreadable
from anaphor.metrics.options import known_options, option_value
from anaphor.report.cards import Cards, cards_content

FORMAT = "anaphor-result"
FORMAT_VERSION = 2
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
FIX = "pass an unmodified file written by `anaphor score --output`"


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A result file: the experiment it names, and all of its content."""

    files: Files
    settings: Settings
    content: Mapping[str, Any]


def result_content(
    result: Result,
    files: Files,
    *,
    notes: Sequence[str] = (),
    analyses: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """A result for JSON, sealed, with the content of `analyses` by name; cards are not in it. NaN is None."""
    systems = []
    for system in result.systems:
        labels = sorted({label for pair in system.confusion for label in pair})
        systems.append(
            {
                "system": system.name,
                "metrics": [
                    {
                        "name": score.metric,
                        "score": score.value,
                        "signature": str(score.signature),
                        "signature_fields": score.signature.as_dict(),
                        "interval": score.interval,
                        "details": score.details,
                        "by_pronoun": system.by_pronoun.get(score.metric, {}),
                        "by_document": system.by_document.get(score.metric, {}),
                    }
                    for score in system.scores
                ],
                # Rows and columns in alphabetical order, so that the same result gives the same bytes.
                "confusion": {
                    reference: {
                        candidate: system.confusion[reference, candidate]
                        for candidate in labels
                        if (reference, candidate) in system.confusion
                    }
                    for reference in labels
                },
            }
        )
    content: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": __version__,
        "files": asdict(files),
        "settings": settings_content(result.settings),
        # By role, so that `anaphor verify` can say which input has changed.
        "digests": dict(result.digests),
        "segments": result.segments,
        "documents": None if result.documents is None else len(set(result.documents)),
        "pronouns": len(result.systems[0].verdicts),
        "systems": systems,
        "comparisons": result.comparisons,
        "ceiling": result.ceiling,
        "notes": list(dict.fromkeys([*result.notes, *notes])),
    }
    if result.segmentations:
        content["segmentation"] = {
            name: segmentation.facts() for name, segmentation in result.segmentations.items()
        }
    content |= {name: finding for name, finding in analyses.items() if finding is not None}
    return sealed(plain(content))


def content_json(
    content: Mapping[str, Any], cards: Cards | None = None, counts: MetricCounts | None = None
) -> str:
    """The text of a result file; equal experiments give identical bytes."""
    parts = {} if cards is None else {"cards": cards_content(cards)}
    if counts is not None:
        rows = _counts_content(counts)
        parts["counts"] = {"digest": _counts_digest(rows), "metrics": rows}
    text = json.dumps(content, ensure_ascii=False, indent=2).removesuffix("\n}")
    for key, value in parts.items():
        # One line: they are many, and indented like the rest they would take three times the space.
        text += f',\n  "{key}": {json.dumps(value, ensure_ascii=False, separators=(",", ":"))}'
    return text + "\n}\n"


#: By metric and system, with one row per document, or per segment if no documents are known.
MetricCounts: TypeAlias = Mapping[str, Mapping[str, Counts]]


def counts_of(result: Result) -> MetricCounts:
    """The counts of a result, from which any difference between systems can be tested."""
    metrics = result.systems[0].counts
    return {metric: {system.name: system.counts[metric] for system in result.systems} for metric in metrics}


def _counts_content(counts: MetricCounts) -> dict[str, Any]:
    def rows(counts: Counts) -> list[list[float]]:
        # Most counts are whole numbers, and `3` is shorter than `3.0`.
        return [
            [int(value) if value.is_integer() else value for value in row] for row in counts.rows.tolist()
        ]

    return {
        metric: {
            system: {"names": list(counts.names), "rows": rows(counts)} for system, counts in systems.items()
        }
        for metric, systems in counts.items()
    }


def read_counts(content: Any, *, path: str) -> MetricCounts:
    """The counts of a result file, unless they were changed after they were written."""
    try:
        if _counts_digest(content["metrics"]) != content["digest"]:
            raise ValueError("the digest does not match")
        return {
            metric: {
                system: Counts(
                    tuple(map(str, entry["names"])),
                    np.array(entry["rows"], np.float64).reshape(len(entry["rows"]), len(entry["names"])),
                )
                for system, entry in systems.items()
            }
            for metric, systems in content["metrics"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"the counts were changed after they were written: {error}"
        raise InputError(what, where=path, fix=FIX) from error


def _counts_digest(content: Any) -> str:
    return digest([json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")])


def settings_content(settings: Settings) -> dict[str, Any]:
    """Settings for JSON: each built-in metric option has a key, those of third-party metrics are grouped."""
    built_in = known_options()
    content = {
        field.name: getattr(settings, field.name) for field in fields(settings) if field.name != "options"
    }
    content |= {key: option_value(settings, key) for key in built_in}
    if others := {key: value for key, value in settings.options.items() if key not in built_in}:
        content["metric_options"] = others
    return content


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with the seal that fits it: a hash of all but cards and counts, which have their own.

    It reveals a file that was edited. A forger can renew the seal; `anaphor verify` still detects every
    number that does not follow from the inputs.
    """
    return {**content, "seal": _seal(content)}


def is_unchanged(content: Mapping[str, Any]) -> bool:
    """Whether a result file is as it was written."""
    return bool(content.get("seal") == _seal(content))


def _seal(content: Mapping[str, Any]) -> str:
    body = {key: value for key, value in content.items() if key not in ("seal", "cards", "counts")}
    return digest([json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")])


def read_result(path: str | Path, *, unchanged: bool = True) -> ResultFile:
    """A result file; one that is broken, foreign or of another format is an error.

    So is one that was changed after it was written, unless `unchanged` is false.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error, what="the result") from error
    return parse_result(data, path=str(path), unchanged=unchanged)


def parse_result(data: bytes, *, path: str, unchanged: bool = True) -> ResultFile:
    """The same from the bytes of a file; `path` is their name in messages."""
    try:
        content = json.loads(data.decode("utf-8"))
        if _SURROGATE.search(data):  # only an escape can spell half of a character, which nothing can print
            json.dumps(content, ensure_ascii=False).encode()
        if content["format"] != FORMAT or content["format_version"] != FORMAT_VERSION:
            raise KeyError("format")
        if not isinstance(content["version"], str):
            raise TypeError("version")
        files = _typed_fields(Files, content["files"])
        files["candidates"] = tuple((name, place) for name, place in files["candidates"])
        stored = content["settings"]
        given = dict(stored.get("metric_options", {}))
        for key, option in known_options().items():
            try:
                value = option.checked(stored[key])
            except OptionError as error:
                raise TypeError(f"{key}: {error.what}") from error
            # Only what differs from the default is an option of the experiment, as in `Settings` itself.
            if value != option.default:
                given[key] = value
        settings = Settings(options=given, **_typed_fields(Settings, stored))
        result = ResultFile(Files(**files), settings, content)
    except UserError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        reason = "it is not JSON" if isinstance(error, json.JSONDecodeError) else error
        raise InputError(
            f"not a result file of format {FORMAT_VERSION}: {reason}", where=path, fix=FIX
        ) from error
    if unchanged and not is_unchanged(content):
        what = "the result was changed after it was written"
        fix = "use the file as written by `anaphor score --output`; `anaphor verify` reports what differs"
        raise InputError(what, where=path, fix=fix)
    return result


def _typed_fields(kind: type[Files] | type[Settings], stored: Mapping[str, Any]) -> dict[str, Any]:
    """The stored fields of a dataclass but metric options, each of the type that it declares."""
    values = {}
    for declared in fields(kind):
        if declared.name == "options":
            continue
        value = stored[declared.name]
        if not _KINDS[str(declared.type)](value):
            raise TypeError(f"{declared.name} is {value!r}")
        if isinstance(value, list):
            value = tuple(tuple(each) if isinstance(each, list) else each for each in value)
        values[declared.name] = value
    return values


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds


def _list_of(is_element: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_element, value))


#: What JSON must hold for each type that a field of the two dataclasses has.
_KINDS: dict[str, Callable[[Any], bool]] = {
    "bool": _is(bool),
    "int": _is(int),
    "float": _is(int, float),
    "str": _is(str),
    "str | None": _is(str, type(None)),
    "tuple[str, ...]": _list_of(_is(str)),
    "tuple[tuple[str, str], ...]": _list_of(lambda value: _list_of(_is(str))(value) and len(value) == 2),
}
