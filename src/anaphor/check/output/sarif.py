"""SARIF 2.1.0, supported by code hosts and editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from anaphor import __version__
from anaphor.check.findings import Finding, Kind
from anaphor.check.report import CheckReport

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def write(report: CheckReport) -> str:
    """One run with a rule for each kind of finding; `rank` is the confidence in percent."""
    rules = [
        {
            "id": kind.value,
            "shortDescription": {"text": kind.description},
            "defaultConfiguration": {"level": "warning"},
        }
        for kind in Kind
    ]
    skipped = [
        {"level": "note", "message": {"text": line}} for file in report.files if (line := file.skipped_line())
    ]
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "anaphor", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": skipped}],
        "results": [_result(finding) for finding in report.findings],
    }
    content = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(content, ensure_ascii=False, indent=2)


def _result(finding: Finding) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": finding.line, "startColumn": finding.column}
    if finding.word and "\n" not in finding.word:
        region |= {"endColumn": finding.column + len(finding.word), "snippet": {"text": finding.word}}
    result: dict[str, Any] = {
        "ruleId": finding.kind.value,
        "ruleIndex": list(Kind).index(finding.kind),
        "level": "warning",
        "message": {"text": f"{finding.message} (source: {finding.source})"},
        "rank": round(100 * finding.confidence, 1),
        "partialFingerprints": {"anaphor/v1": finding.fingerprint},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": _uri(finding.path)}, "region": region},
                "logicalLocations": [{"name": finding.unit, "kind": "member"}],
            }
        ],
    }
    if finding.places:
        result["relatedLocations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(place.rpartition(":")[0])},
                    "region": {"startLine": int(place.rpartition(":")[2])},
                }
            }
            for place in finding.places
        ]
    return result


def _uri(path: str) -> str:
    return quote(Path(path).as_posix(), safe="/~.-_")
