"""The source-aware language model of UPPSALA: placeholders carry the pronoun that they translate.

In training every hidden word becomes one token of source pronoun and class (`REPLACE:it:elle`), and the rest
of the target is unchanged. In prediction all classes are tried at all placeholders of a sentence jointly.
With `function_of_it`, an *it* also carries its predicted function (`REPLACE:it-event:cela`). With `inserted`,
the pronoun is a separate token before the class (`SOURCE:it REPLACE:elle`), as in 2017.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anaphor.core import Alignment, Prediction, TaskSegment
from anaphor.predict.base import BaseFamily, BasePredictor, TrainingData
from anaphor.predict.explain import Explanation, WordEvidence, explanation
from anaphor.predict.model_folder import (
    ModelFolder,
    damaged,
    json_writer,
    parsing,
    read_json,
    save_model,
    subtask_files,
    subtask_of,
)
from anaphor.predict.options import Options, option
from anaphor.recipes.classic.lm_fill import Candidates, GapFillingModel
from anaphor.recipes.features.context import ContextBuilder
from anaphor.recipes.features.syntax import FunctionOfIt, functions_of
from anaphor.recipes.features.target_text import joined_line, model_writer, parts_of, trained_model
from anaphor.recipes.lm.gaps import GapFiller
from anaphor.recipes.lm.language_model import word_scores
from anaphor.recipes.lm.model import END_MARK, read_lm
from anaphor.task.classes import TaskClasses

_NULL = "null"  # the source has no pronoun there
_MODEL, _SEEN = "target.lm", "pronouns.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAwareOptions(Options):
    """An n-gram model of the target in which placeholders carry the source pronoun."""

    order: int = option(6, "length of the longest n-grams", least=2, most=6)
    function_of_it: bool = option(False, "distinguish referential, event and pleonastic it")
    inserted: bool = option(False, "insert the source pronoun before the class, as a separate token")


@dataclass(frozen=True, slots=True)
class SourcePronounNamer:
    """Names the source pronouns of slots, with the function of *it* where the options ask for it."""

    classes: TaskClasses
    forms: bool
    function: bool
    inserted: bool

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

    def token(self, pronoun: str, label: str) -> str:
        """The token for a class in the model's text."""
        return f"REPLACE:{label}" if self.inserted else f"REPLACE:{pronoun}:{label}"

    def prepared(self, segments: Sequence[TaskSegment]) -> Sequence[TaskSegment]:
        """The segments with the source pronouns inserted before their placeholders, if requested."""
        if not self.inserted:
            return segments
        prepared = []
        for segment, names in zip(segments, self.names(segments), strict=True):
            target, slots = list(segment.target), []
            # From the end, so that earlier positions stay valid.
            for number in reversed(range(len(names))):
                target.insert(segment.slots[number].target, f"SOURCE:{names[number]}")
            for number, slot in enumerate(segment.slots):
                slots.append(replace(slot, target=slot.target + number + 1))
            # Links would have to move too; the model does not read them.
            prepared.append(replace(segment, target=tuple(target), slots=tuple(slots), alignment=Alignment()))
        return prepared


@dataclass(frozen=True, slots=True, eq=False)
class SourceAwareModel(GapFillingModel):
    """An n-gram model, and the classes seen for each source pronoun."""

    pronouns: SourcePronounNamer
    seen: Mapping[str, tuple[str, ...]]

    def candidates(self, segments: Sequence[TaskSegment]) -> Iterator[Sequence[Candidates]]:
        """The classes seen for the source pronoun; an unseen one has those of the first in the model."""
        first = next(iter(self.seen.values()))
        for names in self.pronouns.names(segments):
            labels = [self.seen.get(name, first) for name in names]
            yield [
                (classes, tuple(self.pronouns.token(name, label) for label in classes))
                for name, classes in zip(names, labels, strict=True)
            ]

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        return GapFillingModel.predict_slots(self, self.pronouns.prepared(segments))

    def save(self, folder: Path) -> None:
        files = {_MODEL: model_writer(self.gaps.model), _SEEN: json_writer(self.seen)}
        save_model(folder, self.card, files | subtask_files(self.pronouns.classes))

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """How much more likely each word of the sentence is with the chosen class than with the next best."""
        around = self.pronouns.prepared(segments[max(segment - 1, 0) : segment + 1])
        candidates = list(self.candidates(around))[-1]
        filled = self.gaps.fill([self.gapped(around[-1], candidates)])[0]
        chosen_words = [words[best] for (_, words), best in zip(candidates, filled.best, strict=True)]
        (labels, words), chosen = candidates[slot], filled.best[slot]
        other = max((n for n in range(len(labels)) if n != chosen), key=lambda n: filled.shares[slot][n])
        other_words = [*chosen_words[:slot], words[other], *chosen_words[slot + 1 :]]
        # Both lines have the same length, so their scores can be compared word by word.
        parts = parts_of(around[-1], forms=self.card.forms)
        lines = [joined_line(parts, words).split() for words in (chosen_words, other_words)]
        amounts = (word_scores(self.gaps.model, line) for line in lines)
        evidence = [
            WordEvidence(f"lm={word}", with_chosen - with_other)
            for word, with_chosen, with_other in zip([*lines[0], END_MARK], *amounts, strict=True)
        ]
        return explanation(labels[chosen], labels[other], evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAwarePredictor(BasePredictor[SourceAwareModel]):
    """Counts n-grams of the whole target text; development data is not used."""

    options: SourceAwareOptions

    def train(self, data: TrainingData) -> SourceAwareModel:
        pronouns = _namer(self.options, data.classes, forms=data.forms)
        segments = pronouns.prepared(data.segments)
        seen: dict[str, set[str]] = {}

        def lines() -> Iterator[str]:
            for segment, names in zip(segments, pronouns.names(data.segments), strict=True):
                fillers = []
                for slot, pronoun in zip(segment.slots, names, strict=True):
                    seen.setdefault(pronoun, set()).add(str(slot.label))
                    fillers.append(pronouns.token(pronoun, str(slot.label)))
                yield joined_line(parts_of(segment, forms=data.forms), fillers)

        data.progress("counting n-grams", 0.1)
        model = trained_model(lines(), order=self.options.order)
        by_pronoun = {
            pronoun: tuple(sorted(labels, key=data.classes.classes.index))
            for pronoun, labels in sorted(seen.items())
        }
        return SourceAwareModel(data.card, GapFiller(model), pronouns, by_pronoun)


def _namer(options: SourceAwareOptions, classes: TaskClasses, *, forms: bool) -> SourcePronounNamer:
    return SourcePronounNamer(classes, forms, options.function_of_it, options.inserted)


class SourceAwareFamily(BaseFamily):
    name = "source-aware-lm"
    version = 1
    options = SourceAwareOptions
    predictor_class = SourceAwarePredictor

    def read(self, folder: ModelFolder) -> SourceAwareModel:
        card, path = folder.card, folder.file(_SEEN)
        content = read_json(path)
        options = self.options_of(folder)
        with parsing(path, "the classes of the pronouns cannot be read"):
            seen = {str(name): tuple(map(str, labels)) for name, labels in content.items()}
        if not seen or not all(labels and set(labels) <= set(card.classes) for labels in seen.values()):
            raise damaged(path, "a pronoun has no classes, or unknown ones")
        pronouns = _namer(options, subtask_of(folder), forms=card.forms)
        return SourceAwareModel(card, GapFiller(read_lm(folder.file(_MODEL))), pronouns, seen)


FAMILY = SourceAwareFamily()
