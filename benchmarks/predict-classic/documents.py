"""The documents of every part, as a small file that can be read without the data.

Usage: python benchmarks/predict-classic/documents.py SPLIT

Writes results/documents.json from the .doc-ids.gz files in SPLIT; data.py does so at its end. Debates of
Europarl are kept by their day (YYMMDD), which is what parts are cut by; numbers in a row as `first-last`.
The talks of the official test of 2015 stand beside the parts, so that a test can hold all against each other.
Parts of a pair and style that SPLIT does not have keep their lists.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.task.teddev import RELEASED  # noqa: E402

RESULT = Path(__file__).parent / "results" / "documents.json"
#: Talks of teddev and of the official test have bare numbers for names.
TALKS = "ted"
EUROPARL = "1.europarl"
_DEBATE = re.compile(r"(?:ep-)?(?:19|20)?([0-9]{2})-?([0-9]{2})-?([0-9]{2})(?![0-9])")
_OFFICIAL = RELEASED.with_name("test.doc-ids")


def listed(documents: Iterable[str]) -> dict[str, list[str]]:
    """Documents by their corpus, in order and without repetition."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for document in documents:
        corpus, slash, name = document.partition("/")
        corpus, name = (corpus, name) if slash else (TALKS, document)
        debate = _DEBATE.match(name) if corpus == EUROPARL else None
        found[corpus].add("".join(debate.groups()) if debate else name)
    return {corpus: _short(names) for corpus, names in sorted(found.items())}


def _short(names: set[str]) -> list[str]:
    """Names in order, runs of numbers as `first-last`; days, which begin with zeros, stay as they are."""
    numbers = sorted(int(name) for name in names if name.isdecimal() and not name.startswith("0"))
    if len(numbers) < len(names):
        return sorted(names)
    return [str(first) if first == last else f"{first}-{last}" for first, last in _runs(numbers)]


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last


def write_documents(split: Path) -> None:
    """Write the list of every part of a folder, a line each; lists of other pairs and styles stay."""
    parts = {path.name.removesuffix(".doc-ids.gz"): path for path in sorted(split.glob("*.doc-ids.gz"))}
    content = {part: listed(_lines(gzip.decompress(path.read_bytes()))) for part, path in parts.items()}
    made = {part.rpartition(".")[0] for part in content}
    old = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.is_file() else {}
    content |= {part: found for part, found in old.items() if part.rpartition(".")[0] not in made}
    content["en-fr.2015.official-test"] = listed(_lines(_OFFICIAL.read_bytes()))
    ordered = sorted(content.items(), key=lambda item: (item[0].endswith("official-test"), item[0]))
    rows = [f"{json.dumps(part)}: {json.dumps(found, ensure_ascii=False)}" for part, found in ordered]
    RESULT.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def _lines(content: bytes) -> list[str]:
    return content.decode().split("\n")[:-1]


if __name__ == "__main__":
    write_documents(Path(sys.argv[1]))
