"""Training by shards gives the model file of one process, byte for byte, however the text is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from anaphor.align import AlignerChoice
from anaphor.align.aligners import BuiltInAligner
from anaphor.align.model import Bitext, CountLayout, HmmOptions
from anaphor.core import InputError, LanguagePair, UserError
from anaphor.core.progress import ShareProgress
from anaphor.scale import sharded_text
from anaphor.scale.cluster import ClusterExecutor
from anaphor.scale.executor import Executor, LocalExecutor, Outcome, TaskDone
from anaphor.scale.numbering import NumberShard, TokenizationConfig, VocabularyTotals
from anaphor.scale.result_store import ResultStore, Task
from anaphor.scale.training import train_on_texts
from anaphor.task.prepare.texts import TextPair
from tests.support.shards import PAIR, write_shards

TOKENIZATION = TokenizationConfig(PAIR)


class Tired(LocalExecutor):
    """Stops before a step; `steps` says which it did, and whether any task of it was not there before."""

    def __init__(self, *, stop: str) -> None:
        super().__init__()
        self._stop = stop
        self.steps: dict[str, bool] = {}

    def run(
        self, step: str, tasks: Sequence[Task], store: ResultStore, progress: ShareProgress
    ) -> list[Outcome]:
        if step == self._stop:
            raise KeyboardInterrupt
        outcomes = super().run(step, tasks, store, progress)
        fresh = any(isinstance(outcome, TaskDone) and outcome.cost is not None for outcome in outcomes)
        self.steps[step] = self.steps.get(step, False) or fresh
        return outcomes


class Interrupted(LocalExecutor):
    """Does so many lots of tasks and no more; `taken_up` are those that were done before."""

    def __init__(self, *, after: int) -> None:
        super().__init__()
        self._left = after
        self.taken_up: list[str] = []

    def run(
        self, step: str, tasks: Sequence[Task], store: ResultStore, progress: ShareProgress
    ) -> list[Outcome]:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        outcomes = super().run(step, tasks, store, progress)
        self.taken_up += [one.name for one in outcomes if isinstance(one, TaskDone) and one.cost is None]
        return outcomes


def model_of_one_process(texts: list[TextPair], choice: AlignerChoice, path: Path) -> bytes:
    BuiltInAligner(choice).train(chain.from_iterable(map(TOKENIZATION.cut, texts))).save(path)
    return path.read_bytes()


def model_of_shards(texts: list[TextPair], choice: AlignerChoice, path: Path, executor: Executor) -> bytes:
    pairs, _ = train_on_texts(texts, choice, TOKENIZATION, executor, path, lambda _: None)
    assert pairs == sum(1 for text in texts for _ in text.read())
    assert not path.with_name(f"{path.name}.parts").exists()
    return path.read_bytes()


@pytest.mark.parametrize(
    ("shards", "method"), [(1, "hmm"), (2, "hmm"), (11, "hmm"), (3, "ibm1"), (3, "hmm-apart")]
)
def test_any_number_of_shards_gives_the_model_of_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int, method: str
) -> None:
    # Small limits: a small text then has many ranges of words and keys, and sums in a tree of several levels.
    monkeypatch.setattr(sharded_text, "LEAST", 1)
    monkeypatch.setattr(sharded_text, "MOST", 60)
    monkeypatch.setattr(sharded_text, "ENTRIES", 100)
    monkeypatch.setattr(sharded_text, "KEYS", 1000)
    monkeypatch.setattr(sharded_text, "FAN_IN", 3)
    choice = AlignerChoice(pair=PAIR, threads=1, model=method)
    texts = write_shards(tmp_path, shards=shards, pairs=330 // shards)
    found = model_of_shards(texts, choice, tmp_path / "shards.model", LocalExecutor())
    assert found == model_of_one_process(texts, choice, tmp_path / "one.model")


@pytest.mark.parametrize(
    ("workers", "sizes", "expected"),
    [
        (1, [20] * 4, [(0, 4)]),
        (2, [30] * 4, [(0, 2), (60, 2)]),
        # More than 100 pairs are too many for one block: each worker gets two.
        (2, [60] * 4, [(0, 1), (60, 1), (120, 1), (180, 1)]),
        (1, [40] * 5, [(0, 2), (80, 3)]),
        # No more blocks than shards, and none of less than 20 pairs but where shards are so small.
        (9, [30] * 2, [(0, 1), (30, 1)]),
        (9, [5] * 6, [(0, 6)]),
        (3, [100, 5, 5, 5], [(0, 1), (100, 3)]),
    ],
)
def test_blocks_are_of_like_size_and_as_many_for_each_worker(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workers: int,
    sizes: list[int],
    expected: list[tuple[int, int]],
) -> None:
    monkeypatch.setattr(sharded_text, "LEAST", 20)
    monkeypatch.setattr(sharded_text, "MOST", 100)
    monkeypatch.setattr(LocalExecutor, "workers", workers)
    shards = tuple(sharded_text.NumberedShard(str(at), pairs, 1) for at, pairs in enumerate(sizes))
    none = np.zeros(0, np.int64)
    totals = VocabularyTotals(TOKENIZATION.vocabularies(), none, none, none, none)
    text = sharded_text.ShardedText("job", shards, totals, LocalExecutor(), ResultStore(tmp_path))
    assert [(first, len(names)) for first, names in text.blocks()] == expected


def test_jumps_are_counted_in_the_same_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # With every seventh pair of 330, blocks of about 30 begin at a different remainder each.
    monkeypatch.setattr(sharded_text, "LEAST", 1)
    monkeypatch.setattr(sharded_text, "MOST", 40)
    monkeypatch.setattr(LocalExecutor, "workers", 11)
    remainders = []
    shifted = sharded_text._shifted

    def recorded(text: Bitext, places: int) -> Bitext:
        remainders.append(places)
        return shifted(text, places)

    monkeypatch.setattr(sharded_text, "_shifted", recorded)
    for module in ("anaphor.align.train", "anaphor.scale.sharded_text"):
        monkeypatch.setattr(f"{module}.jump_stride", lambda _: 7)
    choice = AlignerChoice(pair=PAIR, threads=1)
    texts = write_shards(tmp_path, shards=11, pairs=30)
    found = model_of_shards(texts, choice, tmp_path / "shards.model", LocalExecutor())
    assert found == model_of_one_process(texts, choice, tmp_path / "one.model")
    assert set(remainders) == set(range(7))


def test_a_cluster_gives_the_model_of_one_process(
    tmp_path: Path, texts: list[TextPair], cluster: ClusterExecutor
) -> None:
    choice = AlignerChoice(pair=PAIR, threads=1)
    found = model_of_shards(texts, choice, tmp_path / "cluster.model", cluster)
    assert found == model_of_one_process(texts, choice, tmp_path / "one.model")


def test_a_rerun_takes_up_the_passes_that_are_finished(tmp_path: Path, texts: list[TextPair]) -> None:
    choice = AlignerChoice(pair=PAIR, threads=1)
    first = Tired(stop="pass-4")
    with pytest.raises(KeyboardInterrupt):
        train_on_texts(texts, choice, TOKENIZATION, first, tmp_path / "m", lambda _: None)
    assert [*first.steps] == ["reading shards", "numbering words", "candidates", "pass-1", "pass-2", "pass-3"]
    second = Tired(stop="never")
    train_on_texts(texts, choice, TOKENIZATION, second, tmp_path / "m", lambda _: None)
    # Survey, numbers and candidates are asked for again, and found to be there.
    assert [*second.steps] == ["reading shards", "numbering words", "candidates", "pass-4", "pass-5"]
    assert [step for step, fresh in second.steps.items() if fresh] == ["pass-4", "pass-5"]
    assert (tmp_path / "m").read_bytes() == model_of_one_process(texts, choice, tmp_path / "one.model")


def test_a_rerun_by_more_workers_takes_up_no_sum_of_other_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One worker has four blocks, three have six: the first three are summed up by a task of the same name.
    monkeypatch.setattr(sharded_text, "LEAST", 1)
    monkeypatch.setattr(sharded_text, "MOST", 100)
    monkeypatch.setattr(sharded_text, "FAN_IN", 3)
    choice = AlignerChoice(pair=PAIR, threads=1)
    texts = write_shards(tmp_path, shards=11, pairs=30)
    with pytest.raises(KeyboardInterrupt):
        # Reading, numbering, candidates, the blocks of the first pass, the first sums of them.
        train_on_texts(texts, choice, TOKENIZATION, Interrupted(after=5), tmp_path / "m", lambda _: None)
    monkeypatch.setattr(LocalExecutor, "workers", 3)
    executor = Interrupted(after=100)
    train_on_texts(texts, choice, TOKENIZATION, executor, tmp_path / "m", lambda _: None)
    assert [name for name in executor.taken_up if name.startswith("pass")] == []
    assert (tmp_path / "m").read_bytes() == model_of_one_process(texts, choice, tmp_path / "one.model")


def test_nothing_to_train_on_is_an_error(tmp_path: Path) -> None:
    for name in ("a.en", "a.fr"):
        (tmp_path / name).write_text("", encoding="utf-8")
    text = TextPair(source=str(tmp_path / "a.en"), target=str(tmp_path / "a.fr"))
    with pytest.raises(InputError, match="nothing to train on"):
        train_on_texts(
            [text], AlignerChoice(pair=PAIR), TOKENIZATION, LocalExecutor(), tmp_path / "m", lambda _: None
        )


def test_a_bad_shard_is_named_before_training(tmp_path: Path, texts: list[TextPair]) -> None:
    (tmp_path / "part-03.fr.gz").write_bytes((tmp_path / "part-03.fr.gz").read_bytes()[:-20])
    with pytest.raises(UserError, match="part-03: the gzip file is broken") as caught:
        train_on_texts(
            texts, AlignerChoice(pair=PAIR), TOKENIZATION, LocalExecutor(), tmp_path / "m", lambda _: None
        )
    assert str(caught.value.where).endswith("part-03.fr.gz")


def test_other_packs_make_another_numbering(tmp_path: Path) -> None:
    # What a pack says of clitics decides how words are cut, so that numbers belong to one content of it.
    spanish = Path(str(files("anaphor") / "languages" / "packs" / "es.toml")).read_text(encoding="utf-8")
    (tmp_path / "es.toml").write_text(f"{spanish}\n# mine\n", encoding="utf-8")
    pair = LanguagePair("en", "es")
    assert TokenizationConfig(pair).signature() != TokenizationConfig(pair, packs=tmp_path).signature()
    assert TokenizationConfig(pair).signature() != TokenizationConfig(pair, tokenized=True).signature()


def test_every_field_of_a_numbering_task_is_part_of_its_key(texts: list[TextPair], tmp_path: Path) -> None:
    """Or the numbers of another shard, text or tokenization would be taken for its own."""
    task = NumberShard("part", texts[0], ("a", "b"), TOKENIZATION, step=2, first=1)
    spanish = Path(str(files("anaphor") / "languages" / "packs" / "fr.toml")).read_text(encoding="utf-8")
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "fr.toml").write_text(f"{spanish}\n# mine\n", encoding="utf-8")
    others = [
        replace(task, text=texts[1]),
        replace(task, hashes=("a", "c")),
        replace(task, hashes=("b", "a")),
        replace(task, tokenization=replace(TOKENIZATION, tokenized=True)),
        replace(task, tokenization=replace(TOKENIZATION, pair=LanguagePair("en", "de"))),
        replace(task, tokenization=replace(TOKENIZATION, packs=tmp_path / "packs")),
        replace(task, step=3),
        replace(task, first=0),
        replace(task, step=1, first=2),
    ]
    assert len({task.key(), *(one.key() for one in others)}) == len(others) + 1
    assert replace(task, shard="another name").key() == task.key()


def test_the_keys_of_counts_have_their_job_and_what_is_counted() -> None:
    """Or sums of another text, or of other parts of it, would be taken up again."""
    options, layout = HmmOptions(), CountLayout(1, 2, 3, agree=True)
    sent = sharded_text.BroadcastModel("pass-1/model", 1)
    block = sharded_text.CountBlock("pass-1/0", "job", ("a", "b"), 0, sent, layout, options, True, 1)
    sums = sharded_text.AddCounts("pass-1/sum-1", "job", ("x", "y"), (0, 9))
    pairs = sharded_text.CountCooccurrences("together/0-9", "job", (0, 9), (("a",), ("b",)), options)
    varied: dict[Task, list[Task]] = {
        block: [replace(block, job="k"), replace(block, name="pass-2/0"), replace(block, shards=("a", "c"))],
        sums: [replace(sums, job="k"), replace(sums, name="pass-2/sum-1"), replace(sums, parts=("x", "z"))],
        pairs: [replace(pairs, job="k"), replace(pairs, span=(0, 8)), replace(pairs, span=(1, 9))],
    }
    for task, others in varied.items():
        assert len({task.key(), *(one.key() for one in others)}) == len(others) + 1, task.name
