"""CSV and TSV with named columns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphor.check.formats.contract import Format, ReadOptions
from anaphor.check.units import Content, Escapes, LineIndex, Units
from anaphor.core import InputError, OptionError, Span, Where
from anaphor.core.errors import did_you_mean

#: What columns are usually called.
USUAL = {
    "source": ("source", "src", "original"),
    "target": ("target", "translation", "tgt", "trg"),
    "id": ("id", "key", "name"),
    "speaker": ("speaker", "character", "actor"),
    "listener": ("listener", "addressee"),
    "document": ("document", "doc", "scene", "file"),
    "note": ("note", "notes", "comment", "context"),
}
CSV_ESCAPES = Escapes(re.compile('""'), lambda _: '"', lambda text: text.replace('"', '""'))
# Possessive: a way back for each character would take a hundred times the memory of a long cell.
_QUOTED = r'"([^"]*+(?:""[^"]*+)*+)"'
_CELL = re.compile(rf'{_QUOTED}|([^,;"\r\n][^,;\r\n]*|)')
_SEPARATOR = re.compile(r"[,;]|\r?\n|\Z")


def _csv_rows(content: Content, index: LineIndex) -> Iterator[list[Span]]:
    text, row = content.text, list[Span]()
    at = 1 if text.startswith("\ufeff") else 0
    separator = ""
    while at < len(text) or row:
        # What separates the first two cells separates all.
        pattern = (
            _CELL if not separator else re.compile(rf'{_QUOTED}|([^{separator}"\r\n][^{separator}\r\n]*|)')
        )
        cell = pattern.match(text, at)
        end = _SEPARATOR.match(text, cell.end()) if cell else None
        if cell is None or end is None or (separator and end[0] in ",;" and end[0] not in ("", separator)):
            fix = 'put cells with a quotation mark in quotation marks, and double those inside: "say ""hi"""'
            raise InputError(
                "a quoted cell is never closed", where=Where(content.path, *index.place(at)), fix=fix
            )
        row.append(Span(*cell.span(1 if cell[1] is not None else 2)))
        at = end.end()
        if end[0] in (",", ";"):
            separator = end[0]
            continue
        if row != [Span(row[0].start, row[0].start)]:  # a blank line
            yield row
        row = []
        if not end[0]:
            break


def _tsv_rows(content: Content, _: LineIndex) -> Iterator[list[Span]]:
    at = 1 if content.text.startswith("\ufeff") else 0
    for line in content.text[at:].split("\n"):
        if line.strip("\r"):
            row, start = [], at
            for cell in line.removesuffix("\r").split("\t"):
                row.append(Span(start, start + len(cell)))
                start += len(cell) + 1
            yield row
        at += len(line) + 1


def chosen_columns(names: list[str], options: ReadOptions, path: str) -> dict[str, str]:
    """The column of every role in the file; source and target are required."""
    chosen: dict[str, str] = {}
    lowered = {name.strip().lower(): name for name in reversed(names)}
    for role, usual in USUAL.items():
        named = options.columns.get(role)
        if named is not None and named not in names:
            fix = f"{did_you_mean(named, names)}columns: {', '.join(names[:20])}"
            raise OptionError(f"there is no column {named!r}", where=path, fix=fix)
        languages = (
            (str(getattr(options.pair, role)),) if options.pair and role in ("source", "target") else ()
        )
        column = named or next((lowered[name] for name in (*usual, *languages) if name in lowered), None)
        if column is not None and column not in chosen.values():
            chosen[role] = column
        elif role in ("source", "target"):
            what = f"no column looks like the {role}"
            hint = "name the languages: --pair SRC-TGT; or " if _languages(names) and not options.pair else ""
            fix = f"{hint}name it: --columns {role}=NAME; columns: {', '.join(names[:20])}"
            raise OptionError(what, where=path, fix=fix)
    return chosen


def _languages(names: list[str]) -> bool:
    """Whether at least two columns are named like language codes, such as en and fr."""
    return sum(re.fullmatch(r"[a-z]{2}", name.strip().lower()) is not None for name in names) > 1


def _read(content: Content, options: ReadOptions, units: Units, *, tabs: bool) -> tuple[str, str]:
    index = LineIndex(content.text)
    rows = (_tsv_rows if tabs else _csv_rows)(content, index)
    escapes = Escapes() if tabs else CSV_ESCAPES
    header = next(rows, None)
    if header is None:
        raise InputError(
            "the file has no rows", where=content.path, fix="write a header and one unit per row"
        )

    def text(span: Span) -> str:
        return escapes.plain(content.text[span.start : span.end])

    names = [text(span) for span in header]
    columns = {role: names.index(name) for role, name in chosen_columns(names, options, content.path).items()}
    for row in rows:
        line = index.line(row[0].start)
        if len(row) != len(names):
            units.skip(f"the row and the header differ in their number of cells ({len(names)})", line=line)
            continue
        cells = {role: text(row[place]) for role, place in columns.items()}
        written = row[columns["target"]]
        units.add(
            id=cells.get("id", "") or str(line),
            source=cells["source"],
            target=cells["target"],
            line=index.line(written.start),
            written=written,
            document=cells.get("document", ""),
            speaker=cells.get("speaker", "").strip(),
            listener=cells.get("listener", "").strip(),
            notes=[cells.get("note", "")],
        )
    return "", ""


def _read_csv(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    return _read(content, options, units, tabs=False)


def _read_tsv(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    return _read(content, options, units, tabs=True)


CSV = Format("csv", (".csv",), _read_csv, CSV_ESCAPES)
TSV = Format("tsv", (".tsv", ".tab"), _read_tsv, Escapes())
