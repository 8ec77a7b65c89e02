"""Words as numbers, shard by shard, and one vocabulary for all shards.

A shard numbers its words in order of first occurrence. Merging the vocabularies in shard order then gives the
numbering of one process that reads the whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from anaphor import __version__
from anaphor.align import SentencePair, best_engine
from anaphor.align.model import Bitext
from anaphor.align.pairs import tokenizers
from anaphor.align.train import in_pieces
from anaphor.align.vocabulary import Parts, WordVocabulary, load_packs, number_pairs, parts_of
from anaphor.core import LanguagePair, digest
from anaphor.core.array_types import Longs
from anaphor.files.arrays import pack_arrays, pack_strings, unpack_strings
from anaphor.scale.result_store import Arrays, ResultStore, StoredTaskResult
from anaphor.task.prepare.texts import ParallelText

SIDES = ("source", "target")
#: Tokens of a language whose words a worker remembers from one shard to the next.
_REMEMBERED = 1 << 17


@dataclass(frozen=True, slots=True)
class TokenizationConfig:
    """How lines become words: the languages, whether they are tokenized, and the user's packs."""

    pair: LanguagePair
    tokenized: bool = False
    packs: Path | None = None

    def cut(self, text: ParallelText) -> Iterator[SentencePair]:
        """The tokens of every pair."""
        source, target = tokenizers(self.pair, tokenized=self.tokenized, packs=self.packs)
        return ((source(pair.source), target(pair.target)) for pair in text.read())

    def signature(self) -> str:
        """Everything other than the text that can change a number."""
        packs = load_packs(self.pair, self.packs)
        known = [pack.digest for pack in (packs.source, packs.target) if pack is not None]
        return "+".join([__version__, str(self.pair), str(self.tokenized), *known])

    def vocabularies(self) -> tuple[WordVocabulary, WordVocabulary]:
        """Two empty ones for the languages."""
        return load_packs(self.pair, self.packs).vocabularies()


@dataclass(frozen=True, slots=True)
class NumberShard:
    """The task: tokenize and number every `step`-th pair of a shard, from pair `first` on."""

    shard: str
    text: ParallelText
    hashes: tuple[str, ...]
    tokenization: TokenizationConfig
    step: int = 1
    first: int = 0

    @property
    def name(self) -> str:
        return f"numbers/{self.shard}"

    def key(self) -> str:
        content = (self.tokenization.signature(), self.step, self.first, repr(self.text), *self.hashes)
        return digest(str(value).encode() for value in content)

    def make(self, store: ResultStore) -> StoredTaskResult:  # noqa: ARG002
        source, target = map(WordVocabulary, _remembered(self.tokenization))
        pairs = islice(self.tokenization.cut(self.text), self.first, None, self.step)
        return numbered_shard(pairs, source, target)


@cache
def _remembered(tokenization: TokenizationConfig) -> tuple[Parts, Parts]:
    """How tokens become words in both languages, cached because shards have most tokens in common."""
    packs = load_packs(tokenization.pair, tokenization.packs)
    source, target = (lru_cache(_REMEMBERED)(parts_of(pack)) for pack in (packs.source, packs.target))
    return source, target


def numbered_shard(
    pairs: Iterator[SentencePair], source: WordVocabulary, target: WordVocabulary
) -> StoredTaskResult:
    """Files with a shard's text as numbers, the different words of its sentences, and its forms."""
    text = number_pairs(pairs, source=source, target=target).text
    types = best_engine().types(in_pieces(text))
    forms = {
        side: pack_strings(tuple(vocabulary.forms))
        for side, vocabulary in zip(SIDES, (source, target), strict=True)
    }
    counts = {
        f"{side}_{what}": np.bincount(getattr(pairs, side), minlength=len(vocabulary))
        for what, pairs in (("words", text), ("sentences", types))
        for side, vocabulary in zip(SIDES, (source, target), strict=True)
    }
    files = {
        "text": pack_arrays(_arrays(text)),
        "types": pack_arrays(_arrays(types)),
        "forms": pack_arrays({**forms, **counts}),
    }
    return StoredTaskResult(files, {"pairs": len(text), "words": len(text.source), "sentences": len(types)})


@dataclass(frozen=True, slots=True, eq=False)
class VocabularyTotals:
    """The vocabularies of all shards, how often each word occurs, and how many sentences have it."""

    vocabularies: tuple[WordVocabulary, WordVocabulary]
    source_words: Longs
    target_words: Longs
    source_sentences: Longs
    target_sentences: Longs


def merge_vocabularies(
    shards: Sequence[str], store: ResultStore, empty: tuple[WordVocabulary, WordVocabulary]
) -> VocabularyTotals:
    """One numbering for all shards, and for each shard a file that maps its own numbers to it."""
    # In the order of the shards, whichever was finished first, so that numbers do not depend on workers.
    for shard in shards:
        stored = store.read_arrays(f"numbers/{shard}", "forms")
        numbers: Arrays = {
            side: vocabulary.number_forms(unpack_strings(stored[side]))
            for side, vocabulary in zip(SIDES, empty, strict=True)
        }
        store.write(f"numbers/{shard}", "map", pack_arrays(numbers))
    totals = {
        f"{side}_{what}": np.zeros(len(vocabulary), np.int64)
        for what in ("words", "sentences")
        for side, vocabulary in zip(SIDES, empty, strict=True)
    }
    for shard in shards:
        stored, numbers = (store.read_arrays(f"numbers/{shard}", suffix) for suffix in ("forms", "map"))
        for name, total in totals.items():
            total[numbers[name.partition("_")[0]]] += stored[name]
    return VocabularyTotals(empty, **totals)


def read_shard(shard: str, store: ResultStore, *, what: str = "text") -> Bitext:
    """The text, or the `types`, of a shard in the numbers of all shards."""
    stored, numbers = (store.read_arrays(f"numbers/{shard}", suffix) for suffix in (what, "map"))
    source, target = (numbers[side][stored[side]] for side in SIDES)
    return Bitext(source, stored["source_start"], target, stored["target_start"])


def _arrays(text: Bitext) -> Arrays:
    names = ("source", "source_start", "target", "target_start")
    return {name: getattr(text, name) for name in names}
