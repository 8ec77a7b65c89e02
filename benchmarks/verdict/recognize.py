"""Should the analysis of a sentence decide whether *das* or *le* is a pronoun, or the list of forms alone?

    python benchmarks/verdict/recognize.py [--write]

Compares `--recognize list` with `--recognize analysis`:

- how many counterparts in newstest2021 and WMT24 (English-German, references and systems) are articles;
- whether the counterpart is the word that people linked by hand (ANAPHOR_DATA/gold-alignments/pronoun-links);
- how well APT and acceptability detect the pronouns that professionals marked (as run.py);
- the decision itself on test sets of Universal Dependencies, of which the analyser has seen no sentence;
- the time of a score with given alignments on the news set of benchmarks/score.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tarfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.align import AlignerChoice
from anaphor.align.gold import read_pronoun_links
from anaphor.analyse import load_analyser
from anaphor.analyse.builtin import build
from anaphor.analyse.tree import own_tokens, placed
from anaphor.core import LanguagePair, Pronoun, Settings, Where
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.corpus.conllu import read_conllu
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.languages import FormMatcher, Tokenizer, fold, load_language, load_pair
from anaphor.meta.detection import evaluate_marks
from anaphor.pronouns import AlignedTranslation, CounterpartFinder
from anaphor.pronouns.counterparts import is_article
from benchmarks.verdict.run import talks

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
MODES = ("list", "analysis")
TREEBANKS = {
    "de": ("de_gsd-ud-test",),
    "en": ("en_ewt-ud-test", "en_lines-ud-test", "en_partut-ud-test", "en_pud-ud-test"),
    "es": ("es_gsd-ud-test",),
    "fr": ("fr_sequoia-ud-test", "fr_partut-ud-test", "fr_gsd-ud-test", "fr_pud-ud-test"),
}
NEWS = {
    "source": "pronoun-test.tok.en",
    "reference": "pronoun-test.tok.fr",
    "candidate": "mt-output.fr",
    "reference_links": "pronoun-test.tok.en-fr.alig",
    "candidate_links": "mt-output.en-fr.alig",
}


def wmt_texts(year: int) -> tuple[list[str], dict[str, list[str]]]:
    """The English source, and German references (`ref...`) and systems by name."""
    found: dict[str, list[str]] = {}
    path = "wmt21-news/wmt21_en-de_de-en_fr-de.tar.gz" if year == 2021 else "wmt24-en-de/texts.tar.gz"
    with tarfile.open(DATA / path) as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if year == 2021 and "newstest2021.en-de." not in name:
                continue
            if not name.startswith(("txt/", "sources/", "references/", "system-outputs/")):
                continue
            if (stream := archive.extractfile(member)) is None:
                continue
            lines = stream.read().decode("utf-8").split("\n")[:-1]
            kind, last = name.split("/")[-2], Path(name).name
            key = ".".join(last.split(".")[2:-1]) if year == 2021 else last.removesuffix(".txt")
            found["source" if kind == "sources" else key.replace("en-de.", "")] = lines
    return found.pop("source"), found


def articles(year: int) -> dict[str, Any]:
    """Counterparts of *it* and *they* with an ambiguous form, and how many the analysis calls articles."""
    source, texts = wmt_texts(year)
    every = {name: Text.of(lines, path=name) for name, lines in texts.items()}
    reference = next(name for name in every if name.startswith("ref"))
    inputs = Inputs(source=Text.of(source, path="source"), references=(every[reference],), candidates=every)
    settings = {mode: Settings(pair="en-de", samples=0, recognize=mode) for mode in MODES}
    inputs = Experiment.of(inputs, settings["list"]).aligned().inputs
    pairs = {mode: Experiment.of(inputs, chosen).pairs for mode, chosen in settings.items()}
    tally: Counter[tuple[str, str, bool]] = Counter()
    for name in every:
        kind = "references" if name.startswith("ref") else "systems"
        for by_list, by_analysis in zip(pairs["list"][name], pairs["analysis"][name], strict=True):
            if by_list.candidate is None:
                continue
            same = by_analysis.candidate is not None and (
                by_analysis.candidate.forms == by_list.candidate.forms
            )
            for form in by_list.candidate.forms:
                tally[kind, form, not same] += 1
    return {
        kind: {
            "texts": sum(name.startswith("ref") == (kind == "references") for name in every),
            **{
                form: {
                    "counterparts": tally[kind, form, True] + tally[kind, form, False],
                    "articles": tally[kind, form, True],
                }
                for form in ("das", "dies", "dieses")
            },
        }
        for kind in ("references", "systems")
    }


def hand_made_links(language: str) -> dict[str, Any]:
    """How often the counterpart is what people linked; nothing is right where they linked nothing surely."""
    pair = LanguagePair("en", language)
    pack = load_pair(pair)
    items = read_pronoun_links(DATA / f"gold-alignments/pronoun-links/{pair}.jsonl")
    links = AlignerChoice(pair=pair).build().align([(item.source, item.target) for item in items])
    pronouns = [Pronoun(n, one.pronoun, fold(one.source[one.pronoun])) for n, one in enumerate(items)]
    alignment = AlignmentFile.made(links, path="links")
    right: dict[str, list[bool]] = {}
    for mode in MODES:
        tag = build(language, None).tags if mode == "analysis" else None
        finder = CounterpartFinder(pack, pack.target_pronouns, tag=tag)
        numbers = list(map(str, range(len(items))))
        side = AlignedTranslation(numbers, lambda number: items[int(number)].target, alignment)
        chosen = [set(one.positions) if one else set() for one in finder.find(pronouns, side)]
        right[mode] = [
            found <= item.possible if found else not item.sure
            for found, item in zip(chosen, items, strict=True)
        ]
    both = list(zip(right["list"], right["analysis"], strict=True))
    return {
        "items": len(items),
        **{mode: sum(right[mode]) for mode in MODES},
        "only list": both.count((True, False)),
        "only analysis": both.count((False, True)),
    }


def marks() -> dict[str, Any]:
    """Detection of marked pronouns, over the pronouns that have a counterpart under both."""
    rows = {
        mode: {(one.item.system, one.scored.id): one.item for one in talks(recognize=mode)} for mode in MODES
    }
    shared = sorted(rows["list"].keys() & rows["analysis"].keys())
    found: dict[str, Any] = {}
    for mode, by_place in rows.items():
        own = list(by_place.values())
        for name, some in ((mode, own), (f"{mode}, shared pronouns", [by_place[key] for key in shared])):
            measured = evaluate_marks(some, samples=0)
            found[name] = {"pronouns": measured.items, "marked": measured.marked} | {
                one.metric: {
                    "auc": round(one.auc.value or 0.0, 3),
                    "pearson": round(one.pearson.value or 0.0, 2),
                }
                for one in measured.metrics
            }
    return found


def treebank(language: str) -> dict[str, int]:
    """Ambiguous forms in test sets: how many are articles, and what the analysis makes of them."""
    cut = Tokenizer(load_language(language)).words
    ambiguous = FormMatcher(load_language(language), load_language(language).ambiguous)
    tally: Counter[str] = Counter()
    for name in TREEBANKS[language]:
        path = DATA / "ud" / f"{name}.conllu.gz"
        gold = []
        for sentence in read_conllu(path):
            tokens = own_tokens(sentence, cut)
            where = Where(str(path), sentence.line)
            gold.append((tokens, placed(sentence, tokens, language=language, where=where)))
        analyses = load_analyser("built-in", language=language).analyse(tokens for tokens, _ in gold)
        for (tokens, true), found in zip(gold, analyses, strict=True):
            for at, token in enumerate(tokens):
                if ambiguous.forms_in(token):
                    article, called = is_article(true.tags, at), is_article(found.tags, at)
                    tally["articles" if article else "pronouns"] += 1
                    tally["articles found"] += article and called
                    tally["pronouns lost"] += called and not article
    return dict(tally)


def seconds() -> dict[str, float]:
    """Processor time of APT and AutoPRF on the news set ten times over, alignments given; best of three."""
    news = DATA / "news-en-fr-autoprf"
    lines = {
        key: (news / name).read_text(encoding="utf-8").split("\n")[:4954] * 10 for key, name in NEWS.items()
    }
    text = {key: Text.of(value, path=key) for key, value in lines.items() if "links" not in key}
    links = {
        key: AlignmentFile.of(parse_pharaoh("\n".join([*value, ""]).encode(), path=key), path=key)
        for key, value in lines.items()
        if "links" in key
    }
    inputs = Inputs(
        source=text["source"],
        references=(text["reference"],),
        candidates={"mt": text["candidate"]},
        reference_alignments=(links["reference_links"],),
        candidate_alignments={"mt": links["candidate_links"]},
    )
    found = {}
    for mode in MODES:
        settings = Settings(pair="en-fr", tokenized=True, samples=0, outside_links="drop", recognize=mode)
        times = []
        for _ in range(3):
            start = time.process_time()
            result = evaluate_experiment(Experiment.of(inputs, settings))
            times.append(time.process_time() - start)
        found[mode] = round(min(times), 2)
        found[f"{mode}: apt"] = round(100 * result.systems[0].scores[0].value, 2)
    return found


def measure() -> Iterator[tuple[str, Any]]:
    for year in (2021, 2024):
        yield f"articles {year}", articles(year)
    for language in ("de", "fr", "es"):
        yield f"links by hand en-{language}", hand_made_links(language)
    yield "marked pronouns", marks()
    for language in TREEBANKS:
        yield f"treebank {language}", treebank(language)
    yield "seconds", seconds()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    result = {}
    for name, found in measure():
        print(name, json.dumps(found))
        result[name] = found
    if options.write:
        path = HERE / "results" / "recognize.json"
        path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
