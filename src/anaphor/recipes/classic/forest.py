"""Random forests: trained by scikit-learn, stored as arrays, evaluated by NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Doubles, Floats, Ints, Longs
from anaphor.predict.model_folder import ModelFolder, Writer, arrays_writer, damaged
from anaphor.predict.options import option
from anaphor.recipes.classic.scores import Learner
from anaphor.recipes.classic.sparse import SparseRows

_BLOCK = 512  # rows evaluated at once, each as a dense row of numbers
_LEAF = -1  # as in the trees of scikit-learn
_FILE = "forest.safetensors"
_SCHEMA = {
    "used": "int64[used]",
    "roots": "int64[trees]",
    "column": "int64[nodes]",
    "threshold": "float64[nodes]",
    "left": "int64[nodes]",
    "right": "int64[nodes]",
    "shares": "float32[nodes, classes]",
}


@dataclass(frozen=True, slots=True, eq=False)
class ForestScorer:
    """The nodes of all trees in one array, over the columns `used`, in ascending order.

    An inner node compares one of those columns with `threshold` and leads to `left` (at most) or `right`;
    `shares` has the class distribution of the training rows at every node.
    """

    used: Longs
    roots: Longs
    column: Longs
    threshold: Doubles
    left: Longs
    right: Longs
    shares: Floats

    def scores(self, rows: SparseRows) -> Doubles:
        """The logarithm of the class distributions of the leaves that a row reaches, averaged over trees."""
        totals = np.zeros((len(rows), self.shares.shape[1]))
        for start in range(0, len(rows), _BLOCK):
            places = np.arange(start, min(start + _BLOCK, len(rows)))
            totals[places] = self._mean(self._dense(rows.take(places)))
        return np.log(np.maximum(totals, 1e-9))

    def _mean(self, dense: Floats) -> Doubles:
        total = np.zeros((len(dense), self.shares.shape[1]))
        every = np.arange(len(dense))
        for root in self.roots.tolist():
            nodes = np.full(len(dense), root)
            inner = every if self.left[root] != _LEAF else every[:0]
            while len(inner):
                here = nodes[inner]
                goes_left = dense[inner, self.column[here]] <= self.threshold[here]
                nodes[inner] = np.where(goes_left, self.left[here], self.right[here])
                inner = inner[self.left[nodes[inner]] != _LEAF]
            total += self.shares[nodes]
        mean: Doubles = total / len(self.roots)
        return mean

    def files(self) -> Mapping[str, Writer]:
        return {_FILE: arrays_writer(**{name: getattr(self, name) for name in _SCHEMA})}

    def contributions(self, rows: SparseRows, *, chosen: int, other: int) -> Doubles:
        """How much tests of a column changed the difference between the two classes, averaged over trees.

        Tests of columns that the row does not have are not shown.
        """
        dense = self._dense(rows)[0]
        gained = np.zeros(len(self.used))
        difference = self.shares[:, chosen].astype(np.float64) - self.shares[:, other]
        for root in self.roots.tolist():
            node = root
            while self.left[node] != _LEAF:
                tested = self.column[node]
                below = self.left[node] if dense[tested] <= self.threshold[node] else self.right[node]
                gained[tested] += difference[below] - difference[node]
                node = int(below)
        places, known = self._places(rows)
        contributions: Doubles = np.where(known, gained[places], 0.0) / len(self.roots)
        return contributions

    def _dense(self, rows: SparseRows) -> Floats:
        """The columns of the rows that the trees test."""
        dense = np.zeros((len(rows), len(self.used)), np.float32)
        places, known = self._places(rows)
        numbers = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
        np.add.at(dense, (numbers[known], places[known]), rows.values[known])
        return dense

    def _places(self, rows: SparseRows) -> tuple[Longs, NDArray[np.bool_]]:
        """For every entry, the position of its column among those tested, and whether it is one of them."""
        places = np.minimum(np.searchsorted(self.used, rows.columns), len(self.used) - 1)
        return places, self.used[places] == rows.columns


def read_forest(folder: ModelFolder, *, features: int, classes: int) -> ForestScorer:
    """The forest in a folder. Every path must end, so nodes may lead to later nodes only."""
    arrays = folder.arrays(_FILE, _SCHEMA, classes=classes)
    forest = ForestScorer(**arrays)
    used, roots = forest.used, forest.roots
    nodes = len(forest.column)
    (inner,) = np.nonzero(forest.left != _LEAF)
    column = forest.column[inner]
    sound = (
        len(used) > 0
        and bool((np.diff(used) > 0).all() and used[0] >= 0 and used[-1] < features)
        and len(roots) > 0
        and bool(((roots >= 0) & (roots < nodes)).all())
        and bool(((column >= 0) & (column < len(used))).all())
        and all(bool(((to[inner] > inner) & (to[inner] < nodes)).all()) for to in (forest.left, forest.right))
    )
    if not sound:
        raise damaged(folder.path, "its trees are inconsistent")
    return forest


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestLearner(Learner):
    """A random forest over the features that occur most often."""

    trees: int = option(100, "number of trees", least=1, most=10_000)
    depth: int = option(0, "maximum depth of a tree, 0 for any", least=0, most=1000)
    leaf: int = option(2, "minimum number of rows in a leaf", least=1, most=10**6)
    least: int = option(10, "minimum number of rows in which a feature occurs", least=1, most=10**6)
    most: int = option(2000, "number of features to use, most frequent first", least=1, most=20_000)

    @classmethod
    def read(cls, folder: ModelFolder, *, features: int, classes: int) -> ForestScorer:
        return read_forest(folder, features=features, classes=classes)

    def learn(self, rows: SparseRows, labels: Ints, *, width: int, classes: int, seed: int) -> ForestScorer:
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(
            self.trees,
            max_depth=self.depth or None,
            min_samples_leaf=self.leaf,
            random_state=seed,
            n_jobs=2,
        )
        counts = np.bincount(rows.columns, minlength=width)
        used = np.sort(np.argsort(-counts, kind="stable")[: self.most])
        kept = np.zeros(width, np.bool_)
        kept[used] = True
        forest.fit(rows.only(kept).matrix(len(used)), labels, sample_weight=self.row_weights(labels, classes))
        return _joined([tree.tree_ for tree in forest.estimators_], used)


def _joined(trees: list[Any], used: Longs) -> ForestScorer:
    """The nodes of all trees, one tree after the other."""
    offsets = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]

    def below(name: str) -> Longs:
        parts = ((getattr(tree, name), start) for tree, start in zip(trees, offsets, strict=True))
        moved = [np.where(part == _LEAF, _LEAF, part + start) for part, start in parts]
        return np.concatenate(moved).astype(np.int64)

    shares = np.concatenate([tree.value[:, 0, :] for tree in trees])
    return ForestScorer(
        used=used,
        roots=offsets.astype(np.int64),
        column=np.concatenate([tree.feature for tree in trees]).astype(np.int64),
        threshold=np.concatenate([tree.threshold for tree in trees]),
        left=below("children_left"),
        right=below("children_right"),
        shares=(shares / shares.sum(axis=1, keepdims=True)).astype(np.float32),
    )
