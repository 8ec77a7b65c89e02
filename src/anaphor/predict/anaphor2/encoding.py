"""Segments of a task file as flat arrays: the subwords of all sentences, one after the other.

A window is then two ranges of these arrays, and nothing is copied until a batch is built.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from anaphor.core import LanguagePair, TaskSegment
from anaphor.core.array_types import Ints
from anaphor.predict.anaphor2.genders import MASKS, gender_reader
from anaphor.predict.anaphor2.subwords import DOMAINS, SLOT, Subwords

#: Languages are numbered from 1; 0 is for what belongs to none.
LANGUAGES = ("en", "fr", "de", "es")
#: Tags of lemma|TAG, universal and French ones; the first for word forms, the last for any other.
TAGS = (
    *("", ".", "ADJ", "ADP", "ADV", "AUX", "CONJ", "CCONJ", "SCONJ", "DET", "INTJ", "NOUN", "NUM", "PART"),
    *("PRON", "PROPN", "PUNCT", "SYM", "VERB", "PRT", "X"),
)
#: Slots are linked to their source pronoun by a number from 1; in a window with more slots, numbers recur.
LINKS = 15
_TAG_NUMBER = {tag: number for number, tag in enumerate(TAGS)}
#: A tag with a mask of `genders` is one number.
TAG_MASKS = len(TAGS) * MASKS
NO_LABEL = -1
#: The domain of a text of unknown kind.
ANY_DOMAIN = DOMAINS - 1
#: Domains by parts of document names: the speeches of Europarl, single sentences, books, subtitles and
#: dialogues, talks and news.
DOMAIN_NAMES = (
    ("europarl",),
    ("tatoeba",),
    ("handbook", "bible"),
    ("scat", "dialogues"),
    ("concatenated", "ted", "news"),
)


def language_numbers(pair: LanguagePair) -> tuple[int, int]:
    """The numbers of the two languages."""
    return LANGUAGES.index(pair.source) + 1, LANGUAGES.index(pair.target) + 1


@dataclass(frozen=True, slots=True)
class EncodedSide:
    """The subwords of one side of all segments; those of segment `n` are `starts[n]` to `starts[n + 1]`.

    Likewise, those of word `n` begin at `words[n]`; training does not need this.
    """

    pieces: Ints
    tags: Ints
    links: Ints
    segments: Ints
    starts: Ints
    words: Ints


@dataclass(frozen=True, slots=True)
class EncodedSegments:
    """Segments as arrays.

    `documents` has a number per segment, the same within a document. For each slot there are its segment, the
    indices of its subwords in `source.pieces` and `target.pieces`, and its class number.
    """

    source: EncodedSide
    target: EncodedSide
    documents: Ints
    slot_segments: Ints
    slot_sources: Ints
    slot_targets: Ints
    labels: Ints

    def __len__(self) -> int:
        return len(self.documents)


class _SideBuilder:
    """A side under construction, word by word; `ends` counts the words up to each segment's end."""

    def __init__(self) -> None:
        self.pieces, self.sizes, self.tags, self.links = array("i"), array("i"), array("i"), array("i")
        self.ends = array("i", [0])

    def add(self, words: Sequence[tuple[int, ...]], tags: Sequence[int], links: Mapping[int, int]) -> None:
        """Add the words of a segment; `links` has the link numbers of some of them."""
        self.pieces.extend(chain.from_iterable(words))
        self.sizes.extend(map(len, words))
        self.tags.extend(tags)
        row = array("i", bytes(self.links.itemsize * len(words)))
        for place, link in links.items():
            row[place] = link
        self.links.extend(row)
        self.ends.append(len(self.sizes))

    def side(self) -> EncodedSide:
        sizes = _numbers(self.sizes)
        words = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        starts = words[_numbers(self.ends)]
        segments = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        tags, links = (np.repeat(_numbers(of_words), sizes) for of_words in (self.tags, self.links))
        return EncodedSide(_numbers(self.pieces), tags, links, segments, starts, words)


def encode(
    segments: Iterable[TaskSegment],
    subwords: Subwords,
    classes: Mapping[str, int] | None,
    *,
    pair: LanguagePair,
    forms: bool,
) -> EncodedSegments:
    """Segments as arrays; `classes` numbers the labels; a slot without a label has `NO_LABEL`.

    Without `classes` labels are ignored. With `forms` the target has word forms, otherwise `lemma|TAG`. A
    segment without a document id is treated as a document. The tag of a subword is that of its word, with its
    readings from `genders`.
    """
    genders = gender_reader(pair, forms=forms)
    source, target = _SideBuilder(), _SideBuilder()
    documents, numbers = array("i"), dict[str | int, int]()
    slots, sources, targets, labels = array("i"), array("i"), array("i"), array("i")
    for number, segment in enumerate(segments):
        key = number if segment.document is None else segment.document
        documents.append(numbers.setdefault(key, len(numbers)))
        source_links, target_links = dict[int, int](), dict[int, int]()
        for slot in segment.slots:
            link = len(labels) % LINKS + 1
            # Two slots may share a source pronoun, which keeps the link of the first.
            source_links.setdefault(slot.source, link)
            target_links[slot.target] = link
            slots.append(number)
            sources.append(len(source.sizes) + slot.source)
            targets.append(len(target.sizes) + slot.target)
            labels.append(NO_LABEL if classes is None or slot.label is None else classes[slot.label])
        source_masks, masks = genders.masks(segment)
        source.add(subwords.encode_all(segment.source), source_masks, source_links)
        if forms:
            words, tags = subwords.encode_all(segment.target), masks
        else:
            pairs = [_lemma_and_tag(token) for token in segment.target]
            words = subwords.encode_all([lemma for lemma, _ in pairs])
            tags = [tag * MASKS + mask for (_, tag), mask in zip(pairs, masks, strict=True)]
        for place in target_links:
            words[place], tags[place] = (SLOT,), 0
        target.add(words, tags, target_links)
    source_side, target_side = source.side(), target.side()
    return EncodedSegments(
        source=source_side,
        target=target_side,
        documents=_numbers(documents),
        slot_segments=_numbers(slots),
        slot_sources=source_side.words[_numbers(sources)],
        slot_targets=target_side.words[_numbers(targets)],
        labels=_numbers(labels),
    )


def _lemma_and_tag(token: str) -> tuple[str, int]:
    lemma, bar, tag = token.rpartition("|")
    return (lemma, _TAG_NUMBER.get(tag, len(TAGS) - 1)) if bar and lemma else (token, 0)


def _numbers(values: Any) -> Ints:
    return np.array(values, dtype=np.int32)


def domain_of(document: str | None) -> int:
    """The number of a domain, from a document name."""
    name = (document or "").lower()
    for number, names in enumerate(DOMAIN_NAMES):
        if any(one in name for one in names):
            return number
    return ANY_DOMAIN


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """Encoded segments; `given` has a row per segment: domain, source and target language."""

    encoded: EncodedSegments
    given: Ints

    @classmethod
    def of(
        cls,
        segments: Sequence[TaskSegment],
        subwords: Subwords,
        classes: Mapping[str, int],
        *,
        pair: LanguagePair,
        forms: bool,
    ) -> TrainingCorpus:
        """The segments of one sub-task."""
        languages = language_numbers(pair)
        given = np.array([(domain_of(segment.document), *languages) for segment in segments], dtype=np.int32)
        return cls(encode(segments, subwords, classes, pair=pair, forms=forms), given)
