"""Workers that die, stand still or are not there, on a real cluster of processes."""

from __future__ import annotations

import os
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from anaphor.core import MismatchError, OptionError, UserError
from anaphor.scale import cluster as module
from anaphor.scale.cluster import ClusterAddress, ClusterExecutor, open_cluster
from anaphor.scale.executor import LocalExecutor, TaskDone, TaskFailed
from anaphor.scale.preparation import ShardedPreparation
from anaphor.scale.result_store import ResultStore, StoredTaskResult
from anaphor.task.prepare.texts import TextPair
from tests.support.killing import killing, pids
from tests.support.shards import preparation


@dataclass(frozen=True, slots=True)
class Nap:
    """A task that writes its name after a while; `how` says what else happens."""

    name: str
    seconds: float = 0.0
    how: str = ""

    def key(self) -> str:
        return "nap"

    def make(self, store: ResultStore) -> StoredTaskResult:
        time.sleep(self.seconds)
        if self.how == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "raise":
            raise RuntimeError("a bug of ours")
        if self.how == "first time: stand still" and not (store.folder / "stood").exists():
            (store.folder / "stood").touch()
            os.kill(os.getpid(), signal.SIGSTOP)
        return StoredTaskResult({"txt": self.name.encode()}, {"pid": os.getpid()})


@pytest.mark.slow
def test_killing_workers_at_random_changes_no_byte(
    tmp_path: Path, texts: list[TextPair], cluster: ClusterExecutor
) -> None:
    for name in ("calm", "disturbed"):
        (tmp_path / name).mkdir()
    ShardedPreparation(preparation(texts), LocalExecutor(), lambda _: None).run(tmp_path / "calm")
    with killing(cluster, times=4, every=0.4) as killed:
        ShardedPreparation(preparation(texts), cluster, lambda _: None).run(tmp_path / "disturbed")
    assert killed
    calm, disturbed = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("calm", "disturbed")
    )
    assert calm == disturbed


@pytest.mark.slow
def test_what_a_worker_that_stands_still_had_is_done_by_another(
    tmp_path: Path, cluster: ClusterExecutor
) -> None:
    tasks = [Nap("still", how="first time: stand still"), *(Nap(f"task-{n}", 0.05) for n in range(6))]
    before = pids(cluster)
    outcomes = cluster.run("napping", tasks, ResultStore(tmp_path), lambda *_: None)
    assert all(isinstance(outcome, TaskDone) for outcome in outcomes)
    assert (tmp_path / "still.txt").read_bytes() == b"still"
    for pid in before:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_a_task_that_kills_its_workers_fails_by_name_and_alone(
    tmp_path: Path, cluster: ClusterExecutor
) -> None:
    def allow(failures: int) -> None:
        cluster._client.run_on_scheduler(_allow, failures=failures)

    allow(1)
    tasks = [Nap("good"), Nap("poison", how="die"), Nap("bug", how="raise"), Nap("fine")]
    outcomes = cluster.run("napping", tasks, ResultStore(tmp_path), lambda *_: None)
    allow(3)
    assert [isinstance(outcome, TaskDone) for outcome in outcomes] == [True, False, False, True]
    assert isinstance(outcomes[1], TaskFailed)
    assert outcomes[1].name == "poison"
    assert "its workers died on every attempt" in outcomes[1].what
    assert isinstance(outcomes[2], TaskFailed)
    assert "a bug of ours" in outcomes[2].what


def _allow(failures: int, dask_scheduler: object = None) -> None:
    dask_scheduler.allowed_failures = failures  # type: ignore[attr-defined]


def test_a_cluster_that_goes_away_loses_nothing_that_was_finished(
    tmp_path: Path, texts: list[TextPair]
) -> None:
    expected, found = tmp_path / "expected.tsv", tmp_path / "found.tsv"
    preparation(texts).run(expected, workers=1, progress=lambda _: None)
    steps: list[str] = []

    def heard(step: str) -> None:
        steps.append(step)
        if "position model" in step:
            executor._client.cluster.close()

    with (
        pytest.raises(UserError, match="the cluster") as caught,
        open_cluster(ClusterAddress(workers=1)) as executor,
    ):
        ShardedPreparation(preparation(texts), executor, heard).run(found)
    assert "kept" in caught.value.fix
    assert not found.exists()
    store = tmp_path / "found.tsv.parts"
    assert len(list((store / "numbers").glob("*.text"))) == len(texts)
    crew_after = LocalExecutor()
    ShardedPreparation(preparation(texts), crew_after, lambda _: None).run(found)
    # Five shards that were read, the five that were numbered, the candidates, and perhaps the first block.
    assert re.search(r" 1[12] of them finished before", str(crew_after))
    assert found.read_bytes() == expected.read_bytes()


def test_a_cluster_that_cannot_be_reached_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTING", 0.5)
    address = ClusterAddress.parse("tcp://127.0.0.1:9")
    with pytest.raises(UserError, match="the cluster cannot be reached"), open_cluster(address):
        pass


def test_workers_of_another_version_are_refused(
    cluster: ClusterExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "__version__", "99.0")
    with pytest.raises(
        MismatchError, match=r"worker has anaphor 0.*this process has anaphor 99\.0"
    ) as caught:
        cluster.check_versions()
    assert str(caught.value.where).startswith("tcp://")


def test_a_folder_that_workers_do_not_see_is_refused(tmp_path: Path, cluster: ClusterExecutor) -> None:
    with pytest.raises(MismatchError, match="cannot see the output folder"):
        cluster.run("napping", [Nap("a")], ResultStore(tmp_path / "elsewhere"), lambda *_: None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("local:3", ClusterAddress(workers=3)),
        ("local", ClusterAddress(workers=os.cpu_count())),
        ("tcp://host:8786", ClusterAddress(scheduler="tcp://host:8786")),
    ],
)
def test_an_address_names_workers_or_a_scheduler(text: str, expected: ClusterAddress) -> None:
    assert ClusterAddress.parse(text) == expected


def test_a_scheduler_file_is_an_address(tmp_path: Path) -> None:
    (tmp_path / "scheduler.json").write_text("{}", encoding="utf-8")
    assert ClusterAddress.parse(str(tmp_path / "scheduler.json")).file == tmp_path / "scheduler.json"


@pytest.mark.parametrize("text", ["local:0", "local:x", "host:8786", "nowhere.json", ""])
def test_what_is_no_address_is_an_error(text: str) -> None:
    with pytest.raises(OptionError, match="not a cluster address"):
        ClusterAddress.parse(text)
