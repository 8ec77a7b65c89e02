"""A small part of Markdown as HTML: headings, paragraphs, lists, emphasis, code, links to the web.

Leads write guidelines in it. Everything is escaped first, so that none of their text becomes other markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from anaphor.report.escape import shown

_HEADING = re.compile(r"(#{1,4})\s+(.*)")
_ITEM = re.compile(r"\s{0,3}(?:[-*+]|(\d{1,3})[.)])\s+(.*)")
_CODE = re.compile(r"`([^`]+)`")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\w*])")
_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^\s()<>\"']+)\)")
#: Headings of a page begin below its own.
_LOWEST = 2


def markdown(text: str) -> Markup:
    """The text as HTML; lines of a paragraph stay lines, as in plain text."""
    return Markup("\n".join(_blocks(text.replace("\r\n", "\n"))))  # noqa: S704 - all text is escaped


def _blocks(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        yield from _lines(block.split("\n"))


def _lines(lines: list[str]) -> Iterator[str]:
    """One block: headings, and runs of items or of plain lines."""
    items: list[str] = []
    plain: list[str] = []
    kind = ""

    def finished() -> Iterator[str]:
        if items:
            yield f"<{kind}>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</{kind}>"
        if plain:
            yield f"<p>{_inline(chr(10).join(plain))}</p>"
        items.clear()
        plain.clear()

    for line in lines:
        if heading := _HEADING.fullmatch(line.rstrip()):
            yield from finished()
            level = min(6, len(heading[1]) + _LOWEST - 1)
            yield f"<h{level}>{_inline(heading[2])}</h{level}>"
        elif item := _ITEM.fullmatch(line.rstrip()):
            if plain or (items and kind != ("ol" if item[1] else "ul")):
                yield from finished()
            kind = "ol" if item[1] else "ul"
            items.append(item[2])
        elif items and line.startswith(" ") and line.strip():
            items[-1] += f" {line.strip()}"  # an item goes on where its line is indented
        elif line.strip():
            if items:
                yield from finished()
            plain.append(line.strip())
    yield from finished()


def _inline(text: str) -> str:
    """Escaped text with emphasis, code and links; nothing inside code is markup."""
    parts = _CODE.split(str(escape(shown(text))))
    for number in range(0, len(parts), 2):
        part = _LINK.sub(r'<a href="\2" rel="noreferrer noopener">\1</a>', parts[number])
        parts[number] = _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", part))
    for number in range(1, len(parts), 2):
        parts[number] = f"<code>{parts[number]}</code>"
    return "".join(parts)
