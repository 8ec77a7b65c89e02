"""How many findings at the default confidence are confirmed by a reader.

    python benchmarks/check/precision.py files --captions REPO --output FILES
    anaphor check FILES/... --format json --output findings.json
    python benchmarks/check/precision.py count [--write]

`files` writes what is checked: the visible literary and social documents of WMT24 as XLIFF, one file for each
system, and the talks of `3b1b/captions` as subtitles. Of a talk only what no model was trained on is taken:
from six lines before the first line that has no or another system, or was corrected. PO files are used as
they are. `count` counts the verdicts in `readings.tsv`, by round and kind of file.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "precision.json"
LANGUAGES = {"de": "german", "fr": "french", "es": "spanish"}
#: Talks of the detector's training end before a line like this; the first lines were never used.
SYSTEMS, FIRST, CONTEXT = ("DeepL", "google_nmt"), 6, 6
VERDICTS = ("confirmed", "not", "unsure")


def is_visible(document: str) -> bool:
    """Whether a document may be looked at: the others are held back for tests."""
    return int(hashlib.sha256(document.encode()).hexdigest(), 16) % 2 == 0


def wmt24(data: Path, output: Path) -> None:
    """An XLIFF file for each system and reference."""
    with tarfile.open(data / "wmt24-en-de" / "texts.tar.gz") as archive:
        texts = {
            member.name: file.read().decode("utf-8").rstrip("\n").split("\n")
            for member in archive
            if (file := archive.extractfile(member)) is not None
        }
    source = texts["sources/en-de.txt"]
    documents = [line.rpartition("\t")[2] for line in texts["documents/en-de.docs"]]
    for name, lines in texts.items():
        if name.startswith(("system-outputs/", "references/")):
            parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2">']
            last = ""
            rows = zip(documents, source, lines[-len(source) :], strict=True)
            for number, (document, text, translation) in enumerate(rows):
                is_wanted = "literary" in document or "social" in document
                if not (is_wanted and is_visible(document) and translation.strip()):
                    continue
                if document != last:
                    parts.append("</body></file>" if last else "")
                    parts.append(
                        f'<file original="{escape(document)}" source-language="en" target-language="de" '
                        'datatype="plaintext"><body>'
                    )
                    last = document
                parts.append(
                    f'<trans-unit id="{number}"><source>{escape(text)}</source>'
                    f"<target>{escape(translation)}</target></trans-unit>"
                )
            path = output / f"{Path(name).stem.removeprefix('en-de.')}.de.xlf"
            path.write_text("\n".join([*parts, "</body></file></xliff>\n"]), encoding="utf-8")


def _cues(rows: Sequence[dict[str, Any]], key: str) -> Iterator[str]:
    for number, row in enumerate(rows, start=1):
        start, end = row["start"], max(row["end"], row["start"] + 0.2)
        yield f"{number}\n{_time(start)} --> {_time(end)}\n{' '.join(row[key].split())}\n"


def _time(seconds: float) -> str:
    thousandths = round(1000 * seconds)
    minutes = thousandths // 60_000
    return f"{minutes // 60:02}:{minutes % 60:02}:{thousandths // 1000 % 60:02},{thousandths % 1000:03}"


def talks(captions: Path, output: Path) -> None:
    """Subtitles in English and in another language of every talk that was not used to the end."""
    for language, folder in LANGUAGES.items():
        for path in sorted(captions.glob(f"*/*/{folder}/sentence_translations.json")):
            rows = [
                row
                for row in json.loads(path.read_text(encoding="utf-8"))
                if row["input"].strip() and row["translatedText"].strip() and row.get("start") is not None
            ]
            unread = (
                number
                for number, row in enumerate(rows)
                if number >= FIRST and (row.get("model") not in SYSTEMS or row.get("n_reviews"))
            )
            if (first := next(unread, None)) is None:
                continue
            name = "-".join(path.parts[-4:-2])
            for suffix, key in (("en", "input"), ("", "translatedText")):
                parts = ".".join(part for part in (name, suffix, language, "srt") if part)
                cues = list(_cues(rows, key))[max(0, first - CONTEXT) :]
                (output / parts).write_text("\n".join(cues), encoding="utf-8")


def count() -> dict[str, Any]:
    """Confirmed findings and all, by round and kind of file."""
    with (HERE / "readings.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rounds: dict[str, Any] = {}
    for name in dict.fromkeys(row["round"] for row in rows):
        own = [row for row in rows if row["round"] == name]
        table = {}
        for files in ("xliff", "po", "subtitles", "all"):
            verdicts = Counter(row["verdict"] for row in own if files in ("all", row["files"]))
            read = verdicts.total()
            table[files] = {verdict: verdicts[verdict] for verdict in VERDICTS} | {
                "read": read,
                "precision": round(verdicts["confirmed"] / read, 3) if read else None,
            }
        causes = Counter(row["cause"] for row in own if row["verdict"] != "confirmed")
        rounds[name] = {"files": table, "causes": dict(causes.most_common())}
    return rounds


def main() -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    files = commands.add_parser("files")
    files.add_argument("--captions", type=Path, required=True)
    files.add_argument("--output", type=Path, required=True)
    commands.add_parser("count").add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.command == "files":
        options.output.mkdir(parents=True, exist_ok=True)
        wmt24(Path(os.environ.get("ANAPHOR_DATA", "../shared/data")), options.output)
        talks(options.captions, options.output)
        return
    content = count()
    print(json.dumps(content, indent=1))
    if options.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
