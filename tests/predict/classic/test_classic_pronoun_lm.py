"""The pronoun model: which codes it reads, which candidates it has, what its rules say."""

from __future__ import annotations

import pytest

from anaphor.core import Alignment, Analysis, Slot, TaskSegment
from anaphor.predict.classic.pronoun_lm import FAMILY, codes_of, is_generic, is_untranslated, ruled
from anaphor.predict.features.context import AnalysedSegment, ContextBuilder, Requirements, SlotContext
from anaphor.predict.features.tokens import AnnotatedTokens
from anaphor.task.classes import TaskClasses

Corpus = dict[bool, list[TaskSegment]]


def scene_of(
    source: AnnotatedTokens, target: AnnotatedTokens, *, at: int, gap: int, linked: bool = True
) -> SlotContext:
    links = Alignment((at,), (gap,)) if linked else Alignment()
    segment = TaskSegment(source.words, target.words, (Slot(at, gap),), links)
    return SlotContext(AnalysedSegment(segment, source, target), segment.slots[0], 0)


SAY = AnnotatedTokens(
    "en",
    ("they", "say", "no"),
    Analysis(("they", "say", "no"), ("PRON", "VERB", "INTJ"), frozenset({0})),
)
DIT = AnnotatedTokens(
    "fr", ("<gap>", "dit", "non"), Analysis(("<gap>", "dire", "non"), ("PRON", "VERB", "ADV"))
)


def test_codes_are_genders_and_numbers_in_the_order_of_the_text(corpus: Corpus, french: TaskClasses) -> None:
    """*La maison est ici.* / *? est grande.*: one noun, feminine and singular."""
    contexts = list(
        ContextBuilder(french.pair, True, Requirements(target=True, sentences=3)).contexts(corpus[True][:6])
    )
    assert codes_of(contexts[0], 3) == ("fs",)
    assert codes_of(contexts[1], 3) == ("fs", "<gap>")  # the pronoun of the segment before is hidden too
    assert codes_of(contexts[2], 3) == ("fp",)


def test_pronouns_that_show_gender_count_like_nouns() -> None:
    words = ("elle", "voit", "un", "train", "et", "<gap>")
    tags = ("PRON", "VERB", "DET", "NOUN", "CCONJ", "PRON")
    target = AnnotatedTokens("fr", words, Analysis(words, tags), nouns=(3,))
    source = AnnotatedTokens("en", ("it",))
    assert codes_of(scene_of(source, target, at=0, gap=5), 5)[0] == "fs"


def test_the_source_pronoun_limits_the_candidates(corpus: Corpus, french: TaskClasses) -> None:
    model = FAMILY.build({"options": {"rules": False}}).fit(corpus[True], classes=french)
    for segment, found in zip(corpus[True], model.predict(corpus[True]), strict=True):
        for slot, one in zip(segment.slots, found, strict=True):
            if segment.source[slot.source] == "They":
                assert one.label in ("ils", "elles", "on")


def test_generic_they_is_on() -> None:
    assert is_generic(scene_of(SAY, DIT, at=0, gap=0))
    assert ruled(scene_of(SAY, DIT, at=0, gap=0), ("ils", "on", "OTHER")) == "on"
    assert ruled(scene_of(SAY, DIT, at=0, gap=0), ("ils", "elles")) is None  # a class never seen


def test_they_with_a_plural_noun_is_not_generic() -> None:
    words = ("doctors", "think", "they", "say", "no")
    lemmas = ("doctor", "think", "they", "say", "no")
    tags = ("NOUN", "VERB", "PRON", "VERB", "INTJ")
    source = AnnotatedTokens("en", words, Analysis(lemmas, tags, frozenset({0, 2})))
    assert not is_generic(scene_of(source, DIT, at=2, gap=0))


@pytest.mark.parametrize(("linked", "expected"), [(True, False), (False, True)])
def test_a_pronoun_without_a_link_is_untranslated(linked: bool, expected: bool) -> None:
    assert is_untranslated(scene_of(SAY, DIT, at=0, gap=0, linked=linked)) is expected


def test_an_object_before_no_verb_is_untranslated() -> None:
    source = AnnotatedTokens(
        "en", ("see", "it", "now"), Analysis(("see", "it", "now"), ("VERB", "PRON", "ADV"))
    )
    target = AnnotatedTokens(
        "fr", ("vois", "<gap>", "."), Analysis(("voir", "<gap>", "."), ("VERB", "PRON", "PUNCT"))
    )
    assert is_untranslated(scene_of(source, target, at=1, gap=1))
