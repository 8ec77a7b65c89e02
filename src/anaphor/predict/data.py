"""What a predictor may learn from and be asked about, checked before any long work."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, Protocol

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, TaskSegment, digest
from anaphor.predict.contract import ModelCard
from anaphor.task.classes import TaskClasses

_LOOKED_AT = 200  # segments that show the style of a file
_ODD = 0.05  # the share of tokens that may look like the other style by chance


def check_training(segments: Sequence[TaskSegment], classes: TaskClasses) -> tuple[str, ...]:
    """The classes that occur, in the order of the sub-task.

    A class that never occurs is a warning, for it can never be predicted; a slot without a label, a label
    that the sub-task does not have, or fewer than two classes are errors.
    """
    counts: Counter[str] = Counter()
    for number, segment in enumerate(segments, start=1):
        for slot in segment.slots:
            if slot.label is None:
                raise _unusable(f"segment {number} has a placeholder without a label", number)
            counts[slot.label] += 1
    unknown = [label for label in counts if label not in classes.classes]
    if unknown:
        raise _unusable(f"{classes.pair} of {classes.year} has no class {', '.join(sorted(unknown))}", None)
    present = tuple(label for label in classes.classes if counts[label])
    if len(present) < 2:
        raise _unusable(f"there are {len(present)} classes to tell apart", None)
    if len(present) < len(classes.classes):
        missing = ", ".join(label for label in classes.classes if not counts[label])
        warnings.warn(
            f"the training data never has {missing}, so it cannot be predicted", InputWarning, stacklevel=2
        )
    return present


def _unusable(what: str, segment: int | None) -> InputError:
    return InputError(
        what,
        where="the training data" if segment is None else f"the training data, segment {segment}",
        fix="give prepared data of this pair and year with the classes in column 1",
    )


def has_forms(segments: Iterable[TaskSegment]) -> bool:
    """Whether targets have word forms (2015) instead of `lemma|TAG` (2016, 2017); a mixture is an error."""
    tagged = total = 0
    for segment in islice((segment for segment in segments if segment.target), _LOOKED_AT):
        hidden = {slot.target for slot in segment.slots}
        tokens = [token for place, token in enumerate(segment.target) if place not in hidden]
        tagged += sum("|" in token[1:-1] for token in tokens)
        total += len(tokens)
    if total * _ODD < tagged < total * (1 - _ODD):
        raise InputError(
            f"{tagged} of the first {total} target tokens have a tag",
            where="the data",
            fix="give data of one style: prepare all of it in the same way",
        )
    return tagged * 2 <= total


def described(segments: Sequence[TaskSegment]) -> dict[str, Any]:
    """Number of segments and slots and the hash of it all, for the card of a model."""
    slots = sum(len(segment.slots) for segment in segments)
    return {"segments": len(segments), "slots": slots, "hash": digest(_lines(segments))}


def _lines(segments: Iterable[TaskSegment]) -> Iterator[bytes]:
    """All that a model learns from, a line for each segment; cards of saved models hold the hash of these."""
    written = _Written().__getitem__
    for segment in segments:
        links = segment.alignment
        columns = (
            str(segment.document),
            " ".join([str(slot.label) for slot in segment.slots]),
            " ".join(segment.source),
            " ".join(segment.target),
            _in_brackets(links.sources, written) + _in_brackets(links.targets, written),
        )
        yield "\t".join(columns).encode()


class _Written(dict[int, str]):
    """Numbers as text, each written once: places in sentences are few, and links are many."""

    def __missing__(self, number: int) -> str:
        text = self[number] = str(number)
        return text


def _in_brackets(numbers: tuple[int, ...], written: Callable[[int], str]) -> str:
    """What `str` gives of them, in half the time."""
    return f"({', '.join(map(written, numbers))})" if len(numbers) > 1 else str(numbers)


def check_fit(card: ModelCard, *, classes: TaskClasses, segments: Sequence[TaskSegment]) -> None:
    """An error where a model was trained for another pair, other classes or the other style of targets."""
    if card.pair != str(classes.pair):
        raise _misfit(f"the model is for {card.pair}, not {classes.pair}", card)
    if card.classes != classes.classes:
        raise _misfit(f"the model has the classes of {card.year}, not of {classes.year}", card)
    if card.forms != has_forms(segments):
        styles = ("lemmas with tags", "word forms")
        raise _misfit(f"the model knows {styles[card.forms]}, the data has {styles[not card.forms]}", card)


def _misfit(what: str, card: ModelCard) -> MismatchError:
    return MismatchError(
        what, where=f"the model of {card.recipe}", fix="use a model that was trained for data like this"
    )


class Recipe(Protocol):
    """A predictor that knows which recipe it is and what that says."""

    @property
    def recipe(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, Any]: ...


def card_of(
    predictor: Recipe,
    segments: Sequence[TaskSegment],
    dev: Sequence[TaskSegment],
    classes: TaskClasses,
    *,
    family: str,
    version: int,
) -> ModelCard:
    """What a model says of itself: where it comes from, and what it can be asked."""
    return ModelCard(
        recipe=predictor.recipe,
        family=family,
        version=version,
        pair=str(classes.pair),
        year=classes.year,
        forms=has_forms(segments),
        classes=classes.classes,
        options=dict(predictor.settings),
        trained_on={"train": described(segments), "dev": described(dev)},
    )


def capped(segments: Sequence[TaskSegment], *, slots: int, seed: int) -> tuple[TaskSegment, ...]:
    """Documents in a random order until they have `slots` placeholders, given back in the order of the file.

    Context stays whole: no document is cut, so the last one may bring a few more. Segments without documents
    are samples on their own.
    """
    if slots < 1:
        raise OptionError(f"no number of placeholders: {slots}", where="--slots", fix="give 1 or more")
    documents = _documents(segments)
    order = list(range(len(documents)))
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret depends on it
    kept, total = set(), 0
    for number in order:
        if total >= slots:
            break
        kept.add(number)
        total += sum(len(segment.slots) for segment in documents[number])
    return tuple(segment for number in sorted(kept) for segment in documents[number])


def _documents(segments: Sequence[TaskSegment]) -> list[list[TaskSegment]]:
    """Runs of segments with the same id; those without an id alone."""
    numbered = enumerate(segments)
    runs = groupby(numbered, key=lambda entry: entry[1].document or entry[0])
    return [[segment for _, segment in run] for _, run in runs]
