"""Markdown and other running text: `anaphor.segment` cuts the translation at the blocks of its source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphor.check.formats.contract import Format, ReadOptions
from anaphor.check.units import Content, Escapes, LineIndex, Units
from anaphor.core import OptionError, Span

#: A piece with a less probable end may hold words of its neighbour, and a pronoun would be judged by those.
LEAST_CONFIDENCE = 0.5
_CODE = re.compile(r"^(```|~~~)[^\n]*\n.*?(?:^\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"[^\n]+")
#: A heading, an item of a list, a row of a table or a quotation begins a block without a blank line.
_OPENS = re.compile(r"\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>)")


def _without_code(text: str) -> str:
    """The text with blocks of code and the byte order mark as blanks; positions are unchanged."""
    blanked = _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return blanked.replace("\ufeff", " ")


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, headings and items, each in one line."""
    block: list[str] = []
    end = 0
    for match in _LINE.finditer(text):
        line = match[0].strip()
        # Between two lines of a paragraph there is one line break.
        if block and (match.start() > end + 1 or not line or _OPENS.match(match[0])):
            yield " ".join(block)
            block = []
        if line:
            block.append(line)
        end = match.end()
    if block:
        yield " ".join(block)


def read(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    """Every block of the source with its piece of the translation."""
    from anaphor.segment import segment_document

    if options.source is None:
        what = "a running text has only one language"
        raise OptionError(what, where=content.path, fix="add its source text: --source FILE")
    if options.pair is None:
        what = "a running text does not name its languages"
        raise OptionError(what, where="--pair", fix="add the pair to check, for example --pair en-de")
    blocks = list(_blocks(_without_code(options.source.text)))
    text = _without_code(content.text)
    if not blocks or not text.strip():
        return "", ""
    cut = segment_document(blocks, text, options.pair)
    index = LineIndex(content.text)
    ends = [1.0, *(boundary.confidence for boundary in cut.boundaries), 1.0]
    for number, (source, stretch) in enumerate(zip(blocks, cut.stretches, strict=True)):
        piece = text[stretch.start : stretch.end]
        start = stretch.start + len(piece) - len(piece.lstrip())
        written = Span(start, max(start, stretch.start + len(piece.rstrip())))
        line, identifier = index.line(start), str(number + 1)
        if min(ends[number], ends[number + 1]) < LEAST_CONFIDENCE:
            units.skip("where its translation begins or ends is unclear", line=line, id=identifier)
            continue
        units.add(
            id=identifier,
            source=source,
            target=content.text[written.start : written.end],
            line=line,
            written=written,
            document="1",
        )
    for addition in cut.additions:
        units.skip("a translation of nothing in the source", line=index.line(addition.span.start))
    return "", ""


FORMAT = Format("document", (".md", ".markdown"), read, Escapes(), paired=True)
