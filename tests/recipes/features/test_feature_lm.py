"""The group that learns: it must not know the answers of the text it learned from."""

from __future__ import annotations

from anaphor.core import Alignment, LanguagePair, Slot, TaskSegment
from anaphor.recipes.features.context import ContextBuilder, Requirements
from anaphor.recipes.features.lm import LmGroup, TrainedLmGroup
from anaphor.task.classes import task_classes

FRENCH = task_classes(LanguagePair("en", "fr"), year=2016)


def segment(document: str, verb: str, label: str) -> TaskSegment:
    slot = Slot(0, 1, label, label)
    return TaskSegment(("it", "x"), ("donc", "REPLACE_0", verb), (slot,), Alignment((0,), (1,)), document)


# The names fall into different halves. Each half shows its own verb with its own pronoun.
SEGMENTS = [segment("a", "dort", "elle")] * 6 + [segment("d", "mange", "il")] * 6


def shares(group: TrainedLmGroup, one: TaskSegment) -> dict[str, float]:
    context = next(ContextBuilder(FRENCH.pair, True, Requirements()).contexts([one]))
    group.precompute([context])
    numbers = dict(found for found in group.features(context) if isinstance(found, tuple))
    return {name.removeprefix("lm.share="): share for name, share in numbers.items()}


def test_training_text_is_read_with_the_model_of_the_other_half() -> None:
    group = LmGroup(order=2).learn(SEGMENTS, classes=FRENCH, forms=True)
    own = shares(group, SEGMENTS[0])
    assert own["il"] > own["elle"]  # the half that has mange knows nothing of elle
    other = shares(group, SEGMENTS[-1])
    assert other["elle"] > other["il"]


def test_other_text_is_read_with_the_first_model() -> None:
    group = LmGroup(order=2).learn(SEGMENTS, classes=FRENCH, forms=True).unseen()
    assert len(group.models) == 1
    for one in (SEGMENTS[0], SEGMENTS[-1]):
        found = shares(group, one)
        assert found["il"] > found["elle"]  # the first half is that of document d


def test_shares_sum_to_one_and_the_class_of_the_best_word_is_named() -> None:
    """The best word is il, though the many words of OTHER are likelier together."""
    group = LmGroup(order=2).learn(SEGMENTS, classes=FRENCH, forms=True).unseen()
    assert abs(sum(shares(group, SEGMENTS[0]).values()) - 1) < 1e-9
    context = next(ContextBuilder(FRENCH.pair, True, Requirements()).contexts(SEGMENTS))
    group.precompute([context])
    names = [one for one in group.features(context) if isinstance(one, str)]
    assert names == ["lm=il", "lm=il&it"]


def test_a_text_of_one_document_is_learned_whole() -> None:
    group = LmGroup(order=2).learn(SEGMENTS[:6], classes=FRENCH, forms=True)
    assert shares(group, SEGMENTS[0])["elle"] > 0.3
