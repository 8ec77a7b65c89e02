"""The pronoun model: which codes it reads, which candidates it has, what its rules say."""

from __future__ import annotations

import pytest

from anaphor.core import Alignment, Analysis, Slot, TaskSegment
from anaphor.recipes.classic.pronoun_lm import FAMILY, codes_of, is_generic, is_untranslated, ruled
from anaphor.recipes.features.context import AnalysedSegment, ContextBuilder, Requirements, SlotContext
from anaphor.recipes.features.tokens import AnnotatedTokens
from anaphor.task.classes import TaskClasses

Corpus = dict[bool, list[TaskSegment]]


def scene_of(source: AnnotatedTokens, target: AnnotatedTokens, *, at: int, gap: int) -> SlotContext:
    segment = TaskSegment(source.words, target.words, (Slot(at, gap),), Alignment((at,), (gap,)))
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
    labels = [
        prediction.label
        for segment, predictions in zip(corpus[True], model.predict(corpus[True]), strict=True)
        for slot, prediction in zip(segment.slots, predictions, strict=True)
        if segment.source[slot.source] == "They"
    ]
    assert labels
    assert {*labels} <= {"ils", "elles", "on"}


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


@pytest.mark.parametrize(
    ("following", "expected"),
    [
        pytest.param("VERB", False, id="? dit"),
        pytest.param("ADV PRON AUX VERB", False, id="? ne l'a dit"),
        pytest.param("DET NOUN VERB", True, id="? le chien dort: the subject is a noun"),
        pytest.param("ADP NOUN", True, id="? de pain"),
        pytest.param("", True, id="at the end"),
    ],
)
def test_a_placeholder_without_a_verb_behind_it_is_untranslated(following: str, expected: bool) -> None:
    """Every placeholder has a link, so that only the target shows it."""
    tags = ("PRON", *following.split())
    words = ("<gap>", *(f"w{n}" for n in range(1, len(tags))))
    target = AnnotatedTokens("fr", words, Analysis(words, tags))
    assert is_untranslated(scene_of(SAY, target, at=0, gap=0)) is expected
    labels = ("ils", "OTHER")
    assert (ruled(scene_of(SAY, target, at=0, gap=0), labels) == "OTHER") is expected


def test_an_object_before_no_verb_is_untranslated() -> None:
    source = AnnotatedTokens(
        "en", ("see", "it", "now"), Analysis(("see", "it", "now"), ("VERB", "PRON", "ADV"))
    )
    target = AnnotatedTokens(
        "fr", ("vois", "<gap>", "."), Analysis(("voir", "<gap>", "."), ("VERB", "PRON", "PUNCT"))
    )
    assert is_untranslated(scene_of(source, target, at=1, gap=1))
