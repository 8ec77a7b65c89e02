"""Cut joined documents again: exact boundaries beside mweralign, made damage, confidences, and a novel.

    python benchmarks/segment/run.py --data DATA [--mweralign PROGRAM] [--write]
    python benchmarks/segment/run.py --ntrex FOLDER [--write]

FOLDER is the repository of NTREX-128; its documents are joined and cut again in three languages.
`--mweralign` is the program of the PyPI package of that name (GPL-3.0-or-later), which gets the first
reference; this package gets no reference.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path

from anaphor.core import Span
from anaphor.core.engine import warn_without_native
from anaphor.segment import Segmentation, segment_documents
from anaphor.segment import documents as documents_module
from anaphor.segment.model import default_model

sys.path.append(str(Path(__file__).parents[2] / "tools"))
from make_segment_model import read_documents  # type: ignore[import-not-found]

Document = tuple[list[str], list[str]]
PARTS = ("wmt24", "europarl", "damage", "reliability", "novel")


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


def ntrex(folder: Path) -> Iterator[tuple[str, list[Document]]]:
    """The pair and the documents of each translation; no table or prior was learned from them."""
    names = (folder / "DOCUMENT_IDS.tsv").read_text(encoding="utf-8").splitlines()
    source = (folder / "NTREX-128/newstest2019-src.eng.txt").read_text(encoding="utf-8").splitlines()
    for pair, name in (("en-es", "spa"), ("en-it", "ita"), ("en-pt", "por"), ("en-pt", "por-BR")):
        target = (folder / f"NTREX-128/newstest2019-ref.{name}.txt").read_text(encoding="utf-8").splitlines()
        lines = [" ".join(line.split()) for line in target]
        yield f"{pair} {name}", by_document(names, [" ".join(line.split()) for line in source], lines)


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


@dataclass
class Damage:
    """A text with sentences deleted, duplicated, swapped, merged or added, and what was done.

    `done` has the segments of each kind (of a pair the first), `starts` where every translation starts, and
    `added` the places of sentences of other documents.
    """

    text: str
    done: dict[str, set[int]]
    starts: dict[int, int]
    added: list[Span]


def damage(document: Document, strangers: Sequence[str], chance: random.Random, rate: float) -> Damage:
    source, target = document
    kinds = ("added", "deleted", "duplicated", "merged", "swapped")
    done: dict[str, set[int]] = {name: set() for name in kinds}
    pieces: list[tuple[int, str]] = []  # -1 for a repetition, -2 for a sentence of another document
    i = 0
    while i < len(source):
        what = chance.choice(kinds) if chance.random() < rate else ""
        if what in ("swapped", "merged") and i + 1 == len(source):
            what = ""
        if what:
            done[what].add(i)
        if what == "duplicated":
            pieces += [(i, target[i]), (-1, target[i])]
        elif what == "added":
            pieces += [(i, target[i]), (-2, chance.choice(strangers))]
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
    added = []
    at = 0
    for segment, line in pieces:
        if segment == -2:
            added.append(Span(at, at + len(line)))
        elif segment >= 0:
            starts[segment] = at
        at += len(line) + 1
    return Damage(" ".join(line for _, line in pieces), done, starts, added)


def cut_damaged(
    documents: Sequence[Document], pair: str, rate: float, *, rounds: int = 1
) -> Iterator[tuple[Segmentation, Damage]]:
    """The documents damaged and cut; what is added to one is from the document half-way around."""
    chance = random.Random(11)  # noqa: S311
    made, texts = [], []
    for n, document in [*enumerate(documents)] * rounds:
        strangers = [line for line in documents[n - len(documents) // 2][1] if len(line) > 20] or ["Ach so."]
        made.append(damage(document, strangers, chance, rate))
        texts.append((document[0], made[-1].text))
    return zip(segment_documents(texts, pair), made, strict=True)


def reliability(data: Path, temperature: float | None = None) -> dict[str, object]:
    """How often boundaries of damaged documents are exact, by confidence.

    Every second document of those from which the tables were learned. The temperature was chosen on the
    others: with a temperature it is they that are cut.
    """
    model = default_model()
    if temperature is not None:
        vars(documents_module)["default_model"] = lambda: replace(model, temperature=temperature)
    documents = list(read_documents(data / "docs-en-de"))[temperature is None :: 2]
    found = []
    for one, made in cut_damaged(documents, "en-de", 0.2):
        # Boundaries of which nobody can say where they should be are left out.
        gone = made.done["added"] | made.done["duplicated"]
        order = sorted(made.starts, key=made.starts.__getitem__)
        found += [
            (one.boundaries[i].confidence, one.boundaries[i].position == made.starts[k])
            for i, k in pairwise(order)
            if k == i + 1 and i not in gone
        ]
    losses = [-math.log(max(sure if right else 1 - sure, 1e-4)) for sure, right in found]
    table = []
    for low, high in pairwise((0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)):
        some = [one for one in found if low <= one[0] < high]
        table.append(
            {
                "from": low,
                "boundaries": len(some),
                "confidence": sum(sure for sure, _ in some) / len(some),
                "exact": sum(right for _, right in some) / len(some),
            }
        )
    return {"log_loss": sum(losses) / len(losses), "table": table}


def damaged(
    documents: Sequence[Document], pair: str, rate: float = 0.1, *, rounds: int = 1
) -> Mapping[str, float]:
    """How much of the damage is found, and how many omissions, repetitions, additions and moves are none."""
    count: Counter[str] = Counter()
    for found, one in cut_damaged(documents, pair, rate, rounds=rounds):
        done = one.done
        omitted = {omission.segment for omission in found.omissions}
        repeated = {addition.repeats for addition in found.additions if addition.repeats is not None}
        moved = {move.segment for move in found.moves}
        pairs = done["swapped"] | {i + 1 for i in done["swapped"]}
        for name, hits in (("deleted", omitted), ("duplicated", repeated)):
            count[name] += len(done[name])
            count[f"{name}_found"] += len(done[name] & hits)
            count[f"{name}_false"] += len(hits - done[name])
        count["deleted_false_but_swapped"] += len((omitted - done["deleted"]) & pairs)
        # An addition is right if at least half of it was added, and found if at least half of it is listed.
        listed = [addition.span for addition in found.additions if addition.repeats is None]
        count["added"] += len(one.added)
        count["added_found"] += sum(2 * shared(span, listed) >= span.end - span.start for span in one.added)
        count["added_false"] += sum(2 * shared(span, one.added) < span.end - span.start for span in listed)
        count["swapped"] += len(done["swapped"])
        count["swapped_found"] += sum(bool(moved & {i, i + 1}) for i in done["swapped"])
        count["swapped_false"] += len(moved - pairs)
        count["merged"] += len(done["merged"])
        count["merged_exact"] += sum(
            found.boundaries[i].position == one.starts[i + 1] for i in done["merged"]
        )
        count["segments"] += len(one.starts)
        count["segments_at_their_start"] += sum(
            found.stretches[i].start == at for i, at in one.starts.items()
        )
    return {"documents": len(documents), **count}


def shared(span: Span, others: Iterable[Span]) -> int:
    """How many characters of a span are in others, which do not overlap."""
    return sum(max(0, min(span.end, other.end) - max(span.start, other.start)) for other in others)


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
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--data", type=Path)
    place.add_argument("--ntrex", type=Path, metavar="FOLDER")
    parser.add_argument("--mweralign", help="program to run beside")
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--temperature", type=float, help="of confidences, to choose one")
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

    if options.ntrex is not None:
        cut = {name: ours(documents, name.split()[0])[1] for name, documents in ntrex(options.ntrex)}
        show("ntrex", cut)
        return
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
    if wanted("reliability"):
        show("reliability", reliability(options.data, options.temperature))
    if wanted("novel"):
        show("novel", novel(europarl(options.data, "de", most=1000), options.sentences))


if __name__ == "__main__":
    main()
