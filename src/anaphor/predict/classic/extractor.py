"""The features of a corpus, numbered: named, counted, streamed into sparse rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice

import numpy as np

from anaphor.core import LanguagePair, OptionError, TaskSegment
from anaphor.predict.classic.sparse import Growing, Ints, Names, Numbering, Rows, stacked
from anaphor.predict.features.context import Needs, Scene, Stage, joined
from anaphor.predict.features.groups import Group, ahead, said_of
from anaphor.predict.parallel import parts_of, processes_for, shared_out

_BATCH = 4096
#: Scenes whose features are named before they are numbered: the names of more would fill the caches.
_NAMED = 64


@dataclass(frozen=True, slots=True)
class Viewer:
    """Looks at the slots of segments of one pair through groups of features."""

    pair: LanguagePair
    forms: bool
    groups: Mapping[str, Group]

    @property
    def needs(self) -> Needs:
        """What all groups together ask of a scene."""
        return joined(group.needs for group in self.groups.values())

    def scenes(self, segments: Sequence[TaskSegment]) -> Iterator[list[Scene]]:
        """The scenes of all slots, some thousands at a time, ready to be asked for features."""
        scenes = Stage(self.pair, self.forms, self.needs).scenes(segments)
        while batch := list(islice(scenes, _BATCH)):
            ahead(self.groups.values(), batch)
            yield batch

    def rows(self, scenes: Sequence[Scene], numbering: Numbering) -> Rows:
        """A row for each scene, of its features that have a number."""
        return rows_of_each(scenes, [(self, numbering)])[0]

    def names(self, scene: Scene) -> dict[str, float]:
        """The features of a scene by name."""
        found: dict[str, float] = {}
        for group in self.groups.values():
            for feature in group.features(scene):
                name, value = feature if isinstance(feature, tuple) else (feature, 1.0)
                found[name] = found.get(name, 0.0) + value
        return found


def rows_of_each(scenes: Sequence[Scene], viewers: Sequence[tuple[Viewer, Numbering]]) -> list[Rows]:
    """The rows that each viewer sees of the same scenes; a group that several have is asked once."""
    groups = dict.fromkeys(group for viewer, _ in viewers for group in viewer.groups.values())
    found: list[list[Rows]] = [[] for _ in viewers]
    for start in range(0, len(scenes), _NAMED):
        some = scenes[start : start + _NAMED]
        said = {group: said_of(group, some) for group in groups}
        for rows, (viewer, numbering) in zip(found, viewers, strict=True):
            parts = [part for group in viewer.groups.values() for part in said[group]]
            rows.append(numbering.rows(parts, len(some)))
    return [stacked(rows) for rows in found]


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Rows of the slots that have a label, the number of each label, and the names of the columns."""

    rows: Rows
    labels: Ints
    names: tuple[str, ...]


def learn_rows(
    viewer: Viewer,
    segments: Sequence[TaskSegment],
    labels: Sequence[str],
    *,
    least: int,
    progress: Callable[[float], None],
    watch: Callable[[list[Scene]], None] | None = None,
) -> Learned:
    """The rows of all slots with a label; features that fewer than `least` rows have are left out.

    Several processes look at a long text, unless there is a `watch`, which sees all scenes on the way, a
    batch at a time.
    """

    def look(part: range, tell: Callable[[float], None]) -> Learned:
        return _looked(viewer, segments[part.start : part.stop], labels, tell, watch)

    processes = 1 if watch else processes_for(len(segments))
    documents = [segment.document for segment in segments]
    parts = parts_of(documents, [len(segment.slots) for segment in segments], count=processes)
    data = _merged([*shared_out(look, parts, processes=processes, tell=progress)])
    kept = np.bincount(data.rows.columns, minlength=len(data.names)) >= least
    if not kept.any():
        raise OptionError(
            f"no feature is found in {least} slots",
            where="options.least",
            fix="give more training data, or a lower number",
        )
    names = tuple(compress(data.names, kept.tolist()))
    return Learned(data.rows.only(kept), data.labels, names)


def _looked(
    viewer: Viewer,
    segments: Sequence[TaskSegment],
    labels: Sequence[str],
    tell: Callable[[float], None],
    watch: Callable[[list[Scene]], None] | None,
) -> Learned:
    """The rows of a part of the text, whose features are numbered as they come."""
    growing = Growing()
    numbers = {label: number for number, label in enumerate(labels)}
    rows: list[Rows] = []
    found: list[int] = []
    total = max(sum(len(segment.slots) for segment in segments), 1)
    seen = 0
    for batch in viewer.scenes(segments):
        if watch is not None:
            watch(batch)
        labelled = {at: label for at, scene in enumerate(batch) if (label := scene.slot.label) is not None}
        rows.append(viewer.rows([batch[at] for at in labelled], growing))
        found += map(numbers.__getitem__, labelled.values())
        seen += len(batch)
        tell(seen / total)
    return Learned(stacked(rows), np.array(found, np.int32), tuple(growing))


def _merged(parts: Sequence[Learned]) -> Learned:
    """The rows of all parts, their features numbered as if the parts had been one."""
    if len(parts) == 1:
        return parts[0]
    growing = Growing()
    rows = []
    for part in parts:
        numbers = growing.numbered(part.names)
        rows.append(Rows(part.rows.starts, numbers[part.rows.columns], part.rows.values))
    return Learned(stacked(rows), np.concatenate([part.labels for part in parts]), tuple(growing))


def rows_of(
    viewer: Viewer, segments: Sequence[TaskSegment], names: Names
) -> Iterator[tuple[list[Scene], Rows]]:
    """The rows of all slots in batches; features without a number count for nothing."""
    for batch in viewer.scenes(segments):
        yield batch, viewer.rows(batch, names)
