"""Pronouns of real translations, in the form of `examples.py`: judged ones, and others to be labelled.

    python -m tools.detector.real --output FOLDER [--free]

`judged-PART.jsonl.gz` has every pronoun of every system of the judged parts; `y` is missing where nobody
read it. Of some texts of `benchmarks/verdict/further.py`, as the talks, few pronouns were read: these are in
`judged-talks-PAIR`, all others in `marked-talks-PAIR`. `marked-SET.jsonl.gz` has the pronouns of the systems
whose errors professionals marked, all without `y`. The data are those of `benchmarks/verdict`, in the folders
that `ANAPHOR_DATA` and `ANAPHOR_FURTHER` name. `--free` makes only judged parts whose texts permit any use.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from anaphor.meta.annotation import SpanAnnotation
from anaphor.meta.spans import read_bio_mqm, read_chat, read_mqm
from benchmarks.verdict.evidence import (
    _FORMS,
    _TOKENIZED,
    DATA,
    FREE_PARTS,
    FREE_TEXTS,
    FURTHER_PARTS,
    PARTS,
    TALKS,
    Part,
    Verdicts,
)
from tools.detector.examples import Reader, Row, links_of, row_of, written
from tools.detector.texts import ParallelDocument

#: Documents, their pronouns, and the links of their lines.
Found = tuple[list[ParallelDocument], list[Row], list[list[list[int]]]]
Label = Callable[[str, int, int], dict[str, Any]]


def systems_of(
    name: str,
    pair: str,
    source: Sequence[str],
    candidates: Mapping[str, Sequence[str]],
    documents: Sequence[str],
    label: Label,
) -> Found:
    """All pronouns of all systems; `label` gives what is known, by system, line and rank in its line."""
    reader = Reader(pair, tokenized=name in _TOKENIZED)
    starts = [n for n in range(len(documents)) if n == 0 or documents[n] != documents[n - 1]]
    ends = [*starts[1:], len(documents)]
    found: list[ParallelDocument] = []
    number: dict[tuple[str, int], tuple[int, int]] = {}
    for system, lines in candidates.items():
        for start, end in zip(starts, ends, strict=True):
            for line in range(start, end):
                number[system, line] = len(found), line - start
            title = f"{name}/{documents[start]}/{system}"
            found.append(ParallelDocument(title, pair[-2:], list(source[start:end]), list(lines[start:end])))
    rows: list[Row] = []
    rank: defaultdict[tuple[str, int], int] = defaultdict(int)
    for system, case, rendering in reader.systems(source, candidates, tuple(documents)):
        segment = case.pair.source.segment
        document, line = number[system, segment]
        row = row_of(reader, document, line, source[segment], candidates[system][segment], case, rendering)
        if re.fullmatch(_FORMS[pair[:2]], case.pair.source.form, re.IGNORECASE):
            row |= label(system, segment, rank[system, segment])
            rank[system, segment] += 1
        rows.append((row, None))
    links = [
        [links_of(reader.links[system], line) for line in range(start, end)]
        for system in candidates
        for start, end in zip(starts, ends, strict=True)
    ]
    return found, rows, links


@cache
def judged(name: str) -> Found:
    """The pronouns of a judged part, with the verdicts of those that were read."""
    part, verdicts = Part.read(name), Verdicts.read()

    def label(system: str, segment: int, rank: int) -> dict[str, Any]:
        known = verdicts.of(part, system, segment)
        verdict = known[rank] if rank < len(known) else None
        return {} if verdict is None else {"y": int(verdict[0]), "what": verdict[1]}

    return systems_of(name, name[-5:], part.source, part.candidates, part.documents, label)


def doubtful(name: str, *, is_read: bool) -> Found:
    """The pronouns of a part that somebody read, or all others."""
    documents, rows, links = judged(name)
    return documents, [(row, new) for row, new in rows if ("y" in row) == is_read], links


def made_of_doubtful(parts: Sequence[str]) -> dict[str, Callable[[], Found]]:
    """The two files of every part of which only doubtful pronouns were read."""
    return {
        f"{file}-{part}": partial(doubtful, part, is_read=file == "judged")
        for part in parts
        for file in ("judged", "marked")
    }


def marked(name: str, pair: str, read: Callable[[], SpanAnnotation]) -> Found:
    """The pronouns of systems with marked errors; references are left out, as they are no system's."""
    annotation = read()
    candidates = {
        system: lines for system, lines in annotation.systems.items() if not system.startswith("ref")
    }
    documents = annotation.documents or [""] * len(annotation.source)
    return systems_of(name, pair, annotation.source, candidates, documents, lambda *_: {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="folder for the examples")
    parser.add_argument("--free", action="store_true", help="only texts that permit any use")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    made: dict[str, Callable[[], Found]] = {
        f"judged-{part}": partial(judged, part)
        for table in (PARTS, FURTHER_PARTS)
        for name, parts in table.items()
        if name != "to-en"
        for part in parts
    }
    made |= made_of_doubtful(TALKS)
    for name in ("ted", "wmt23"):
        read = partial(read_mqm, DATA / f"mqm-{name}-en-de" / "mqm.tsv.gz")
        made[f"marked-{name}"] = partial(marked, name, "en-de", read)
    for pair in ("en-de", "en-fr", "en-es"):
        read = partial(read_bio_mqm, DATA / "mqm-bio", pair=pair)
        made[f"marked-bio-{pair}"] = partial(marked, f"bio-{pair}", pair, read)
    for pair in ("en-de", "en-fr"):
        read = partial(read_chat, str(DATA / "mqm-chat"), pair=pair)
        made[f"marked-chat-{pair}"] = partial(marked, f"chat-{pair}", pair, read)
    if options.free:
        made = {f"judged-{part}": partial(judged, part) for part in FREE_PARTS} | made_of_doubtful(FREE_TEXTS)
    for name, make in made.items():
        path = options.output / f"{name}.jsonl.gz"
        if not path.exists():
            documents, rows, links = make()
            print(name, len(documents), Counter((row.get("y"), row["kind"]) for row, _ in rows), flush=True)
            written(path, documents, rows, links)


if __name__ == "__main__":
    main()
