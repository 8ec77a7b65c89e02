"""Style, script and icon: read once, served from memory by their names, so that no path leads elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from anaphor.report.html.page import asset as report_asset

_TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file for the browser; `tag` changes with its content."""

    content: bytes
    media_type: str
    tag: str


def load_assets() -> Mapping[str, Asset]:
    """Every file of this application by its name; the colours are those of the report."""
    found = {
        entry.name: entry.read_bytes()
        for entry in (files("anaphor") / "annotate" / "web" / "static").iterdir()
        if entry.name.rpartition(".")[2] in _TYPES
    }
    found["palette.css"] = report_asset("palette.css").encode("utf-8")
    return MappingProxyType({name: _asset(name, content) for name, content in sorted(found.items())})


def _asset(name: str, content: bytes) -> Asset:
    tag = '"' + hashlib.sha256(content).hexdigest()[:20] + '"'
    return Asset(content, _TYPES[name.rpartition(".")[2]], tag)
