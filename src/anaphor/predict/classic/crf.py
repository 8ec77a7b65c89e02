"""Slots as sequences, and the likeliest labels of a sequence."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import LanguagePair, Prediction, TaskSegment
from anaphor.predict.classic.extractor import Viewer, learn_rows, rows_of
from anaphor.predict.classic.scores import (
    CHOICE,
    Chooser,
    check_finite,
    plain_chooser,
    read_arrays,
    read_chooser,
    write_arrays,
)
from anaphor.predict.classic.sparse import FILE, Doubles, Floats, Ints, Names, Rows, read_names, write_names
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import card_of, check_training, has_forms
from anaphor.predict.explain import Evidence, Explanation, explanation
from anaphor.predict.features.antecedents import antecedent
from anaphor.predict.features.context import Needs, Scene
from anaphor.predict.features.groups import VERSION, Group, build_groups, learned, loaded, saved_files, unseen
from anaphor.predict.model_folder import ModelFolder, save_model
from anaphor.predict.options import check_names, check_range, need_package, option, settings_of
from anaphor.task.classes import TaskClasses

SEQUENCES = ("sentence", "chain")
#: What a scene must know before it can be put into a chain.
CHAIN_NEEDS = Needs(source=True, sentences=3)


def keys_of(scenes: Iterable[Scene], kind: str) -> list[Hashable]:
    """For each scene what it shares with the others of its sequence.

    Of a sentence: the segment. Of a chain, which stands in for coreference: the noun that the pronoun most
    likely stands for; a pronoun without one is alone.
    """
    return [_noun(scene) if kind == "chain" else id(scene.here.segment) for scene in scenes]


def _noun(scene: Scene) -> Hashable:
    found = antecedent(scene, subjects=True)
    if found is None:
        return id(scene)
    return id(found.staged.segment), found.place, scene.pronoun


def grouped_places(keys: Sequence[Hashable]) -> list[list[int]]:
    """The places of each sequence, in order; sequences in the order of their first place."""
    groups: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    return list(groups.values())


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """For every slot the label of the best sequence, and how likely each label is."""

    best: NDArray[np.int64]
    shares: Doubles


def decode(scores: Doubles, transitions: Doubles, sequences: Sequence[Sequence[int]]) -> Decoded:
    """The best labels (Viterbi) and the shares of all (forward-backward) of every sequence of rows."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found = Decoded(scores.argmax(axis=1), powers / powers.sum(axis=1, keepdims=True))
    for places in sequences:
        if len(places) > 1:
            found.best[places] = _viterbi(scores[places], transitions)
            found.shares[places] = _marginals(scores[places], transitions)
    return found


def _viterbi(scores: Doubles, transitions: Doubles) -> list[int]:
    total, came = scores[0], []
    for row in scores[1:]:
        ways = total[:, None] + transitions
        came.append(ways.argmax(axis=0))
        total = ways.max(axis=0) + row
    labels = [int(total.argmax())]
    for back in reversed(came):
        labels.append(int(back[labels[-1]]))
    return labels[::-1]


def _marginals(scores: Doubles, transitions: Doubles) -> Doubles:
    forward, backward = scores.copy(), np.zeros_like(scores)
    for at in range(1, len(scores)):
        forward[at] += _log_sum(forward[at - 1][:, None] + transitions, axis=0)
    for at in range(len(scores) - 2, -1, -1):
        backward[at] = _log_sum(transitions + scores[at + 1] + backward[at + 1], axis=1)
    both = forward + backward
    shares = np.exp(both - both.max(axis=1, keepdims=True))
    found: Doubles = shares / shares.sum(axis=1, keepdims=True)
    return found


def _log_sum(values: Doubles, axis: int) -> Doubles:
    top = values.max(axis=axis, keepdims=True)
    total: Doubles = np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis)
    return total


@dataclass(frozen=True, slots=True, kw_only=True)
class CrfOptions:
    """How a field is trained and over what."""

    sequence: str = option("sentence", "what pronouns are a sequence: those of a sentence, or of a chain")
    c1: float = option(0.0, "penalty for absolute weights")
    c2: float = option(1.0, "penalty for squared weights")
    iterations: int = option(60, "steps of the optimiser at most")
    least: int = option(2, "slots that must have a feature")

    def __post_init__(self) -> None:
        check_names((self.sequence,), SEQUENCES, name="sequence", where="options.sequence")
        for name in ("c1", "c2"):
            check_range(getattr(self, name), least=0, most=1e6, name=name, where=f"options.{name}")
        check_range(self.iterations, least=1, most=10_000, name="iterations", where="options.iterations")
        check_range(self.least, least=1, most=10**6, name="least", where="options.least")


@dataclass(frozen=True, slots=True, eq=False)
class CrfWeights:
    """What a feature adds to each class, and what a class adds to the next one of its sequence."""

    matrix: Floats
    transitions: Doubles

    def write(self, path: Path) -> None:
        """Write as arrays without objects."""
        write_arrays(path, {"matrix": self.matrix, "transitions": self.transitions})


def read_crf(path: Path, *, features: int, classes: int) -> CrfWeights:
    """The weights of a file, which must have these shapes."""
    found = read_arrays(path, ["matrix", "transitions"])
    check_finite(path, found["matrix"], (features, classes))
    check_finite(path, found["transitions"], (classes, classes))
    return CrfWeights(found["matrix"].astype(np.float32), found["transitions"].astype(np.float64))


def train_crf(
    rows: Rows,
    labels: Ints,
    sequences: Sequence[Sequence[int]],
    *,
    options: CrfOptions,
    width: int,
    classes: int,
) -> CrfWeights:
    """The weights that make the labels of all sequences likeliest, less their penalty."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params({"c1": options.c1, "c2": options.c2, "max_iterations": options.iterations})
    for places in sequences:
        items = [_item(rows, place) for place in places]
        trainer.append(pycrfsuite.ItemSequence(items), [str(labels[place]) for place in places])
    with tempfile.TemporaryDirectory(prefix="anaphor-crf-") as folder:
        path = str(Path(folder) / "model.crfsuite")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        found = tagger.info()
        tagger.close()
    matrix = np.zeros((width, classes), np.float32)
    for (feature, label), weight in found.state_features.items():
        matrix[int(feature), int(label)] = weight
    transitions = np.zeros((classes, classes))
    for (before, after), weight in found.transitions.items():
        transitions[int(before), int(after)] = weight
    return CrfWeights(matrix, transitions)


def _item(rows: Rows, place: int) -> dict[str, float]:
    start, end = rows.starts[place], rows.starts[place + 1]
    names = map(str, rows.columns[start:end].tolist())
    return dict(zip(names, rows.values[start:end].tolist(), strict=True))


_NAME = "crf"
_WEIGHTS = "crf.npz"
_CONTEXT = 20


@dataclass(frozen=True, slots=True, eq=False)
class CrfModel:
    """Weights of features and transitions; the chooser knows the classes that were seen."""

    card: ModelCard
    viewer: Viewer
    names: Names
    weights: CrfWeights
    chooser: Chooser
    options: CrfOptions

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """The best sequences; sequences may run through many segments, so all are read first."""
        found = self._decoded(segments)
        places = [self.card.classes.index(label) for label in self.chooser.labels]
        full = np.zeros((len(found.best), len(self.card.classes)))
        full[:, places] = found.shares
        pairs = zip(found.best.tolist(), full.tolist(), strict=True)
        labels = self.chooser.labels
        for segment in segments:
            slots = (next(pairs) for _ in segment.slots)
            yield tuple(Prediction(labels[best], tuple(shares)) for best, shares in slots)

    def _decoded(self, segments: Sequence[TaskSegment]) -> Decoded:
        scores, keys = [np.zeros((0, len(self.chooser.labels)))], []
        for batch, rows in rows_of(self.viewer, segments, self.names):
            scores.append(rows.times(self.weights.matrix))
            keys += keys_of(batch, self.options.sequence)
        return decode(np.concatenate(scores), self.weights.transitions, grouped_places(keys))

    def save(self, folder: Path) -> None:
        """Write names, weights and classes."""
        files = {
            FILE: lambda path: write_names(path, self.names),
            CHOICE: self.chooser.write,
            _WEIGHTS: self.weights.write,
            **saved_files(self.viewer.groups),
        }
        save_model(folder, self.card, files)

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """The features of the slot and the labels beside it in its sequence that decided."""
        around = segments[max(segment - _CONTEXT, 0) : segment + 1]
        scenes = [scene for batch in self.viewer.scenes(around) for scene in batch]
        place = next(at for at, scene in enumerate(scenes) if scene.here.segment is segments[segment]) + slot
        found = self._decoded(around)
        chosen = int(found.best[place])
        ranked = np.argsort(-found.shares[place], kind="stable").tolist()
        other = next(label for label in ranked if label != chosen)
        evidence = [
            Evidence(name, value * float(row[chosen] - row[other]))
            for name, value in self.viewer.names(scenes[place]).items()
            if (number := self.names.get(name)) is not None
            for row in (self.weights.matrix[number],)
        ]
        sequences = grouped_places(keys_of(scenes, self.options.sequence))
        evidence += self._neighbours(
            found, next(one for one in sequences if place in one), place, chosen, other
        )
        return explanation(self.chooser.labels[chosen], self.chooser.labels[other], evidence)

    def _neighbours(
        self, found: Decoded, sequence: Sequence[int], place: int, chosen: int, other: int
    ) -> Iterator[Evidence]:
        at, moves = sequence.index(place), self.weights.transitions
        if at:
            before = int(found.best[sequence[at - 1]])
            amount = float(moves[before, chosen] - moves[before, other])
            yield Evidence(f"before={self.chooser.labels[before]}", amount)
        if at + 1 < len(sequence):
            after = int(found.best[sequence[at + 1]])
            amount = float(moves[chosen, after] - moves[other, after])
            yield Evidence(f"after={self.chooser.labels[after]}", amount)


@dataclass(frozen=True, slots=True)
class _ChainGroup:
    """No features at all, but what chains need to be seen."""

    @property
    def needs(self) -> Needs:
        return CHAIN_NEEDS

    def features(self, scene: object) -> tuple[str, ...]:  # noqa: ARG002 - there are none
        return ()


@dataclass(frozen=True, slots=True)
class CrfPredictor:
    """Groups and options, ready for data."""

    recipe: str
    groups: Mapping[str, Group]
    options: CrfOptions
    settings: Mapping[str, Any]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> CrfModel:
        """Learn from all sequences; `dev` is not looked at."""
        labels = check_training(segments, classes)
        tell = progress or (lambda share, what: None)  # noqa: ARG005
        forms = has_forms(segments)
        groups = learned(self.groups, segments, classes=classes, forms=forms)
        viewer = Viewer(classes.pair, forms, groups)
        keys: list[Hashable] = []
        data = learn_rows(
            viewer,
            segments,
            labels,
            least=self.options.least,
            progress=lambda share: tell(share / 2, "features"),
            watch=lambda scenes: keys.extend(keys_of(scenes, self.options.sequence)),
        )
        tell(0.5, "learning")
        weights = train_crf(
            data.rows,
            data.labels,
            grouped_places(keys),
            options=self.options,
            width=len(data.names),
            classes=len(labels),
        )
        card = card_of(self, segments, dev, classes, family=_NAME, version=VERSION)
        names = Names(data.names)
        final = Viewer(classes.pair, forms, unseen(groups))
        return CrfModel(card, final, names, weights, plain_chooser(data.labels, labels), self.options)


class _Family:
    """Builds and loads fields."""

    options = CrfOptions

    def build(self, recipe: Mapping[str, Any]) -> CrfPredictor:
        name = str(recipe.get("name", _NAME))
        groups = build_groups(recipe.get("features", {}))
        options = settings_of(CrfOptions, recipe.get("options", {}), where=f"{name}, options")
        need_package("pycrfsuite", package="python-crfsuite", extra="classic", recipe=name)
        settings = {"features": recipe.get("features", {}), "options": recipe.get("options", {})}
        return CrfPredictor(name, _seeing(groups, options), options, settings)

    def load(self, folder: ModelFolder) -> CrfModel:
        folder.check_version(VERSION)
        card = folder.card
        options = settings_of(CrfOptions, card.options.get("options", {}), where=str(folder.path))
        groups = _seeing(loaded(build_groups(card.options.get("features", {})), folder), options)
        names = read_names(folder.file(FILE))
        chooser = read_chooser(folder.file(CHOICE), classes=card.classes)
        weights = read_crf(folder.file(_WEIGHTS), features=len(names), classes=len(chooser.labels))
        viewer = Viewer(LanguagePair.parse(card.pair), card.forms, groups)
        return CrfModel(card, viewer, names, weights, chooser, options)


def _seeing(groups: Mapping[str, Group], options: CrfOptions) -> dict[str, Group]:
    """The groups, and one that sees enough for chains where there are some."""
    return {**groups, "chain": _ChainGroup()} if options.sequence == "chain" else dict(groups)


FAMILY = _Family()
