"""Does acceptability prefer the right variant of contrastive items?

    python benchmarks/verdict/contrastive.py [--write]

Every item of ContraPro (English-German) and of the large English-French set, as far as ANAPHOR_DATA has
them, is a text with its right translation and variants whose pronoun is wrong. All are scored by `accept`
as a user would, without a reference. An item is left open if the verdict on one of its variants is open, or
if no pronoun of the source is linked to the tested word. French items that share their sentence with SCAT,
which the resolver was trained on, are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.align import AlignerChoice
from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import Place, ResolvedDocument, Resolver
from anaphor.core import Alignment, LanguagePair, Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.languages import Tokenizer, load_language, load_pair
from anaphor.meta.judgements import ScoredItem
from benchmarks.verdict.marks import DATA, scored_items

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class ContrastiveItem:
    """Source and target sentences, the last of which is tested, and its wrong variants.

    `antecedent` is its head in the source and in the target, lower-cased, where it is annotated.
    """

    group: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    wrong: tuple[str, ...]
    antecedent: tuple[str, str] | None = None

    @property
    def variants(self) -> tuple[str, ...]:
        """The tested sentence, the right one first."""
        return (self.target[-1], *self.wrong)


def german() -> Iterator[ContrastiveItem]:
    folder = DATA / "contrapro-en-de"
    annotated = json.loads(gzip.decompress((folder / "modified_contrapro_subset.maria.json.gz").read_bytes()))
    heads = {
        plain(one["src segment"]): (one["src ante head"].lower(), one["ref ante head"].lower())
        for one in annotated
    }
    path = folder / "with-context.every-fourth.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            wrong = tuple(variant[-1] for variant in item["wrong"])
            source, antecedent = tuple(item["source"]), heads.get(plain(item["source"][-1]))
            yield ContrastiveItem(item["group"] // 4, source, tuple(item["correct"]), wrong, antecedent)


def french() -> Iterator[ContrastiveItem]:
    path = DATA / "scat-en-fr" / "highlighted.train.en.gz"
    seen = {plain(line) for line in gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")}
    path = DATA / "contrastive-lopes-en-fr" / "items.every-fourth.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            if plain(item["source"][-1]) not in seen:
                target = (*item["context"], item["correct"])
                yield ContrastiveItem(item["item"] // 4, tuple(item["source"]), target, (item["wrong"],))


def plain(text: str) -> str:
    return "".join(c for c in text.replace("<p>", "").replace("</p>", "").lower() if c.isalnum())


@dataclass(frozen=True, slots=True)
class PreparedItem:
    """An item whose texts are tokenized, analysed and aligned; `forms` has the right one first."""

    item: ContrastiveItem
    resolved: ResolvedDocument
    translation: Sequence[Sequence[str]]
    alignments: Sequence[Alignment]
    forms: Sequence[str]
    place: Place


def prepared_items(pair: str, items: Sequence[ContrastiveItem]) -> Iterator[PreparedItem | None]:
    """Every item, or None where its pronoun or the difference between its variants is not found."""
    languages = LanguagePair.parse(pair)
    english, other = (Tokenizer(load_language(code)) for code in (languages.source, languages.target))
    source = [[tuple(english.words(line)) for line in item.source] for item in items]
    target = [[tuple(other.words(line)) for line in item.target] for item in items]
    pairs = [both for s, t in zip(source, target, strict=True) for both in zip(s, t, strict=True)]
    links = iter(list(AlignerChoice(pair=languages).build().align(pairs)))
    analyser = load_analyser("built-in", language=languages.source)
    analyses = iter(list(analyser.analyse([sentence for one in source for sentence in one])))
    resolver = Resolver.load(languages.source)
    for item, tokens, translation in zip(items, source, target, strict=True):
        alignments = [next(links) for _ in tokens]
        resolved = resolver.resolve([AnalysedSentence(one, next(analyses)) for one in tokens])
        right, last = translation[-1], alignments[-1]
        wrong = [tuple(other.words(variant)) for variant in item.wrong]
        changed = [p for p, word in enumerate(right) if any(len(w) > p and w[p] != word for w in wrong)]
        places = [place for place in resolved if place.sentence == len(tokens) - 1]
        if not changed or not places:
            yield None
            continue
        slot = changed[0]
        sources = {i for i, j in zip(last.sources, last.targets, strict=True) if j == slot}
        linked = [place for place in places if place.position in sources]
        # A form without a link belongs to the pronoun at the nearest relative position.
        ratio = slot / len(right)
        nearest = min(places, key=lambda p: abs(p.position / len(tokens[-1]) - ratio))
        forms = [right[slot].lower(), *(w[slot].lower() for w in wrong if len(w) > slot)]
        yield PreparedItem(item, resolved, translation, alignments, forms, linked[0] if linked else nearest)


def judged_variants(pair: str, items: Sequence[ContrastiveItem]) -> Iterator[list[ScoredItem]]:
    """The tested pronoun in every variant of every item; empty where the tested word is not linked.

    Every candidate has right and wrong variants in equal shares: the base rate of a candidate with all the
    right ones would give them away.
    """
    size = max(len(item.variants) for item in items)

    def text(candidate: int) -> Text:
        lines = []
        for number, item in enumerate(items):
            variant = min((candidate - number) % size, len(item.wrong))
            lines += [*item.target[:-1], item.variants[variant]]
        return Text.of(lines, path=str(candidate))

    inputs = Inputs(
        source=Text.of([line for item in items for line in item.source], path="source"),
        references=(),
        candidates={str(candidate): text(candidate) for candidate in range(size)},
        documents=tuple(str(number) for number, item in enumerate(items) for _ in item.source),
    )
    settings = Settings(pair=pair, metrics=("accept",), samples=0)
    found = scored_items(Experiment.of(inputs, settings).aligned().inputs, settings)
    by_line: dict[tuple[str, int], list[ScoredItem]] = {}
    for (system, _), scored in found.items():
        by_line.setdefault((system, scored.segment), []).append(scored)
    words = Tokenizer(load_pair(LanguagePair.parse(pair)).target).words
    last = -1
    for number, item in enumerate(items):
        last += len(item.source)
        right, *wrong = map(words, item.variants)
        changed = [p for p, word in enumerate(right) if any(len(w) > p and w[p] != word for w in wrong)]
        of_line = by_line.get((str(number % size), last), ())
        tested = [one.id for one in of_line if changed and changed[0] in one.candidate_positions]
        systems = [str((variant + number) % size) for variant in range(len(item.variants))]
        yield [found[system, tested[0]] for system in systems] if tested else []


def measure(pair: str, items: Sequence[ContrastiveItem]) -> dict[str, Any]:
    """How often the right variant has the highest probability, and how many items are left open."""
    linked, won, judged = 0, [], []
    for variants in judged_variants(pair, items):
        if not variants:
            continue
        linked += 1
        right, *wrong = (one.scores["accept"] or 0.0 for one in variants)
        won.append((right > max(wrong)) + (right == max(wrong)) / 2)
        if all(one.verdicts["accept"] != "open" for one in variants):
            judged.append(won[-1])
    return {
        "items": len(items),
        "linked": round(linked / len(items), 3),
        "right of the linked": round(sum(won) / max(1, len(won)), 3),
        "left open": round(1 - len(judged) / len(items), 3),
        "right of what is judged": round(sum(judged) / max(1, len(judged)), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = {"en-de": measure("en-de", list(german())), "en-fr": measure("en-fr", list(french()))}
    text = json.dumps(found, indent=2)
    print(text)
    if options.write:
        (HERE / "results" / "contrastive.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
