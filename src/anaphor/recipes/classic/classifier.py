"""Feature families: feature groups with a learner, and the resulting model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core import LanguagePair, Prediction, TaskSegment
from anaphor.core.array_types import Doubles, Ints
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor, TrainingData
from anaphor.predict.explain import Explanation, WordEvidence, explanation
from anaphor.predict.model_folder import ModelFolder, Writer, save_model
from anaphor.predict.options import Packages
from anaphor.recipes.classic import scores, sparse
from anaphor.recipes.classic.extractor import FeatureExtractor, LabelledRows, batched_rows, learn_features
from anaphor.recipes.classic.forest import ForestLearner
from anaphor.recipes.classic.linear import LogisticLearner, SvmLearner, WeightedLearner
from anaphor.recipes.classic.scores import NULL, ClassScorer, DecisionRule, Learner
from anaphor.recipes.classic.sparse import FeatureVocabulary, SparseRows
from anaphor.recipes.features.context import SlotContext
from anaphor.recipes.features.groups import VERSION, FeatureGroup, build_groups
from anaphor.task.classes import NONE, OTHER

#: Without development data: rows that a substitute model learns from, and rows that the rule is tuned on.
_SUBSTITUTE_ROWS, _TUNING_ROWS = 20_000, 5_000
_MOST_SENTENCES = 20  # no feature group looks further back


@dataclass(frozen=True, slots=True, eq=False)
class FeatureBasedModel(BaseModel):
    """A model that reads feature groups; `rule` knows the classes that were seen in training."""

    extractor: FeatureExtractor
    vocabulary: FeatureVocabulary
    rule: DecisionRule

    def save_with(self, folder: Path, files: Mapping[str, Writer]) -> None:
        """Write the vocabulary, the decision rule, the model's own files and those of feature groups."""
        all_files: dict[str, Writer] = {
            sparse.FILE: lambda path: sparse.write_vocabulary(path, self.vocabulary),
            scores.CHOICE: self.rule.write,
            **files,
        }
        for group in self.extractor.groups.values():
            all_files |= group.files()
        save_model(folder, self.card, all_files)

    def predictions(self, chosen: Sequence[int], shares: Doubles) -> Iterator[Prediction]:
        """Predictions from the classes chosen and the probabilities of the classes that were seen."""
        classes = self.rule.classes
        full = np.zeros((len(shares), len(self.card.classes)))
        for name, column in zip(classes, shares.T, strict=True):
            full[:, self.card.classes.index(name)] += column
        for label, probabilities in zip(chosen, full.tolist(), strict=True):
            yield Prediction(classes[label], tuple(probabilities))

    def next_best(self, shares: Doubles, chosen: int) -> int:
        """The most likely label whose class differs from the chosen one."""
        classes = self.rule.classes
        ranked: list[int] = np.argsort(-shares, kind="stable").tolist()
        return next(label for label in ranked if classes[label] != classes[chosen])

    def contexts_up_to(self, segments: Sequence[TaskSegment], segment: int) -> list[SlotContext]:
        """The contexts of slots before a segment, as far as any group can see, then the segment's own."""
        around = segments[max(segment - _MOST_SENTENCES, 0) : segment + 1]
        return [context for batch in self.extractor.contexts(around) for context in batch]

    def known_features(self, context: SlotContext) -> tuple[list[str], SparseRows]:
        """The features of a slot that have a weight: their names, and a row of their values."""
        features = self.extractor.features(context)
        known = {name: value for name, value in features.items() if name in self.vocabulary}
        row = SparseRows(
            np.array([0, len(known)]),
            np.array([self.vocabulary[name] for name in known], np.int32),
            np.array(list(known.values()), np.float32),
        )
        return list(known), row


@dataclass(frozen=True, slots=True, eq=False)
class FeatureModel(FeatureBasedModel):
    """A trained classifier over the features of a slot."""

    scorer: ClassScorer

    @property
    def reach(self) -> int:
        """The number of segments before a placeholder that are used."""
        return self.extractor.requirements.sentences

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        for _, rows in batched_rows(self.extractor, segments, self.vocabulary):
            yield from self.predictions_of(rows)

    def predictions_of(self, rows: SparseRows) -> Iterator[Prediction]:
        """One prediction per row."""
        shares = self.rule.shares(self.scorer.scores(rows))
        return self.predictions(self.rule.chosen(shares).tolist(), shares)

    def save(self, folder: Path) -> None:
        self.save_with(folder, self.scorer.files())

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """The features that decided about one slot."""
        contexts = self.contexts_up_to(segments, segment)
        names, row = self.known_features(contexts[slot - len(segments[segment].slots)])
        shares = self.rule.shares(self.scorer.scores(row))
        chosen = int(self.rule.chosen(shares)[0])
        other = self.next_best(shares[0], chosen)
        amounts = self.scorer.contributions(row, chosen=chosen, other=other)
        evidence = [WordEvidence(name, float(amount)) for name, amount in zip(names, amounts, strict=True)]
        return explanation(self.rule.classes[chosen], self.rule.classes[other], evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeaturePredictor(BasePredictor[FeatureModel]):
    """Feature groups and a learner; development data is for calibration and for the decision rule."""

    groups: Mapping[str, FeatureGroup]
    learner: Learner

    def train(self, data: TrainingData) -> FeatureModel:
        """Learn from all slots with a label; slots without one are context only."""
        if self.learner.null:
            data = with_null_class(data)
        labelled, extractor = learn_features(self.groups, data, least=self.learner.least)
        scorer = self._learn(labelled.rows, labelled.labels, labelled, data)
        vocabulary = FeatureVocabulary(labelled.names)
        data.progress("choosing", 0.9)
        rule = self._rule(scorer, labelled, _dev_rows(extractor, vocabulary, data), data)
        data.progress("done", 1.0)
        return FeatureModel(data.card, extractor, vocabulary, rule, scorer)

    def _learn(
        self, rows: SparseRows, labels: Ints, labelled: LabelledRows, data: TrainingData
    ) -> ClassScorer:
        width, classes = len(labelled.names), len(data.labels)
        return self.learner.learn(rows, labels, width=width, classes=classes, seed=data.seed)

    def _rule(
        self,
        scorer: ClassScorer,
        labelled: LabelledRows,
        dev: tuple[SparseRows, Ints] | None,
        data: TrainingData,
    ) -> DecisionRule:
        rule = scores.default_rule(labelled.labels, data.labels)
        if self.learner.calibrated and self.learner.choose == "probability":
            return rule
        if dev is None:
            # A substitute learns from some of the rows, and the rule is tuned on others: on its own training
            # rows a classifier is far too certain. Where rows are few, all serve both purposes.
            order = np.random.default_rng(data.seed).permutation(len(labelled.rows))
            tuning = order[: min(_TUNING_ROWS, len(order) // 10)]
            rest = order[len(tuning) :][:_SUBSTITUTE_ROWS]
            if len(np.unique(labelled.labels[rest])) < len(data.labels) or not len(tuning):
                rest = tuning = order
            scorer = self._learn(labelled.rows.take(rest), labelled.labels[rest], labelled, data)
            dev = labelled.rows.take(tuning), labelled.labels[tuning]
        rows, labels = dev
        values = scorer.scores(rows)
        if not self.learner.calibrated:
            rule = scores.calibrated_rule(rule, values, labels)
        return scores.recall_rule(rule, values, labels) if self.learner.choose == "recall" else rule


def with_null_class(data: TrainingData) -> TrainingData:
    """The same data with a separate label for slots that hide no word."""

    def relabelled(segments: Sequence[TaskSegment]) -> list[TaskSegment]:
        return [
            replace(
                segment,
                slots=tuple(
                    replace(slot, label=NULL) if slot.word == NONE and slot.label == OTHER else slot
                    for slot in segment.slots
                ),
            )
            if segment.slots
            else segment
            for segment in segments
        ]

    segments = relabelled(data.segments)
    known = {slot.label for segment in segments for slot in segment.slots}
    labels = tuple(label for label in (*data.labels, NULL) if label in known)
    return replace(data, segments=segments, dev=relabelled(data.dev), labels=labels)


def _dev_rows(
    extractor: FeatureExtractor, vocabulary: FeatureVocabulary, data: TrainingData
) -> tuple[SparseRows, Ints] | None:
    """The rows of development data whose label can be predicted, with these labels; None without any."""
    parts: list[SparseRows] = []
    labels: list[int] = []
    for batch, rows in batched_rows(extractor, data.dev, vocabulary):
        kept = [at for at, context in enumerate(batch) if context.slot.label in data.labels]
        parts.append(rows.take(np.array(kept, np.int64)))
        labels += [data.labels.index(str(batch[at].slot.label)) for at in kept]
    return (sparse.stacked(parts), np.array(labels, np.int32)) if labels else None


class FeatureFamily(BaseFamily):
    """A family with feature groups and one learner, whose fields are the options."""

    version = VERSION
    tables = ("features", "options")

    def __init__(self, name: str, learner: type[Learner]) -> None:
        self.name, self.learner = name, learner
        self.options = learner

    def packages_for(self, options: Learner) -> Packages:
        return options.packages

    def predictor(self, options: Learner, given: Mapping[str, Any], **common: Any) -> FeaturePredictor:
        return FeaturePredictor(groups=build_groups(given.get("features", {})), learner=options, **common)

    def read(self, folder: ModelFolder) -> FeatureModel:
        extractor, vocabulary, rule = read_features(folder)
        scorer = self.learner.read(folder, features=len(vocabulary), classes=len(rule.labels))
        return FeatureModel(folder.card, extractor, vocabulary, rule, scorer)


def read_features(folder: ModelFolder) -> tuple[FeatureExtractor, FeatureVocabulary, DecisionRule]:
    """Load what `FeatureBasedModel.save_with` wrote."""
    card = folder.card
    groups = build_groups(card.options.get("features", {}))
    loaded = {name: group.load(folder) for name, group in groups.items()}
    extractor = FeatureExtractor(LanguagePair.parse(card.pair), card.forms, loaded)
    vocabulary = sparse.read_vocabulary(folder.file(sparse.FILE))
    return extractor, vocabulary, scores.read_rule(folder.file(scores.CHOICE), classes=card.classes)


SVM = FeatureFamily("linear-svm", SvmLearner)
LOGISTIC = FeatureFamily("logistic", LogisticLearner)
WEIGHTED = FeatureFamily("weighted-logistic", WeightedLearner)
FOREST = FeatureFamily("random-forest", ForestLearner)
