"""Masks of gender and number, and the synthetic examples that permute them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
import torch

from anaphor.core import Alignment, LanguagePair, Slot, TaskSegment
from anaphor.predict.anaphor2 import windows
from anaphor.predict.anaphor2.encoding import NO_LABEL, TrainingCorpus
from anaphor.predict.anaphor2.genders import MASKS, GenderReader
from anaphor.predict.anaphor2.joint import class_numbers
from anaphor.predict.anaphor2.subwords import MASK, SLOT, Subwords, learn_pieces
from anaphor.predict.anaphor2.synthetic_examples import SyntheticExamples

MASCULINE, FEMININE, NEUTER, PLURAL = 1, 2, 4, 8


def parallel(source: str, target: str, links: Sequence[tuple[int, int]], *slots: Slot) -> TaskSegment:
    sources, targets = (tuple(link[side] for link in links) for side in range(2))
    return TaskSegment(tuple(source.split()), tuple(target.split()), slots, Alignment(sources, targets), "a")


@pytest.mark.parametrize(
    ("pair", "text", "expected"),
    [
        ("en-de", "Die Lampe ist neu .", [0, FEMININE, 0, 0, 0]),
        ("en-de", "Danach sah sie den Tisch .", [0, 0, FEMININE | PLURAL, 0, MASCULINE, 0]),
        ("en-de", "Er hilft Ihnen .", [MASCULINE, 0, 0, 0]),  # polite: no third person
        ("en-de", "Kleine sind gut .", [0, 0, 0, 0]),  # a capital at the beginning says nothing
        ("en-fr", "La lampe et le vélo marchent .", [0, FEMININE, 0, 0, MASCULINE, 0, 0]),
        ("en-fr", "elle parlait .", [FEMININE, 0, 0]),
    ],
)
def test_nouns_and_pronouns_have_masks(pair: str, text: str, expected: list[int]) -> None:
    reader = GenderReader(LanguagePair.parse(pair), forms=True)
    assert reader.masks(parallel("x", text, []))[1] == expected


def test_an_english_noun_has_the_mask_of_its_translation_and_a_pronoun_has_not() -> None:
    reader = GenderReader(LanguagePair.parse("en-de"), forms=True)
    segment = parallel("the lamp and it", "die Lampe und sie", [(0, 0), (1, 1), (3, 3), (9, 9)])
    assert reader.masks(segment) == ([0, FEMININE, 0, 0], [0, FEMININE, 0, FEMININE | PLURAL])


def test_a_hidden_pronoun_has_no_mask() -> None:
    reader = GenderReader(LanguagePair.parse("en-de"), forms=True)
    segment = parallel("it is", "sie ist", [(0, 0)], Slot(source=0, target=0, label="sie"))
    assert reader.masks(segment)[1] == [0, 0]


def test_lemmas_have_the_gender_of_the_lexicon() -> None:
    reader = GenderReader(LanguagePair.parse("en-de"), forms=False)
    segment = parallel("x", "der|DET Lampe|NOUN sein|AUX |", [])
    assert reader.masks(segment)[1] == [0, FEMININE, 0, 0]


def test_into_english_the_source_has_the_masks() -> None:
    reader = GenderReader(LanguagePair.parse("de-en"), forms=True)
    segment = parallel("die Lampe ist neu", "the lamp is new", [(1, 1)])
    assert reader.masks(segment) == ([0, FEMININE, 0, 0], [0, FEMININE, 0, 0])


GERMAN = [
    parallel("the lamp is old", "die Lampe ist alt", [(0, 0), (1, 1)]),
    parallel("it works", "REPLACE_0 geht", [(0, 0)], Slot(source=0, target=0, label="sie")),
]
FRENCH = [
    parallel("the lamp is old", "la lampe est vieille", [(0, 0), (1, 1)]),
    parallel("it works", "REPLACE_0 marche", [(0, 0)], Slot(source=0, target=0, label="elle")),
]
WITH_ES = [
    *GERMAN,
    parallel("it rains", "REPLACE_0 regnet", [(0, 0)], Slot(source=0, target=0, label="es")),
]
WORDS = "the lamp is old it works rains die Lampe ist alt geht regnet la est vieille marche er sie es il elle"


class _Batch:
    """One window of segments, as a batch of equal rows."""

    def __init__(self, segments: Sequence[TaskSegment], pair: str, rows: int = 64) -> None:
        torch.manual_seed(1)
        self.pieces = learn_pieces(dict.fromkeys(WORDS.lower().split(), 50), 400)
        corpus = TrainingCorpus.of(
            segments,
            Subwords(self.pieces),
            class_numbers(pair),
            pair=LanguagePair.parse(pair),
            forms=True,
        )
        self.corpus, encoded = corpus, corpus.encoded
        window = windows.around(encoded, windows.InputView())[0][:1]
        moved = {
            side: {
                name: torch.from_numpy(getattr(part, name))
                for name in ("pieces", "tags", "links", "segments")
            }
            for side, part in (("source", encoded.source), ("target", encoded.target))
        }
        text = type("Text", (), {side: type("Side", (), arrays) for side, arrays in moved.items()})
        places = torch.arange(int(windows.lengths_of(windows.as_rows(window))[0]))
        self.given = torch.from_numpy(corpus.given[:1]).repeat(rows, 1)
        many = torch.from_numpy(windows.as_rows(window)).repeat(rows, 1)
        self.batch, self.from_target = windows.batch_of(torch, text, many, self.given, places)
        labels = torch.full((len(encoded.target.pieces),), NO_LABEL, dtype=torch.int32)
        labels[torch.from_numpy(encoded.slot_targets).long()] = torch.from_numpy(encoded.labels)
        self.labels = torch.where(self.from_target >= 0, labels[self.from_target.clip(0)], NO_LABEL)
        self.synthetic = SyntheticExamples(self.pieces, encoded, "cpu")

    def rows(self, share: float = 1.0) -> Iterator[tuple[list[int], list[str], list[int], list[int]]]:
        """Pieces, labels by name, masks and languages of every changed row."""
        names = {number: name for pair in ("en-de", "en-fr") for name, number in class_numbers(pair).items()}
        batch, labels = self.synthetic.apply(self.batch, self.labels, self.given, self.from_target, share)
        for row in range(len(labels)):
            found = [names[one] for one in labels[row].tolist() if one != NO_LABEL]
            masks = (batch.tags[row] % MASKS).tolist()
            yield batch.pieces[row].tolist(), found, masks, batch.languages[row].tolist()


def test_a_permuted_gender_takes_the_pronoun_with_it() -> None:
    """On both sides, and no word of the translation tells the old one."""
    batch = _Batch(GERMAN, "en-de")
    form = {MASCULINE: "er", FEMININE: "sie", NEUTER: "es"}
    seen = set()
    lamp = batch.pieces.index("▁lampe")
    for pieces, labels, masks, _ in batch.rows():
        genders = {mask for mask in masks if mask}
        assert len(genders) == 1
        assert labels == [form[genders.pop()]]
        assert lamp not in pieces
        assert batch.pieces.index("▁lamp") in pieces
        seen.add(labels[0])
    assert seen == {"er", "sie", "es"}


def test_es_that_may_refer_to_nothing_stays() -> None:
    labels = {tuple(labels) for _, labels, _, _ in _Batch(WITH_ES, "en-de").rows()}
    assert labels == {("er", "es")}


def test_a_french_window_becomes_a_german_one_without_its_words() -> None:
    batch = _Batch(FRENCH, "en-fr", rows=256)
    changed = [row for row in batch.rows() if 3 in row[3]]
    assert changed
    for pieces, labels, masks, languages in changed:
        genders = {mask for mask in masks if mask}
        assert labels == [{MASCULINE: "er", FEMININE: "sie", NEUTER: "es"}[genders.pop()]]
        target = [piece for piece, language in zip(pieces, languages, strict=True) if language == 3]
        assert set(target) == {MASK, SLOT}
    assert len({labels[0] for _, labels, _, _ in changed}) == 3


def test_nothing_changes_at_a_share_of_zero() -> None:
    batch = _Batch(GERMAN, "en-de")
    assert {tuple(labels) for _, labels, _, _ in batch.rows(0.0)} == {("sie",)}


def test_a_shown_pronoun_is_text_and_no_slot() -> None:
    batch = _Batch(GERMAN, "en-de")
    shown, labels = batch.synthetic.show(batch.batch, batch.labels, 1.0)
    assert (labels == NO_LABEL).all()
    assert (shown.links == 0).all()
    here = batch.labels[0] != NO_LABEL
    assert shown.pieces[0][here].tolist() == [batch.pieces.index("▁sie")]
    assert shown.tags[0][here].tolist() == [FEMININE | PLURAL]
