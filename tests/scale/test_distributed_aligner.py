"""Texts in memory aligned by an executor, and the command line with `--cluster`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anaphor.align import AlignerChoice
from anaphor.cli import cluster_options
from anaphor.cli.main import main
from anaphor.scale import training
from anaphor.scale.cluster import ClusterExecutor
from anaphor.scale.executor import LocalExecutor
from anaphor.scale.numbering import TokenizationConfig
from anaphor.scale.result_store import ResultStore
from anaphor.scale.training import DistributedAlignerChoice
from anaphor.task.prepare.texts import TextPair
from tests.support.shards import PAIR

DEMO = Path(__file__).resolve().parents[2] / "src" / "anaphor" / "demo"


@pytest.mark.parametrize("way", ["", "intersection"])
def test_an_executor_gives_the_links_of_one_process(
    tmp_path: Path, texts: list[TextPair], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(training, "BATCH", 70)
    choice = AlignerChoice(pair=PAIR, symmetrization=way)
    pairs = [pair for text in texts for pair in TokenizationConfig(PAIR).cut(text)]
    on_crew = DistributedAlignerChoice.of(choice, LocalExecutor(), ResultStore(tmp_path))
    assert list(on_crew.build().align(pairs)) == list(choice.build().align(pairs))
    assert on_crew.signature() == choice.signature()
    assert len(list((tmp_path / "numbers").glob("*.text"))) == 5


def test_other_peoples_aligners_are_left_alone(tmp_path: Path) -> None:
    choice = DistributedAlignerChoice.of(
        AlignerChoice(pair=PAIR, name="fast_align"), LocalExecutor(), ResultStore(tmp_path)
    )
    assert type(choice.build()).__name__ == "FastAlign"


@pytest.fixture
def on_cluster(cluster: ClusterExecutor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Lets `--cluster local:2` mean the cluster of the tests, which is there already."""

    @contextmanager
    def opened(_: object) -> Iterator[ClusterExecutor]:
        yield cluster

    monkeypatch.setattr("anaphor.scale.cluster.open_cluster", opened)
    monkeypatch.chdir(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("on_cluster")
def test_score_prints_the_same_with_a_cluster(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = ("--source", f"{DEMO}/source.en", "--reference", f"{DEMO}/reference.fr")
    command = ("score", "--pair", "en-fr", *files, "--candidate", f"{DEMO}/dahlia.fr", "--json")
    assert printed(capsys, *command, "--cluster", "local:2") == printed(capsys, *command)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("on_cluster")
def test_suite_build_writes_the_same_with_a_cluster(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    corpus = ("--corpus", f"{DEMO}/source.en", "--reference", f"{DEMO}/reference.fr")
    command = ("suite", "build", "--pair", "en-fr", *corpus, "--documents", f"{DEMO}/documents")
    one = printed(capsys, *command, "--output", str(tmp_path / "one"))
    assert printed(capsys, *command, "--output", str(tmp_path / "two"), "--cluster", "local:2") == one
    first, second = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("one", "two")
    )
    assert first == second


@pytest.mark.usefixtures("on_cluster")
def test_align_train_takes_patterns_and_a_cluster(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, texts: list[TextPair]
) -> None:
    assert len(texts) == 5
    command = ("align", "train", "--pair", "en-fr", "--source", "part-*.en.gz", "--target", "part-*.fr.gz")
    assert "trained on 300 sentence pairs" in printed(capsys, *command, "--save", "one.model")
    assert "300 sentence pairs" in printed(capsys, *command, "--save", "two.model", "--cluster", "local:2")
    assert (tmp_path / "one.model").read_bytes() == (tmp_path / "two.model").read_bytes()


@pytest.mark.usefixtures("on_cluster")
def test_task_prepare_writes_shards_with_a_cluster(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, texts: list[TextPair]
) -> None:
    assert len(texts) == 5
    files = ("--source", "part-*.en.gz", "--target", "part-*.fr.gz", "--documents", "part-*.ids")
    command = ("task", "prepare", "--pair", "en-fr", *files, "--json")
    found = json.loads(printed(capsys, *command, "--output", "out/", "--cluster", "local:2"))
    assert found["segments"] == 300
    assert json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))["complete"] is True
    here = json.loads(printed(capsys, *command, "--output", "here/"))
    assert here["classes"] == found["classes"]
    assert (tmp_path / "here/manifest.json").read_bytes() == (tmp_path / "out/manifest.json").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cluster", "local:0"), "not a cluster address: local:0"),
        (("--cluster", "local:1", "--workers", "2"), "--workers would be ignored"),
    ],
)
def test_options_that_cannot_be_are_explained(
    capsys: pytest.CaptureFixture[str], texts: list[TextPair], arguments: tuple[str, ...], message: str
) -> None:
    text = ("--source", texts[0].source, "--target", texts[0].target)
    command = ["task", "prepare", "--pair", "en-fr", *text, "--output", f"{texts[0].source}.tsv", *arguments]
    assert main(command) == 1
    assert message in capsys.readouterr().err


def test_the_cluster_is_reported_on_stderr(
    cluster: ClusterExecutor, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from argparse import Namespace

    @contextmanager
    def opened(_: object) -> Iterator[ClusterExecutor]:
        yield cluster

    monkeypatch.setattr("anaphor.scale.cluster.open_cluster", opened)
    with cluster_options.executor_from(Namespace(cluster="local:2", quiet=False)):
        pass
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("cluster: ")
    assert "dashboard http://" in told[0]
    assert re.match(r"cluster: 2 workers of tcp://.*: [0-9]+ tasks, [0-9]+ of them finished before", told[1])
