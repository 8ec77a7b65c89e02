"""Linear-chain conditional random fields over the pronouns of a sentence, or of an approximated chain.

CRFsuite trains the model. Its weights are then extracted as a matrix of features and a table of transitions,
so prediction needs neither CRFsuite nor its file format. Of a sequence of slots x with labels y (Lafferty,
McCallum and Pereira 2001):

    p(y | x) = exp( sum_t score(y_t, x_t) + sum_t transition(y_(t-1), y_t) ) / Z(x)

where a score is the sum of the weights of a slot's features. The words between the pronouns, which UU-CAP
labelled `0`, are features of the pronouns here and no part of the sequence; with sequences of `neighbours`
nothing passes across them, as in a chain of first order over all words.
"""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Prediction, TaskSegment
from anaphor.core.array_types import Doubles, Floats, Ints
from anaphor.predict.base import BaseFamily, BasePredictor, TrainingData
from anaphor.predict.distributions import softmax
from anaphor.predict.explain import Explanation, WordEvidence, explanation
from anaphor.predict.model_folder import ModelFolder, arrays_writer
from anaphor.predict.options import Options, option
from anaphor.recipes.classic.classifier import FeatureBasedModel, read_features, with_null_class
from anaphor.recipes.classic.extractor import batched_rows, learn_features
from anaphor.recipes.classic.linear import linear_contributions
from anaphor.recipes.classic.scores import default_rule
from anaphor.recipes.classic.sparse import FeatureVocabulary, SparseRows
from anaphor.recipes.features.antecedents import antecedent
from anaphor.recipes.features.context import Requirements, SlotContext
from anaphor.recipes.features.groups import VERSION, FeatureGroup, build_groups

SEQUENCES = ("neighbours", "sentence", "chain")
_FILE = "crf.safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrfOptions(Options):
    """A linear-chain conditional random field over the pronouns of a sentence or of a chain."""

    sequence: str = option(
        "sentence",
        "which pronouns form a sequence: adjacent ones, or those of a sentence or a chain",
        choices=SEQUENCES,
    )
    c1: float = option(0.0, "L1 penalty", least=0, most=1e6)
    c2: float = option(1.0, "L2 penalty", least=0, most=1e6)
    iterations: int = option(60, "maximum number of optimizer steps", least=1, most=10_000)
    least: int = option(2, "minimum number of slots in which a feature occurs", least=1, most=10**6)
    null: bool = option(
        False, "treat untranslated pronouns (NONE in column 2) as a separate class, counted as OTHER"
    )


def sequence_keys(contexts: Iterable[SlotContext], kind: str) -> list[Hashable]:
    """For each slot what it shares with the other slots of its sequence.

    Of neighbours: the first of adjacent placeholders without a word between them. In a sentence: the segment.
    In a chain, which approximates coreference: the noun that the pronoun most likely refers to; a pronoun
    without one forms a separate sequence.
    """
    if kind == "neighbours":
        return [(context.here.position, _first_neighbour(context)) for context in contexts]
    if kind == "sentence":
        return [context.here.position for context in contexts]
    keys: list[Hashable] = []
    for context in contexts:
        noun = antecedent(context, subjects=True)
        alone = (context.here.position, context.number)
        keys.append(alone if noun is None else (noun.analysed.position, noun.place, context.pronoun))
    return keys


def _first_neighbour(context: SlotContext) -> int:
    """The target position at which a slot's run of adjacent placeholders begins."""
    places = {slot.target for slot in context.here.segment.slots}
    return next(at for at in range(context.slot.target, -1, -1) if at - 1 not in places)


def group_by_key(keys: Sequence[Hashable]) -> list[list[int]]:
    """The positions of each sequence, in order; sequences in the order of their first position."""
    groups: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    return list(groups.values())


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """For every slot the label of the best sequence, and the marginal probability of each label."""

    best: NDArray[np.int64]
    shares: Doubles


def decode(scores: Doubles, transitions: Doubles, sequences: Sequence[Sequence[int]]) -> Decoded:
    """The best labels (Viterbi) and the marginals (forward-backward) of every sequence of rows."""
    decoded = Decoded(scores.argmax(axis=1), softmax(scores))
    for places in sequences:
        if len(places) > 1:
            decoded.best[places] = _viterbi(scores[places], transitions)
            decoded.shares[places] = _marginals(scores[places], transitions)
    return decoded


def _viterbi(scores: Doubles, transitions: Doubles) -> list[int]:
    """best_t(y) = score_t(y) + max_y' (best_(t-1)(y') + transition(y', y)), then back along the maxima."""
    total, pointers = scores[0], []
    for row in scores[1:]:
        paths = total[:, None] + transitions
        pointers.append(paths.argmax(axis=0))
        total = paths.max(axis=0) + row
    labels = [int(total.argmax())]
    for back in reversed(pointers):
        labels.append(int(back[labels[-1]]))
    return labels[::-1]


def _marginals(scores: Doubles, transitions: Doubles) -> Doubles:
    """p(y_t | x) is proportional to exp(forward_t(y) + backward_t(y)), both sums over paths in log space.

    forward_t(y) = score_t(y) + log sum_y' exp(forward_(t-1)(y') + transition(y', y)), and
    backward_t(y) = log sum_y' exp(transition(y, y') + score_(t+1)(y') + backward_(t+1)(y')).
    """
    forward, backward = scores.copy(), np.zeros_like(scores)
    for at in range(1, len(scores)):
        forward[at] += _log_sum(forward[at - 1][:, None] + transitions, axis=0)
    for at in range(len(scores) - 2, -1, -1):
        backward[at] = _log_sum(transitions + scores[at + 1] + backward[at + 1], axis=1)
    return softmax(forward + backward)


def _log_sum(values: Doubles, axis: int) -> Doubles:
    # The largest value is taken out first, so that no exponential overflows.
    top = values.max(axis=axis, keepdims=True)
    total: Doubles = np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis)
    return total


@dataclass(frozen=True, slots=True, eq=False)
class CrfWeights:
    """The weight of each feature for each class, and of each transition between classes."""

    matrix: Floats
    transitions: Doubles


def train_crf(
    rows: SparseRows,
    labels: Ints,
    sequences: Sequence[Sequence[int]],
    *,
    options: CrfOptions,
    width: int,
    classes: int,
) -> CrfWeights:
    """The weights that maximize the penalized likelihood of the labels of all sequences."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params({"c1": options.c1, "c2": options.c2, "max_iterations": options.iterations})
    for places in sequences:
        items = []
        for place in places:
            start, end = rows.starts[place], rows.starts[place + 1]
            # CRFsuite takes features by name: their numbers become names here and are read back below.
            names = map(str, rows.columns[start:end].tolist())
            items.append(dict(zip(names, rows.values[start:end].tolist(), strict=True)))
        trainer.append(pycrfsuite.ItemSequence(items), [str(labels[place]) for place in places])
    # Weights can only be had from a model file: `tagger.info` reads them from there.
    with tempfile.TemporaryDirectory(prefix="anaphor-crf-") as folder:
        path = str(Path(folder) / "model.crfsuite")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        learned = tagger.info()
        tagger.close()
    matrix = np.zeros((width, classes), np.float32)
    for (feature, label), weight in learned.state_features.items():
        matrix[int(feature), int(label)] = weight
    transitions = np.zeros((classes, classes))
    for (before, after), weight in learned.transitions.items():
        transitions[int(before), int(after)] = weight
    return CrfWeights(matrix, transitions)


@dataclass(frozen=True, slots=True, eq=False)
class CrfModel(FeatureBasedModel):
    """Weights of features and transitions."""

    weights: CrfWeights
    options: CrfOptions

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """The best sequences; a sequence may span many segments, so all segments are read first."""
        # An empty table first: without any slot there is nothing to concatenate.
        scores, keys = [np.zeros((0, len(self.rule.labels)))], []
        for batch, rows in batched_rows(self.extractor, segments, self.vocabulary):
            scores.append(rows.times(self.weights.matrix))
            keys += sequence_keys(batch, self.options.sequence)
        decoded = decode(np.concatenate(scores), self.weights.transitions, group_by_key(keys))
        return self.predictions(decoded.best.tolist(), decoded.shares)

    def save(self, folder: Path) -> None:
        writer = arrays_writer(matrix=self.weights.matrix, transitions=self.weights.transitions)
        self.save_with(folder, {_FILE: writer})

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """The features of the slot and the neighbouring labels of its sequence that decided."""
        contexts = self.contexts_up_to(segments, segment)
        place = len(contexts) - len(segments[segment].slots) + slot
        scores = self.extractor.rows(contexts, self.vocabulary).times(self.weights.matrix)
        moves = self.weights.transitions
        sequences = group_by_key(sequence_keys(contexts, self.options.sequence))
        decoded = decode(scores, moves, sequences)
        chosen = int(decoded.best[place])
        other = self.next_best(decoded.shares[place], chosen)
        names, row = self.known_features(contexts[place])
        amounts = linear_contributions(self.weights.matrix, row, chosen=chosen, other=other)
        evidence = [WordEvidence(name, float(amount)) for name, amount in zip(names, amounts, strict=True)]
        sequence = next(places for places in sequences if place in places)
        at = sequence.index(place)
        if at:
            before = int(decoded.best[sequence[at - 1]])
            # The neighbouring labels are taken as decoded, although another label here might change them.
            amount = float(moves[before, chosen] - moves[before, other])
            evidence.append(WordEvidence(f"before={self.rule.labels[before]}", amount))
        if at + 1 < len(sequence):
            after = int(decoded.best[sequence[at + 1]])
            amount = float(moves[chosen, after] - moves[other, after])
            evidence.append(WordEvidence(f"after={self.rule.labels[after]}", amount))
        return explanation(self.rule.classes[chosen], self.rule.classes[other], evidence)


@dataclass(frozen=True, slots=True)
class _ChainRequirements(FeatureGroup):
    """A group without features that extends contexts as far back as chains need."""

    @property
    def requirements(self) -> Requirements:
        return Requirements(source=True, sentences=3)

    def features(self, context: object) -> tuple[str, ...]:  # noqa: ARG002 - there are none
        return ()


def _with_chain(groups: Mapping[str, FeatureGroup], options: CrfOptions) -> dict[str, FeatureGroup]:
    return {**groups, "chain": _ChainRequirements()} if options.sequence == "chain" else dict(groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrfPredictor(BasePredictor[CrfModel]):
    """Feature groups and options; development data and seed are not used."""

    groups: Mapping[str, FeatureGroup]
    options: CrfOptions

    def train(self, data: TrainingData) -> CrfModel:
        if self.options.null:
            data = with_null_class(data)
        keys: list[Hashable] = []
        labelled, extractor = learn_features(
            self.groups,
            data,
            least=self.options.least,
            observe=lambda contexts: keys.extend(sequence_keys(contexts, self.options.sequence)),
        )
        weights = train_crf(
            labelled.rows,
            labelled.labels,
            group_by_key(keys),
            options=self.options,
            width=len(labelled.names),
            classes=len(data.labels),
        )
        vocabulary = FeatureVocabulary(labelled.names)
        rule = default_rule(labelled.labels, data.labels)
        return CrfModel(data.card, extractor, vocabulary, rule, weights, self.options)


class CrfFamily(BaseFamily):
    """A linear-chain conditional random field over the features of each slot."""

    name = "crf"
    version = VERSION
    options = CrfOptions
    tables = ("features", "options")
    packages = (("pycrfsuite", "python-crfsuite"),)

    def predictor(self, options: Any, given: Mapping[str, Any], **common: Any) -> CrfPredictor:
        groups = _with_chain(build_groups(given.get("features", {})), options)
        return CrfPredictor(groups=groups, options=options, **common)

    def read(self, folder: ModelFolder) -> CrfModel:
        options = self.options_of(folder)
        extractor, vocabulary, rule = read_features(folder)
        extractor = replace(extractor, groups=_with_chain(extractor.groups, options))
        schema = {"matrix": "float32[features, classes]", "transitions": "float64[classes, classes]"}
        sizes = {"features": len(vocabulary), "classes": len(rule.labels)}
        weights = CrfWeights(**folder.arrays(_FILE, schema, **sizes))
        return CrfModel(folder.card, extractor, vocabulary, rule, weights, options)


FAMILY = CrfFamily()
