"""Draw verdicts of `accept` at random and print them with their texts, to be read by a person.

    python benchmarks/verdict/read_verdicts.py en-pt chats bio
    python benchmarks/verdict/read_verdicts.py en-it squad bio --squad SQuAD_it.json.gz --xquad xquad.en.json
    python benchmarks/verdict/read_verdicts.py en-it squad bio --squad ... --xquad ... --measure

With `--measure`, today's verdicts are compared with what was read: AUC with its interval, and a table.

`squad` are paragraphs of Wikipedia that SQuAD-it has in machine translation and XQuAD in English, as far as
both have the same number of sentences; `bio` and `chats` are the annotated sets, of which only the places are
read here. readings/verdicts.*.tsv has what was found; no text is kept.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import Outcome, Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.meta.annotation import SpanAnnotation
from anaphor.meta.detection import MarkedItem, evaluate_marks
from anaphor.meta.spans import read_bio_mqm, read_chat
from anaphor.report.rows import items_tsv
from benchmarks.verdict.marks import DATA

READINGS = Path(__file__).parent / "readings"
_PLACE = ("system", "segment", "token")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"»”)]?\s+(?=[\"«“(]?[A-ZÀ-Ú0-9])")
_REFERENCES = ("ref", "reference", "reference_r1")
#: How many sentences before the pronoun are printed.
_BEFORE = 2


@dataclass(frozen=True, slots=True)
class Texts:
    """A set of translations of one source."""

    name: str
    source: Sequence[str]
    candidates: Mapping[str, Sequence[str]]
    documents: tuple[str, ...]

    @classmethod
    def of(cls, name: str, annotation: SpanAnnotation) -> Texts:
        candidates = {key: text for key, text in annotation.systems.items() if key not in _REFERENCES}
        return cls(name, annotation.source, candidates, tuple(annotation.documents))


def squad(translated: Path, english: Path) -> Texts:
    """Sentences of paragraphs that are in both files, which share the ids of their questions."""
    with gzip.open(translated, "rt", encoding="utf-8") as file:
        paragraphs = _paragraphs(json.load(file))
        by_question = {question: text for _, text, questions in paragraphs for question in questions}
    source: list[str] = []
    target: list[str] = []
    documents: list[str] = []
    for name, text, questions in _paragraphs(json.loads(english.read_text(encoding="utf-8"))):
        other = next((by_question[one] for one in questions if one in by_question), "")
        sides = _SENTENCE_END.split(text.strip()), _SENTENCE_END.split(other.strip())
        if len(sides[0]) == len(sides[1]):
            source += sides[0]
            target += sides[1]
            documents += [name] * len(sides[0])
    return Texts("squad-it", source, {"squad-it": target}, tuple(documents))


def _paragraphs(content: Mapping[str, list[dict[str, object]]]) -> Iterator[tuple[str, str, list[str]]]:
    for article in content["data"]:
        paragraphs: list[dict[str, list[dict[str, str]]]] = article["paragraphs"]  # type: ignore[assignment]
        for number, paragraph in enumerate(paragraphs):
            questions = [question["id"] for question in paragraph["qas"]]
            yield f"{article['title']}/{number}", str(paragraph["context"]), questions


def verdicts(texts: Texts, pair: str) -> Iterator[tuple[Texts, dict[str, str]]]:
    """The rows that `anaphor score --items` writes."""
    inputs = Inputs(
        source=Text.of(texts.source, path="source"),
        references=(),
        candidates={name: Text.of(lines, path=name) for name, lines in texts.candidates.items()},
        documents=texts.documents,
    )
    inputs = Experiment.of(inputs, Settings(pair=pair)).aligned().inputs
    result = evaluate_experiment(Experiment.of(inputs, Settings(pair=pair, metrics=("accept",), samples=0)))
    table = io.StringIO(items_tsv(result, inputs))
    for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
        yield texts, row


def measured(pair: str, rows: Sequence[tuple[Texts, dict[str, str]]]) -> dict[str, object]:
    """How today's verdicts agree with the readings of a pair."""
    today = {(texts.name, *(row[key] for key in _PLACE)): (texts, row) for texts, row in rows}
    items = []
    counts: Counter[str] = Counter()
    with (READINGS / f"verdicts.{pair}.tsv").open(encoding="utf-8") as file:
        for reading in csv.DictReader(file, delimiter="\t"):
            found = today.get((reading["set"], *(reading[key] for key in _PLACE)))
            if found is None:
                counts["not among the pronouns"] += 1
                continue
            texts, row = found
            counts[f"{reading['rendering']}, {row['accept_verdict']}"] += 1
            items.append(
                MarkedItem(
                    row["system"],
                    texts.documents[int(row["segment"])],
                    reading["rendering"] == "wrong",
                    Outcome.BOTH_MISSING,
                    {"accept": float(row["accept"])},
                    {"accept": row["accept_verdict"]},
                )
            )
    figures: dict[str, object] = {"pair": pair, "read": len(items), "verdicts": dict(sorted(counts.items()))}
    if len({item.marked for item in items}) > 1:
        figures["auc"] = evaluate_marks(items, metrics=("accept",)).to_dict()["metrics"][0]["auc"]
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pair")
    parser.add_argument("sets", nargs="+", choices=("squad", "bio", "chats"))
    parser.add_argument("--squad", type=Path)
    parser.add_argument("--xquad", type=Path)
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=49)
    parser.add_argument("--measure", action="store_true", help="compare verdicts with the readings")
    options = parser.parse_args()
    rows: list[tuple[Texts, dict[str, str]]] = []
    for name in options.sets:
        if name == "squad":
            if options.squad is None or options.xquad is None:
                parser.error("squad needs --squad and --xquad")
            texts = squad(options.squad, options.xquad)
        elif name == "bio":
            texts = Texts.of("mqm-bio", read_bio_mqm(DATA / "mqm-bio", pair=options.pair))
        else:
            texts = Texts.of("mqm-chat", read_chat(str(DATA / "mqm-chat"), pair=options.pair))
        rows += verdicts(texts, options.pair)
    if options.measure:
        print(json.dumps(measured(options.pair, rows), indent=1))
        return
    rng = random.Random(options.seed)  # noqa: S311 - a sample, no secret
    chosen = sorted(rng.sample(range(len(rows)), min(options.number, len(rows))))
    for number, (texts, row) in enumerate(rows[at] for at in chosen):
        segment = int(row["segment"])
        lines = texts.candidates[row["system"]]
        print(f"{options.pair}-{number:03} {texts.name} {row['system']} {segment}:{row['token']}")
        for at in range(max(0, segment - _BEFORE), segment + 1):
            if texts.documents[at] == texts.documents[segment]:
                print(f"    {texts.source[at]}\n    {lines[at]}")
        print(f"    {row['pronoun']}: {row['accept']} {row['accept_verdict']}: {row['accept_reason']}")


if __name__ == "__main__":
    main()
