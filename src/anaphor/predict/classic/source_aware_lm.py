"""The source-aware language model of UPPSALA: placeholders know the pronoun that they translate.

In training every hidden word becomes one token of source pronoun and class (`REPLACE:it:elle`), the rest of
the target stays as it is. In prediction all classes are tried at every placeholder of a sentence together.
With `function_of_it`, an *it* carries what the package's classifier says of it (`REPLACE:it-event:cela`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair, Prediction, Slot, TaskSegment
from anaphor.predict.classic.option_family import OptionFamily
from anaphor.predict.classic.sparse import Doubles
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import card_of, check_training, has_forms
from anaphor.predict.explain import Evidence, Explanation, explanation
from anaphor.predict.features.context import Stage
from anaphor.predict.features.syntax import FunctionOfIt, functions_of
from anaphor.predict.lm.file import read_lm
from anaphor.predict.lm.gaps import Gapped, GapReader
from anaphor.predict.lm.language_model import word_scores
from anaphor.predict.lm.target_text import joined_line, model_writer, parts_of, trained_model
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.predict.options import check_range, option, settings_of
from anaphor.task.classes import TaskClasses, task_classes

VERSION = 1
_NAME = "source-aware-lm"
_NULL = "null"  # the source leaves the pronoun out
_BATCH = 1000
_MODEL, _SEEN = "target.lm", "pronouns.json"

Pronouns = Mapping[str, tuple[str, ...]]
"""The classes that were seen for each source pronoun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the model is trained."""

    order: int = option(6, "length of the longest n-grams")
    function_of_it: bool = option(False, "tell an it that stands for a thing, for an event, for nothing")

    def __post_init__(self) -> None:
        check_range(self.order, least=2, most=6, name="order", where="options.order")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Names the source pronouns of segments."""

    pair: LanguagePair
    forms: bool
    known: tuple[str, ...]
    function: bool

    def pronouns(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[str, ...]]:
        """For every segment the name of the source pronoun of each slot."""
        if not self.function:
            yield from (tuple(self._name(segment, slot) for slot in segment.slots) for segment in segments)
            return
        scenes = Stage(self.pair, self.forms, FunctionOfIt().needs).scenes(segments)
        for segment in segments:
            yield tuple(self._with_function(segment, slot, next(scenes)) for slot in segment.slots)

    def _name(self, segment: TaskSegment, slot: Slot) -> str:
        word = segment.source[slot.source].lower() if slot.source < len(segment.source) else ""
        return word if word in self.known else _NULL

    def _with_function(self, segment: TaskSegment, slot: Slot, scene: Any) -> str:
        name = self._name(segment, slot)
        return f"it-{next(functions_of([scene])).function}" if name == "it" else name


def _token(pronoun: str, label: str) -> str:
    return f"REPLACE:{pronoun}:{label}"


@dataclass(frozen=True, slots=True, eq=False)
class SourceAwareModel:
    """An n-gram model, and the classes seen for each source pronoun."""

    card: ModelCard
    reader: _Reader
    gaps: GapReader
    seen: Pronouns

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """The best filling of every segment; probabilities are sums over all fillings."""
        named = zip(segments, self.reader.pronouns(segments), strict=True)
        while batch := list(islice(named, _BATCH)):
            gapped = [self._gapped(segment, pronouns) for segment, pronouns in batch]
            for (_, pronouns), filled in zip(batch, self.gaps.read(gapped), strict=True):
                yield tuple(map(self._prediction, pronouns, filled.best, filled.shares))

    def save(self, folder: Path) -> None:
        """Write the model, and the classes of each pronoun."""
        files = {_MODEL: model_writer(self.gaps.model), _SEEN: self._write_seen}
        save_model(folder, self.card, files)

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """How much likelier each word of the sentence is with the chosen class than with the next one."""
        around = segments[max(segment - 1, 0) : segment + 1]
        pronouns = list(self.reader.pronouns(around))[-1]
        parts = parts_of(segments[segment], forms=self.card.forms)
        filled = self.gaps.read([self._gapped(segments[segment], pronouns)])[0]
        tokens = [
            _token(one, self._labels(one)[best]) for one, best in zip(pronouns, filled.best, strict=True)
        ]
        labels, chosen = self._labels(pronouns[slot]), filled.best[slot]
        other = max((n for n in range(len(labels)) if n != chosen), key=lambda n: filled.shares[slot][n])
        changed = [*tokens[:slot], _token(pronouns[slot], labels[other]), *tokens[slot + 1 :]]
        evidence = _differences(self.gaps, joined_line(parts, tokens), joined_line(parts, changed))
        return explanation(labels[chosen], labels[other], evidence)

    def _gapped(self, segment: TaskSegment, pronouns: Sequence[str]) -> Gapped:
        options = tuple(tuple(_token(one, label) for label in self._labels(one)) for one in pronouns)
        return Gapped(parts_of(segment, forms=self.card.forms), options)

    def _labels(self, pronoun: str) -> tuple[str, ...]:
        """The classes of a pronoun; one that was never seen has those of the first that was."""
        return self.seen[pronoun] if pronoun in self.seen else next(iter(self.seen.values()))

    def _prediction(self, pronoun: str, best: int, shares: Doubles) -> Prediction:
        labels = self._labels(pronoun)
        found = dict(zip(labels, shares.tolist(), strict=True))
        return Prediction(labels[best], tuple(found.get(label, 0.0) for label in self.card.classes))

    def _write_seen(self, path: Path) -> None:
        path.write_text(json.dumps(self.seen, ensure_ascii=False) + "\n", encoding="utf-8")


def _differences(gaps: GapReader, chosen: str, other: str) -> Iterator[Evidence]:
    """Where two lines of the same length differ in likelihood, word by word."""
    words, others = chosen.split(), other.split()
    pairs = zip(word_scores(gaps.model, words), word_scores(gaps.model, others), strict=True)
    for word, (one, two) in zip([*words, "</s>"], pairs, strict=True):
        yield Evidence(f"lm={word}", one - two)


@dataclass(frozen=True, slots=True)
class SourceAwarePredictor:
    """The recipe of a source-aware model."""

    recipe: str
    options: Options
    settings: Mapping[str, Any]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> SourceAwareModel:
        """Count n-grams of the whole target text; `dev` is not looked at."""
        check_training(segments, classes)
        forms = has_forms(segments)
        reader = _reader(classes, forms=forms, function=self.options.function_of_it)
        seen: dict[str, set[str]] = {}
        if progress:
            progress(0.1, "counting n-grams")
        lines = _lines(segments, reader, seen)
        model = trained_model(lines, order=self.options.order)
        order = {label: number for number, label in enumerate(classes.classes)}
        found = {name: tuple(sorted(labels, key=order.__getitem__)) for name, labels in sorted(seen.items())}
        card = card_of(self, segments, dev, classes, family=_NAME, version=VERSION)
        return SourceAwareModel(card, reader, GapReader(model), found)


def _lines(segments: Sequence[TaskSegment], reader: _Reader, seen: dict[str, set[str]]) -> Iterator[str]:
    """The lines of the training text; on the way, `seen` learns the classes of each pronoun."""
    for segment, pronouns in zip(segments, reader.pronouns(segments), strict=True):
        fillers = []
        for slot, pronoun in zip(segment.slots, pronouns, strict=True):
            label = str(slot.label)
            seen.setdefault(pronoun, set()).add(label)
            fillers.append(_token(pronoun, label))
        yield joined_line(parts_of(segment, forms=reader.forms), fillers)


def _reader(classes: TaskClasses, *, forms: bool, function: bool) -> _Reader:
    return _Reader(classes.pair, forms, classes.source_pronouns, function)


def _load(folder: ModelFolder) -> SourceAwareModel:
    card = folder.card
    options = settings_of(Options, card.options.get("options", {}), where=str(folder.path))
    classes = task_classes(LanguagePair.parse(card.pair), year=card.year)
    reader = _reader(classes, forms=card.forms, function=options.function_of_it)
    seen = _read_seen(folder.file(_SEEN), card.classes)
    return SourceAwareModel(card, reader, GapReader(read_lm(folder.file(_MODEL))), seen)


def _read_seen(path: Path, classes: tuple[str, ...]) -> Pronouns:
    try:
        found = {str(name): tuple(map(str, labels)) for name, labels in json.loads(path.read_bytes()).items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise damaged(path, "the classes of the pronouns cannot be read") from None
    if not found or not all(labels and set(labels) <= set(classes) for labels in found.values()):
        raise damaged(path, "a pronoun has no classes, or other ones")
    return found


FAMILY = OptionFamily(_NAME, VERSION, Options, SourceAwarePredictor, _load)
