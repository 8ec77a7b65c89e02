"""Learn the resolver for English pronouns, and measure it.

    python tools/make_resolver.py SOURCE=FOLDER... [--output FILE] [--skip-measure]

Learns from the sources that are named, each with its folder:

- `parcorfull`: the unpacked `corpus` of ParCorFull, and `gum`, a copy of GUM: antecedents, events, pleonastic
  and generic pronouns that were annotated by hand. `gum-free` leaves out the genres of GUM that are licensed
  for non-commercial use.
- `litbank`: LitBank's `coref/conll`, antecedents of novels.
- `scat`: SCAT, train part: subtitles in which translators highlighted the French antecedent of a pronoun.
  Word alignment leads to the English one.
- `talks`, `debates`, `news`, `novels`, `articles`: pronouns whose antecedents were named by reading
  (`antecedent_readings.py`); the last two and `debates` permit any use.
- `treebanks`: English files of Universal Dependencies, which tell an expletive *it* from others.
- `translated`: a folder with `docs-en-de` and `europarl`: the gender of a German pronoun tells which
  antecedents are possible, because they must agree. Which of them it is stays open, and the model learns from
  their sum. Talks that are in ParCorFull too are left out. `translated-free` takes `europarl` alone.

A few sentences that were written for this tool are always learned from. `gum-free`, `litbank`, `treebanks`
(a folder with EWT and PUD) and `translated-free` permit any use.

Prints cross-validation over the documents of ParCorFull: how often the likeliest noun is the head of an
annotated antecedent, beside the nearest and the first noun, and how often the function of *it* is right. With
`--measure`, the model is measured on all of ParCorFull, which it then must not learn from.
Documents of GUM's test part are never learned from. Weights are kept, and the words that have one; no text
is. Needs SciPy.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import sys
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import antecedent_readings
import coreference_data
import numpy as np
from antecedent_readings import TEXTS as READ_TEXTS
from coreference_data import GoldDocument, GoldMention
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from anaphor.align import AlignerChoice
from anaphor.analyse import Analyser, load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.analyse.gender import Readings
from anaphor.antecedents import Mention, Place, Resolver, TargetLanguage
from anaphor.antecedents.english import EnglishText
from anaphor.antecedents.mentions import find_mentions
from anaphor.antecedents.resolver import described
from anaphor.antecedents.source import SourceLanguage
from anaphor.core import LanguagePair, Sentence
from anaphor.files.writing import write_atomically
from anaphor.languages import Tokenizer, load_language

LEAST, PENALTY, STEPS, FOLDS, SMALLEST = 4, 1.0, 80, 8, 0.01
#: English has many more features, most of them rare.
ENGLISH_PENALTY = 6.0
#: How much an example of each kind counts; ParCorFull counts 1.
WEIGHTS = {
    "gum": 1.0,
    "gum-free": 1.0,
    **dict.fromkeys(READ_TEXTS, 1.0),
    "litbank": 0.1,
    "scat": 0.05,
    "treebanks": 0.2,
    "written": 0.5,
    "gendered": 0.2,
    "neutral": 0.1,
}
EUROPARL_LINES = 70_000
#: The chance that an antecedent of unknown gender agrees with a given pronoun.
UNKNOWN_AGREES = 0.45
NOWHERE = Place(0, 0)
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
    place: Place = NOWHERE
    source: str = "parcorfull"
    text: Text | None = field(default=None, compare=False, repr=False)


class Text:
    """Analysed sentences of one document, with their mentions."""

    def __init__(self, sentences: Sequence[AnalysedSentence], language: str = "en") -> None:
        self.sentences = sentences
        self.language = SourceLanguage.load(language)
        self.mentions = [find_mentions(number, *one, self.language) for number, one in enumerate(sentences)]
        self._described = described(sentences, self.mentions, self.language)
        self.functions = self._described.functions

    def rows(self, sentence: int, position: int) -> tuple[list[Mention], list[list[str]]]:
        """The candidates of a pronoun and the features of all choices."""
        return self._described.describe(sentence, position)

    def fitting(self, sentence: int, position: int, word: str) -> list[tuple[Mention, str]]:
        """See `EnglishText.fitting`."""
        if not isinstance(self._described, EnglishText):
            raise TypeError("only English candidates are compared with a pronoun in this way")
        return self._described.fitting(sentence, position, word)


def analysed(sentences: Sequence[Sequence[str]], language: str = "en") -> list[AnalysedSentence]:
    analyses = _analyser(language).analyse(sentences)
    return [AnalysedSentence(tuple(s), a) for s, a in zip(sentences, analyses, strict=True)]


@cache
def _analyser(language: str) -> Analyser:
    return load_analyser("built-in", language=language)


def parcorfull_examples(
    folder: Path, language: str = "en", parts: Sequence[str] = ("DiscoMT", "TED", "news")
) -> Iterator[Example]:
    """Pronouns of ParCorFull with a marked antecedent, an event, or none."""
    for document in coreference_data.parcorfull(folder, language, parts):
        yield from gold_examples(document, Text(analysed(document.sentences, language), language))


def gold_examples(document: GoldDocument, text: Text) -> Iterator[Example]:
    """The pronouns of an annotated document."""
    nouns = {(c.sentence, c.position) for row in text.mentions for c in row if c.kind != "pronoun"}
    for one in document.pronouns:
        sentence, position = one.place
        tokens = document.sentences[sentence]
        known = one.label in (*text.functions, "entity")
        if not known or not text.language.is_resolved(tokens, position):
            continue
        candidates, rows = text.rows(sentence, position)
        right = np.zeros(len(rows))
        heads: set[tuple[int, int]] = set()
        if one.label == "entity":
            places = {(c.sentence, c.position): number for number, c in enumerate(candidates)}
            for mention in one.before:
                found = mention.places if mention.pronoun else head_of(mention, nouns, document)
                heads.update(() if mention.pronoun else found)
                for place in found:
                    if place in places:
                        right[places[place]] = 1
        else:
            right[len(candidates) + text.functions.index(one.label)] = 1
        yield Example(
            document.name,
            tokens[position].lower(),
            one.label,
            candidates,
            rows,
            right,
            frozenset(heads),
            Place(sentence, position),
            text=text,
        )


def head_of(
    mention: GoldMention, nouns: set[tuple[int, int]], document: GoldDocument
) -> Sequence[tuple[int, int]]:
    """The place of the head of a mention, if it is a noun that was found.

    Where it is not annotated, the head of *the colour of the sky* is its first noun, and that of *the sky's
    colour* the first one that owns nothing.
    """
    if mention.head is not None:
        return [mention.head] if mention.head in nouns else []
    inside = [place for place in mention.places if place in nouns]
    for sentence, position in inside[:-1]:
        following = document.sentences[sentence][position + 1 : position + 2]
        if (sentence, position + 1) not in mention.places or following[0] not in ("'s", "’s", "'"):
            return [(sentence, position)]
    return inside[-1:]


def treebank_examples(
    folder: Path, language: str = "en", names: Sequence[str] = ("en_*",), form: str = "it"
) -> Iterator[Example]:
    """*it* in treebanks, or such a pronoun: an expletive, or something else that stays open."""
    for path in sorted(path for name in names for path in folder.glob(f"{name}.conllu.gz")):
        rows_of = [
            [cells for line in block.split("\n") if (cells := line.split("\t"))[0].isdigit()]
            for block in gzip.decompress(path.read_bytes()).decode("utf-8").split("\n\n")
        ]
        blocks = [rows for rows in rows_of if rows]
        text = Text(analysed([tuple(cells[1] for cells in rows) for rows in blocks], language), language)
        for sentence, rows in enumerate(blocks):
            for position, cells in enumerate(rows):
                if cells[1].lower() != form:
                    continue
                candidates, features = text.rows(sentence, position)
                expletive = cells[7].startswith("expl")
                possible = {"pleonastic"} if expletive else {"event"}
                functions = [float(function in possible) for function in text.functions]
                right = np.array([float(not expletive)] * len(candidates) + functions)
                place = Place(sentence, position)
                yield Example(
                    path.name, form, "treebanks", candidates, features, right, place=place, text=text
                )


#: Sentences in which *it* refers to nothing and *they* to nobody in particular, written for this tool.
EMPTY = """
It was raining all day . | It rains a lot here . | It has been snowing since noon . | It will snow tomorrow .
It is time to leave . | It was time for lunch . | It is late . | It was early in the morning .
It is five o'clock .
It takes an hour to get home . | It took us years to learn this . | It costs a lot to live here .
It turns out that we were wrong . | It turned out that he had left . | It seems that nobody knows .
It appears that she forgot . | It happens that I know him . | It follows that we must stop .
It is important to listen . | It is hard to say why . | It is clear that we lost . | It was nice to meet you .
It is said that money talks . | It is known that cats sleep a lot . | It was Anna who called .
It is the children who suffer . | It was here that we met . | It does not matter who wins .
I find it hard to believe that . | She made it clear that we should go . | We think it best to wait .
It is cold outside . | It was dark . | It is ten miles to the coast . | It is no use crying .
"""
GENERIC = """
They say that love is blind . | They do not make films like that any more . | They say time heals .
They told me on the phone to wait . | In Spain they eat late . | They are building a road near us .
They speak French in Quebec . | They have raised the taxes again . | They say you should never look back .
"""
BEFORE = """
The ship was old . | We bought a table . | The room has a window . | I wrote a letter . | A dog barked .
My sister found the key . | The book was long . | He drives a car . | The plan failed .
The city lies on a river .
"""


def written_examples() -> Iterator[Example]:
    """The sentences above, each after others that name a thing."""
    contexts = _split(BEFORE)
    for label, sentences, word in (("pleonastic", EMPTY, "it"), ("generic", GENERIC, "they")):
        for number, sentence in enumerate(_split(sentences)):
            for step in (0, 3, 7):
                before = contexts[(number + step) % len(contexts)]
                text = Text(analysed([before, sentence]))
                position = [token.lower() for token in sentence].index(word)
                candidates, rows = text.rows(1, position)
                right = np.zeros(len(rows))
                right[len(candidates) + text.functions.index(label)] = 1
                place = Place(1, position)
                yield Example("written", word, label, candidates, rows, right, place=place, text=text)


def _split(sentences: str) -> list[tuple[str, ...]]:
    """The sentences of a list, as tokens."""
    found = [one for line in sentences.strip().split("\n") for one in line.split("|")]
    return [tuple(one.split()) for one in found]


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
            word, place = source.tokens[at].lower(), Place(sentence, at - starts[sentence])
            yield Example("scat", word, "entity", candidates, rows, right, place=place, text=text)


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


def translated_examples(data: Path, held_out: Iterable[str] = (), *, free: bool = False) -> Iterator[Example]:
    """Pronouns whose German translation shows a gender; documents with a held-out sentence are left out."""
    source, target, documents = [], [], []
    held = {"".join(text.split()).lower() for text in held_out}
    shared = Counter(
        document
        for english, _, document in german_documents(data, free=free)
        if "".join(english.split()).lower() in held
    )
    for english, german, document in german_documents(data, free=free):
        if shared[document] > 2:
            continue
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
                right += [1.0, 1.0, 0.0] if form in language.event else [0.03, 0.01, 0.1]
                label = "neutral" if form in language.event else "gendered"
                place = Place(sentence, position)
                yield Example(
                    documents[begin], word, label, candidates, rows, np.array(right), place=place, text=text
                )


def _chance(mention: Mention, found: Readings, fitting: Readings, neutral: bool) -> float:
    """How likely a candidate with these readings is to be translated by a form that fits others."""
    if mention.kind == "pronoun":
        if mention.form not in SourceLanguage.load("en").resolved:
            return 0.15 if mention.form in ("he", "she", "him", "her") else 0.7 if neutral else UNKNOWN_AGREES
        return (1.0 if found & fitting else 0.03) if found else UNKNOWN_AGREES
    return max(0.02, len(found & fitting) / len(found)) if found else UNKNOWN_AGREES


def german_documents(data: Path, *, free: bool = False) -> Iterator[tuple[str, str, str]]:
    """English and German lines with the name of their document; `free` ones are those of Europarl."""
    for name in () if free else ("IWSLT2017", "NC-2016"):
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


def contrapro_examples(folder: Path) -> Iterator[Example]:
    """*it* of subtitles whose antecedent programs found; that of the line before needs this line."""
    lines = gzip.decompress((folder / "with-context.every-fourth.jsonl.gz").read_bytes()).decode("utf-8")
    before = {}
    for line in lines.splitlines():
        source = json.loads(line)["source"]
        before["".join(source[-1].lower().split())] = source[:-1]
    items = json.loads(gzip.decompress((folder / "modified_contrapro_subset.maria.json.gz").read_bytes()))
    for item in items:
        distance, own = item["ante distance"], item["src segment"]
        earlier = before.get("".join(own.lower().split()), [])
        if distance <= len(earlier):
            names = item["src ante head"], item["src pronoun"], item["document id"]
            yield from headed_examples([*earlier, own], distance, *names)


def ctxpro_examples(folder: Path) -> Iterator[Example]:
    """*it* and *they* of subtitles with ten lines before them, whose antecedent programs found."""
    items = json.loads(gzip.decompress((folder / "gender.opensubtitles.en-es.dev.json.gz").read_bytes()))
    texts = gzip.decompress((folder / "gender.opensubtitles.en-es.dev.gz").read_bytes()).decode("utf-8")
    for item, line in zip(items, texts.splitlines(), strict=True):
        lines = [part.strip() for part in line.split("<eos>")]
        names = item["src ante head"], item["src pronoun"], item["document id"]
        if item["ante distance"] < len(lines) and lines[-1] == item["src segment"].strip():
            yield from headed_examples(lines, item["ante distance"], *names)


def headed_examples(
    lines: Sequence[str], distance: int, head: str, pronoun: str, document: str
) -> Iterator[Example]:
    """The pronoun in the last line, if it occurs there once behind its antecedent, or once at all."""
    tokenize = Tokenizer(load_language("en")).words
    sentences = [tuple(tokenize(line)) for line in lines]
    here = len(sentences) - 1
    heads = [at for at, word in enumerate(sentences[here - distance]) if word.lower() == head.lower()]
    places = [at for at, word in enumerate(sentences[-1]) if word.lower() == pronoun.lower()]
    behind = [at for at in places if distance or (heads and at > heads[0])]
    if not heads or not behind:
        return
    text = Text(analysed(sentences))
    if not text.language.is_resolved(sentences[-1], behind[0]):
        return
    candidates, rows = text.rows(here, behind[0])
    right = np.zeros(len(rows))
    for number, one in enumerate(candidates):
        if one.sentence == here - distance and one.position in heads:
            right[number] = 1
    if right.any():
        place, word = Place(here, behind[0]), pronoun.lower()
        yield Example(document, word, "entity", candidates, rows, right, place=place, text=text)


def function_examples(folder: Path) -> Iterator[Example]:
    """*it* of speeches, labelled by hand: a noun, which stays open, an event, or nothing."""
    path = folder / "train.tsv"
    labels = {"nominal_ref": "entity", "event_ref": "event", "pleonastic_ref": "pleonastic"}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            label = labels.get(row["manual_label"].strip(), "")
            words = row["source"].strip().strip('"').split()
            marked = [at for at, word in enumerate(words) if word.startswith("__")]
            if not label or len(marked) != 1:
                continue
            words = [word.strip("_") if at == marked[0] else word for at, word in enumerate(words)]
            ends = [at + 1 for at, word in enumerate(words) if word in (".", "!", "?")]
            starts = [0, *(end for end in ends if end < len(words))]
            sentences = [tuple(words[a:b]) for a, b in pairwise([*starts, len(words)])]
            text = Text(analysed(sentences))
            sentence = bisect_right(starts, marked[0]) - 1
            position = marked[0] - starts[sentence]
            if not text.language.is_resolved(sentences[sentence], position):
                continue
            candidates, rows = text.rows(sentence, position)
            right = np.zeros(len(rows))
            if label == "entity":
                right[: len(candidates)] = 1
            else:
                right[len(candidates) + text.functions.index(label)] = 1
            if right.any():
                place = Place(sentence, position)
                yield Example(row["doc"], "it", label, candidates, rows, right, place=place, text=text)


class Packed:
    """Examples as a matrix of features, from which models are learned with different weights of examples."""

    def __init__(self, examples: Sequence[Example]) -> None:
        counts = Counter(feature for one in examples for row in one.rows for feature in row)
        self._names = [name for name, count in counts.items() if count >= LEAST]
        number = {name: i for i, name in enumerate(self._names)}
        columns: list[int] = []
        ends = [0]
        for one in examples:
            for row in one.rows:
                columns += [number[feature] for feature in row if feature in number]
                ends.append(len(columns))
        shape = (len(ends) - 1, len(self._names))
        self._matrix = csr_matrix((np.ones(len(columns)), columns, ends), shape=shape)
        self._transposed = self._matrix.T.tocsr()
        sizes = [len(one.rows) for one in examples]
        self._starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        self._owner = np.repeat(np.arange(len(sizes)), sizes)
        self._right = np.concatenate([one.right for one in examples])

    def learn(self, importance: NDArray[np.float64], penalty: float = PENALTY) -> dict[str, float]:
        """Weights of the log-linear model; several right candidates share the probability as it likes."""
        starts, owner, right = self._starts, self._owner, self._right
        usable = np.add.reduceat(right, starts) > 0
        weight = importance * usable

        def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            scores = self._matrix @ theta
            raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
            shares = raised / np.add.reduceat(raised, starts)[owner]
            correct = np.where(usable, np.add.reduceat(shares * right, starts), 1.0)
            posterior = shares * right / correct[owner]
            value = -(weight * np.log(correct)).sum() + 0.5 * penalty * theta @ theta
            return value, self._transposed @ ((shares - posterior) * weight[owner]) + penalty * theta

        start = np.zeros(len(self._names))
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
        pairs = zip(self._names, found.x, strict=True)
        return {name: round(float(w), 3) for name, w in pairs if abs(w) >= SMALLEST}


def learn(
    examples: Sequence[Example], importance: NDArray[np.float64], penalty: float = PENALTY
) -> dict[str, float]:
    """Weights of the log-linear model of some examples."""
    return Packed(examples).learn(importance, penalty)


def folds_of(documents: Iterable[str]) -> dict[str, int]:
    """The fold of every document."""
    names = sorted(set(documents))
    numbers = np.random.default_rng(0).permutation(len(names)) % FOLDS
    return {name: int(number) for name, number in zip(names, numbers, strict=True)}


def outcomes(
    examples: Sequence[Example], sentences: Sequence[AnalysedSentence], resolver: Resolver
) -> Iterator[str]:
    """What is right of the pronouns of one document, as the resolver that ships would find it."""
    resolved = resolver.resolve(sentences)
    for one in examples:
        if one.pronoun not in ("it", "they"):
            continue
        found, chosen = resolved[one.place], None
        shares = {"event": found.event, "pleonastic": found.pleonastic, "generic": found.generic}
        shares["entity"] = 1 - sum(shares.values())
        guess = max(shares, key=lambda name: shares[name])
        yield f"{one.pronoun} function"
        yield f"{one.pronoun} function {one.label} as {guess}"
        if guess == one.label:
            yield f"{one.pronoun} function right"
        if one.label != "entity":
            continue
        nouns = [c for c in one.candidates if c.kind != "pronoun"]
        direct = [c for c, _ in found.candidates if c.kind != "pronoun"]
        if found.heads:
            chosen = max(found.heads, key=lambda head: found.heads[head])
        elif nouns:
            chosen = nouns[0]
        yield f"{one.pronoun} with antecedent"
        ways = {"resolver": chosen}
        if nouns:
            # The first noun of the sentence of the nearest one.
            ways["first noun"] = [c for c in nouns if c.sentence == nouns[0].sentence][-1]
            ways["nearest noun"] = nouns[0]
            ways["without chains"] = (direct or nouns)[0]
        for name, c in ways.items():
            if c is not None and (c.sentence, c.position) in one.heads:
                yield f"{one.pronoun} {name}"
        near = {(c.sentence, c.position) for c in nouns}
        if one.heads:
            yield f"{one.pronoun} reachable"
        if chosen is None or (chosen.sentence, chosen.position) not in one.heads:
            lemmas = {c.lemma for c in nouns if (c.sentence, c.position) in one.heads}
            yield f"{one.pronoun} lost: " + (
                "no noun of the chain is found as a phrase"
                if not one.heads
                else "out of reach"
                if not one.heads & near
                else "another mention of the same noun"
                if chosen is not None and chosen.lemma in lemmas
                else "taken for no noun"
                if guess != "entity"
                else "another noun"
            )


def print_tally(title: str, tally: Counter[str]) -> None:
    sys.stdout.write(f"{title}\n")
    for pronoun in ("it", "they"):
        total = max(1, tally[f"{pronoun} with antecedent"])
        for name in ("resolver", "without chains", "nearest noun", "first noun", "reachable"):
            share = 100 * tally[f"{pronoun} {name}"] / total
            sys.stdout.write(f"  {pronoun}: {name} {share:.1f} % of {total}\n")
        for name, count in sorted(tally.items()):
            if name.startswith(f"{pronoun} lost: "):
                sys.stdout.write(f"  {name} {count}\n")
        share = 100 * tally[f"{pronoun} function right"] / max(1, tally[f"{pronoun} function"])
        sys.stdout.write(f"  function of {pronoun}: {share:.1f} %\n")
    sys.stdout.flush()


def cross_validated(
    gold: Sequence[tuple[Sequence[Example], Sequence[AnalysedSentence]]],
    other: Sequence[Example],
    weights: Sequence[float],
) -> Counter[str]:
    """Cross-validation over the documents of ParCorFull, learning from the other sources as well."""
    fold = folds_of(examples[0].document for examples, _ in gold if examples)
    own = [one for examples, _ in gold for one in examples]
    packed = Packed([*own, *other])
    tally: Counter[str] = Counter()
    for number in range(FOLDS):
        mine = [float(fold[one.document] != number) for one in own]
        model = packed.learn(np.array([*mine, *weights]), ENGLISH_PENALTY)
        for examples, sentences in gold:
            if examples and fold[examples[0].document] == number:
                tally.update(outcomes(examples, sentences, Resolver(model)))
    return tally


def annotated(documents: Iterable[GoldDocument]) -> list[tuple[list[Example], list[AnalysedSentence]]]:
    """The examples of each document, and its sentences."""
    found = []
    for document in documents:
        sentences = analysed(document.sentences)
        found.append((list(gold_examples(document, Text(sentences))), sentences))
    return found


def gold_source(sources: Mapping[str, Path]) -> str | None:
    """The source by which the pointer is measured: ParCorFull, or without it the free genres of GUM."""
    return next((name for name in ("parcorfull", "gum-free") if name in sources), None)


def gold_of(sources: Mapping[str, Path]) -> list[tuple[list[Example], list[AnalysedSentence]]]:
    """The annotated documents of that source."""
    name = gold_source(sources)
    if name is None:
        return []
    if name == "parcorfull":
        return annotated(coreference_data.parcorfull(sources[name]))
    return annotated(coreference_data.gum(coreference_data.gum_paths(sources[name], free=True)))


def read_source(name: str, folder: Path, held_out: Sequence[str]) -> list[Example]:
    """The examples of a source that is learned from and not measured."""
    if name in ("gum", "gum-free"):
        documents = coreference_data.gum(coreference_data.gum_paths(folder, free=name == "gum-free"))
        return [one for found, _ in annotated(documents) for one in found]
    if name in READ_TEXTS:
        documents = antecedent_readings.documents(name, folder)
        return [one for found, _ in annotated(documents) for one in found]
    if name == "litbank":
        novels = annotated(coreference_data.litbank(folder))
        return [_without_functions(one) for found, _ in novels for one in found]
    if name == "scat":
        return [_without_functions(one) for one in scat_examples(folder)]
    plain = {
        "treebanks": treebank_examples,
        "contrapro": contrapro_examples,
        "ctxpro": ctxpro_examples,
        "it-function": function_examples,
    }
    if name in plain:
        return list(plain[name](folder))
    return list(translated_examples(folder, held_out, free=name == "translated-free"))


def _without_functions(one: Example) -> Example:
    """An example of a source that has antecedents alone: it cannot tell how frequent the functions are."""
    number = len(one.candidates)
    return replace(one, rows=one.rows[:number], right=one.right[:number])


def read_sources(sources: Mapping[str, Path], held_out: Sequence[str]) -> tuple[list[Example], list[float]]:
    """The examples of all sources except ParCorFull, and how much each counts."""
    other: list[Example] = []
    weights: list[float] = []
    for name, folder in sources.items():
        if name != "parcorfull":
            found = [replace(one, source=name) for one in read_source(name, folder, held_out)]
            sys.stdout.write(f"{name}: {len(found)} pronouns\n")
            other += found
            weights += [WEIGHTS.get(name) or WEIGHTS[one.label] for one in found]
    found = [replace(one, source="written") for one in written_examples()]
    return [*other, *found], weights + [WEIGHTS["written"]] * len(found)


def gum_test(folder: Path, model: dict[str, float]) -> Counter[str]:
    """What a model finds in the test part of GUM."""
    sources, test = coreference_data.gum_parts(folder)
    paths = [sources / f"{name}.conllu" for name in sorted(test)]
    return found_in(annotated(coreference_data.gum(paths)), model)


def found_in(
    documents: Iterable[tuple[Sequence[Example], Sequence[AnalysedSentence]]], model: dict[str, float]
) -> Counter[str]:
    """What a model finds in documents that it has not learned from."""
    tally: Counter[str] = Counter()
    for examples, sentences in documents:
        tally.update(outcomes(examples, sentences, Resolver(model)))
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", nargs="+", metavar="SOURCE=FOLDER")
    parser.add_argument("--skip-measure", action="store_true", help="only learn")
    parser.add_argument("--measure", type=Path, metavar="PARCORFULL", help="measure on ParCorFull")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sources = dict(source.split("=", 1) for source in options.sources)
    if options.measure is not None and "parcorfull" in sources:
        parser.error("--measure and the source parcorfull exclude each other")
    gold = gold_of({name: Path(sources[name]) for name in {"parcorfull"} & set(sources)})
    held_out = [" ".join(one.tokens) for _, sentences in gold for one in sentences if len(one.tokens) > 8]
    other, weights = read_sources({name: Path(folder) for name, folder in sources.items()}, held_out)
    sys.stdout.write(f"parcorfull: {sum(len(examples) for examples, _ in gold)} pronouns\n")
    sys.stdout.flush()
    if gold and not options.skip_measure:
        print_tally("ParCorFull, cross-validation over documents", cross_validated(gold, other, weights))
    if options.output is not None:
        own = [one for examples, _ in gold for one in examples]
        model = learn([*own, *other], np.array([1.0] * len(own) + weights), ENGLISH_PENALTY)
        lines = [f"{name}\t{weight:g}\n" for name, weight in sorted(model.items())]
        head = "# The resolver for English pronouns, made by tools/make_resolver.py; see README.md.\n"
        write_atomically(options.output, head + "".join(lines))
        sys.stdout.write(f"{options.output}: {len(model)} features, resolver {Resolver(model).digest()}\n")
        if options.measure is not None:
            documents = annotated(coreference_data.parcorfull(options.measure))
            print_tally("ParCorFull, weights that ship", found_in(documents, model))
        for name in {"gum", "gum-free"} & set(sources):
            tally = gum_test(Path(sources[name]), model)
            print_tally("GUM, test part, weights that ship", tally)


if __name__ == "__main__":
    main()
