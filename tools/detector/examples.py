"""Examples for the detector: pronouns of good translations, and the same ones made wrong.

    python -m tools.detector.examples --data DATA --output FOLDER [--text NAME ...] [--lines N]

Writes `NAME.jsonl.gz` for every text; a file that is there is not made again. Each line is a document with
its text, the links between its words and its pronouns:

    l           the line, from 0
    s, sp       the pronoun in the source: its characters, and its position among the tokens
    t, tp       the words that render it in the translation, likewise
    kind, form  how it is rendered
    pronoun     the source pronoun
    y, what     1 if the rendering is wrong, 0 if it is right, and where that is known from
    new, links  the line that was made wrong, and its links

Alignment and renderings are those of `anaphor score`, so that the detector learns from what it will read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anaphor.core import Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.languages import fold
from anaphor.metrics import MetricInput
from anaphor.metrics.accept import Accept
from anaphor.metrics.contract import MetricContext
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering, RenderingKind, rendering_of
from tools.detector.errors import Words, damaged
from tools.detector.texts import TEXTS, ParallelDocument

#: A pronoun as `written` writes it, with its document as `d`, and its line where that was made wrong.
Row = tuple[dict[str, Any], str | None]

#: So many lines are aligned together.
_BATCH_LINES = 20_000
#: A line longer than this is no sentence.
_LONGEST = 1200


class _NoAntecedents:
    """Stands in for the resolver, which takes most of the time and which renderings do not need."""

    def resolve(self, _sentences: object, _wanted: object = None) -> Mapping[Any, Any]:
        return {}

    def with_pointer(self, _pointer: object) -> _NoAntecedents:
        return self


class Reader:
    """Aligns documents of one pair and finds what became of their pronouns."""

    def __init__(self, pair: str, *, tokenized: bool = False) -> None:
        settings = Settings(
            pair=pair,
            metrics=("accept",),
            samples=0,
            tokenized=tokenized,
            options={"accept_pointer": "ignore"},
        )
        self.settings = settings
        self.context = MetricContext.of(settings)
        self.language = pair[-2:]
        self._metric = Accept.build(self.context)
        self._metric.judge.resolver = _NoAntecedents()  # type: ignore[assignment]
        #: The links of the last texts, by candidate.
        self.links: Mapping[str, Any] = {}

    def systems(
        self, source: Sequence[str], candidates: Mapping[str, Sequence[str]], documents: tuple[str, ...]
    ) -> Iterator[tuple[str, Case, Rendering]]:
        """Every pronoun of every candidate, all aligned together as in scoring."""
        given = Inputs(
            source=Text.of(source, path="source"),
            references=(),
            candidates={name: Text.of(lines, path=name) for name, lines in candidates.items()},
            documents=documents,
        )
        experiment = Experiment.of(given, self.settings).aligned()
        inputs = experiment.inputs
        self.links = inputs.candidate_alignments or {}
        for name, pairs in experiment.pairs.items():
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
            for case in self._metric.judge.cases(self._metric.text(trial)):
                yield name, case, rendering_of(case)

    def cases(
        self, source: Sequence[str], target: Sequence[str], documents: tuple[str, ...]
    ) -> Iterator[tuple[Case, Rendering]]:
        """Every pronoun of one translation."""
        for _, case, rendering in self.systems(source, {"target": target}, documents):
            yield case, rendering

    def spans(self, line: str, positions: Sequence[int], *, source: bool = False) -> list[tuple[int, int]]:
        """Where tokens of a line begin and end, in characters."""
        sentence = (self.context.source if source else self.context.target).sentence(line)
        found = [sentence.span(position) for position in positions]
        return [(one.start, one.end) for one in found]


def changed_line(reader: Reader, line: str, words: Mapping[int, str]) -> str:
    """A line with other words at some positions, with its spaces and elisions put right."""
    positions = sorted(words, reverse=True)
    for position, (start, end) in zip(positions, reader.spans(line, positions), strict=True):
        before, after = line[:start], line[end:]
        if not words[position] and before.endswith(" "):
            before = before[:-1] if after[:1] in ("", " ", ",", ".", "!", "?", ";", ":") else before
        is_elided = line[start:end].endswith(("'", "’"))
        if words[position] and is_elided and not words[position].endswith("'"):
            after = f" {after}"
        line = before + words[position] + after
    line = re.sub(r"\s+", " ", line).strip()
    return _with_elisions(line) if reader.language == "fr" else line


#: French words that lose their vowel before another one: before any, or before a few words only.
_ELIDED = r"\b([Qq]u|[Jj]usqu|[Ll]orsqu|[Pp]uisqu|[Nn]|[Jj]|[DdMmTt])['’] ?(?=[^aeiouyàâéèêëîïôöùûüh\W\d])"
_UNELIDED = r"\b([Qq]u|[Jj]usqu|[Ll]orsqu|[Pp]uisqu)e (?=(?:ils?|elles?|on)\b)"


def _with_elisions(line: str) -> str:
    """French elisions after words have changed: *qu'cela* is *que cela*, *si ils* is *s'ils*."""
    line = re.sub(_ELIDED, r"\1e ", line)
    line = re.sub(_UNELIDED, r"\1'", line)
    line = re.sub(r"\b([Ss])i (?=ils?\b)", r"\1'", line)
    line = re.sub(r"\b([Ss])['’](?=elles?\b|on\b|cela\b|ce\b)", r"\1i ", line)
    return re.sub(r"\b([Cc])e (?=(?:est|était|étaient)\b)", r"\1'", line)


def links_of(links: Any, segment: int) -> list[int]:
    """The links of a segment as one list: source, target, source, target …"""
    one = links[segment]
    return [number for link in zip(one.sources, one.targets, strict=True) for number in link]


def row_of(
    reader: Reader, document: int, line: int, source: str, target: str, case: Case, rendering: Rendering
) -> dict[str, Any]:
    """A pronoun without its label; the top of this file names the fields."""
    pronoun = case.pair.source
    return {
        "d": document,
        "l": line,
        "s": reader.spans(source, [pronoun.position], source=True)[0],
        "sp": pronoun.position,
        "t": reader.spans(target, rendering.positions),
        "tp": list(rendering.positions),
        "kind": rendering.kind.value,
        "form": "" if rendering.kind is RenderingKind.NULL_SUBJECT else rendering.form,
        "pronoun": fold(pronoun.form),
    }


def examples_of(
    documents: Sequence[ParallelDocument],
    reader: Reader,
    words: Words,
    rng: random.Random,
    links: list[list[list[int]]],
) -> Iterator[Row]:
    """All pronouns of some documents, and those of them that were made wrong.

    The links of every line are appended to `links`, by document.
    """
    source = [line for one in documents for line in one.source]
    target = [line for one in documents for line in one.target]
    where = [(number, line) for number, one in enumerate(documents) for line in range(len(one.source))]
    names = tuple(str(number) for number, _ in where)
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
    # Only lines with an error are read again, each on its own: renderings look at one sentence.
    kept = sorted(edits)
    if not kept:
        return
    worse = [edits[n][1] for n in kept]
    for case, rendering in reader.cases([source[n] for n in kept], worse, tuple(map(str, kept))):
        pronoun = case.pair.source
        segment = kept[pronoun.segment]
        position, new, what = edits[segment]
        if pronoun.position == position:
            document, line = where[segment]
            row = row_of(reader, document, line, source[segment], new, case, rendering)
            row["links"] = links_of(reader.links["target"], pronoun.segment)
            yield {**row, "y": 1, "what": what}, new


def _changes(right: str, wrong: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether two versions of a line first differ inside one of some words."""
    differing = (n for n, (a, b) in enumerate(zip(right, wrong, strict=False)) if a != b)
    first = next(differing, min(len(right), len(wrong)))
    return any(start <= first < end for start, end in spans)


def _as_reference(row: Mapping[str, Any], case: Case, given: ParallelDocument, line: int) -> int | None:
    """Whether a system has the reference's pronoun (0), or one of another gender or number (1).

    References are free; where they have neither, nothing is known.
    """
    if row["kind"] != RenderingKind.PRONOUN.value:
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
    """Words that occur often enough for their endings to tell something."""
    lines = (line.lower() for one in documents for line in one.target)
    counts = Counter(word for line in lines for word in re.findall(r"\w+", line))
    return {word for word, count in counts.items() if count >= least}


def balanced(rows: Sequence[Row], rng: random.Random) -> list[Row]:
    """About as many right as wrong ones of every form, so that a form alone says nothing."""
    groups: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for number, (row, _) in enumerate(rows):
        form = row["form"] if row["kind"] == "pronoun" else ""
        groups.setdefault((row["kind"], form), ([], []))[row["y"]].append(number)
    kept: set[int] = set()
    for right, wrong in groups.values():
        size = max(min(len(right), len(wrong)), 1)
        for side in (right, wrong):
            kept.update(side if len(side) <= 1.15 * size else rng.sample(side, int(1.15 * size)))
    return [rows[number] for number in sorted(kept)]


def batches(documents: Sequence[ParallelDocument]) -> Iterator[list[ParallelDocument]]:
    """Whole documents that are aligned together, because few lines are aligned badly."""
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
    rows: Sequence[Row],
    links: Sequence[Sequence[Sequence[int]]],
) -> None:
    """Writes the documents that have a row; a file has its name only when it is whole."""
    by_document: dict[int, list[dict[str, Any]]] = {}
    for row, new in rows:
        number = row.pop("d")
        by_document.setdefault(number, []).append(row if new is None else {**row, "new": new})
    partial = path.with_suffix(".part")
    with gzip.open(partial, "wt", encoding="utf-8") as file:
        for number, found in sorted(by_document.items()):
            one = documents[number]
            record = {
                "name": one.name,
                "language": one.language,
                "source": one.source,
                "target": one.target,
                "links": links[number],
                "pronouns": found,
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    partial.rename(path)


def make(name: str, *, data: Path, folder: Path, limit: int) -> None:
    """The examples of one text, from documents drawn until they have `limit` lines."""
    path = folder / f"{name}.jsonl.gz"
    if path.exists():
        return
    rng = random.Random(zlib.crc32(name.encode()))  # noqa: S311 - a sample, no secret
    shuffled = list(TEXTS[name](data))
    rng.shuffle(shuffled)
    documents: list[ParallelDocument] = []
    total = 0
    for one in shuffled:
        if total >= limit:
            break
        documents.append(one)
        total += len(one.source)
    language = documents[0].language
    reader = Reader(f"en-{language}")
    words = Words(language, attested_words(documents))
    rows: list[Row] = []
    links: list[list[list[int]]] = []
    start = 0
    for batch in batches(documents):
        for row, new in examples_of(batch, reader, words, rng, links):
            row["d"] += start
            rows.append((row, new))
        start += len(batch)
    # Systems make few errors, and all that is known of them is kept.
    kept = rows if name.startswith("wmt21") else balanced(rows, rng)
    written(path, documents, kept, links)
    what = Counter(row["what"] for row, _ in kept)
    kinds = Counter((row["kind"], row["y"]) for row, _ in kept)
    print(name, len(documents), "documents", total, "lines", dict(what), dict(kinds), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the parallel texts")
    parser.add_argument("--output", type=Path, required=True, help="folder for the examples")
    parser.add_argument(
        "--text", action="append", choices=sorted(TEXTS), help="a text to use; may be repeated (default: all)"
    )
    parser.add_argument("--lines", type=int, default=100_000, help="most lines of a text (default: 100000)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.text or TEXTS:
        make(name, data=options.data, folder=options.output, limit=options.lines)


if __name__ == "__main__":
    main()
