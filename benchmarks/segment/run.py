"""Cut joined documents again: exact boundaries beside mweralign, made damage, and a novel.

    python benchmarks/segment/run.py --data DATA [--mweralign PROGRAM] [--write]

`--mweralign` is the program of the PyPI package of that name (GPL-3.0-or-later), which gets the first
reference; this package gets no reference.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import resource
import subprocess
import tarfile
import tempfile
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from anaphor.engine import warn_without_native
from anaphor.segment import Segmentation, segment_documents

Document = tuple[list[str], list[str]]


def by_document(ids: Iterable[str], source: Iterable[str], target: Iterable[str]) -> list[Document]:
    documents: dict[str, Document] = {}
    for name, one, other in zip(ids, source, target, strict=True):
        sides = documents.setdefault(name, ([], []))
        sides[0].append(one)
        sides[1].append(other)
    return list(documents.values())


def wmt24(data: Path) -> tuple[list[str], dict[str, list[str]]]:
    """Document ids, and the lines of the source, the references and the systems."""
    texts = {}
    with tarfile.open(data / "wmt24-en-de" / "texts.tar.gz") as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if name.startswith(("documents/", "sources/", "references/", "system-outputs/")):
                file = archive.extractfile(member)
                if file is not None:  # the first line is a canary
                    texts[name] = file.read().decode("utf-8").removesuffix("\n").split("\n")[1:]
    return texts.pop("documents/en-de.docs"), texts


def europarl(data: Path, language: str, *, most: int) -> list[Document]:
    """The first segments of documents chosen at random."""
    with gzip.open(data / "europarl" / f"europarl.en-{language}.docs.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    full = [[" ".join(cell.split()) for cell in row] for row in rows if row[3].strip() and row[4].strip()]
    documents = by_document(*zip(*((row[0], row[3], row[4]) for row in full), strict=True))
    random.Random(7).shuffle(documents)  # noqa: S311
    return [(source[:80], target[:80]) for source, target in documents[:most]]


def boundaries(lines: Sequence[str]) -> list[int]:
    """Where lines that are joined with spaces meet."""
    return list(accumulate(len(line) + 1 for line in lines[:-1]))


def rates(documents: Sequence[Document], positions: Iterable[Sequence[int]]) -> dict[str, float]:
    """Shares of inner boundaries that are exact, and at most two words off."""
    offsets: Counter[int] = Counter()
    for (_, target), found in zip(documents, positions, strict=True):
        starts = [match.start() for match in re.finditer(r"\S+", " ".join(target))]
        for right, position in zip(boundaries(target), found, strict=True):
            offsets[min(abs(bisect_left(starts, right) - bisect_left(starts, position)), 3)] += 1
    total = offsets.total()
    return {"boundaries": total, "exact": offsets[0] / total, "within_two": (total - offsets[3]) / total}


def ours(documents: Sequence[Document], pair: str) -> tuple[list[Segmentation], dict[str, float]]:
    found = segment_documents([(source, " ".join(target)) for source, target in documents], pair)
    result = rates(documents, [[boundary.position for boundary in one.boundaries] for one in found])
    result["omissions"] = sum(len(one.omissions) for one in found)
    result["additions"] = sum(len(one.additions) for one in found)
    return found, result


def mweralign(program: str, ids: Sequence[str], reference: list[str], target: list[str]) -> dict[str, float]:
    """The same rates of mweralign, which cuts every document against the reference."""
    documents = by_document(ids, reference, target)
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder, name) for name in ("reference", "joined", "ids", "output")}
        files["reference"].write_text("\n".join(reference) + "\n", encoding="utf-8")
        files["joined"].write_text(
            "\n".join(" ".join(lines) for _, lines in documents) + "\n", encoding="utf-8"
        )
        files["ids"].write_text("\n".join(ids) + "\n", encoding="utf-8")
        subprocess.run(
            [
                *(program, "-r", str(files["reference"]), "-t", str(files["joined"])),
                *("-o", str(files["output"]), "-m", "none", "-d", str(files["ids"])),
            ],
            check=True,
            capture_output=True,
        )
        lines = files["output"].read_text(encoding="utf-8").split("\n")[: len(ids)]
    positions = []
    for (_, whole), (_, cut) in zip(documents, by_document(ids, ids, lines), strict=True):
        # Its output has single spaces: count words.
        starts = [match.start() for match in re.finditer(r"\S+", " ".join(whole))]
        ends = accumulate(len(line.split()) for line in cut[:-1])
        positions.append([starts[min(end, len(starts) - 1)] for end in ends])
    return rates(documents, positions)


def damage(
    document: Document, chance: random.Random, rate: float
) -> tuple[str, dict[str, set[int]], dict[int, int]]:
    """A text with sentences deleted, duplicated, swapped or merged; what was done where; all their starts."""
    source, target = document
    done: dict[str, set[int]] = {name: set() for name in ("deleted", "duplicated", "swapped", "merged")}
    pieces: list[tuple[int, str]] = []
    i = 0
    while i < len(source):
        what = chance.choice(sorted(done)) if chance.random() < rate else ""
        pair_left = i + 1 < len(source)
        if what in ("swapped", "merged") and not pair_left:
            what = ""
        if what:
            done[what].add(i)
        if what == "duplicated":
            pieces += [(i, target[i]), (-1, target[i])]
        elif what == "swapped":
            pieces += [(i + 1, target[i + 1]), (i, target[i])]
        elif what == "merged":
            pieces += [
                (i, target[i].rstrip(".!?") + ","),
                (i + 1, target[i + 1][:1].lower() + target[i + 1][1:]),
            ]
        elif what != "deleted":
            pieces.append((i, target[i]))
        i += 2 if what in ("swapped", "merged") else 1
    starts: dict[int, int] = {}
    at = 0
    for segment, line in pieces:
        starts.setdefault(segment, at)
        at += len(line) + 1
    return " ".join(line for _, line in pieces), done, starts


def damaged(documents: Sequence[Document], pair: str, rate: float = 0.1) -> Mapping[str, float]:
    """How much of the damage is found, and how many omissions, repetitions and moves are none."""
    chance = random.Random(11)  # noqa: S311
    made = [damage(document, chance, rate) for document in documents]
    texts = [(document[0], text) for document, (text, _, _) in zip(documents, made, strict=True)]
    count: Counter[str] = Counter()
    for found, (_, done, starts) in zip(segment_documents(texts, pair), made, strict=True):
        omitted = {omission.segment for omission in found.omissions}
        repeated = {addition.repeats for addition in found.additions if addition.repeats is not None}
        moved = {move.segment for move in found.moves}
        pairs = done["swapped"] | {i + 1 for i in done["swapped"]}
        for name, hits in (("deleted", omitted), ("duplicated", repeated)):
            count[name] += len(done[name])
            count[f"{name}_found"] += len(done[name] & hits)
            count[f"{name}_false"] += len(hits - done[name])
        count["swapped"] += len(done["swapped"])
        count["swapped_found"] += sum(bool(moved & {i, i + 1}) for i in done["swapped"])
        count["swapped_false"] += len(moved - pairs)
        count["merged"] += len(done["merged"])
        count["merged_exact"] += sum(found.boundaries[i].position == starts[i + 1] for i in done["merged"])
        untouched = set(range(len(found.stretches))) - done["deleted"]
        count["segments"] += len(untouched)
        count["segments_at_their_start"] += sum(found.stretches[i].start == starts[i] for i in untouched)
    return {"documents": len(documents), **count}


def novel(documents: Sequence[Document], sentences: int) -> dict[str, float]:
    """Time and memory of one document of so many sentences."""
    lines = [pair for document in documents for pair in zip(*document, strict=True)]
    lines = (lines * (1 + sentences // len(lines)))[:sentences]
    document = ([one for one, _ in lines], [other for _, other in lines])
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    _, result = ours([document], "en-de")
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result | {
        "sentences": sentences,
        "wall_seconds": time.perf_counter() - start,
        "processor_seconds": seconds,
        "peak_megabytes": after.ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mweralign", help="program to run beside")
    parser.add_argument("--only", choices=("wmt24", "europarl", "damage", "novel"), help="one part")
    parser.add_argument("--sentences", type=int, default=100_000, help="length of the novel")
    parser.add_argument("--write", action="store_true", help="write results/*.json")
    options = parser.parse_args()
    warn_without_native()

    def show(part: str, results: Mapping[str, object]) -> None:
        print(part, json.dumps(results, indent=1), flush=True)
        if options.write:
            path = Path(__file__).parent / "results" / f"{part}.json"
            path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")

    def wanted(part: str) -> bool:
        return options.only in (None, part)

    if wanted("wmt24"):
        ids, texts = wmt24(options.data)
        source, reference = texts.pop("sources/en-de.txt"), texts["references/en-de.refA.txt"]
        results: dict[str, dict[str, object]] = {}
        for name, target in sorted(texts.items()):
            results[name] = {"anaphor": ours(by_document(ids, source, target), "en-de")[1]}
            if options.mweralign and target is not reference:
                results[name]["mweralign"] = mweralign(options.mweralign, ids, reference, target)
        show("wmt24", results)
    if wanted("europarl"):
        show(
            "europarl",
            {
                f"en-{code}": ours(europarl(options.data, code, most=100), f"en-{code}")[1]
                for code in ("fr", "es")
            },
        )
    if wanted("damage"):
        show("damage", damaged(europarl(options.data, "de", most=1000), "en-de"))
    if wanted("novel"):
        show("novel", novel(europarl(options.data, "de", most=1000), options.sentences))


if __name__ == "__main__":
    main()
