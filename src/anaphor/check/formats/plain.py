"""Two plain texts, one segment per line; blank lines separate documents."""

from __future__ import annotations

from collections.abc import Iterator

from anaphor.check.formats.contract import Format, ReadOptions
from anaphor.check.units import Content, Escapes, Units
from anaphor.core import MismatchError, OptionError, Span, Where


def _lines(text: str) -> Iterator[Span]:
    at = 0
    for line in text.removesuffix("\n").split("\n"):
        yield Span(at, at + len(line.removesuffix("\r")))
        at += len(line) + 1


def read(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    """Every line with the source line of the same number."""
    if options.source is None:
        what = "a plain text file has only one language"
        raise OptionError(what, where=content.path, fix="add its source text: --source FILE")
    own, other = list(_lines(content.text)), list(_lines(options.source.text))
    if len(own) != len(other):
        raise MismatchError(
            f"{content.path} has {len(own)} lines, its source {options.source.path} has {len(other)}",
            where=Where(content.path, min(len(own), len(other)) + 1),
            fix="write one segment per line on both sides, or cut it: --input-format document",
        )
    document = 1
    for number, (written, line) in enumerate(zip(own, other, strict=True), start=1):
        source = options.source.text[line.start : line.end].removeprefix("\ufeff")
        if not source.strip():
            document += 1
        units.add(
            id=str(number),
            source=source,
            target=content.text[written.start : written.end].removeprefix("\ufeff"),
            line=number,
            written=written
            if number > 1
            else Span(written.start + content.text.startswith("\ufeff"), written.end),
            document=str(document),
        )
    return "", ""


FORMAT = Format("text", (".txt", ".text"), read, Escapes(), paired=True)
