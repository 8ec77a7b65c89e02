"""Examples for the detector: pronouns of good translations, and the same ones made wrong.

    python tools/detector/examples.py --data DATA --output FOLDER [--text NAME ...] [--lines N]

Writes `NAME.jsonl.gz` for every text; a file that is there is not made again. One row per document, with its lines and its pronouns:
where each is in the source (`s`, characters), what renders it in the translation (`t`), whether that is wrong
(`y`), and the changed line where one was made. Alignment and renderings are those of `anaphor score`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2])]

from errors import Words, damaged
from texts import TEXTS, ParallelDocument

from anaphor.core import Settings
from anaphor.corpus import Inputs, Text
from anaphor.languages import fold
from anaphor.metrics import MetricInput, ScoringSetup
from anaphor.metrics.accept import Accept
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Kind, Rendering, rendering_of

#: Documents that are aligned together.
_BATCH_LINES = 20_000
#: A line longer than this is no sentence.
_LONGEST = 1200


class _NoAntecedents:
    """Stands in for the resolver: renderings do without antecedents, and most of the time goes there."""

    def resolve(self, sentences: object) -> Mapping[Any, Any]:
        return {}


class Reader:
    """Aligns documents of one pair and finds what became of their pronouns."""

    def __init__(self, pair: str, *, tokenized: bool = False) -> None:
        settings = Settings(
            pair=pair,
            metrics=("accept",),
            samples=0,
            tokenized=tokenized,
            options={"accept_predictor": "ignore"},
        )
        self.setup = ScoringSetup.of(settings)
        self.judge = Accept.build(self.setup.context).judge
        self.judge.resolver = _NoAntecedents()  # type: ignore[assignment]
        self._metric = Accept.build(self.setup.context)
        #: The links of the last texts, by candidate.
        self.links: Mapping[str, Any] = {}

    def systems(
        self, source: Sequence[str], candidates: Mapping[str, Sequence[str]], documents: tuple[str, ...]
    ) -> Iterator[tuple[str, Case, Rendering]]:
        """Every pronoun of every candidate, all aligned together as in scoring."""
        inputs = self.setup.aligned(
            Inputs(
                source=Text.of(source, path="source"),
                references=(),
                candidates={name: Text.of(lines, path=name) for name, lines in candidates.items()},
                documents=documents,
            )
        )
        self.links = inputs.candidate_alignments or {}
        for name, pairs in self.setup.pairs(inputs).items():
            trial = MetricInput(
                name,
                (),
                inputs.candidates[name].lines,
                pairs,
                inputs.source.lines,
                inputs.documents,
                self.links[name],
                {},
            )
            for case in self.judge.cases(self._metric.text(trial)):
                yield name, case, rendering_of(case)

    def cases(
        self, source: Sequence[str], target: Sequence[str], documents: tuple[str, ...]
    ) -> Iterator[tuple[Case, Rendering]]:
        """Every pronoun of one translation."""
        for _, case, rendering in self.systems(source, {"target": target}, documents):
            yield case, rendering

    def spans(self, line: str, positions: Sequence[int], *, source: bool = False) -> list[tuple[int, int]]:
        sentence = (self.setup.source if source else self.setup.target).sentence(line)
        found = [sentence.span(position) for position in positions]
        return [(one.start, one.end) for one in found]


def changed_line(reader: Reader, line: str, words: Mapping[int, str]) -> str:
    """A line with other words at some positions."""
    positions = sorted(words, reverse=True)
    for position, (start, end) in zip(positions, reader.spans(line, positions), strict=True):
        before, after = line[:start], line[end:]
        if not words[position] and before.endswith(" "):
            before = before[:-1] if after[:1] in ("", " ", ",", ".", "!", "?", ";", ":") else before
        if words[position] and line[start:end].endswith("'") and not words[position].endswith("'"):
            after = f" {after}"
        line = before + words[position] + after
    # *qu'* without the word that it leaned on, and two spaces where a word was.
    line = re.sub(r"\b([Qq]u)' ", r"\1e ", line)
    line = re.sub(r"\b([njsdl]|[Nn]|[Jj])' ", r"\1'", line)
    return re.sub(r"\s+", " ", line).strip()


def links_of(links: Any, segment: int) -> list[int]:
    """The links of a segment as source, target, source, target …"""
    one = links[segment]
    return [number for link in zip(one.sources, one.targets, strict=True) for number in link]


def row_of(
    reader: Reader, document: int, line: int, source: str, target: str, case: Case, rendering: Rendering
) -> dict[str, Any]:
    pronoun = case.pair.source
    return {
        "d": document,
        "l": line,
        "s": reader.spans(source, [pronoun.position], source=True)[0],
        "sp": pronoun.position,
        "t": reader.spans(target, rendering.positions),
        "tp": list(rendering.positions),
        "kind": rendering.kind.value,
        "form": "" if rendering.kind is Kind.NULL_SUBJECT else rendering.form,
        "pronoun": fold(pronoun.form),
    }


def examples_of(
    documents: Sequence[ParallelDocument],
    reader: Reader,
    words: Words,
    rng: random.Random,
    links: list[list[list[int]]],
) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Rows of all pronouns of some documents, with the changed line of those that were made wrong.

    The links of every line are appended to `links`, by document.
    """
    source = [line for one in documents for line in one.source]
    target = [line for one in documents for line in one.target]
    where = [(number, line) for number, one in enumerate(documents) for line in range(len(one.source))]
    names = tuple(f"{number}" for number, one in enumerate(documents) for _ in one.source)
    edits: dict[int, tuple[int, str, str]] = {}
    for case, rendering in reader.cases(source, target, names):
        pair, segment = case.pair, case.pair.source.segment
        document, line = where[segment]
        given = documents[document]
        if len(source[segment]) > _LONGEST or len(target[segment]) > _LONGEST:
            continue
        row = row_of(reader, document, line, source[segment], target[segment], case, rendering)
        if given.wrong and line == len(given.source) - 1:
            # The pronoun that the wrong versions change, and no other one of the line.
            versions = [one for one in given.wrong if _changes(given.target[-1], one, row["t"])]
            if versions:
                yield {**row, "y": 0, "what": "real"}, None
                edits[segment] = (pair.source.position, rng.choice(versions), "contrastive")
            continue
        if given.wrong:
            continue
        if given.is_machine:
            label = _as_reference(row, case, given, line)
            if label is not None:
                yield {**row, "y": label, "what": "machine"}, None
            continue
        yield {**row, "y": 0, "what": "real"}, None
        if segment not in edits or rng.random() < 0.3:
            edit = damaged(case, rendering, words, rng)
            if edit is not None:
                new = changed_line(reader, target[segment], edit.words)
                if new and new != target[segment]:
                    edits[segment] = (pair.source.position, new, edit.what)
    found = reader.links["target"]
    segment = 0
    for one in documents:
        links.append([links_of(found, n) for n in range(segment, segment + len(one.source))])
        segment += len(one.source)
    worse = [edits[n][1] if n in edits else line for n, line in enumerate(target)]
    kept = sorted(edits)
    # Only lines with an error are read again, each on its own: renderings look at one sentence.
    lines = [source[n] for n in kept], [worse[n] for n in kept]
    if not kept:
        return
    for case, rendering in reader.cases(*lines, tuple(map(str, kept))):
        pair = case.pair
        segment = kept[pair.source.segment]
        position, line_text, what = edits[segment]
        if pair.source.position == position:
            document, line = where[segment]
            row = row_of(reader, document, line, source[segment], line_text, case, rendering)
            row["links"] = links_of(reader.links["target"], pair.source.segment)
            yield {**row, "y": 1, "what": what}, line_text


def _changes(right: str, wrong: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether two versions of a line first differ inside a word."""
    first = next((n for n, (a, b) in enumerate(zip(right, wrong, strict=False)) if a != b), min(len(right), len(wrong)))
    return any(start <= first < end for start, end in spans)


def _as_reference(row: Mapping[str, Any], case: Case, given: ParallelDocument, line: int) -> int | None:
    """Whether a system has the reference's pronoun (0), or one of another gender or number (1).

    References are free; where they have neither, nothing is known.
    """
    if row["kind"] != Kind.PRONOUN.value:
        return None
    own = case.document.language.pronouns.get(row["form"])
    if not own:
        return None
    tokens = [set(re.findall(r"\w+", one.split("\n")[line].lower())) for one in given.reference]
    if any(row["form"] in found for found in tokens):
        return 0
    others = [
        form
        for form, readings in case.document.language.pronouns.items()
        if readings and not readings & own and all(form in found for found in tokens)
    ]
    return 1 if others else None


def attested_words(documents: Sequence[ParallelDocument], least: int = 3) -> set[str]:
    counts = Counter(word for one in documents for line in one.target for word in re.findall(r"\w+", line.lower()))
    return {word for word, count in counts.items() if count >= least}


def balanced(rows: list[tuple[dict[str, Any], str | None]], rng: random.Random) -> list[tuple[dict[str, Any], str | None]]:
    """As many right as wrong ones of every form, so that no form is wrong by itself."""
    groups: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for number, (row, _) in enumerate(rows):
        groups.setdefault((row["kind"], row["form"] if row["kind"] == "pronoun" else ""), ([], []))[row["y"]].append(number)
    kept: set[int] = set()
    for right, wrong in groups.values():
        size = max(min(len(right), len(wrong)), 1)
        for side in (right, wrong):
            kept.update(side if len(side) <= 1.15 * size else rng.sample(side, int(1.15 * size)))
    return [rows[number] for number in sorted(kept)]


def batches(documents: Sequence[ParallelDocument]) -> Iterator[list[ParallelDocument]]:
    batch: list[ParallelDocument] = []
    lines = 0
    for one in documents:
        batch.append(one)
        lines += len(one.source)
        if lines >= _BATCH_LINES:
            yield batch
            batch, lines = [], 0
    if batch:
        yield batch


def written(
    path: Path,
    documents: Sequence[ParallelDocument],
    rows: Sequence[tuple[dict[str, Any], str | None]],
    links: Sequence[Sequence[Sequence[int]]],
) -> None:
    by_document: dict[int, list[dict[str, Any]]] = {}
    for row, new in rows:
        number = row.pop("d")
        by_document.setdefault(number, []).append(row if new is None else {**row, "new": new})
    partial = path.with_suffix(".part")
    with gzip.open(partial, "wt", encoding="utf-8") as file:
        for number, found in sorted(by_document.items()):
            one = documents[number]
            record = {"name": one.name, "language": one.language, "source": one.source, "target": one.target, "links": links[number], "pronouns": found}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    partial.rename(path)


def make(name: str, data: Path, folder: Path, limit: int) -> None:
    path = folder / f"{name}.jsonl.gz"
    if path.exists():
        return
    rng = random.Random(zlib.crc32(name.encode()))
    documents, total = [], 0
    found = list(TEXTS[name](data))
    rng.shuffle(found)
    for one in found:
        if total >= limit:
            break
        documents.append(one)
        total += len(one.source)
    language = documents[0].language
    reader = Reader(f"en-{language}")
    words = Words(language, attested_words(documents))
    rows: list[tuple[dict[str, Any], str | None]] = []
    links: list[list[list[int]]] = []
    start = 0
    for batch in batches(documents):
        for row, new in examples_of(batch, reader, words, rng, links):
            row["d"] += start
            rows.append((row, new))
        start += len(batch)
    kept = balanced(rows, rng) if not name.startswith("wmt21") else rows
    written(path, documents, kept, links)
    what = Counter(row["what"] for row, _ in kept)
    kinds = Counter((row["kind"], row["y"]) for row, _ in kept)
    print(name, len(documents), "documents", total, "lines", dict(what), dict(kinds), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the parallel texts")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--text", action="append", choices=sorted(TEXTS), help="default: all")
    parser.add_argument("--lines", type=int, default=100_000, help="most lines of a text (default: 100000)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.text or TEXTS:
        make(name, options.data, options.output, options.lines)


if __name__ == "__main__":
    main()
