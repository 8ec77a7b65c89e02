"""Third-party text made safe to show: as HTML, as JSON inside a page, as a cell of a Markdown table."""

from __future__ import annotations

import json
import re

#: Characters that a reader cannot see, and that change what stands around them: controls, marks and
#: overrides of the writing direction, halves of characters, and what XML 1.0 forbids.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#|~!])")


def shown(text: str) -> str:
    """The text with each hidden character spelled out, such as `[U+202E]`."""
    return _HIDDEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


def escaped(text: str) -> str:
    """The text for HTML and XML, in content and in quoted attributes."""
    from html import escape  # few runs write a page, and it brings the names of 2,231 characters

    return escape(shown(text), quote=True)


def json_block(content: object) -> str:
    """JSON that is safe inside a script element: nothing in it closes the element or opens another."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&]", lambda match: _IN_SCRIPT[match[0]], text)


def markdown(text: str) -> str:
    """The text as one line of Markdown with all markup escaped."""
    return _MARKDOWN.sub(r"\\\1", shown(text).replace("\n", " ").replace("\t", " "))
