"""Inline tags and placeholders in a text, hidden from the analysis without moving a character.

A formatting tag becomes spaces. A placeholder for words becomes one word of the same length, so aligner and
analyser see a single token, and every position in the text is unchanged.
"""

from __future__ import annotations

import re

#: What formats, in XLIFF, HTML, subtitles and games: `<g id="1">`, `<b>`, `{\\i1}`, `{/b}`, `[b]`.
_FORMATTING = (
    r"<(?P<coded>bpt|ept|it|ut)\b[^<>]*(?:/>|>.{0,500}?</(?P=coded)>)",
    r"</?(?:g|pc|mrk|bx|ex|sc|ec|sm|em|b|i|u|s|a|p|br|hr|em|strong|span|font|tt|small|big|sub|sup|ruby|rt|c|v|lang)"
    r"\b[^<>]*>",
    r"\{\\[^{}]*\}",
    r"\{/?(?:b|i|u|s|a|color|size|font|cps|w|p|nw|fast|k|alpha|outlinecolor)\b(?:=[^{}]*)?\}",
    r"\[/?(?:b|i|u|color|size|url)\b(?:=[^\[\]]*)?\]",
    r"\\[Nnrt]|\\h(?![a-z])",
    r"[\r\n\t\u2028]",
)
#: What stands for words: `<x id="1"/>`, `{name}`, `%s`, `%(count)d`, `${name}`, `[player]`.
_PLACEHOLDERS = (
    r"<(?P<element>ph|x)\b[^<>]*(?:/>|>(?:[^<]*</(?P=element)>)?)",
    r"<[A-Za-z/!][^<>]*>",
    r"\{\{[^{}]*\}\}",
    r"\$?\{[^{}\s]*\}",
    r"%\(\w+\)[a-zA-Z]",
    r"%(?:\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:ll|l|h|z)?[sdiufgxXoc@](?![a-zA-Z])",
    r"%\w+%",
    r"\[[a-z_][\w.]*(?::[^\[\]]*)?\]",
    r"(?<![\w$])\$\w+",
)
_HIDDEN = re.compile(
    f"(?P<formatting>{'|'.join(_FORMATTING)})|(?P<placeholder>{'|'.join(_PLACEHOLDERS)})", re.DOTALL
)


def hidden(text: str) -> str:
    """The text with tags as spaces and placeholders as one word each, with unchanged length."""

    def replace(match: re.Match[str]) -> str:
        length = match.end() - match.start()
        return " " * length if match["formatting"] is not None else "X" + "x" * (length - 1)

    return _HIDDEN.sub(replace, text)


def touches_markup(text: str, start: int, end: int) -> bool:
    """Whether a range of the text overlaps a tag or a placeholder."""
    return any(match.start() < end and start < match.end() for match in _HIDDEN.finditer(text))


def has_name_placeholder(text: str) -> bool:
    """Whether a text has a placeholder whose value may be a noun: `%s` or `{name}`, but no number or tag."""
    return any(
        match["placeholder"] is not None and not match[0].startswith("<") and match[0][-1] not in "diufgxXo"
        for match in _HIDDEN.finditer(text)
    )
