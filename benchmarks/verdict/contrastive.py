"""Does agreement with the antecedent prefer the right variant of contrastive items?

    python benchmarks/verdict/contrastive.py [--write]

Every item of ContraPro (English-German) and of the large English-French set, as far as ANAPHOR_DATA has them,
is a text with its right translation and variants whose pronoun is wrong. All variants share their other
words, so the alignment of the right one serves for all. The form that agrees more with its antecedent is
preferred; where the two best differ by less than a margin, the item is left open. French items that share
their sentence with SCAT, which the resolver learned from, are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphor.align import AlignerChoice
from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import Resolver, TargetDocument, TargetLanguage
from anaphor.core import LanguagePair
from anaphor.languages import Tokenizer, load_language

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
MARGINS = (0.1, 0.3, 0.5)


@dataclass(frozen=True, slots=True)
class ContrastiveItem:
    """Source and target sentences, the last of which is tested, and its wrong variants."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    wrong: tuple[str, ...]


def german() -> Iterator[ContrastiveItem]:
    path = DATA / "contrapro-en-de" / "with-context.every-fourth.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            wrong = tuple(variant[-1] for variant in item["wrong"])
            yield ContrastiveItem(tuple(item["source"]), tuple(item["correct"]), wrong)


def french() -> Iterator[ContrastiveItem]:
    path = DATA / "scat-en-fr" / "highlighted.train.en.gz"
    seen = {plain(line) for line in gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")}
    path = DATA / "contrastive-lopes-en-fr" / "items.every-fourth.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            if plain(item["source"][-1]) not in seen:
                target = (*item["context"], item["correct"])
                yield ContrastiveItem(tuple(item["source"]), target, (item["wrong"],))


def plain(text: str) -> str:
    return "".join(c for c in text.replace("<p>", "").replace("</p>", "").lower() if c.isalnum())


def measure(pair: str, items: Sequence[ContrastiveItem]) -> dict[str, Any]:
    """For every margin the share of items left open, and how many of the others are right."""
    languages = LanguagePair.parse(pair)
    english, other = (Tokenizer(load_language(code)) for code in (languages.source, languages.target))
    source = [[tuple(english.words(line)) for line in item.source] for item in items]
    target = [[tuple(other.words(line)) for line in item.target] for item in items]
    pairs = [both for s, t in zip(source, target, strict=True) for both in zip(s, t, strict=True)]
    links = iter(list(AlignerChoice(pair=languages).build().align(pairs)))
    analyser = load_analyser("built-in", language=languages.source)
    analyses = iter(list(analyser.analyse([sentence for one in source for sentence in one])))
    resolver, language = Resolver.load(languages.source), TargetLanguage.load(languages.target)
    tally: Counter[str] = Counter()
    for item, tokens, translation in zip(items, source, target, strict=True):
        alignments = [next(links) for _ in tokens]
        resolved = resolver.resolve([AnalysedSentence(one, next(analyses)) for one in tokens])
        tally["items"] += 1
        right, last = translation[-1], alignments[-1]
        wrong = [tuple(other.words(variant)) for variant in item.wrong]
        changed = [p for p, word in enumerate(right) if any(len(w) > p and w[p] != word for w in wrong)]
        places = [place for place in resolved if place.sentence == len(tokens) - 1]
        if not changed or not places:
            continue
        slot = changed[0]
        sources = {i for i, j in zip(last.sources, last.targets, strict=True) if j == slot}
        linked = [place for place in places if place.position in sources]
        # A form without a link belongs to the pronoun at the nearest relative position.
        ratio = slot / len(right)
        nearest = min(places, key=lambda p: abs(p.position / len(tokens[-1]) - ratio))
        document = TargetDocument(language, resolved, translation, alignments)
        expected = document.expectation(linked[0] if linked else nearest)
        forms = [right[slot], *(w[slot] for w in wrong if len(w) > slot)]
        agree, *others = (language.agreement(form.lower(), expected).agree for form in forms)
        for margin in MARGINS:
            if others and abs(agree - max(others)) >= margin:
                tally[f"judged {margin}"] += 1
                tally[f"right {margin}"] += agree > max(others)
    by_margin = {
        str(margin): {
            "left open": round(1 - tally[f"judged {margin}"] / tally["items"], 3),
            "right of what is judged": round(tally[f"right {margin}"] / tally[f"judged {margin}"], 3),
        }
        for margin in MARGINS
    }
    return {"items": tally["items"], "by margin": by_margin}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = {"en-de": measure("en-de", list(german())), "en-fr": measure("en-fr", list(french()))}
    text = json.dumps(found, indent=2)
    print(text)
    if options.write:
        (HERE / "results" / "contrastive.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
