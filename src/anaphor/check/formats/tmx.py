"""TMX: translation memories. A pair must be given, because a unit may have any number of languages."""

from __future__ import annotations

from anaphor.check.formats.contract import Format, ReadOptions, base_language
from anaphor.check.formats.markup import XML_ESCAPES, Tag, check_xml, is_unclear, tags
from anaphor.check.units import Content, LineIndex, Units
from anaphor.core import InputError, OptionError, Span


def read(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    """The first variant in each language of the pair, of every unit."""
    check_xml(content)
    if options.pair is None:
        what = "a translation memory may have many languages"
        raise OptionError(what, where="--pair", fix="add the pair to check, for example --pair en-de")
    first = next(tags(content.text))
    if first.name != "tmx":
        raise InputError(f"the file is <{first.name}>, not <tmx>", where=content.path, fix="pass a TMX file")
    index, text = LineIndex(content.text), content.text
    unit: Tag | None = None
    language, opened = "", None
    variants: dict[str, Span] = {}
    notes: list[str] = []
    for tag in tags(text):
        if tag.name == "tu" and tag.kind == "open":
            unit, variants, notes = tag, {}, []
        elif tag.name == "tuv" and tag.kind == "open":
            language = base_language(tag.get("lang"))
        elif tag.name in ("seg", "note") and tag.kind == "open":
            opened = tag
        elif tag.name == "seg" and tag.kind == "close" and opened is not None:
            variants.setdefault(language, Span(opened.end, tag.start))
        elif tag.name == "note" and tag.kind == "close" and opened is not None:
            notes.append(XML_ESCAPES.plain(text[opened.end : tag.start]))
        elif tag.name == "tu" and tag.kind == "close" and unit is not None:
            source, target = variants.get(options.pair.source), variants.get(options.pair.target)
            line, identifier = index.line(unit.start), unit.get("tuid")
            if source is None or target is None:
                missing = options.pair.source if source is None else options.pair.target
                units.skip(f"no variant in {missing}", line=line, id=identifier)
                continue
            raw = [text[span.start : span.end] for span in (source, target)]
            if any(map(is_unclear, raw)):
                units.skip("a CDATA section with markup", line=line, id=identifier)
                continue
            units.add(
                id=identifier or str(len(units.units) + 1),
                source=XML_ESCAPES.plain(raw[0]),
                target=XML_ESCAPES.plain(raw[1]),
                line=index.line(target.start),
                written=target,
                notes=notes,
            )
    return options.pair.source, options.pair.target


FORMAT = Format("tmx", (".tmx",), read, XML_ESCAPES)
