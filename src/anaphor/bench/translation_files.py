"""Files of translations: one line per item, or JSON lines that name their items."""

from __future__ import annotations

import json
from pathlib import Path

from anaphor.bench.items import DOCS, Bench
from anaphor.bench.score_files import RESULTS_FORMAT, check_hash, looks_like_json, read_header
from anaphor.core import InputError, MismatchError
from anaphor.core.records import Record
from anaphor.corpus import Text, read_text
from anaphor.corpus.writing import write_atomically

_FIX = "translate every item of the bench, and keep its id"


def read_translations(path: str | Path, bench: Bench) -> Text:
    """Read one translation per item, in the order of the bench.

    Args:
        path: One line per item; or one JSON object per line, in any order, with the `id` of an item and its
            `translation`, in which line breaks are read as spaces; or a file of `write_translations`.
        bench: The bench.

    Returns:
        The translations.

    Raises:
        UserError: A translation is missing, surplus or given twice, or belongs to another version of the set.
    """
    text = read_text(path)
    if not looks_like_json(text):
        fix = "translate every line of `anaphor bench export --plain`, in its order"
        text.require_lines(len(bench.items), of=f"the bench {bench.name}", fix=fix)
        return text
    known = {item.id for item in bench.items}
    found: dict[str, str] = {}
    for number, record in enumerate(Record.from_json_lines(text.lines, path=text.path, docs=DOCS)):
        if number == 0 and "format" in record:
            read_header(record, bench, asked="translations")
            continue
        if "set_hash" in record:
            check_hash(record, "set_hash", bench)
        name = record.text("id")
        if name not in known:
            raise MismatchError(f"the set {bench.name} has no item {name}", where=record.where, fix=_FIX)
        if name in found:
            fix = "keep one of the two; runs may have been joined"
            raise InputError(f"item {name} is translated twice", where=record.where, fix=fix)
        found[name] = " ".join(record.text("translation", blank=True).split())
    for item in bench.items:
        if item.id not in found:
            raise MismatchError(f"there is no translation of item {item.id}", where=text.path, fix=_FIX)
    return Text.of([found[item.id] for item in bench.items], path=text.path)


def write_translations(path: str | Path, bench: Bench, translations: Text) -> None:
    """Write translations in the format of this package, which names the set and its hash."""
    header = {"format": RESULTS_FORMAT, "asked": "translations", "set": bench.name, "hash": bench.hash}
    rows = zip(bench.items, translations.lines, strict=True)
    lines = [header, *({"id": item.id, "translation": line} for item, line in rows)]
    write_atomically(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
