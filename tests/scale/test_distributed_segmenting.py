"""Whole documents cut by an executor: the same as in one process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from anaphor import languages
from anaphor.core import LanguagePair
from anaphor.scale import segmenting
from anaphor.scale.cluster import ClusterExecutor
from anaphor.scale.executor import LocalExecutor
from anaphor.scale.result_store import ResultStore
from anaphor.scale.segmenting import DistributedCutter, SegmentDocuments
from anaphor.segment.candidate import DocumentCutter
from anaphor.segment.documents import Job, segment_documents

PAIR = LanguagePair("en", "fr")
JOBS: list[Job] = [
    Job(["The lamp is old.", "It still works."], "La lampe est vieille. Elle marche encore."),
    Job(["They like the door.", "It is new.", "They open it."], "Ils aiment la porte. Ils l'ouvrent."),
    Job(["It rains."], "Il pleut. Il fait froid."),
    Job(["The garden is large.", "They play there."], "Le jardin est grand. Ils y jouent."),
]


def test_tasks_give_what_one_process_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segmenting, "_TASK_SIZE", 40)  # three tasks
    executor, store = LocalExecutor(), ResultStore(tmp_path / "store")
    assert DistributedCutter(executor, store)(JOBS, PAIR) == segment_documents(JOBS, PAIR)
    assert len(list((tmp_path / "store" / "segments").iterdir())) == 3
    # A second run finds all results stored.
    assert DistributedCutter(executor, store)(JOBS, PAIR) == segment_documents(JOBS, PAIR)
    assert "6 tasks, 3 of them finished before" in str(executor)


def test_a_cluster_gives_what_one_process_gives(
    tmp_path: Path, cluster: ClusterExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segmenting, "_TASK_SIZE", 40)
    found = DistributedCutter(cluster, ResultStore(tmp_path / "store"))(JOBS, PAIR)
    assert found == segment_documents(JOBS, PAIR)


def test_every_field_of_a_segmenting_task_is_part_of_its_key(tmp_path: Path) -> None:
    task = SegmentDocuments("segments/0", "en-fr", tuple(JOBS[:2]), DocumentCutter())
    french = (Path(languages.__file__).parent / "packs" / "fr.toml").read_text(encoding="utf-8")
    (tmp_path / "fr.toml").write_text(f"# mine\n{french}", encoding="utf-8")
    others = [
        replace(task, pair="en-de"),
        replace(task, jobs=tuple(JOBS[1::-1])),
        replace(task, jobs=(JOBS[0], JOBS[1]._replace(text="Ils aiment la porte."))),
        replace(task, jobs=(JOBS[0], JOBS[1]._replace(reference=["a", "b", "c"]))),
        replace(task, how=DocumentCutter(priors="none")),
        replace(task, how=DocumentCutter(packs=tmp_path)),
    ]
    assert len({task.key(), *(one.key() for one in others)}) == len(others) + 1
    for same in (replace(task, name="segments/1"), replace(task, how=DocumentCutter(threads=2))):
        assert same.key() == task.key()
