"""Copies of files in every format, byte for byte, and files that are cut off or damaged.

    python benchmarks/check/round_trips.py [FILES ...] [--write]

The texts of every format are made of the sentences of `tests/check/data`, with tags, entities, quotes, a byte
order mark and both kinds of line ends. Every word of every target is written again as it was read; the copy
must be the file, byte for byte. Then a short file is cut at 200 places and damaged at 200: the reader must
either read it or refuse it with a place. FILES are copied in the same way.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from anaphor.check.formats import FORMATS, find_format, read_units
from anaphor.check.units import UnitFile
from anaphor.core import LanguagePair, Span, UserError

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "round-trips.json"
DATA = HERE.parents[1] / "tests" / "check" / "data"
PAIR = LanguagePair("en", "de")
DAMAGES = 200


def sentences() -> list[tuple[str, str]]:
    """English and German lines, some of them with tags, quotes and signs that formats escape."""
    rows = []
    for name in ("airship", "halcyon", "kestrel"):
        with (DATA / f"{name}.tsv").open(encoding="utf-8") as file:
            lines = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            rows += [(line["en"], line["de"]) for line in lines]
    marks = ("{}", '"{}"', "{} & more <3", "{} 🕯")
    return [
        (marks[number % 4].format(source), marks[number % 4].format(target))
        for number, (source, target) in enumerate(rows)
    ]


def _time(number: int, point: str) -> str:
    return f"{number // 900:02}:{number // 15 % 60:02}:{number % 15 * 4:02}{point}000"


def written(rows: Sequence[tuple[str, str]]) -> dict[str, tuple[str, str | None]]:
    """A file of each format, and its source file if it has only one language."""

    def cues(texts: Sequence[str], point: str) -> str:
        return "\n".join(
            f"{n + 1}\n{_time(n, point)} --> {_time(n, point)[:-3]}900\n{text}\n"
            for n, text in enumerate(texts)
        )

    english, german = ([row[side] for row in rows] for side in (0, 1))
    marked = [[escape(text, quote=False) for text in side] for side in (english, german)]
    units = "\n".join(
        f'<trans-unit id="{n}"><source>{s} <g id="1">x</g></source><target>{t} <g id="1">x</g></target>'
        f"<note>Speaker: A</note></trans-unit>"
        for n, (s, t) in enumerate(zip(*marked, strict=True))
    )
    segments = "\n".join(
        f'<unit id="{n}"><segment id="s"><source>{s}</source>'
        f'<target>{t}<ph id="1"/></target></segment></unit>'
        for n, (s, t) in enumerate(zip(*marked, strict=True))
    )
    memory = "\n".join(
        f'<tu tuid="{n}"><tuv xml:lang="en"><seg>{s}</seg></tuv><tuv xml:lang="de"><seg>{t}</seg></tuv></tu>'
        for n, (s, t) in enumerate(zip(*marked, strict=True))
    )
    quoted = [[json.dumps(text, ensure_ascii=False) for text in side] for side in (english, german)]
    entries = "\n".join(
        f'#: a.c:{n}\nmsgctxt "{n}"\nmsgid {s}\nmsgstr ""\n{t}\n'
        for n, (s, t) in enumerate(zip(*quoted, strict=True))
    )
    objects = [{"id": n, "source": s, "target": t} for n, (s, t) in enumerate(rows)]
    header = "[Events]\nFormat: Start, End, Name, Text\n"
    dialogue = [
        header + "".join(f"Dialogue: 0:{_time(n, '.')[3:-1]},9:00:00.00,A,{t}\n" for n, t in enumerate(side))
        for side in (english, german)
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    cells = [[text.replace('"', '""') for text in side] for side in (english, german)]
    table = "".join(f'"{s}","{t}"\n' for s, t in zip(*cells, strict=True))
    return {
        "xliff-1.xlf": (
            f'{head}<xliff version="1.2"><file original="f" source-language="en" target-language="de">'
            f"<body>{units}</body></file></xliff>\n",
            None,
        ),
        "xliff-2.xlf": (
            f'{head}<xliff version="2.0" srcLang="en" trgLang="de"><file id="f">{segments}</file></xliff>\n',
            None,
        ),
        "memory.tmx": (f'{head}<tmx version="1.4"><header/><body>{memory}</body></tmx>\n', None),
        "strings.po": (f'msgid ""\nmsgstr "Language: de\\n"\n\n{entries}', None),
        "film.srt": (cues(german, ","), cues(english, ",")),
        "film.vtt": (f"WEBVTT\n\n{cues(marked[1], '.')}", f"WEBVTT\n\n{cues(marked[0], '.')}"),
        "film.ass": (dialogue[1], dialogue[0]),
        "table.csv": (f"source,target\n{table}", None),
        "table.tsv": ("source\ttarget\n" + "".join(f"{s}\t{t}\n" for s, t in rows), None),
        "list.json": (json.dumps(objects, indent=1), None),
        "lines.txt": ("\n".join(german) + "\n", "\n".join(english) + "\n"),
        "text.md": ("\n\n".join(german) + "\n", "\n\n".join(english) + "\n"),
    }


def copied(file: UnitFile) -> str:
    """The text of a copy in which every word was written again, unless it has an escaped letter."""
    words = (
        file.replacement(unit, Span(*match.span()), match[0])
        for unit in file.units
        for match in re.finditer(r"[^\W\d_]+", unit.target)
    )
    return file.with_changes(word for word in words if len(word.text) == word.span.end - word.span.start)


def round_trip(path: Path, source: Path | None, pair: LanguagePair = PAIR) -> dict[str, Any]:
    file, _ = read_units(str(path), pair=pair, source=None if source is None else str(source))
    return {
        "format": file.format,
        "units": len(file.units),
        "skipped": len(file.skipped),
        "identical": copied(file).encode() == path.read_bytes(),
    }


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Some bytes exchanged, removed or repeated."""
    at, end = sorted(draw.randrange(len(data)) for _ in range(2))
    end = min(end, at + 40)
    return draw.choice(
        (
            data[:at] + bytes(draw.randrange(256) for _ in range(3)) + data[at + 3 :],
            data[:at] + data[end:],
            data[:end] + data[at:],
            data[:at] + draw.choice((b"<", b'"', b"\r", b"&a;", b"]]>", b"{", b"\\")) + data[at:],
        )
    )


def refusals(path: Path, source: Path | None) -> dict[str, int]:
    """How readers take files that end early or are damaged: read, or refused with and without a line."""
    draw, data, results = random.Random(path.name), path.read_bytes(), Counter[str]()  # noqa: S311
    broken = path.with_name(f"broken{path.suffix}")
    for number in range(2 * DAMAGES):
        broken.write_bytes(data[: draw.randrange(len(data))] if number % 2 else damaged(data, draw))
        try:
            read_units(str(broken), pair=PAIR, source=None if source is None else str(source))
            results["read"] += 1
        except UserError as error:
            line = getattr(error.where, "line", None)
            results["refused with a line" if line else "refused"] += 1
    return dict(results)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path, help="files in a format with both languages")
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder, short = Path(name), written(sentences()[:20])
        for file, (text, original) in written(sentences()).items():
            for ends, mark in (("\n", ""), ("\r\n", "\ufeff")):
                path, source = folder / file, None
                path.write_bytes((mark + text.replace("\n", ends)).encode())
                if original is not None:
                    source = folder / f"source-{file}"
                    source.write_bytes(original.replace("\n", ends).encode())
                trip = round_trip(path, source)
                row = {"file": file, "line_ends": "CRLF" if mark else "LF", "byte_order_mark": bool(mark)}
                started = time.process_time()
                # Cutting a running text refuses nothing, and takes longer.
                broken = {}
                if trip["format"] != "document" and not mark:
                    path.write_text(short[file][0], encoding="utf-8")
                    broken = refusals(path, source)
                seconds = round(time.process_time() - started, 1)
                rows.append(row | trip | {"damaged": broken, "seconds_damaged": seconds})
                print(json.dumps(rows[-1]), flush=True)
        assert {find_format(row["file"]).name for row in rows} == set(FORMATS)
    for path in options.files:
        pair = LanguagePair("en", path.suffixes[-2].removeprefix("."))
        rows.append({"file": path.name} | round_trip(path, None, pair))
        print(json.dumps(rows[-1]), flush=True)
    if options.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
