"""Make the models of the built-in analyser.

    python tools/make_analysers.py --data DATA --language de [--vectors FILE] [--epochs 20] OUTPUT
    python tools/make_analysers.py --data DATA --more UD --gum GUM --sources free --language en OUTPUT
    python tools/make_analysers.py --data DATA --more UD --text en-it.tsv --language it OUTPUT

Learns tags, lemmas, subjects and left-out subjects from treebanks: `free` ones, whose licences permit any
use, for the package, or `all` for the research distribution. They are in DATA/ud, or as plain files in the
folder UD; GUM is a copy of the repository of UD English-GUM, of whose free genres, without its test part, the
free English model learns. Word vectors come from Europarl, Tatoeba, the Debian handbook and the Bible under
DATA, or from the second column of a file of `free_text.py`, and the endings of lemmas also from lexicons of
German nouns and French words. Weights are kept, and the words that have one; no text is. `--vectors` keeps
the word vectors in a file, or takes them from there when it exists. Every eighth sentence of the treebanks is
left out with `--held-out`, and the accuracy on these is printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from analyser_training import Examples, Sizes, Trainer, gapped
from coreference_data import gum_paths
from lemma_learning import learned, lexicon_examples
from word_vectors import columns, sentences, word_vectors

from anaphor.analyse.builtin import BuiltInAnalyser
from anaphor.analyse.modelfile import NULLS, ROLES, AnalyserModel, write_model
from anaphor.analyse.tree import own_tokens, placed
from anaphor.analyse.wordforms import FEATURES, features_of, plain
from anaphor.core import Analysis, Where
from anaphor.corpus.conllu import read_conllu
from anaphor.languages import Tokenizer, load_language

#: What is trained on. The test sets of these treebanks, and the other PUD sets, are for measuring alone.
ALL = {
    "en": ("en_lines-ud-train", "en_lines-ud-dev", "en_partut-ud-train", "en_partut-ud-dev", "en_ewt-ud-dev"),
    "fr": (
        "fr_sequoia-ud-train",
        "fr_sequoia-ud-dev",
        "fr_partut-ud-train",
        "fr_partut-ud-dev",
        "fr_gsd-ud-dev",
    ),
    "de": ("de_gsd-ud-dev", "de_pud-ud-test"),
    "es": ("es_gsd-ud-dev", "es_pud-ud-test"),
    # These permit any use; ISDT, ParTUT and VIT do not.
    "it": (
        "it_markit-ud-train",
        "it_markit-ud-dev",
        "it_markit-ud-test",
        "it_twittiro-ud-train",
        "it_twittiro-ud-dev",
        "it_pud-ud-test",
    ),
    "pt": ("pt_bosque-ud-dev", "pt_gsd-ud-dev", "pt_porttinari-ud-dev", "pt_pud-ud-test"),
}
#: The genres of GUM whose texts permit any use.
GUM_FREE = "gum-free"
#: Those of them that permit any use, and more of the same treebanks. Those of other languages all do.
FREE = {
    **ALL,
    "en": ("en_ewt-ud-train", "en_ewt-ud-dev", GUM_FREE),
    "fr": ("fr_sequoia-ud-train", "fr_sequoia-ud-dev", "fr_gsd-ud-dev"),
}
SOURCES = {"free": FREE, "all": ALL}
TAGS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
EPOCHS = {"en": 14, "fr": 16, "de": 30, "es": 24, "it": 20, "pt": 20}
SIZES = Sizes(48, 64, 24, 48, (len(TAGS), ROLES, NULLS))
HEAD_WEIGHTS = (1.0, 0.7, 0.7)
#: Word vectors are made of more words than are kept.
MET_WORDS, WORDS, WIDTH = 40_000, 16_000, 40
LEAST_COUNT = 2
BATCH = 500
RATE, DROPOUT = 0.003, 0.25

Labelled = tuple[Sequence[str], Analysis]


@dataclass(frozen=True, slots=True)
class Numbers:
    """Which row of the table a feature has, which row of the vectors a word."""

    features: dict[str, int]
    words: dict[str, int]

    def examples(self, sentence: Labelled) -> Examples:
        tokens, analysis = sentence
        return Examples(
            np.array([[self.features.get(f, 1) for f in features_of(token)] for token in tokens]),
            np.array([self.words.get(plain(token), 0) for token in tokens]),
            np.array([_answers(analysis, at) for at in range(len(tokens))]),
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--more", type=Path, help="folder with further treebanks, NAME.conllu")
    parser.add_argument("--gum", type=Path, help="copy of UD English-GUM")
    parser.add_argument("--sources", choices=sorted(SOURCES), default="all")
    parser.add_argument("--language", choices=sorted(ALL), required=True)
    parser.add_argument("--text", type=Path, help="English and the language, as free_text.py writes them")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    language = options.language
    folders = [options.data / "ud", *([options.more] if options.more else [])]
    names = SOURCES[options.sources][language]
    if GUM_FREE in names and options.gum is None:
        parser.error(f"the {options.sources} sources for {language} need --gum")
    paths = [path for name in names for path in treebank_paths(name, folders, options.gum)]
    labelled = list(read_treebanks(paths, language))
    kept = [s for at, s in enumerate(labelled) if not options.held_out or at % 8]
    text = sentences(options.data, language) if options.text is None else columns(options.text, language)
    words, vectors = _vectors(text, options.vectors)
    model = train(
        kept, words, vectors, language, options.epochs or EPOCHS[language], options.seed, options.data
    )
    write_model(options.output, model)
    if options.held_out:
        _report(model, labelled[::8])


def treebank_paths(name: str, folders: Sequence[Path], gum: Path | None) -> list[Path]:
    """The files of a treebank."""
    if name == GUM_FREE and gum is not None:
        return gum_paths(gum, free=True)
    possible = [folder / f"{name}.conllu{suffix}" for folder in folders for suffix in (".gz", "")]
    path = next((path for path in possible if path.is_file()), None)
    if path is None:
        raise SystemExit(f"{name} is in none of {', '.join(map(str, folders))}")
    return [path]


def read_treebanks(paths: Sequence[Path], language: str) -> Iterator[Labelled]:
    """The tokens of every sentence that is trained on, with their analysis."""
    cut = Tokenizer(load_language(language)).words
    for path in paths:
        for sentence in read_conllu(path):
            tokens = own_tokens(sentence, cut)
            where = Where(str(path), sentence.line)
            yield tokens, placed(sentence, tokens, language=language, where=where)


def train(
    labelled: Sequence[Labelled],
    words: Sequence[str],
    vectors: np.ndarray,
    language: str,
    epochs: int,
    seed: int,
    data: Path,
) -> AnalyserModel:
    """A model of the labelled sentences; the same arguments give the same model."""
    counts = Counter(f for tokens, _ in labelled for token in tokens for f in features_of(token))
    features = [feature for feature, count in counts.items() if count >= LEAST_COUNT]
    numbers = Numbers(
        {f: row for row, f in enumerate(features, start=2)}, {w: row for row, w in enumerate(words, start=1)}
    )
    trainer = Trainer(SIZES, len(features) + 2, vectors, seed, HEAD_WEIGHTS)
    examples = [numbers.examples(sentence) for sentence in labelled]
    for epoch in range(epochs):
        start = time.perf_counter()
        loss = _epoch(trainer, examples, epoch, epochs)
        seconds = time.perf_counter() - start
        sys.stderr.write(f"{language} epoch {epoch + 1}: loss {loss:.4f}, {seconds:.0f} s\n")
    treebank = [(t, a.tags[at], a.lemmas[at]) for tokens, a in labelled for at, t in enumerate(tokens)]
    lemmas = learned(treebank, lexicon_examples(data, language), language=language)
    table, project, network = trainer.weights()
    return AnalyserModel(
        language, TAGS, tuple(features), table, tuple(words), vectors, project, network, lemmas
    )


def _epoch(trainer: Trainer, examples: Sequence[Examples], epoch: int, epochs: int) -> float:
    batches = list(_batches(examples, trainer.rng))
    losses = []
    for number, batch in enumerate(batches):
        done = (epoch + number / len(batches)) / epochs
        losses.append(trainer.step(batch, rate=RATE * max(0.02, 1 - done), dropout=DROPOUT))
    return float(np.mean(losses))


def _batches(examples: Sequence[Examples], rng: np.random.Generator) -> Iterator[Examples]:
    """All sentences in a new order, some hundred tokens at a time."""
    batch: list[Examples] = []
    for at in rng.permutation(len(examples)):
        batch.append(examples[at])
        if sum(len(example.vectors) for example in batch) >= BATCH:
            yield _joined(batch, rng)
            batch = []
    if batch:
        yield _joined(batch, rng)


def _joined(batch: Sequence[Examples], rng: np.random.Generator) -> Examples:
    """A batch in one row; some features are hidden, so that the others learn to do without them."""
    features = gapped([example.features for example in batch], 0)
    vectors = gapped([example.vectors for example in batch], 0)
    shares = np.array([0.15, *[0.05] * (len(FEATURES) - 2), 0.0])
    hidden = rng.random(features.shape) < shares
    hidden |= (rng.random(len(features)) < 0.03)[:, None] & (shares > 0)
    features[hidden & (features > 0)] = 1
    vectors[hidden[:, 1]] = 0
    return Examples(features, vectors, gapped([example.heads for example in batch], -1))


def _answers(analysis: Analysis, at: int) -> tuple[int, int, int]:
    role = int(at in analysis.subjects)
    role += role and at in analysis.expletives
    return TAGS.index(analysis.tags[at]), role, int(at in analysis.null_subjects)


def _vectors(text: Iterable[Sequence[str]], kept: Path | None) -> tuple[Sequence[str], np.ndarray]:
    if kept is not None and kept.exists():
        with np.load(kept) as stored:
            return stored["words"].tolist(), stored["vectors"]
    met, vectors = word_vectors(text, words=MET_WORDS, width=WIDTH)
    words, vectors = met[:WORDS], vectors[: WORDS + 1]
    if kept is not None:
        np.savez(kept, words=np.array(words), vectors=vectors)
    return words, vectors


def _report(model: AnalyserModel, labelled: Sequence[Labelled]) -> None:
    analyser = BuiltInAnalyser(model, hash_of_model="")
    found = list(analyser.analyse(tokens for tokens, _ in labelled))
    pairs = [
        pair
        for (_, gold), ours in zip(labelled, found, strict=True)
        for pair in zip(gold.tags, ours.tags, strict=True)
    ]
    sys.stderr.write(f"tags right: {np.mean([one == other for one, other in pairs]):.4f}\n")


if __name__ == "__main__":
    main()
