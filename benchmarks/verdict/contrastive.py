"""Does acceptability prefer the right variant of contrastive items, and where are the others lost?

    python benchmarks/verdict/contrastive.py [--write]
    python benchmarks/verdict/contrastive.py --calibrate    coefficients for English-French

Every item of ContraPro (English-German) and of the large English-French set, as far as ANAPHOR_DATA has them,
is a text with its right translation and variants whose pronoun is wrong. All are scored by `accept` as a user
would, without a reference. An item counts as judged if no variant is left open. French items that share their
sentence with SCAT, which the resolver learned from, are left out; coefficients and limits were chosen on the
even items.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

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
from anaphor.core import Alignment, LanguagePair, PronounPair, PronounScore, Settings
from anaphor.corpus import Inputs, Text
from anaphor.languages import Tokenizer, load_language
from anaphor.metrics import MetricInput, ScoringSetup
from anaphor.metrics.accept import Accept, PronounEvidence
from anaphor.pipeline import predicted_forms
from benchmarks.verdict.logistic import fitted

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))


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


def right_and_open(preferences: Sequence[float | None], margin: float = 0.0) -> dict[str, float]:
    """The share of items left open, and how many of the others are right; None is an open item."""
    judged = [one for one in preferences if one is not None and one != 0 and abs(one) >= margin]
    return {
        "left open": round(1 - len(judged) / len(preferences), 3),
        "right of what is judged": round(sum(one > 0 for one in judged) / max(1, len(judged)), 3),
    }


@dataclass(frozen=True, slots=True)
class JudgedVariant:
    """What `accept` says of the tested pronoun in one variant."""

    score: PronounScore
    evidence: PronounEvidence | None


def judged_variants(pair: str, items: Sequence[ContrastiveItem]) -> list[list[JudgedVariant]]:
    """The right variant of every item, then its wrong ones; empty where the tested word is not linked.

    The nth variants of all items are one candidate, aligned and scored as any other, without a reference.
    """
    settings = Settings(pair=pair, metrics=("accept",), samples=0)
    setup = ScoringSetup.of(settings)
    metric = Accept.build(setup.context)

    def line(item: ContrastiveItem, number: int) -> str:
        return (item.target[-1], *item.wrong)[min(number, len(item.wrong))]

    candidates = {
        f"variant {number}": [text for one in items for text in (*one.target[:-1], line(one, number))]
        for number in range(1 + max(len(one.wrong) for one in items))
    }
    inputs = setup.aligned(
        Inputs(
            source=Text.of([text for one in items for text in one.source], path="source"),
            references=(),
            candidates={name: Text.of(lines, path=name) for name, lines in candidates.items()},
            documents=tuple(str(number) for number, one in enumerate(items) for _ in one.source),
        )
    )
    found: list[dict[tuple[int, int], tuple[PronounPair, JudgedVariant]]] = []
    for name, pairs in setup.pairs(inputs).items():
        trial = MetricInput(
            name,
            (),
            inputs.candidates[name].lines,
            pairs,
            inputs.source.lines,
            inputs.documents,
            (inputs.candidate_alignments or {})[name],
            predicted_forms([metric], inputs, settings, name, pairs),
        )
        judged = zip(pairs, metric.pronoun_scores(trial), metric.evidence(trial), strict=True)
        found.append(
            {
                (one.source.segment, one.source.position): (one, JudgedVariant(score, evidence))
                for one, score, (evidence, *_) in judged
            }
        )
    variants: list[list[JudgedVariant]] = []
    last = -1
    for item in items:
        last += len(item.source)
        right, *wrong = (setup.target.words(text) for text in (item.target[-1], *item.wrong))
        changed = [p for p, word in enumerate(right) if any(len(w) > p and w[p] != word for w in wrong)]
        tested = [
            key
            for key, (one, _) in found[0].items()
            if key[0] == last and one.candidate and changed and changed[0] in one.candidate.positions
        ]
        variants.append([found[n][tested[0]][1] for n in range(1 + len(wrong))] if tested else [])
    return variants


def preferences(variants: Sequence[Sequence[JudgedVariant]]) -> list[float | None]:
    """By how much the right variant is more acceptable than the best wrong one; None if one is left open."""
    found: list[float | None] = []
    for one in variants:
        values = [each.score.value for each in one if each.score.verdict != "open"]
        known = [value for value in values if value is not None]
        found.append(known[0] - max(known[1:]) if len(known) == len(one) > 1 else None)
    return found


def measure(pair: str, items: Sequence[ContrastiveItem]) -> dict[str, Any]:
    """What is right and left open, on all items and on those that nothing was chosen on."""
    found = preferences(judged_variants(pair, items))
    odd = [one for item, one in zip(items, found, strict=True) if item.group % 2]
    result: dict[str, Any] = {"items": len(items), **right_and_open(found), "odd items": right_and_open(odd)}
    known = [one for one in prepared_items(pair, items) if one is not None and one.item.antecedent]
    if known:
        language = TargetLanguage.load(LanguagePair.parse(pair).target)
        result["oracles"] = oracles(language, known)
    return result


def calibrate(pair: str, items: Sequence[ContrastiveItem]) -> None:
    """Coefficients of disagreement and predictor from the even items; a wrong variant counts as marked."""
    rows, marked = [], []
    for item, variants in zip(items, judged_variants(pair, items), strict=True):
        for number, one in enumerate(variants):
            if one.evidence is not None and item.group % 2 == 0:
                rows.append((one.evidence.disagreement, one.evidence.unpredicted))
                marked.append(number > 0)
    disagreement, unpredicted, intercept = fitted(np.array(rows), np.array(marked))
    # Half of these items are wrong, but one pronoun in twenty of a translation is marked.
    intercept += math.log(0.05 / 0.95) - math.log(np.mean(marked) / (1 - np.mean(marked)))
    print(f"intercept {intercept:.2f}, disagreement {disagreement:.2f}, unpredicted {unpredicted:.2f}")


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
    parser.add_argument("--calibrate", action="store_true")
    options = parser.parse_args()
    if options.calibrate:
        calibrate("en-fr", list(french()))
        return
    found = {"en-de": measure("en-de", list(german())), "en-fr": measure("en-fr", list(french()))}
    text = json.dumps(found, indent=2)
    print(text)
    if options.write:
        (HERE / "results" / "contrastive.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
