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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anaphor.align import AlignerChoice
from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import (
    Place,
    PronounAntecedents,
    ResolvedDocument,
    Resolver,
    TargetDocument,
    TargetLanguage,
)
from anaphor.core import Alignment, LanguagePair
from anaphor.languages import Tokenizer, load_language

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
MARGINS = (0.1, 0.3, 0.5)
FINE = tuple(number / 20 for number in range(1, 20))
#: The margin is chosen for this share right on the even groups; a little above what is wanted.
AIMED = {"en-de": 0.82, "en-fr": 0.94}


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


def german() -> Iterator[ContrastiveItem]:
    folder = DATA / "contrapro-en-de"
    path = folder / "modified_contrapro_subset.maria.json.gz"
    annotated = json.loads(gzip.decompress(path.read_bytes()))
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


def preference(language: TargetLanguage, one: PreparedItem) -> float:
    """By how much more the right form agrees with its antecedent than the best wrong one."""
    document = TargetDocument(language, one.resolved, one.translation, one.alignments)
    expected = document.expectation(one.place)
    agree, *others = (language.agreement(form, expected).agree for form in one.forms)
    return agree - max(others, default=agree)


def right_and_open(preferences: Sequence[float | None], margin: float) -> dict[str, float]:
    """The share of items left open at a margin, and how many of the others are right."""
    judged = [one for one in preferences if one is not None and one != 0 and abs(one) >= margin]
    return {
        "left open": round(1 - len(judged) / len(preferences), 3),
        "right of what is judged": round(sum(one > 0 for one in judged) / max(1, len(judged)), 3),
    }


def measure(pair: str, items: Sequence[ContrastiveItem]) -> dict[str, Any]:
    """What is right and left open by margin, and for a margin chosen on the other half of the items."""
    language = TargetLanguage.load(LanguagePair.parse(pair).target)
    prepared = list(prepared_items(pair, items))
    found = [None if one is None else preference(language, one) for one in prepared]
    halves = [
        [one for item, one in zip(items, found, strict=True) if item.group % 2 == half] for half in (0, 1)
    ]
    chosen = next(
        (m for m in FINE if right_and_open(halves[0], m)["right of what is judged"] >= AIMED[pair]), FINE[-1]
    )
    result: dict[str, Any] = {
        "items": len(items),
        "by margin": {str(margin): right_and_open(found, margin) for margin in MARGINS},
        "held out": {"margin chosen on the even groups": chosen} | right_and_open(halves[1], chosen),
    }
    known = [one for one in prepared if one is not None and one.item.antecedent]
    if known:
        result["oracles"] = oracles(language, known)
    return result


def oracles(language: TargetLanguage, known: Sequence[PreparedItem]) -> dict[str, Any]:
    """Items whose antecedent is annotated, judged as it is, then with more and more of the truth."""
    tally: Counter[str] = Counter()
    scores: dict[str, list[float | None]] = {"as it is": [], "antecedent": [], "and alignment": []}
    for one in known:
        source, target = one.item.antecedent or ("", "")
        scores["as it is"].append(preference(language, one))
        before = [p for p in one.resolved[one.place].candidates if p[0].form.lower() == source]
        tally["the antecedent is the likeliest head"] += bool(before) and before[0][0] == max(
            one.resolved[one.place].heads, key=lambda head: one.resolved[one.place].heads[head]
        )
        if not before:
            tally["the antecedent is not among the candidates"] += 1
            for name in ("antecedent", "and alignment"):
                scores[name].append(preference(language, one))
            continue
        head = before[0][0]
        sure = PronounAntecedents(((head, 1.0),), {head: 1.0}, 0.0, 0.0)
        told = replace(one, resolved={**one.resolved, one.place: sure})
        scores["antecedent"].append(preference(language, told))
        words = [word.lower() for word in one.translation[head.sentence]]
        if target in words:
            alignments = [*told.alignments]
            alignments[head.sentence] = Alignment((head.position,), (words.index(target),))
            told = replace(told, alignments=alignments)
        else:
            tally["the noun of the translation is in another line"] += 1
        scores["and alignment"].append(preference(language, told))
    return {
        "items": len(known),
        **{name: count / len(known) for name, count in tally.items()},
        **{name: right_and_open(values, 0.3) for name, values in scores.items()},
    }


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
