"""Which segments a context sees, and what is said of their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from anaphor.core import Alignment, LanguagePair, Slot, TaskSegment
from anaphor.recipes.features import context as context_module
from anaphor.recipes.features.antecedents import Antecedents, ClosestNoun
from anaphor.recipes.features.context import ContextBuilder, Requirements, SlotContext, joint_requirements
from anaphor.recipes.features.tokens import HIDDEN, noun_places

PAIR = LanguagePair("en", "fr")


def segment(source: str, target: str, document: str | None) -> TaskSegment:
    tokens = tuple(target.split())
    slots = tuple(
        Slot(int(token[8:]), place) for place, token in enumerate(tokens) if token.startswith("REPLACE_")
    )
    return TaskSegment(tuple(source.split()), tokens, slots, Alignment(), document)


SEGMENTS = [
    segment("The house", "La maison", "a"),
    segment("It is old", "REPLACE_0 est vieille", "a"),
    segment("It is big", "REPLACE_0 est grande", "b"),
    segment("A car", "Une voiture", None),
    segment("It is red", "REPLACE_0 est rouge", None),
]


def test_a_context_has_preceding_segments_of_its_document_only() -> None:
    contexts = list(ContextBuilder(PAIR, True, Requirements(sentences=2)).contexts(SEGMENTS))
    seen = [[analysed.segment for analysed in context.before] for context in contexts]
    assert seen == [[SEGMENTS[0]], [], []]  # the last two: another document, none known


def test_the_nearest_segment_comes_first() -> None:
    many = [replace(SEGMENTS[0], document="a"), replace(SEGMENTS[3], document="a"), SEGMENTS[1]]
    context = next(ContextBuilder(PAIR, True, Requirements(sentences=5)).contexts(many))
    assert [analysed.segment.source[-1] for analysed in context.before] == ["car", "house"]


@pytest.mark.parametrize("count", [1, 2047, 2048, 2049, 5000])
def test_long_texts_have_the_same_contexts_across_batches(count: int) -> None:
    many = [replace(SEGMENTS[1], source=(f"it{number}",)) for number in range(count)]
    contexts = [*ContextBuilder(PAIR, True, Requirements(sentences=2)).contexts(many)]
    assert len(contexts) == count
    for number, context in enumerate(contexts):
        assert context.pronoun == f"it{number}"
        assert [analysed.source.words[0] for analysed in context.before] == [
            f"it{before}" for before in range(number - 1, max(number - 3, -1), -1)
        ]


def test_nothing_is_analysed_unless_required() -> None:
    context = next(ContextBuilder(PAIR, True, Requirements()).contexts(SEGMENTS))
    assert (context.here.source.tags, context.here.target.tags) == ((), ())
    assert context.here.target.words == (HIDDEN, "est", "vieille")


def test_word_forms_are_analysed_with_a_pronoun_in_the_gap() -> None:
    context = next(ContextBuilder(PAIR, True, Requirements(source=True, target=True)).contexts(SEGMENTS))
    assert context.here.source.tags[0] == "PRON"
    assert context.here.target.tags[0] == "PRON"
    assert context.here.target.lemmas[1] == "être"
    assert context.here.target.words[0] == HIDDEN


def test_lemmas_and_tags_of_a_file_are_used_as_given() -> None:
    tagged = segment("It is old", "REPLACE_0 Être|VERB |x|X odd", "a")
    target = next(ContextBuilder(PAIR, False, Requirements(target=True)).contexts([tagged])).here.target
    assert target.words == (HIDDEN, "être", "|x", "odd")
    assert target.tags == ("PRON", "VERB", "X", "X")
    assert target.lemmas == target.words


def test_a_language_without_an_analyser_has_only_words() -> None:
    context = next(
        ContextBuilder(LanguagePair("en", "cs"), True, Requirements(target=True)).contexts(SEGMENTS)
    )
    assert context.here.target.tags == ()


def test_requirements_are_joined() -> None:
    assert joint_requirements(
        [Requirements(source=True), Requirements(sentences=3), Requirements(sentences=1)]
    ) == Requirements(source=True, sentences=3)
    assert joint_requirements([]) == Requirements()


STORY = [
    segment("The old man saw a dog .", "Le vieux homme a vu un chien .", "a"),
    segment("The house near the church has a door .", "La maison près de l' église a une porte .", "a"),
    segment("He likes the garden .", "REPLACE_0 aime le jardin .", "a"),
    segment(
        "Marie came with the dog , and it barked .",
        "Marie est venue avec le chien et REPLACE_8 a aboyé .",
        "a",
    ),
    segment("They left .", "REPLACE_0 sont partis .", "a"),
    segment("It rains .", "REPLACE_0 pleut .", "b"),
]
LOOKING_BACK = [
    Antecedents(side="both", sentences=4),
    Antecedents(side="target", nouns=1, names=0, determiners=0, sentences=3),
    Antecedents(side="source", nouns=0, names=2, determiners=3, sentences=4),
    Antecedents(side="both", nouns=1, names=1, determiners=1, sentences=3, words=False),
    ClosestNoun(sentences=4),
    ClosestNoun(sentences=3, subjects=True),
]


@pytest.mark.parametrize("group", LOOKING_BACK, ids=repr)
def test_sufficient_contexts_give_the_same_features_as_full_ones(group: Antecedents | ClosestNoun) -> None:
    lazy = list(ContextBuilder(PAIR, True, group.requirements).contexts(STORY))
    whole = list(ContextBuilder(PAIR, True, replace(group.requirements, sufficient=())).contexts(STORY))
    assert [group.features(context) for context in lazy] == [group.features(context) for context in whole]
    assert sum(len(context.before) for context in whole) == 2 + 3 + min(group.sentences, 4)


def test_a_context_reaches_back_until_it_suffices_for_all_groups() -> None:
    def sees(count: int) -> Requirements:
        return Requirements(sentences=3, sufficient=(lambda context: len(context.before) >= count,))

    def lengths(requirements: Requirements) -> list[int]:
        return [len(context.before) for context in ContextBuilder(PAIR, True, requirements).contexts(STORY)]

    assert lengths(sees(0)) == [0, 0, 0, 0]
    assert lengths(joint_requirements([sees(1), sees(2)])) == [2, 2, 2, 0]
    assert lengths(joint_requirements([sees(1), Requirements(sentences=2)])) == [
        2,
        3,
        3,
        0,
    ]  # one does not say what is enough
    assert lengths(joint_requirements([sees(1), Requirements(source=True)])) == [
        1,
        1,
        1,
        0,
    ]  # one does not look back at all


def test_each_context_of_a_segment_reaches_back_on_its_own() -> None:
    two = segment("It and it", "REPLACE_0 et REPLACE_2", "a")

    def enough(context: SlotContext) -> bool:
        return context.number == 1

    contexts = list(
        ContextBuilder(PAIR, True, Requirements(sentences=1, sufficient=(enough,))).contexts(
            [SEGMENTS[0], two]
        )
    )
    assert [len(context.before) for context in contexts] == [1, 0]


def test_layers_of_one_token_and_of_all_tokens_agree() -> None:
    tagged = segment("It is old", "REPLACE_0 Être|VERB |x|X odd Vieux|ADJ", "a")
    written = segment("It is the Old houses", "REPLACE_0 sont les Vieilles maisons", "a")
    requirements = Requirements(source=True, target=True)
    for one, forms in ((tagged, False), (written, True)):
        here = next(ContextBuilder(PAIR, forms, requirements).contexts([one])).here
        for tokens in (here.source, here.target):
            places = range(len(tokens))
            assert tuple(map(tokens.word, places)) == tokens.words
            assert tuple(map(tokens.lemma, places)) == tokens.lemmas
            assert tuple(map(tokens.tag, places)) == tokens.tags


def test_nouns_and_determiners_are_found_in_many_sentences() -> None:
    tags = [("DET", "NOUN"), (), ("VERB", "PROPN", "DET"), ("X",)]
    expected: list[tuple[list[int], list[int]]] = [([1], [0]), ([], []), ([1], [2]), ([], [])]
    assert list(noun_places(tags)) == expected
    tokens = [tuple(f"a|{tag}" for tag in one) for one in tags]
    assert list(noun_places(tokens, split=True)) == expected
    assert list(noun_places([])) == []


def test_a_sentence_is_analysed_once_until_the_memory_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_module, "_CACHED", 3)
    analyser, analysed = context_module._CachingAnalyser("fr"), []
    real = analyser._analyser.analyse

    def analyse(sentences: Sequence[Sequence[str]]) -> Any:
        analysed.append(len(sentences))
        return real(sentences)

    monkeypatch.setattr(analyser._analyser, "analyse", analyse)
    first, second, third, fourth = (("Il", "pleut", mark) for mark in ".!?;")
    found = analyser.analyse([first, second])
    assert analyser.analyse([second, first]) == found[::-1]
    assert analyser.analyse([first, third])[0] == found[0]
    assert analysed == [2, 1], "only what is new"
    analyser.analyse([first, fourth])  # a fifth would not fit: all are forgotten
    assert analysed == [2, 1, 2]
