"""Pronouns judged by an executor: what one process gives, resumed after a stop, also when workers die."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor import demo
from anaphor.cli.main import main
from anaphor.core import Alignment, LanguagePair, Progress, Result, Settings, UserError
from anaphor.corpus import Inputs, read_inputs
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.scale import judging
from anaphor.scale.cluster import ClusterAddress, ClusterExecutor, open_cluster
from anaphor.scale.executor import Executor, LocalExecutor
from anaphor.scale.judging import DistributedWeigher
from anaphor.scale.result_store import ResultStore
from tests.support.killing import killing

DEMO = Path(demo.__file__).parent
SETTINGS = Settings(pair="en-fr", metrics=("accept",), samples=0)


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    """The documents of the demo, and one of its systems."""
    whole = read_inputs(demo.files(alignments=True), LanguagePair("en", "fr"))
    assert whole.candidate_alignments is not None
    name = next(iter(whole.candidates))
    return replace(
        whole,
        candidates={name: whole.candidates[name]},
        candidate_alignments={name: whole.candidate_alignments[name]},
    )


@pytest.fixture(scope="module")
def expected(inputs: Inputs) -> Result:
    return evaluate_experiment(Experiment.of(inputs, SETTINGS))


@pytest.fixture(autouse=True)
def _small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_TASK_SEGMENTS", 20)


def judged(inputs: Inputs, executor: Executor, folder: Path, progress: Progress = lambda _: None) -> Result:
    weigher = DistributedWeigher(executor, ResultStore(folder / "store"))
    return evaluate_experiment(Experiment.of(inputs, SETTINGS), progress, weigher=weigher)


def test_tasks_give_what_one_process_gives_and_are_kept(
    tmp_path: Path, inputs: Inputs, expected: Result
) -> None:
    executor = LocalExecutor()
    assert judged(inputs, executor, tmp_path).systems == expected.systems
    assert len(list((tmp_path / "store" / "verdicts").glob("*.weighed"))) == 5
    # What is damaged or gone is done again, and nothing else.
    (tmp_path / "store" / "verdicts" / "000-000001.weighed").write_bytes(b"[]")
    again = LocalExecutor()
    assert judged(inputs, again, tmp_path).systems == expected.systems
    assert "5 tasks, 4 of them finished before" in str(again)


def test_a_cluster_gives_the_same_while_workers_die(
    tmp_path: Path, inputs: Inputs, expected: Result, cluster: ClusterExecutor
) -> None:
    with killing(cluster, times=1, every=0.5) as killed:
        found = judged(inputs, cluster, tmp_path)
    assert killed
    assert found.systems == expected.systems


def test_a_scheduler_that_goes_away_loses_no_verdict(
    tmp_path: Path, inputs: Inputs, expected: Result
) -> None:
    def heard(step: str) -> None:
        if step.startswith("judging") and not step.endswith(" 0%"):
            executor._client.cluster.close()

    with (
        pytest.raises(UserError, match="the cluster"),
        open_cluster(ClusterAddress(workers=1)) as executor,
    ):
        judged(inputs, executor, tmp_path, heard)
    after = LocalExecutor()
    assert judged(inputs, after, tmp_path).systems == expected.systems
    assert re.search(r"5 tasks, [1-5] of them finished before", str(after))


def test_every_field_of_a_task_is_part_of_its_key(inputs: Inputs) -> None:
    experiment = Experiment.of(inputs, SETTINGS)
    name = next(iter(inputs.candidates))
    task = next(judging._tasks(experiment, name, experiment.pairs[name]))
    other = ("x", *task.candidate[1:])
    others = [
        replace(task, source=other),
        replace(task, candidate=other),
        replace(task, references=(other,)),
        replace(task, documents=None),
        replace(task, pairs=task.pairs[1:]),
        replace(task, links=(Alignment((0,), (0,)), *task.links[1:])),
        replace(task, before=7),
        replace(task, settings=replace(SETTINGS, options={"accept_reference": "ignore"})),
    ]
    assert len({task.key(), *(one.key() for one in others)}) == len(others) + 1
    assert replace(task, name="verdicts/another").key() == task.key()


def test_score_keeps_finished_parts_beside_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stop leaves them, the same command goes on with them, and nothing is left at the end."""

    class Stopping(LocalExecutor):
        stop = True

        def run(self, step: str, *arguments: object) -> object:  # type: ignore[override]
            outcomes = super().run(step, *arguments)  # type: ignore[arg-type]
            if Stopping.stop and step.startswith("judging"):
                raise UserError("the cluster went away", where="--cluster", fix="start it again")
            return outcomes

    from contextlib import contextmanager

    @contextmanager
    def opened(_: object):  # type: ignore[no-untyped-def]
        yield Stopping()

    monkeypatch.setattr("anaphor.cli.cluster_options.executor_from", opened)
    monkeypatch.chdir(tmp_path)
    files = ("--source", f"{DEMO}/source.en", "--documents", f"{DEMO}/documents")
    command = ["score", "-p", "en-fr", *files, "--candidate", f"{DEMO}/dahlia.fr", "--samples", "0", "-q"]
    assert main([*command, "--items", "one.tsv", "--json"]) == 0
    expected = capsys.readouterr().out
    command += ["--cluster", "local:2", "--items", "two.tsv", "--json"]
    assert main(command) == 1
    assert "the cluster went away" in capsys.readouterr().err
    assert list((tmp_path / "two.tsv.parts" / "verdicts").glob("*.weighed"))
    Stopping.stop = False
    assert main(command) == 0
    assert capsys.readouterr().out == expected
    assert (tmp_path / "two.tsv").read_bytes() == (tmp_path / "one.tsv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.tsv", "two.tsv"]
