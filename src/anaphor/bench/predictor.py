"""A predictor of pronouns as a scorer of variants: the probability of the pronoun in which variants differ.

The pronoun is hidden in every variant in turn and predicted from the rest. Variants often differ in a second
word that agrees with it (*elle est partie*), which would give the answer away: the probabilities are averaged
over the texts of all variants, so none has an advantage.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

import numpy as np

from anaphor.bench.items import Bench, BenchItem
from anaphor.bench.scores import VariantScores, require_contrastive
from anaphor.core import Alignment, InputWarning, MismatchError, Sentence, Slot, TaskSegment
from anaphor.languages import Tokenizer, fold, load_language
from anaphor.predict.contract import Model
from anaphor.task.classes import TaskClasses, task_classes
from anaphor.task.lines import PLACEHOLDER


def predictor_scores(bench: Bench, model: Model, *, context: bool = True) -> VariantScores:
    """Score every variant by the probability of its pronoun.

    Args:
        bench: The bench, whose items have at least two variants each.
        model: A predictor of word forms, as returned by `anaphor.predict.shipped.find_model`.
        context: Whether the model sees the sentences before the tested one.

    Returns:
        The probabilities. If the variants of an item do not differ in a pronoun that the model knows, they
        all get 0, so they tie; a note says how many items this affects.

    Raises:
        UserError: The model is for another pair.
    """
    require_contrastive(bench)
    if model.card.pair != str(bench.pair):
        what = f"the model is for {model.card.pair}, not for {bench.pair}"
        raise MismatchError(what, where=model.card.recipe, fix="use a model for the pair of the set")
    classes = task_classes(bench.pair, year=model.card.year)
    source, target = (Tokenizer(load_language(code)) for code in (bench.pair.source, bench.pair.target))
    segments: list[TaskSegment] = []
    # For every item, the class of each variant; None where the task has no slot for an item.
    labels: list[list[str] | None] = []
    for item in bench.items:
        position = _source_token(item, source(item.source[-1]), classes)
        slots = None if position is None else _slots(item, target, classes)
        labels.append(None if slots is None else [label for _, _, label in slots])
        if position is None or slots is None:
            continue
        for variant, (sentence, place, _) in enumerate(slots):
            document = f"{item.id}\n{variant}"
            if context:
                segments += _context(item, variant, source, target, document)
            words = source(item.source[-1]).tokens
            tokens = list(sentence.tokens)
            tokens[place] = f"{PLACEHOLDER}_{position}"
            links = Alignment((position,), (place,))
            segments.append(TaskSegment(words, tuple(tokens), (Slot(position, place),), links, document))
    predictions = (prediction for segment in model.predict(segments) for prediction in segment)
    values: list[float] = []
    for item, named in zip(bench.items, labels, strict=True):
        if named is None:
            values += [0.0] * len(item.variants)
            continue
        shares = np.mean([next(predictions).probabilities for _ in named], axis=0)
        by_class = dict(zip(model.card.classes, shares.tolist(), strict=True))
        values += [by_class[label] for label in named]
    if context:
        _warn_of_missing_context(bench)
    if missing := labels.count(None):
        count = f"{missing} of {len(labels)} items of {bench.name}"
        note = f"{count} do not differ in a pronoun that the model knows: ties"
        warnings.warn(note, InputWarning, stacklevel=2)
    return VariantScores(model.card.recipe, "anaphor", np.array(values), higher_is_better=True)


def _warn_of_missing_context(bench: Bench) -> None:
    """Warn if antecedents are in sentences that the bench does not have: no model could find them."""
    blind = sum((item.distance or 0) >= len(item.source) for item in bench.items)
    if blind:
        note = (
            f"in {blind} of {len(bench.items)} items of {bench.name} the antecedent is in a sentence that "
            "the file lacks; make the bench with its context files"
        )
        warnings.warn(note, InputWarning, stacklevel=3)


def _slots(
    item: BenchItem, target: Tokenizer, classes: TaskClasses
) -> list[tuple[Sentence, int, str]] | None:
    """For every variant, its tokens, the position of its pronoun and the pronoun's class; None if a variant
    has none.
    """
    sentences = [target(variant) for variant in item.variants]
    words = [[fold(token) for token in sentence.tokens] for sentence in sentences]
    slots = []
    for at, sentence in enumerate(sentences):
        other = words[1 if at == 0 else 0]
        place = _different(words[at], other, classes.members)
        if place is None:
            return None
        slots.append((sentence, place, classes.members[words[at][place]]))
    # Forms of one class, such as those of two cases, cannot be told apart.
    return slots if len({label for _, _, label in slots}) == len(slots) else None


def _different(words: Sequence[str], other: Sequence[str], members: Mapping[str, str]) -> int | None:
    """The first pronoun of the classes in which a variant differs from another one."""
    matcher = SequenceMatcher(None, words, other, autojunk=False)
    for kind, start, end, _, _ in matcher.get_opcodes():
        if kind != "equal":
            for place in range(start, end):
                if words[place] in members:
                    return place
    return None


def _source_token(item: BenchItem, sentence: Sentence, classes: TaskClasses) -> int | None:
    """The source token to predict from: that of the slot, otherwise the first pronoun of the task, if any."""
    for at, (token, start) in enumerate(zip(sentence.tokens, sentence.starts, strict=True)):
        if item.slot is not None:
            if start <= item.slot.start < start + len(token):
                return at
        elif fold(token) in classes.source_pronouns:
            return at
    return None


def _context(
    item: BenchItem, variant: int, source: Tokenizer, target: Tokenizer, document: str
) -> list[TaskSegment]:
    """The sentences before the tested one; those without a known translation have an empty target."""
    before = item.target(variant)[:-1]
    missing = len(item.source) - 1 - len(before)
    pairs = zip(item.source[:-1], (*[""] * missing, *before), strict=True)
    return [
        TaskSegment(source(line).tokens, target(other).tokens, (), Alignment((), ()), document)
        for line, other in pairs
    ]
