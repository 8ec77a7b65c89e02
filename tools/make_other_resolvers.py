"""Learn the resolvers for German, French and Spanish pronouns, and measure them.

    python tools/make_other_resolvers.py --data DATA --parcorfull FOLDER --language de|fr|es [OUTPUT]
    python tools/make_other_resolvers.py --data DATA --sources free --language de|fr|es [OUTPUT]
    python tools/make_other_resolvers.py --parcorfull FOLDER --language pt

The model is that of make_resolver.py, with features for agreement in gender and number between pronoun and
candidate. It learns from `all` sources, or from `free` ones, which permit any use: from none of ParCorFull
and SCAT, but also from the expletives of treebanks. ParCorFull is then for measuring alone, if it is given.
The English resolver and the analysers that are installed should be of the same kind. The sources are

- German ParCorFull (talks of DiscoMT and TED; FOLDER is its unpacked `corpus`): antecedents, events and
  pleonastic pronouns that were annotated by hand. Features name classes of pronouns and no forms, so that
  French and Spanish learn from them as well. French ParCorFull is a test set elsewhere and never read.
- German alone: GerDraCor-Coref (`--gerdracor`, its `conll`), antecedents in plays.
- French alone: fr-litbank (`--french-litbank`, its `brat/coref`), antecedents in novels, mostly people.
- French alone: DATA/scat-en-fr, train part, where translators highlighted the antecedent of a pronoun.
- DATA/europarl: where a pronoun is linked to *it* or *they*, the English resolver says what it refers to, and
  word alignment leads from there to the candidates.
- Free German and French: DATA/ud, GSD and PUD, where *es* and *il* are expletive or not.

Prints how often the likeliest noun is the head of an antecedent, beside the nearest noun, the first noun of
its sentence, and the nearest noun that agrees: German by cross-validation over the talks, or on all of them
if they are not learned from; French on the
validation part of SCAT; Spanish on CTXPro (DATA/ctxpro-en-es), whose antecedents were annotated by programs.
Portuguese is only measured, on ParCorFull: it has the weights of Spanish.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import coreference_data
import numpy as np
from coreference_data import GoldDocument
from make_resolver import (
    FOLDS,
    Example,
    Packed,
    Text,
    analysed,
    gold_examples,
    parcorfull_examples,
    sentence_starts,
    treebank_examples,
    unmarked,
)
from numpy.typing import NDArray

from anaphor.align import AlignerChoice
from anaphor.antecedents import Resolver
from anaphor.antecedents.features import FUNCTIONS
from anaphor.core import LanguagePair, Sentence
from anaphor.files.writing import write_atomically
from anaphor.languages import Tokenizer, load_language

#: How much an example of each kind counts; German ParCorFull counts 1.
SCAT_WEIGHT, PROJECTED_WEIGHT = 0.3, 0.2
#: Of plays and novels, unless another weight is given.
LITERARY_WEIGHT = 0.1
#: Of pronouns of which is known only whether they are expletive.
TREEBANK_WEIGHT = 0.2
TREEBANKS = {"de": (("de_gsd-ud-dev", "de_pud-ud-test"), "es"), "fr": (("fr_gsd-ud-dev",), "il")}
EUROPARL_LINES = 40_000
#: What a candidate is worth to which nothing leads, and one that disagrees in gender or number.
UNREACHED, DISAGREEING = 0.02, 0.02


def scat_examples(folder: Path, part: str) -> Iterator[Example]:
    """Pronouns of subtitles whose antecedent is highlighted."""
    tokenize = Tokenizer(load_language("fr"))
    texts: list[tuple[Sentence, int, int, list[tuple[int, int]]]] = []
    columns = [read_lines(folder / f"highlighted.{part}.{name}") for name in ("context.fr", "fr")]
    for before, now in zip(*columns, strict=True):
        context, marked, _ = unmarked(before)
        current, inside, pronoun = unmarked(now)
        begin = len(context) + 1
        marked += [(begin + a, begin + b) for a, b in inside]
        if pronoun is not None and marked:
            texts.append((tokenize(context + " " + current), begin, begin + pronoun, marked))
    cut = [sentence_starts(source, begin) for source, begin, _, _ in texts]
    flat = analysed(
        [
            source.tokens[a:b]
            for (source, *_), starts in zip(texts, cut, strict=True)
            for a, b in zip(starts, [*starts[1:], len(source.tokens)], strict=True)
        ],
        "fr",
    )
    first = 0
    for (source, _, pronoun, marked), starts in zip(texts, cut, strict=True):
        text = Text(flat[first : first + len(starts)], "fr")
        first += len(starts)
        if pronoun not in source.starts:
            continue
        at = source.starts.index(pronoun)
        sentence = sum(start <= at for start in starts) - 1
        if not text.language.is_resolved(text.sentences[sentence].tokens, at - starts[sentence]):
            continue
        candidates, rows = text.rows(sentence, at - starts[sentence])
        right = np.zeros(len(rows))
        for number, one in enumerate(candidates):
            begin = source.starts[starts[one.sentence] + one.position]
            right[number] = any(a <= begin < b for a, b in marked)
        if right.any():
            heads = {
                (c.sentence, c.position)
                for c, value in zip(candidates, right, strict=False)
                if value and c.kind != "pronoun"
            }
            word = source.tokens[at].lower()
            yield Example(f"scat-{part}", word, "entity", candidates, rows, right, frozenset(heads))


def read_lines(path: Path) -> list[str]:
    """The lines of a text, compressed or not."""
    if not path.exists():
        return gzip.decompress(path.with_name(path.name + ".gz").read_bytes()).decode("utf-8").split("\n")
    return path.read_text(encoding="utf-8").split("\n")


def projected_examples(data: Path, language: str, most: int) -> Iterator[Example]:
    """Pronouns of Europarl that are linked to *it* or *they*, which the English resolver reads.

    Only its first lines are read, at most so many.
    """
    english, other, documents = [], [], []
    words = [Tokenizer(load_language(code)).words for code in ("en", language)]
    path = data / "europarl" / f"europarl.en-{language}.docs.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        for _, line in zip(range(most), lines, strict=False):
            document, speaker, _, source, target = line.rstrip("\n").split("\t")
            english.append(tuple(words[0](source)))
            other.append(tuple(words[1](target)))
            documents.append(f"{document}/{speaker}")
    aligner = AlignerChoice(pair=LanguagePair("en", language)).build()
    links = list(aligner.align(list(zip(english, other, strict=True))))
    resolver = Resolver.load("en")
    ours, theirs = analysed(other, language), analysed(english)
    bounds = [i for i in range(len(ours)) if i == 0 or documents[i] != documents[i - 1]] + [len(ours)]
    for begin, end in pairwise(bounds):
        text = Text(ours[begin:end], language)
        resolved = resolver.resolve(theirs[begin:end])
        backwards: list[dict[int, set[int]]] = []
        for alignment in links[begin:end]:
            back: dict[int, set[int]] = {}
            for i, j in zip(alignment.sources, alignment.targets, strict=True):
                back.setdefault(j, set()).add(i)
            backwards.append(back)
        for sentence, (tokens, _) in enumerate(text.sentences):
            for position, token in enumerate(tokens):
                if not text.language.is_resolved(tokens, position):
                    continue
                linked = [(sentence, i) for i in sorted(backwards[sentence].get(position, ()))]
                known = [resolved[place] for place in linked if place in resolved]  # type: ignore[index]
                if len(known) != 1:
                    continue
                candidates, rows = text.rows(sentence, position)
                own = text.language.pronoun_readings(tokens, text.sentences[sentence].analysis.tags, position)
                right = []
                for one in candidates:
                    places = backwards[one.sentence].get(one.position, set())
                    share = UNREACHED + sum(
                        part
                        for mention, part in known[0].candidates
                        if mention.sentence == one.sentence and mention.position in places
                    )
                    disagrees = own and one.readings and not own & one.readings
                    right.append(share * DISAGREEING if disagrees else share)
                # Only some forms can refer to an event or to nothing: *es*, *ello*, the French *il*.
                neutral = text.language.resolved[token.lower()] == "neutral" or token.lower() == "il"
                functions = [known[0].event, known[0].pleonastic] if neutral else [0.0, 0.0]
                label = "projected"
                yield Example(
                    documents[begin], token.lower(), label, candidates, rows, np.array(right + functions)
                )


def ctxpro_examples(folder: Path) -> Iterator[Example]:
    """Spanish pronouns of subtitles with the head of their antecedent, as CTXPro's programs found it."""
    path = folder / "gender.opensubtitles.en-es.dev.json.gz"
    items = json.loads(gzip.decompress(path.read_bytes()))
    tokenize = Tokenizer(load_language("es")).words
    for item in items:
        lines = list(dict.fromkeys([item["ref ante segment"], item["ref segment"]]))
        sentences = [tuple(tokenize(line)) for line in lines]
        places = [at for at, word in enumerate(sentences[-1]) if word.lower() == item["expected"].lower()]
        if len(places) != 1:
            continue
        text = Text(analysed(sentences, "es"), "es")
        if not text.language.is_resolved(sentences[-1], places[0]):
            continue
        candidates, rows = text.rows(len(lines) - 1, places[0])
        heads = {
            (c.sentence, c.position)
            for c in candidates
            if c.sentence == 0 and sentences[0][c.position] == item["ref ante head"] and c.kind != "pronoun"
        }
        if heads:
            name = str(item["document id"])
            word = item["expected"].lower()
            yield Example(name, word, "entity", candidates, rows, np.zeros(len(rows)), frozenset(heads))


def tallied(examples: Iterable[Example], model: dict[str, float]) -> Counter[str]:
    """How often each way of choosing finds the head, and how often the function is right."""
    tally: Counter[str] = Counter()
    for one in examples:
        scores = [sum(model.get(feature, 0.0) for feature in row) for row in one.rows]
        nouns = [(s, c, row) for s, c, row in zip(scores, one.candidates, one.rows, strict=False)]
        nouns = [found for found in nouns if found[1].kind != "pronoun"]
        if one.label == "entity":
            tally["pronouns"] += 1
            tally["reachable"] += bool(one.heads)
            if nouns:
                agreeing = [c for _, c, row in nouns if any(f.startswith(_AGREES) for f in row)]
                chosen = {
                    "resolver": max(nouns, key=lambda found: found[0])[1],
                    "nearest noun": nouns[0][1],
                    "first noun": [c for _, c, _ in nouns if c.sentence == nouns[0][1].sentence][-1],
                    "nearest agreeing noun": (agreeing or [nouns[0][1]])[0],
                }
                for name, c in chosen.items():
                    tally[name] += (c.sentence, c.position) in one.heads
        if one.pronoun in ("es", "il") and len(one.rows) > len(one.candidates):
            raised = np.exp(np.array(scores) - max(scores))
            shares = dict(zip(FUNCTIONS, raised[-2:], strict=True)) | {"entity": raised[:-2].sum()}
            tally["functions"] += 1
            tally["function right"] += max(shares, key=lambda name: shares[name]) == one.label
            tally[f"function {one.label}"] += 1
    return tally


_AGREES = ("agrees=yes", "agrees=partly")


def report(name: str, tally: Counter[str]) -> None:
    total = max(1, tally["pronouns"])
    sys.stdout.write(f"{name}: {total} pronouns with antecedent\n")
    for way in ("resolver", "nearest noun", "first noun", "nearest agreeing noun", "reachable"):
        sys.stdout.write(f"  {way} {100 * tally[way] / total:.1f} %\n")
    if len([key for key in tally if key.startswith("function ") and key != "function right"]) > 1:
        most = max(tally[f"function {one}"] for one in (*FUNCTIONS, "entity"))
        all_ = tally["functions"]
        share, most_share = 100 * tally["function right"] / all_, 100 * most / all_
        sys.stdout.write(f"  function {share:.1f} % of {all_} (most frequent {most_share:.1f})\n")


def report_literary(literary: Sequence[Example], packed: Packed, weights: NDArray[np.float64]) -> None:
    """How well the antecedents of plays or novels are found by a model that has not learned from them.

    `literary` are the last examples of `packed`; every fifth document is left out of learning.
    """
    names = {name: number for number, name in enumerate(sorted({one.document for one in literary}))}
    apart = np.array([names[one.document] % 5 == 0 for one in literary])
    weights = np.concatenate([weights[: len(weights) - len(literary)], weights[-len(literary) :] * ~apart])
    held = [one for one, is_apart in zip(literary, apart.tolist(), strict=True) if is_apart and one.heads]
    report("plays or novels that were left out", tallied(held, packed.learn(weights)))


def literary_examples(documents: Iterable[GoldDocument], language: str) -> list[Example]:
    """Pronouns of plays or novels; which functions they may have, these texts do not tell."""
    return [
        replace(one, rows=one.rows[: len(one.candidates)], right=one.right[: len(one.candidates)])
        for document in documents
        for one in gold_examples(document, Text(analysed(document.sentences, language), language))
    ]


def cross_validated(gold: Sequence[Example], packed: Packed, weights: NDArray[np.float64]) -> None:
    documents = sorted({one.document for one in gold})
    fold = dict(zip(documents, np.random.default_rng(0).permutation(len(documents)) % FOLDS, strict=True))
    tally: Counter[str] = Counter()
    by_word: dict[str, Counter[str]] = {}
    for number in range(FOLDS):
        mine = np.array([float(fold[one.document] != number) for one in gold])
        model = packed.learn(np.concatenate([mine, weights]))
        for one in gold:
            if fold[one.document] == number:
                found = tallied([one], model)
                tally += found
                by_word.setdefault(one.pronoun, Counter()).update(found)
    report("German ParCorFull, cross-validation over talks", tally)
    for word, found in sorted(by_word.items()):
        report(word, found)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--parcorfull", type=Path)
    parser.add_argument("--sources", choices=("free", "all"), default="all")
    parser.add_argument("--language", choices=("de", "fr", "es", "pt"), required=True)
    parser.add_argument("--lines", type=int, default=EUROPARL_LINES, help="of Europarl")
    parser.add_argument("--gerdracor", type=Path)
    parser.add_argument("--french-litbank", type=Path)
    parser.add_argument(
        "--literary-weights",
        type=float,
        nargs="+",
        default=[LITERARY_WEIGHT],
        help="how much an example of plays or novels counts; the output has the last of several weights",
    )
    parser.add_argument("output", nargs="?", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    language, free = options.language, options.sources == "free"
    if language == "pt" and options.parcorfull is not None:
        gold_portuguese = parcorfull_examples(options.parcorfull, "pt", ("TED", "news"))
        report("Portuguese ParCorFull", tallied(gold_portuguese, dict(Resolver.load("pt").weights)))
        return
    if options.data is None:
        parser.error("learning needs --data")
    if not free and options.parcorfull is None:
        parser.error("learning from all sources needs --parcorfull")
    talks: list[Example] = []
    if options.parcorfull is not None and not (free and language != "de"):
        # A file of the German news part is not well-formed.
        talks = list(parcorfull_examples(options.parcorfull, "de", ("DiscoMT", "TED")))
    gold = [] if free else talks
    scat: list[Example] = []
    if language == "fr" and not free:
        scat = list(scat_examples(options.data / "scat-en-fr", "train"))
    expletives: list[Example] = []
    if free and language in TREEBANKS:
        names, form = TREEBANKS[language]
        expletives = list(treebank_examples(options.data / "ud", language, names, form))
    projected = list(projected_examples(options.data, language, options.lines))
    sys.stdout.write(
        f"ParCorFull {len(gold)}, SCAT {len(scat)}, treebanks {len(expletives)}, projected {len(projected)}\n"
    )
    literary: list[Example] = []
    if language == "de" and options.gerdracor is not None:
        literary = literary_examples(coreference_data.gerdracor(options.gerdracor), language)
    if language == "fr" and options.french_litbank is not None:
        literary = literary_examples(coreference_data.french_litbank(options.french_litbank), language)
    other = [*scat, *expletives, *projected, *literary]
    given = [SCAT_WEIGHT] * len(scat) + [TREEBANK_WEIGHT] * len(expletives)
    given += [PROJECTED_WEIGHT] * len(projected)
    packed = Packed([*gold, *other])
    for weight in options.literary_weights:
        if literary:
            sys.stdout.write(f"{len(literary)} literary examples, each counts {weight:g}\n")
        weights = np.array(given + [weight] * len(literary))
        if language == "de" and gold:
            cross_validated(gold, packed, weights)
        if literary:
            report_literary(literary, packed, np.concatenate([np.ones(len(gold)), weights]))
        model = packed.learn(np.concatenate([np.ones(len(gold)), weights]))
        if language == "de" and free and talks:
            report("German ParCorFull, not learned from", tallied(talks, model))
        if language == "fr":
            found = scat_examples(options.data / "scat-en-fr", "valid")
            report("SCAT, validation part", tallied(found, model))
        if language == "es":
            report("CTXPro", tallied(ctxpro_examples(options.data / "ctxpro-en-es"), model))
        sys.stdout.flush()
    if options.output is not None:
        lines = [f"{name}\t{weight:g}\n" for name, weight in sorted(model.items())]
        name = load_language(language).name
        head = f"# The resolver for {name} pronouns, made by tools/make_other_resolvers.py; see README.md.\n"
        options.output.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(options.output, head + "".join(lines))
        made = Resolver(model, language).digest()
        sys.stdout.write(f"{options.output}: {len(model)} features, resolver {made}\n")


if __name__ == "__main__":
    main()
