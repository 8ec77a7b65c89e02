"""Does agreement into English accept the pronouns of references, and reject others in their place?

    python benchmarks/verdict/into_english.py [--write]

No pronoun of a translation into English was judged by people in the data that we have. So each *he*, *she*,
*it* and *they* of a reference is replaced by a form that is wrong in number or animacy, and the agreement
with the antecedent's translation is asked for both. Agreement and disagreement that differ by less than 0.3
leave the question open. The texts are Europarl (documents that the resolvers did not learn from), the news
of WMT 2021 (German), TED talks (Spanish) and subtitles (French).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tarfile
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import Place, Resolver, TargetDocument, TargetLanguage
from anaphor.core import Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
#: Lines of Europarl that are not trained on: tools/make_other_resolvers.py reads the first 40,000.
EUROPARL = (60_000, 66_000)
WRONG = {"he": "it", "she": "it", "it": "he", "they": "it"}
MARGIN = 0.3
Lines = list[tuple[str, str, str]]


def europarl(language: str) -> Lines:
    """Document, source and English."""
    path = DATA / "europarl" / f"europarl.en-{language}.docs.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = (line.rstrip("\n").split("\t") for line in islice(lines, *EUROPARL))
        return [(f"{row[0]}/{row[1]}", row[4], row[3]) for row in rows]


def other_texts(language: str) -> tuple[str, Lines]:
    if language == "de":
        with tarfile.open(DATA / "wmt21-news" / "wmt21_en-de_de-en_fr-de.tar.gz") as archive:
            names = ("sources/newstest2021.de-en.src.de", "references/newstest2021.de-en.ref.A.en")
            found = [archive.extractfile(f"./txt/{name}") for name in names]
            german, english = (one.read().decode("utf-8").split("\n")[:-1] for one in found if one)
        return "news", [("all", *pair) for pair in zip(german, english, strict=True)]
    if language == "es":
        folder = DATA / "apt-ted-es-en"
        texts = [
            (folder / f"IWSLT14.TED.tst.tc.{code}").read_text(encoding="utf-8").split("\n")[:-1]
            for code in ("es", "en")
        ]
        return "talks", [("all", *pair) for pair in zip(*texts, strict=True)]
    path = DATA / "contrastive-lopes-en-fr" / "items.every-fourth.jsonl.gz"
    rows: Lines = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            french = [*item["context"], item["correct"]]
            rows += [(str(item["item"]), f, e) for f, e in zip(french, item["source"], strict=True)]
    return "subtitles", rows


def measure(language: str, rows: Lines) -> dict[str, Any]:
    rows = [row for row in rows if row[1].strip() and row[2].strip()]
    pair = f"{language}-en"
    source, english = ([row[at] for row in rows] for at in (1, 2))
    text = Text.of(english, path="reference")
    given = Inputs(source=Text.of(source, path="source"), references=(text,), candidates={"reference": text})
    experiment = Experiment.of(given, Settings(pair=pair, samples=0)).aligned()
    inputs = experiment.inputs
    alignment = (inputs.candidate_alignments or {})["reference"]
    tokens = [tuple(experiment.source.words(line)) for line in source]
    analyses = load_analyser("built-in", language=language).analyse(tokens)
    sentences = [AnalysedSentence(*both) for both in zip(tokens, analyses, strict=True)]
    target = TargetLanguage.load("en")
    resolver = Resolver.load(language)
    starts = [i for i in range(len(rows)) if i == 0 or rows[i][0] != rows[i - 1][0]]
    documents = {}
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        resolved = resolver.resolve(sentences[start:end])
        words = [tuple(experiment.target.words(line)) for line in english[start:end]]
        links = [alignment[segment] for segment in range(start, end)]
        document = TargetDocument(target, resolved, words, links)
        documents.update({(start + place.sentence, place.position): (document, place) for place in resolved})
    tally: Counter[str] = Counter()
    for one in experiment.pairs["reference"]:
        forms = one.candidate.forms if one.candidate else ()
        if len(forms) != 1 or forms[0] not in WRONG:
            continue
        tally["pronouns"] += 1
        if (one.source.segment, one.source.position) not in documents:
            tally["not resolved"] += 1
            continue
        tally.update(judged(target, *documents[one.source.segment, one.source.position], forms[0]))
    right, wrong = (tally[f"{kind} right"] / max(1, tally[f"{kind} judged"]) for kind in ("kept", "changed"))
    return {
        "pronouns": tally["pronouns"],
        "left open": round(1 - tally["kept judged"] / max(1, tally["pronouns"]), 3),
        "reference accepted": round(right, 3),
        "wrong form rejected": round(wrong, 3),
        "reference accepted by form": {
            form: f"{tally[f'kept {form} right']} of {tally[f'kept {form} judged']}" for form in WRONG
        },
    }


def judged(target: TargetLanguage, document: TargetDocument, place: Place, form: str) -> Iterator[str]:
    expected = document.expectation(place)
    for kind, tried in (("kept", form), ("changed", WRONG[form])):
        found = target.agreement(tried, expected)
        if abs(found.agree - found.disagree) >= MARGIN:
            right = (found.agree > found.disagree) == (kind == "kept")
            for name in (kind, f"{kind} {form}"):
                yield f"{name} judged"
                if right:
                    yield f"{name} right"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    result = {}
    for language in ("de", "fr", "es"):
        name, rows = other_texts(language)
        for kind, lines in (("Europarl", europarl(language)), (name, rows)):
            result[f"{language}-en, {kind}"] = measure(language, lines)
            print(f"{language}-en, {kind}", json.dumps(result[f"{language}-en, {kind}"]))
    if options.write:
        path = HERE / "results" / "into_english.json"
        path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
