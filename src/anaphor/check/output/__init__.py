"""A report as text for people and for programs, one module per format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from anaphor.check.output import csv, github, html, junit, sarif
from anaphor.check.report import CheckReport

#: What a report can be printed as, besides the text and JSON that every result has.
WRITERS: Mapping[str, Callable[[CheckReport], str]] = {
    "sarif": sarif.write,
    "junit": junit.write,
    "csv": csv.write,
    "html": html.write,
    "github": github.write,
}
FORMATS = ("text", "json", *WRITERS)
