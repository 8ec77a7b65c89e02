"""The source-aware language model of UPPSALA: placeholders carry the pronoun that they translate.

In training every hidden word becomes one token of source pronoun and class (`REPLACE:it:elle`), while the
rest of the target stays as it is. In prediction all classes are tried at all placeholders of a sentence
jointly. With `function_of_it`, an *it* also carries its predicted function (`REPLACE:it-event:cela`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from anaphor.core import LanguagePair, Prediction, TaskSegment
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor, TrainingData
from anaphor.predict.explain import Evidence, Explanation, explanation
from anaphor.predict.features.context import ContextBuilder
from anaphor.predict.features.syntax import FunctionOfIt, functions_of
from anaphor.predict.lm.file import read_lm
from anaphor.predict.lm.gaps import GapFiller, GappedSentence
from anaphor.predict.lm.language_model import word_scores
from anaphor.predict.lm.target_text import joined_line, model_writer, parts_of, trained_model
from anaphor.predict.model_folder import ModelFolder, damaged, json_writer, parsing, save_model
from anaphor.predict.options import Options, option
from anaphor.task.classes import TaskClasses, task_classes

_NULL = "null"  # the source has no pronoun there
_BATCH = 1000
_MODEL, _SEEN = "target.lm", "pronouns.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAwareOptions(Options):
    """An n-gram model of the target in which placeholders carry the source pronoun."""

    order: int = option(6, "length of the longest n-grams", least=2, most=6)
    function_of_it: bool = option(False, "tell referential, event and pleonastic it apart")


@dataclass(frozen=True, slots=True)
class SourcePronounNamer:
    """Names the source pronouns of slots, with the function of *it* where the options ask for it."""

    classes: TaskClasses
    forms: bool
    function: bool

    def names(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[str, ...]]:
        """For every segment the name of the source pronoun of each slot."""
        contexts = None
        if self.function:
            builder = ContextBuilder(self.classes.pair, self.forms, FunctionOfIt().requirements)
            contexts = builder.contexts(segments)
        for segment in segments:
            names = []
            for slot in segment.slots:
                word = segment.source[slot.source].lower() if slot.source < len(segment.source) else ""
                name = word if word in self.classes.source_pronouns else _NULL
                if contexts is not None:
                    context = next(contexts)
                    name = f"it-{next(functions_of([context])).function}" if name == "it" else name
                names.append(name)
            yield tuple(names)


def _token(pronoun: str, label: str) -> str:
    return f"REPLACE:{pronoun}:{label}"


@dataclass(frozen=True, slots=True, eq=False)
class SourceAwareModel(BaseModel):
    """An n-gram model, and the classes seen for each source pronoun."""

    pronouns: SourcePronounNamer
    gaps: GapFiller
    seen: Mapping[str, tuple[str, ...]]

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """The best filling of every segment; probabilities are sums over all fillings."""
        named = zip(segments, self.pronouns.names(segments), strict=True)
        while batch := list(islice(named, _BATCH)):
            filled = self.gaps.fill([self._gapped(segment, pronouns) for segment, pronouns in batch])
            for (_, pronouns), found in zip(batch, filled, strict=True):
                for pronoun, best, shares in zip(pronouns, found.best, found.shares, strict=True):
                    labels = self._labels(pronoun)
                    by_label = dict(zip(labels, shares.tolist(), strict=True))
                    probabilities = tuple(by_label.get(label, 0.0) for label in self.card.classes)
                    yield Prediction(labels[best], probabilities)

    def save(self, folder: Path) -> None:
        files = {_MODEL: model_writer(self.gaps.model), _SEEN: json_writer(self.seen)}
        save_model(folder, self.card, files)

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """How much likelier each word of the sentence is with the chosen class than with the next best."""
        around = segments[max(segment - 1, 0) : segment + 1]
        pronouns = list(self.pronouns.names(around))[-1]
        parts = parts_of(segments[segment], forms=self.card.forms)
        filled = self.gaps.fill([self._gapped(segments[segment], pronouns)])[0]
        chosen_words = [
            _token(one, self._labels(one)[best]) for one, best in zip(pronouns, filled.best, strict=True)
        ]
        labels, chosen = self._labels(pronouns[slot]), filled.best[slot]
        other = max((n for n in range(len(labels)) if n != chosen), key=lambda n: filled.shares[slot][n])
        other_words = list(chosen_words)
        other_words[slot] = _token(pronouns[slot], labels[other])
        # Both lines have the same length, so their scores can be compared word by word.
        words = joined_line(parts, chosen_words).split()
        others = joined_line(parts, other_words).split()
        evidence = [
            Evidence(f"lm={word}", one - two)
            for word, one, two in zip(
                [*words, "</s>"],
                word_scores(self.gaps.model, words),
                word_scores(self.gaps.model, others),
                strict=True,
            )
        ]
        return explanation(labels[chosen], labels[other], evidence)

    def _gapped(self, segment: TaskSegment, pronouns: Sequence[str]) -> GappedSentence:
        options = tuple(tuple(_token(one, label) for label in self._labels(one)) for one in pronouns)
        return GappedSentence(parts_of(segment, forms=self.card.forms), options)

    def _labels(self, pronoun: str) -> tuple[str, ...]:
        """The classes of a pronoun; an unseen pronoun has those of the first one in the model."""
        return self.seen[pronoun] if pronoun in self.seen else next(iter(self.seen.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAwarePredictor(BasePredictor[SourceAwareModel]):
    """Counts n-grams of the whole target text; development data is not used."""

    options: SourceAwareOptions

    def train(self, data: TrainingData) -> SourceAwareModel:
        pronouns = SourcePronounNamer(data.classes, data.forms, self.options.function_of_it)
        seen: dict[str, set[str]] = {}

        def lines() -> Iterator[str]:
            for segment, names in zip(data.segments, pronouns.names(data.segments), strict=True):
                fillers = []
                for slot, pronoun in zip(segment.slots, names, strict=True):
                    seen.setdefault(pronoun, set()).add(str(slot.label))
                    fillers.append(_token(pronoun, str(slot.label)))
                yield joined_line(parts_of(segment, forms=data.forms), fillers)

        data.progress(0.1, "counting n-grams")
        model = trained_model(lines(), order=self.options.order)
        by_pronoun = {
            pronoun: tuple(sorted(labels, key=data.classes.classes.index))
            for pronoun, labels in sorted(seen.items())
        }
        return SourceAwareModel(data.card, pronouns, GapFiller(model), by_pronoun)


class SourceAwareFamily(BaseFamily):
    name = "source-aware-lm"
    version = 1
    options = SourceAwareOptions
    predictor_class = SourceAwarePredictor

    def read(self, folder: ModelFolder) -> SourceAwareModel:
        card, path = folder.card, folder.file(_SEEN)
        options = self.options_of(folder)
        with parsing(path, "the classes of the pronouns cannot be read"):
            seen = {str(name): tuple(map(str, one)) for name, one in json.loads(path.read_bytes()).items()}
        if not seen or not all(labels and set(labels) <= set(card.classes) for labels in seen.values()):
            raise damaged(path, "a pronoun has no classes, or unknown ones")
        classes = task_classes(LanguagePair.parse(card.pair), year=card.year)
        pronouns = SourcePronounNamer(classes, card.forms, options.function_of_it)
        return SourceAwareModel(card, pronouns, GapFiller(read_lm(folder.file(_MODEL))), seen)


FAMILY = SourceAwareFamily()
