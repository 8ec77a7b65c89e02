"""Pack pronouns for the training of the pointing network.

    python tools/pack_pointer.py SOURCE=FOLDER... --output FILE

The sources are those of make_resolver.py and two more. `repeated` is a folder with `europarl`, whose nouns
are replaced where they are named again: in *the committee met, and the committee decided* the second one
becomes *it*, and the first one is its antecedent. `unlabelled` is a folder of English texts, one document per
file: a large model labels their pronouns (`teach_pointer.py`), as it does those of `europarl`.

`gum-free`, `litbank`, `treebanks` (a folder with free ones), `translated-free` and `repeated` permit any use.
Without `parcorfull`, `gum-free` has the annotated documents that are measured.

The file has pieces of words and numbers: sentences, pronouns, the heads of their candidates and how far each
is right. A second one, whose name ends in `.words.gz`, has the words, a sentence per line. Pronouns of
annotated documents come first, with the numbers of the folds of make_resolver.py; others have a fold by the
name of their document.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import warnings
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path

import make_resolver
import numpy as np
from make_resolver import FOLDS, Example, Place, Text
from pointer_sources import SOURCES

from anaphor.antecedents.mentions import Mention
from anaphor.languages import Tokenizer, load_language
from anaphor.predict.anaphor2.subwords import Subwords
from anaphor.predict.pointer.windows import FITS, tag_number

LABELS = ("entity", "event", "pleonastic", "generic", "other")
#: Lines of Europarl whose repeated nouns are replaced.
EUROPARL_LINES = 100_000
#: Determiners of a phrase that can be replaced by a pronoun.
_DEFINITE = frozenset({"the", "this", "that", "these", "those", "its", "their", "our"})


class Packer:
    """Texts and pronouns as flat arrays."""

    def __init__(self, subwords: Subwords) -> None:
        self._subwords = subwords
        self._last: Text | None = None
        self._first = self._texts = 0
        self._columns = {name: array("i") for name in (
            "pieces", "words", "tags", "sentences", "documents",
            "sentence", "position", "end", "pronoun", "source", "label", "fold", "functions",
            "choices", "back", "at", "link",
        )}  # fmt: skip
        self._right = array("f")
        self._sentences: list[str] = []
        self.counts: Counter[str] = Counter()

    def add(self, one: Example, source: str, fold: int, end: int = 0) -> None:
        """Add a pronoun; one that ends at `end` replaces the words from its position up to there."""
        if one.text is None:
            raise ValueError("an example without its text cannot be packed")
        column = self._columns
        if one.text is not self._last:
            self._last = one.text
            self._first = len(column["sentences"])
            self._add_text(one.text)
        column["sentence"].append(self._first + one.place.sentence)
        column["position"].append(one.place.position)
        column["end"].append(end)
        column["pronoun"].append(self._subwords.encode(one.pronoun)[0])
        column["source"].append(SOURCES.index(source))
        column["label"].append(LABELS.index(one.label) if one.label in LABELS else len(LABELS) - 1)
        column["fold"].append(fold)
        column["functions"].append(len(one.right) > len(one.candidates))
        column["choices"].append(len(one.candidates))
        for candidate, fit in one.text.fitting(*one.place, one.pronoun):
            column["back"].append(one.place.sentence - candidate.sentence)
            column["at"].append(candidate.position)
            column["link"].append(FITS[fit])
        self._right.extend([*one.right.tolist(), 0.0, 0.0, 0.0][: len(one.candidates) + 3])
        self.counts[source] += 1

    def _add_text(self, text: Text) -> None:
        column = self._columns
        self._texts += 1
        for tokens, analysis in text.sentences:
            self._sentences.append(" ".join(tokens))
            encoded = [self._subwords.encode(token) for token in tokens]
            for pieces in encoded:
                column["pieces"].extend(pieces)
            column["words"].extend(map(len, encoded))
            column["tags"].extend(map(tag_number, analysis.tags))
            column["sentences"].append(len(tokens))
            column["documents"].append(self._texts)

    def write(self, path: Path) -> None:
        """Write all columns, each as small as its numbers allow."""
        arrays = {}
        for name, values in self._columns.items():
            numbers = np.array(values, dtype=np.int64)
            kind = np.min_scalar_type(int(numbers.max(initial=0)))
            arrays[name] = numbers.astype(kind)
        arrays["right"] = np.array(self._right, dtype=np.float16)
        np.savez_compressed(path, **arrays)
        with gzip.open(path.with_suffix(".words.gz"), "wt", encoding="utf-8") as file:
            file.writelines(f"{one}\n" for one in self._sentences)


def speeches(folder: Path) -> Iterator[Text]:
    """The English side of speeches."""
    tokenize = Tokenizer(load_language("en")).words
    with gzip.open(folder / "europarl" / "europarl.en-fr.docs.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        rows = (line.split("\t") for line in islice(lines, EUROPARL_LINES))
        for _, speech in groupby(rows, key=lambda row: row[:2]):
            yield Text(make_resolver.analysed([tuple(tokenize(row[3])) for row in speech]))


def repeated(text: Text) -> Iterator[tuple[Example, int]]:
    """Nouns that were named before, as pronouns, and where the phrase ends that each replaces."""
    for sentence, row in enumerate(text.mentions):
        words = [token.lower() for token in text.sentences[sentence].tokens]
        for mention in row:
            if mention.kind != "noun" or mention.determiner not in _DEFINITE or mention.coordinated:
                continue
            if mention.lemma in text.language.people or mention.lemma in text.language.times:
                continue
            if words[mention.position + 1 : mention.position + 2] in (["of"], ["'s"], ["that"], ["which"]):
                continue
            earlier = [
                one
                for other in text.mentions[max(0, sentence - 3) : sentence + 1]
                for one in other
                if one.kind == "noun" and one.lemma == mention.lemma and one.plural == mention.plural
                and (one.sentence, one.position) < (sentence, mention.start)
            ]  # fmt: skip
            if not earlier:
                continue
            is_object = mention.role in ("object", "preposition")
            word = "it" if not mention.plural else "them" if is_object else "they"
            one = described(text, sentence, mention, word)
            if one is not None:
                yield one, mention.position + 1


def unlabelled(text: Text) -> Iterator[Example]:
    """The pronouns of a text whose antecedents nobody has named."""
    for sentence, (tokens, _) in enumerate(text.sentences):
        for position, token in enumerate(tokens):
            if token.lower() in ("it", "they", "them") and text.language.is_resolved(tokens, position):
                candidates = [one for one, _ in text.fitting(sentence, position, token.lower())]
                right = np.zeros(len(candidates) + 3)
                place = Place(sentence, position)
                yield Example("", token.lower(), "", candidates, (), right, place=place, text=text)


def described(text: Text, sentence: int, mention: Mention, word: str) -> Example | None:
    """The example of a noun that is replaced by a pronoun."""
    candidates = [one for one, _ in text.fitting(sentence, mention.start, word)]
    right = [c.kind == "noun" and c.lemma == mention.lemma and c.plural == mention.plural for c in candidates]
    place = Place(sentence, mention.start)
    numbers = np.array([*right, False, False, False], dtype=np.float64)
    return (
        Example("", word, "entity", candidates, (), numbers, place=place, text=text) if any(right) else None
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", nargs="+", metavar="SOURCE=FOLDER")
    parser.add_argument("--base", type=Path, required=True, help="folder of the model whose pieces are used")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sources = {name: Path(folder) for name, folder in (one.split("=", 1) for one in options.sources)}
    packer = Packer(Subwords(json.loads((options.base / "networks.json").read_text())["pieces"]))
    held: list[str] = []
    first = make_resolver.gold_source(sources)
    for name in sorted(SOURCES, key=lambda name: name != first):
        if name == first:
            gold = make_resolver.gold_of(sources)
            folds = make_resolver.folds_of(examples[0].document for examples, _ in gold if examples)
            for one in (one for examples, _ in gold for one in examples):
                packer.add(one, name, folds[one.document])
            held = [" ".join(one.tokens) for _, lines in gold for one in lines if len(one.tokens) > 8]
        elif name == "written":
            add_all(packer, make_resolver.written_examples(), name)
        elif name == "repeated" and name in sources:
            for text in speeches(sources[name]):
                for one, end in repeated(text):
                    packer.add(one, name, 0, end)
                for one in unlabelled(text):
                    packer.add(one, "unlabelled", 0)
        elif name == "unlabelled" and name in sources:
            tokenize = Tokenizer(load_language("en")).words
            for path in sorted(sources[name].glob("*.txt")):
                lines = path.read_text(encoding="utf-8").splitlines()
                text = Text(make_resolver.analysed([tuple(tokenize(line)) for line in lines]))
                for one in unlabelled(text):
                    packer.add(one, name, 0)
        elif name in sources:
            add_all(packer, make_resolver.read_source(name, sources[name], held), name)
        sys.stdout.write(f"{name}: {packer.counts[name]}\n")
        sys.stdout.flush()
    packer.write(options.output)
    sys.stdout.write(f"{dict(packer.counts)}, {options.output.stat().st_size:,} bytes\n")


def add_all(packer: Packer, examples: Iterable[Example], name: str) -> None:
    for one in examples:
        packer.add(one, name, fold_of(one.document))


def fold_of(document: str) -> int:
    """The fold of a document that is not in ParCorFull."""
    return zlib.crc32(document.encode()) % FOLDS


if __name__ == "__main__":
    main()
