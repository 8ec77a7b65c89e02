"""Learn the resolver for English pronouns, and measure it.

    python tools/make_resolver.py --data DATA --parcorfull FOLDER [OUTPUT]

Learns from three kinds of evidence:

- English ParCorFull (FOLDER is its unpacked `corpus`): antecedents, events and pleonastic pronouns that were
  annotated by hand.
- DATA/scat-en-fr, train part: subtitles in which translators highlighted the French antecedent of a
  pronoun. Word alignment leads to the English one.
- DATA/docs-en-de and DATA/europarl: the gender of a German pronoun tells which antecedents are possible,
  because they must agree. Which of them it is stays open, and the model learns from their sum.

Prints cross-validation over the documents of ParCorFull: how often the likeliest noun is the head of an
annotated antecedent, beside the nearest and the first noun, and how often the function of *it* is right.
Weights are kept, and the words that have one; no text is. Without OUTPUT it only measures. Needs SciPy.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from anaphor.align import AlignerChoice
from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.analyse.gender import Readings
from anaphor.antecedents import Mention, Resolver, TargetLanguage
from anaphor.antecedents.features import all_features, candidates_of
from anaphor.antecedents.mentions import find_mentions
from anaphor.antecedents.source import SourceLanguage
from anaphor.core import LanguagePair, Sentence
from anaphor.corpus import write_atomically
from anaphor.corpus.mmax2 import Markable, read_mmax2
from anaphor.languages import Tokenizer, load_language

LEAST, PENALTY, STEPS, FOLDS, SMALLEST = 4, 1.0, 150, 8, 0.01
#: How much an example of each kind counts; ParCorFull counts 1.
SCAT_WEIGHT, GENDERED_WEIGHT, NEUTRAL_WEIGHT = 0.3, 0.3, 0.1
EUROPARL_LINES = 70_000
#: The chance that an antecedent of unknown gender agrees with a given pronoun.
UNKNOWN_AGREES = 0.45
_MARK = re.compile(r"</?p>|<hon>|<hoff>")


@dataclass(frozen=True, slots=True)
class Example:
    """A pronoun: features of every candidate, how far each is right, and where it comes from."""

    document: str
    pronoun: str
    label: str
    candidates: Sequence[Mention]
    rows: Sequence[Sequence[str]]
    right: NDArray[np.float64]
    heads: frozenset[tuple[int, int]] = frozenset()


class Text:
    """Analysed sentences of one document, with their mentions."""

    def __init__(self, sentences: Sequence[AnalysedSentence], language: str = "en") -> None:
        self.sentences = sentences
        self.language = SourceLanguage.load(language)
        self.mentions = [find_mentions(number, *one, self.language) for number, one in enumerate(sentences)]

    def rows(self, sentence: int, position: int) -> tuple[list[Mention], list[list[str]]]:
        """The candidates of a pronoun and the features of all choices."""
        candidates = candidates_of(self.mentions, sentence, position)
        place = (sentence, position)
        return candidates, all_features(self.sentences, self.mentions, candidates, *place, self.language)


def analysed(sentences: Sequence[Sequence[str]], language: str = "en") -> list[AnalysedSentence]:
    analyses = load_analyser("built-in", language=language).analyse(sentences)
    return [AnalysedSentence(tuple(s), a) for s, a in zip(sentences, analyses, strict=True)]


def parcorfull_examples(
    folder: Path, language: str = "en", parts: Sequence[str] = ("DiscoMT", "TED", "news")
) -> Iterator[Example]:
    """Pronouns of ParCorFull with a marked antecedent, an event, or none."""
    for part in parts:
        for document in read_mmax2(folder / part / language.upper()):
            starts = [span.start for span in document.sentences]
            sentences = [document.words[span.start : span.end] for span in document.sentences]
            text = Text(analysed(sentences, language), language)

            def place(word: int, starts: Sequence[int] = starts) -> tuple[int, int]:
                sentence = bisect_right(starts, word) - 1
                return sentence, word - starts[sentence]

            chains: dict[str, list[Markable]] = {}
            for one in document.mentions:
                if (chain := one.attributes.get("coref_class", "empty")) != "empty":
                    chains.setdefault(chain, []).append(one)
            for one in document.mentions:
                word = document.text_of(one).lower()
                label = _label(one)
                if one.attributes.get("mention") != "pronoun" or label is None:
                    continue
                sentence, position = place(one.words[0])
                if not text.language.is_resolved(sentences[sentence], position):
                    continue
                others = [
                    m for m in chains.get(one.attributes.get("coref_class", "empty"), ()) if m is not one
                ]
                candidates, rows = text.rows(sentence, position)
                right = np.zeros(len(rows))
                heads = set()
                if label == "entity":
                    for other in others:
                        inside = {place(w) for w in other.words}
                        found = [c for c in candidates if (c.sentence, c.position) in inside]
                        # The head of *the colour of the sky* is its first noun.
                        if other.attributes.get("mention") != "pronoun":
                            found = sorted(found, key=lambda c: (c.sentence, c.position))[:1]
                            heads |= {(c.sentence, c.position) for c in found if c.kind != "pronoun"}
                        for c in found:
                            right[candidates.index(c)] = 1
                else:
                    right[-2 if label == "event" else -1] = 1
                yield Example(
                    f"{part}/{document.name}", word, label, candidates, rows, right, frozenset(heads)
                )


def _label(mention: Markable) -> str | None:
    kind, antecedent = mention.attributes.get("type"), mention.attributes.get("antetype")
    if kind == "pleonastic":
        return "pleonastic"
    if kind in ("anaphoric", "cataphoric") and antecedent == "event":
        return "event"
    return "entity" if kind == "anaphoric" and antecedent == "entity" else None


def scat_examples(folder: Path) -> Iterator[Example]:
    """Pronouns of subtitles whose French antecedent is highlighted."""
    columns = [
        gzip.decompress((folder / f"highlighted.train.{name}.gz").read_bytes()).decode("utf-8").split("\n")
        for name in ("context.en", "en", "context.fr", "fr")
    ]
    english, french = Tokenizer(load_language("en")), Tokenizer(load_language("fr"))
    texts: list[tuple[Sentence, Sentence, int, int, list[tuple[int, int]]]] = []
    for before_en, now_en, before_fr, now_fr in zip(*columns, strict=True):
        context, _, _ = unmarked(before_en)
        current, _, pronoun = unmarked(now_en)
        source, marked, _ = unmarked(before_fr + " " + now_fr)
        if pronoun is not None and marked:
            begin = len(context) + 1
            texts.append((english(context + " " + current), french(source), begin, begin + pronoun, marked))
    aligner = AlignerChoice(pair=LanguagePair.parse("en-fr")).build()
    links = list(aligner.align([(source.tokens, target.tokens) for source, target, *_ in texts]))
    cut = [sentence_starts(source, begin) for source, _, begin, _, _ in texts]
    flat = analysed(
        [
            source.tokens[a:b]
            for (source, *_), starts in zip(texts, cut, strict=True)
            for a, b in zip(starts, [*starts[1:], len(source.tokens)], strict=True)
        ]
    )
    first = 0
    for (source, target, _, pronoun, marked), starts, alignment in zip(texts, cut, links, strict=True):
        text = Text(flat[first : first + len(starts)])
        first += len(starts)
        if (
            pronoun not in source.starts
            or source.tokens[at := source.starts.index(pronoun)].lower() not in text.language.resolved
        ):
            continue
        highlighted = {j for j, start in enumerate(target.starts) if any(a <= start < b for a, b in marked)}
        gold = {i for i, j in zip(alignment.sources, alignment.targets, strict=True) if j in highlighted}
        sentence = bisect_right(starts, at) - 1
        candidates, rows = text.rows(sentence, at - starts[sentence])
        right = np.zeros(len(rows))
        for number, one in enumerate(candidates):
            person = one.form in ("he", "she", "him", "her")
            right[number] = starts[one.sentence] + one.position in gold and not person
        if right.any():
            yield Example("scat", source.tokens[at].lower(), "entity", candidates, rows, right)


def unmarked(text: str) -> tuple[str, list[tuple[int, int]], int | None]:
    """The plain text, the highlighted stretches, and where the pronoun begins."""
    plain, marked, pronoun, start, end = "", [], None, 0, 0
    for mark in _MARK.finditer(text):
        plain += text[end : mark.start()]
        end = mark.end()
        if mark[0] == "<p>":
            pronoun = len(plain)
        elif mark[0] == "<hon>":
            start = len(plain)
        elif mark[0] == "<hoff>":
            marked.append((start, len(plain)))
    return plain + text[end:], marked, pronoun


def sentence_starts(text: Sentence, current: int) -> list[int]:
    """Positions of tokens that begin a sentence; the sentence of the pronoun begins at a character."""
    starts = [0]
    for number in range(1, len(text.tokens)):
        new = text.starts[number] >= current > text.starts[number - 1]
        ended = text.tokens[number - 1] in (".", "!", "?", "...", "…") and text.starts[number] < current
        if new or ended:
            starts.append(number)
    return starts


def translated_examples(data: Path) -> Iterator[Example]:
    """Pronouns whose German translation shows a gender."""
    source, target, documents = [], [], []
    for english, german, document in german_documents(data):
        source.append(english)
        target.append(german)
        documents.append(document)
    tokenize, split = Tokenizer(load_language("en")), Tokenizer(load_language("de"))
    english_tokens = [tuple(tokenize.words(line)) for line in source]
    german_tokens = [tuple(split.words(line)) for line in target]
    aligner = AlignerChoice(pair=LanguagePair.parse("en-de")).build()
    links: list[dict[int, list[int]]] = []
    for alignment in aligner.align(list(zip(english_tokens, german_tokens, strict=True))):
        found: dict[int, list[int]] = {}
        for i, j in zip(alignment.sources, alignment.targets, strict=True):
            found.setdefault(i, []).append(j)
        links.append(found)
    language = TargetLanguage.load("de")
    # Articles are far more often determiners than pronouns.
    forms = {
        form: r for form, r in language.pronouns.items() if form not in ("der", "die", "den", "dem", "man")
    }
    random = np.random.default_rng(0)
    flat = analysed(english_tokens)
    bounds = [i for i in range(len(flat)) if i == 0 or documents[i] != documents[i - 1]] + [len(flat)]
    for begin, end in pairwise(bounds):
        text = Text(flat[begin:end])

        def readings(mention: Mention, begin: int = begin) -> Readings:
            tokens = german_tokens[begin + mention.sentence]
            linked = links[begin + mention.sentence].get(mention.position, ())
            if mention.kind == "pronoun":
                found = [forms[w] for j in linked if (w := tokens[j].lower()) in forms]
                return found[0] if len(found) == 1 else frozenset()
            nouns = (language.listed_readings(tokens, j) for j in linked if tokens[j][:1].isupper())
            return next(filter(None, nouns), frozenset())

        for sentence in range(end - begin):
            for position, token in enumerate(text.sentences[sentence].tokens):
                word = token.lower()
                if word not in ("it", "they", "them"):
                    continue
                linked = links[begin + sentence].get(position, ())
                found = [w for j in linked if (w := german_tokens[begin + sentence][j].lower()) in forms]
                # Half of the frequent forms are enough.
                if len(found) != 1 or ((found[0] == "es" or word != "it") and random.random() < 0.5):
                    continue
                form = found[0]
                candidates, rows = text.rows(sentence, position)
                right = [
                    _chance(one, readings(one), forms[form], form in language.event) for one in candidates
                ]
                right += [1.0, 1.0] if form in language.event else [0.03, 0.01]
                label = "neutral" if form in language.event else "gendered"
                yield Example(documents[begin], word, label, candidates, rows, np.array(right))


def _chance(mention: Mention, found: Readings, fitting: Readings, neutral: bool) -> float:
    """How likely a candidate with these readings is to be translated by a form that fits others."""
    if mention.kind == "pronoun":
        if mention.form not in SourceLanguage.load("en").resolved:
            return 0.15 if mention.form in ("he", "she", "him", "her") else 0.7 if neutral else UNKNOWN_AGREES
        return (1.0 if found & fitting else 0.03) if found else UNKNOWN_AGREES
    return max(0.02, len(found & fitting) / len(found)) if found else UNKNOWN_AGREES


def german_documents(data: Path) -> Iterator[tuple[str, str, str]]:
    """English and German lines with the name of their document."""
    for name in ("IWSLT2017", "NC-2016"):
        folder, number = data / "docs-en-de" / name, 0
        with (
            gzip.open(folder / "concatenated_en2de_dev_en.txt.gz", "rt", encoding="utf-8") as english,
            gzip.open(folder / "concatenated_en2de_dev_de.txt.gz", "rt", encoding="utf-8") as german,
        ):
            for source, target in zip(english, german, strict=True):
                if source.strip() == "<d>":
                    number += 1
                elif source.strip():
                    yield " ".join(source.split()), " ".join(target.split()), f"{name}-{number}"
    with gzip.open(data / "europarl" / "europarl.en-de.docs.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        for _, line in zip(range(EUROPARL_LINES), lines, strict=False):
            document, speaker, _, source, target = line.rstrip("\n").split("\t")
            yield " ".join(source.split()), " ".join(target.split()), f"{document}/{speaker}"


def learn(examples: Sequence[Example], importance: NDArray[np.float64]) -> dict[str, float]:
    """Weights of the log-linear model; several right candidates share the probability as the model likes."""
    counts = Counter(feature for one in examples for row in one.rows for feature in row)
    names = [name for name, count in counts.items() if count >= LEAST]
    number = {name: i for i, name in enumerate(names)}
    columns: list[int] = []
    ends = [0]
    for one in examples:
        for row in one.rows:
            columns += [number[feature] for feature in row if feature in number]
            ends.append(len(columns))
    matrix = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(ends) - 1, len(names)))
    transposed = matrix.T.tocsr()
    sizes = [len(one.rows) for one in examples]
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    owner = np.repeat(np.arange(len(sizes)), sizes)
    right = np.concatenate([one.right for one in examples])
    usable = np.add.reduceat(right, starts) > 0
    weight = importance * usable

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = matrix @ theta
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        shares = raised / np.add.reduceat(raised, starts)[owner]
        correct = np.where(usable, np.add.reduceat(shares * right, starts), 1.0)
        posterior = shares * right / correct[owner]
        value = -(weight * np.log(correct)).sum() + 0.5 * PENALTY * theta @ theta
        return value, transposed @ ((shares - posterior) * weight[owner]) + PENALTY * theta

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return {name: round(float(w), 3) for name, w in zip(names, found.x, strict=True) if abs(w) >= SMALLEST}


def measure(gold: Sequence[Example], other: Sequence[Example], weights: NDArray[np.float64]) -> None:
    """Cross-validation over the documents of ParCorFull."""
    documents = sorted({one.document for one in gold})
    fold = dict(zip(documents, np.random.default_rng(0).permutation(len(documents)) % FOLDS, strict=True))
    tally: Counter[str] = Counter()
    for number in range(FOLDS):
        training = [one for one in gold if fold[one.document] != number]
        importance = np.concatenate([np.ones(len(training)), weights])
        model = learn([*training, *other], importance)
        for one in gold:
            if fold[one.document] == number:
                tally.update(outcomes(one, model))
    for pronoun in ("it", "they"):
        total = tally[f"{pronoun} with antecedent"]
        for name in ("resolver", "nearest noun", "first noun", "reachable"):
            sys.stdout.write(
                f"{pronoun}: {name} {100 * tally[f'{pronoun} {name}'] / total:.1f} % of {total}\n"
            )
    sys.stdout.write(f"function of it: {100 * tally['function right'] / tally['function']:.1f} %\n")


def outcomes(one: Example, weights: dict[str, float]) -> Iterable[str]:
    """What is right of one pronoun, without chains: the likeliest noun, and the function."""
    scores = [sum(weights.get(feature, 0.0) for feature in row) for row in one.rows]
    nouns = [(score, c) for score, c in zip(scores, one.candidates, strict=False) if c.kind != "pronoun"]
    if one.label == "entity" and one.pronoun in ("it", "they"):
        yield f"{one.pronoun} with antecedent"
        if one.heads:
            yield f"{one.pronoun} reachable"
        if nouns:
            # The first noun of the sentence of the nearest one.
            before = [c for _, c in nouns if c.sentence == nouns[0][1].sentence]
            for name, c in (
                ("resolver", max(nouns, key=lambda pair: pair[0])[1]),
                ("nearest noun", nouns[0][1]),
                ("first noun", before[-1]),
            ):
                if (c.sentence, c.position) in one.heads:
                    yield f"{one.pronoun} {name}"
    if one.pronoun == "it":
        raised = np.exp(np.array(scores) - max(scores))
        shares = {"event": raised[-2], "pleonastic": raised[-1], "entity": raised[:-2].sum()}
        yield "function"
        if max(shares, key=lambda name: shares[name]) == one.label:
            yield "function right"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--parcorfull", type=Path, required=True)
    parser.add_argument("--skip-measure", action="store_true", help="only learn")
    parser.add_argument("output", nargs="?", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    gold = list(parcorfull_examples(options.parcorfull))
    scat = list(scat_examples(options.data / "scat-en-fr"))
    translated = list(translated_examples(options.data))
    counts = Counter(one.label for one in translated)
    sys.stdout.write(f"ParCorFull {len(gold)}, SCAT {len(scat)}, translated {dict(counts)}\n")
    kinds = {"gendered": GENDERED_WEIGHT, "neutral": NEUTRAL_WEIGHT}
    weights = np.array([SCAT_WEIGHT] * len(scat) + [kinds[one.label] for one in translated])
    other = [*scat, *translated]
    if not options.skip_measure:
        measure(gold, other, weights)
    if options.output is not None:
        model = learn([*gold, *other], np.concatenate([np.ones(len(gold)), weights]))
        lines = [f"{name}\t{weight:g}\n" for name, weight in sorted(model.items())]
        head = "# The resolver for English pronouns, made by tools/make_resolver.py; see README.md.\n"
        write_atomically(options.output, head + "".join(lines))
        sys.stdout.write(f"{options.output}: {len(model)} features, resolver {Resolver(model).digest()}\n")


if __name__ == "__main__":
    main()
