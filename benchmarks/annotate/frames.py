"""Whether the words framed for annotators are those that render the pronoun: before the search, and with it.

    python benchmarks/annotate/frames.py [--gold DATA/gold-alignments/pronoun-links]

The shipped suites in three systems each (both candidates, and the reference as a candidate): wherever a line
equals that of a reference, the suite says what is right. With `--gold`, also plain text with hand-made links.
`links` are the words that the aligner links, which were framed before; `frames` are those of the search.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

from anaphor.align import AlignerChoice
from anaphor.align.gold import read_pronoun_links
from anaphor.core import Category, Item, LanguagePair, Span, Suite
from anaphor.corpus import Text, read_text
from anaphor.suite import EvaluationOptions, LoadedSuite, SuiteTexts, load_shipped
from anaphor.suite.frames import FrameFinder
from anaphor.suite.linking import LinkedTexts, link_texts, tokenizer_for
from anaphor.suite.texts import SOURCE, TokenizedSide, TokenPlace

RESULTS = Path(__file__).parent / "results" / "frames.json"


def judged(gold: TokenPlace, shown: TokenPlace) -> str:
    if not gold:
        return "extra" if shown else "right"
    return "missing" if not shown else "right" if set(gold) & set(shown) else "wrong"


def linked_words(linked: LinkedTexts, name: str, place: TokenPlace) -> TokenPlace:
    links = linked.alignments[name]
    return tuple(sorted({(segment, to) for segment, at in place for to in links[segment].targets_of(at)}))


def of_suite(name: str) -> dict[str, dict[str, int]]:
    """Counts for pronouns and heads, and how the words of all pronouns were found."""
    loaded = load_shipped(name)
    folder = files("anaphor") / "suite" / "shipped" / name / "candidates"
    candidates = {Path(str(path)).stem: read_text(str(path)) for path in sorted(folder.iterdir(), key=str)}
    lines = [line or "" for line in loaded.texts.lines("reference")]
    candidates["reference"] = Text.of(lines, path="reference")
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    linked = link_texts(loaded, candidates, options, links=None, progress=lambda _: None)
    words = tokenizer_for(loaded.suite.pair.target, options, links=None)
    sides = {side: TokenizedSide(loaded.texts, side, words) for side in loaded.texts.references}
    finder = FrameFinder(loaded, linked, references={side: own.tokens for side, own in sides.items()})
    counts = {
        key: Counter[str]()
        for key in ("pronoun links", "pronoun frames", "head links", "head frames", "found by")
    }
    asks = {category.name: category.antecedent for category in loaded.suite.categories}
    for system, text in candidates.items():
        frames = finder.find(system, text)
        for item, tokens, frame in zip(loaded.suite.items, linked.items, frames, strict=True):
            counts["found by"][frame.source.value] += 1
            sources = [item.pronoun, *(antecedent.head for antecedent in item.antecedents)]
            for pair in item.references:
                for number, place in enumerate((pair.pronoun, *(pair.heads if asks[item.category] else ()))):
                    gold = sides[pair.reference].find(item.document, place)
                    stretches = loaded.texts.locators[SOURCE][item.document].stretches(sources[number])
                    segments = {segment for segment, *_ in (*stretches, *gold)}
                    if all(text.lines[at] == sides[pair.reference].lines[at] for at in segments):
                        kind = "head" if number else "pronoun"
                        links = linked_words(linked, system, (tokens.pronoun, *tokens.heads)[number])
                        shown = (frame.pronoun, *frame.heads)[number]
                        counts[f"{kind} links"][judged(gold, links)] += 1
                        counts[f"{kind} frames"][judged(gold, shown)] += 1
    return {key: dict(sorted(count.items())) for key, count in counts.items()}


def of_gold(path: Path) -> dict[str, dict[str, int]]:
    """The same for pronouns of single sentences with hand-made links, without any reference."""
    gold = [
        item
        for item in read_pronoun_links(path)
        if not any(len(t.split()) != 1 for t in (*item.source, *item.target))
    ]
    source, start, items = [" ".join(item.source) for item in gold], 0, []
    for item, line in zip(gold, source, strict=True):
        at = start + sum(len(token) + 1 for token in item.source[: item.pronoun])
        items.append(Item(item.id, "text", item.form, (Span(at, at + len(item.source[item.pronoun])),)))
        start += len(line) + 1
    texts = SuiteTexts({"text": Text.of(source, path=str(path))}, {})
    categories = tuple(Category(form, False, "") for form in dict.fromkeys(item.category for item in items))
    pair = LanguagePair.parse(path.stem)
    suite = Suite(
        name="gold",
        version="1",
        pair=pair,
        licence="",
        description="",
        categories=categories,
        documents=texts.documents(),
        items=tuple(items),
    )
    loaded = LoadedSuite(suite, texts)
    candidates = {"gold": Text.of([" ".join(item.target) for item in gold], path="gold")}
    options = EvaluationOptions(aligner=AlignerChoice(pair=pair), tokenized=True)
    linked = link_texts(loaded, candidates, options, links=None, progress=lambda _: None)
    frames = FrameFinder(loaded, linked, references={}).find("gold", candidates["gold"])
    counts = {key: Counter[str]() for key in ("pronoun links", "pronoun frames", "found by")}
    for item, tokens, frame in zip(gold, linked.items, frames, strict=True):
        right = tuple((tokens.pronoun[0][0], at) for at in sorted(item.possible))
        counts["pronoun links"][judged(right, linked_words(linked, "gold", tokens.pronoun))] += 1
        counts["pronoun frames"][judged(right, frame.pronoun)] += 1
        counts["found by"][frame.source.value] += 1
    return {key: dict(sorted(count.items())) for key, count in counts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gold", type=Path, help="a folder with pronoun-links files PAIR.jsonl")
    arguments = parser.parse_args()
    counts = {name: of_suite(name) for name in ("anaphor-en-fr", "anaphor-en-de")}
    if arguments.gold is not None:
        counts |= {f"plain {path.stem}": of_gold(path) for path in sorted(arguments.gold.glob("*.jsonl"))}
    RESULTS.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(counts, indent=1))


if __name__ == "__main__":
    main()
