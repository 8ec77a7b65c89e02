"""A suite of 50,000 items, read and evaluated: with links of our own making, and with given ones.

Usage: python benchmarks/suite/run.py [--items 50000] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from anaphor.align import AlignerChoice
from anaphor.core import (
    Antecedent,
    Category,
    Item,
    LanguagePair,
    ReferencePair,
    Span,
    Suite,
    SuiteDocument,
)
from anaphor.core.engine import warn_without_native
from anaphor.corpus import Text
from anaphor.suite import (
    EvaluationOptions,
    GivenLinks,
    LoadedSuite,
    SuiteTexts,
    evaluate_suite,
    load_suite,
    write_suite,
)
from anaphor.suite.linking import align_candidates, reference_pairs

PAIR = LanguagePair("en", "fr")
ITEMS_EACH = 50  # in a document; every item has two segments
NOUNS = {
    "table": ("table", "elle"),
    "lamp": ("lampe", "elle"),
    "chair": ("chaise", "elle"),
    "book": ("livre", "il"),
    "boat": ("bateau", "il"),
    "coat": ("manteau", "il"),
}
PLACES = {"garden": "jardin", "office": "bureau", "market": "marché", "port": "port"}
STATES = {"new": "neuf", "old": "vieux", "cheap": "bon marché", "blue": "bleu", "heavy": "lourd"}


def make(items: int) -> tuple[LoadedSuite, Text]:
    """A suite of invented sentences, and a candidate that gets a third of the pronouns wrong."""
    draw = random.Random(1)  # noqa: S311 - invented sentences
    source: dict[str, Text] = {}
    reference: dict[str, Text] = {}
    candidate: list[str] = []
    found: list[Item] = []
    for number in range(0, items, ITEMS_EACH):
        name = f"d{number // ITEMS_EACH}"
        lines: tuple[list[str], list[str]] = ([], [])
        offsets = [0, 0]
        for index in range(number, min(number + ITEMS_EACH, items)):
            noun, (head, pronoun) = draw.choice(list(NOUNS.items()))
            place, state = draw.choice(list(PLACES)), draw.choice(list(STATES))
            english = [f"we saw the {noun} near the {place} .", f"it is very {state} ."]
            french = [
                f"nous avons vu {head} près du {PLACES[place]} .",
                f"{pronoun} est très {STATES[state]} .",
            ]
            wrong = draw.random() < 1 / 3
            candidate += [french[0], f"{'ce' if wrong else pronoun} est vraiment {STATES[state]} ."]
            head_at, head_fr = offsets[0] + 11, offsets[1] + 14
            second = [offsets[0] + len(english[0]) + 1, offsets[1] + len(french[0]) + 1]
            found.append(
                Item(
                    f"i{index}",
                    name,
                    "it",
                    (Span(second[0], second[0] + 2),),
                    (Antecedent(*2 * ((Span(head_at, head_at + len(noun)),),)),),
                    (
                        ReferencePair(
                            "human",
                            (Span(second[1], second[1] + len(pronoun)),),
                            ((Span(head_fr, head_fr + len(head)),),),
                        ),
                    ),
                )
            )
            for side, text in enumerate((english, french)):
                lines[side].extend(text)
                offsets[side] += sum(map(len, text)) + 2
        source[name], reference[name] = (Text.of(side, path=name) for side in lines)
    documents = tuple(
        SuiteDocument(name, len(text), text.digest, {"human": reference[name].digest})
        for name, text in source.items()
    )
    suite = Suite("bench", "1", PAIR, "Apache-2.0", "", (Category("it", True, ""),), documents, tuple(found))
    return LoadedSuite(suite, SuiteTexts(source, {"human": reference})), Text.of(candidate, path="candidate")


def timed_evaluation(loaded: LoadedSuite, candidate: Text, links: GivenLinks | None) -> tuple[float, float]:
    """Seconds of processor time, which a busy machine does not stretch, and accuracy."""
    start = time.process_time()
    options = EvaluationOptions(aligner=AlignerChoice(pair=PAIR))
    report = evaluate_suite(loaded, {"candidate": candidate}, options, links=links)
    return time.process_time() - start, report.systems[0].category_scores[-1].accuracy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    made, candidate = make(options.items)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        write_suite(made.suite, Path(folder) / "suite", texts=made.texts)
        written = time.process_time()
        loaded = load_suite(Path(folder) / "suite")
        read = time.process_time()
    source = Text.of(loaded.texts.source_lines, path="source")
    tokens = [line.split(" ") for line in source.lines]
    links = align_candidates(
        tokens,
        {"candidate": [line.split(" ") for line in candidate.lines]},
        reference_pairs(tokens, loaded.texts, str.split),
        AlignerChoice(pair=PAIR),
    )
    given = GivenLinks(source, links)
    with_links, accuracy = timed_evaluation(loaded, candidate, given)
    own_links, own_accuracy = timed_evaluation(loaded, candidate, None)
    report = {
        "benchmark": "suite",
        "items": options.items,
        "segments": loaded.suite.segments,
        "write_s": written - start,
        "read_s": read - written,
        "evaluate_given_links_s": with_links,
        "evaluate_own_links_s": own_links,
        "accuracy": [accuracy, own_accuracy],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "python": sys.version.split()[0],
        "cpus": os.cpu_count(),
    }
    print(json.dumps(report))
    if options.write:
        target = Path(__file__).parent / "results" / "suite.json"
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
