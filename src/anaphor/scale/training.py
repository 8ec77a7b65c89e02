"""The aligner trained by an executor: number the shards, merge their vocabularies, then train as usual."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import islice
from pathlib import Path

from anaphor.align import AlignerChoice, SentencePair, TrainedAligner
from anaphor.align.aligners import BuiltInAligner, align_with_model
from anaphor.align.choice import OWN
from anaphor.align.programs import Aligner
from anaphor.align.vocabulary import load_packs
from anaphor.core import Alignment, InputError, LanguagePair, digest
from anaphor.core.progress import Progress, in_percent, no_progress
from anaphor.files.writing import atomic_path
from anaphor.scale.executor import Executor, all_done, failure
from anaphor.scale.numbering import NumberShard, TokenizationConfig, merge_vocabularies, numbered_shard
from anaphor.scale.result_store import ResultStore, StoredTaskResult, TaskRecord
from anaphor.scale.sharded_text import NumberedShard, ShardedText
from anaphor.scale.shards import shards_of, survey
from anaphor.task.prepare.texts import ParallelText

#: The name of the result.
MODEL = "aligner"
_STEPS = ("numbers", "together")


def train(
    shards: Sequence[NumberShard],
    choice: AlignerChoice,
    executor: Executor,
    store: ResultStore,
    progress: Progress,
) -> TaskRecord:
    """Train on the shards and keep the model as `aligner.model`, unless it is there.

    The record has the number of `pairs` seen, and the warnings from reading them. The file is byte-identical
    to that of one process that reads the shards in order.
    """
    job = digest([choice.signature().encode(), *(shard.key().encode() for shard in shards)])
    if (record := store.finished(MODEL, job)) is not None:
        return record

    outcomes = executor.run("numbering words", shards, store, in_percent(progress))
    # Shards that could not be read are an error that calls them by their own names.
    done = all_done([outcome._replace(name=outcome.name.removeprefix("numbers/")) for outcome in outcomes])
    numbered = [NumberedShard(task.name, task.facts["pairs"], task.facts["words"]) for task in done]
    pairs = sum(shard.pairs for shard in numbered)
    if not pairs:
        raise InputError(
            "there is nothing to train on",
            where=shards[0].text.paths[0],
            fix="use at least one sentence pair",
        )
    names = [shard.name for shard in numbered]
    totals = merge_vocabularies(names, store, shards[0].tokenization.vocabularies())
    text = ShardedText(job, tuple(numbered), totals, executor, store)
    reporting = choice.with_progress("learning to align", progress)
    trained = BuiltInAligner(reporting).train_on(text, totals.vocabularies)
    temporary = store.path(MODEL, "unfinished")
    trained.save(temporary)
    notes = tuple(dict.fromkeys(note for task in done for note in task.notes))
    record = store.save(
        MODEL, job, StoredTaskResult({"model": temporary.read_bytes()}, {"pairs": pairs}), notes
    )
    temporary.unlink()
    return record


def train_on_texts(
    texts: Sequence[ParallelText],
    choice: AlignerChoice,
    tokenization: TokenizationConfig,
    executor: Executor,
    output: Path,
    progress: Progress,
) -> tuple[int, tuple[str, ...]]:
    """Write a model of texts, each of which is a shard; return the number of pairs seen, and warnings.

    Until it is written, finished work is stored in `OUTPUT.parts`, from which the same run resumes.
    """
    store = ResultStore(output.absolute().with_name(f"{output.name}.parts"))
    store.open()
    good, failed, _ = survey(shards_of(texts), executor, store, in_percent(progress), lines=False)
    if failed:
        raise failure(failed, of=len(texts))
    shards = [
        NumberShard(survey.shard.name, survey.shard.text, survey.hashes, tokenization) for survey in good
    ]
    record = train(shards, choice, executor, store, progress)
    with atomic_path(output, what="model") as temporary:
        shutil.copyfile(store.path(MODEL, "model"), temporary)
    store.remove()
    return int(record.facts["pairs"]), record.notes


def remove_steps(store: ResultStore) -> None:
    """Remove the intermediate results of training."""
    for name in _STEPS:
        store.remove(name)
    for path in store.folder.glob("pass-*"):
        path.unlink()


#: Pairs of one shard.
BATCH = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributedAlignerChoice(AlignerChoice):
    """The same choice, with the passes of the built-in aligner run by an executor."""

    executor: Executor = field(compare=False)
    store: ResultStore = field(compare=False)

    @classmethod
    def of(cls, choice: AlignerChoice, executor: Executor, store: ResultStore) -> DistributedAlignerChoice:
        """Links are bit-identical to those of the given choice."""
        given = {option.name: getattr(choice, option.name) for option in fields(choice)}
        return cls(**given, executor=executor, store=store)

    def build(self) -> Aligner:
        return (
            DistributedAligner(self) if self.name == OWN and not self.is_fixed else AlignerChoice.build(self)
        )


@dataclass(frozen=True, slots=True)
class LinkPairs:
    """The task: align some pairs with a model that was saved; `content` is its hash."""

    name: str
    pairs: tuple[SentencePair, ...]
    model: Path
    content: str
    symmetrization: str
    pair: LanguagePair
    packs: Path | None

    def key(self) -> str:
        return digest(str(value).encode() for value in (self.content, self.symmetrization, self.pairs))

    def make(self, store: ResultStore) -> StoredTaskResult:  # noqa: ARG002
        model = _saved(self.model, self.content, self.pair, self.packs)
        links = align_with_model(model, self.pairs, self.symmetrization)
        rows = [[link.sources, link.targets, link.sure, link.confidence] for link in links]
        return StoredTaskResult({"links": json.dumps(rows).encode()}, {})


@lru_cache(maxsize=1)
def _saved(model: Path, content: str, pair: LanguagePair, packs: Path | None) -> TrainedAligner:  # noqa: ARG001
    """Read once for all tasks of a worker; `content` identifies the content of the file."""
    return TrainedAligner.load(model, pair=pair, packs=load_packs(pair, packs))


class DistributedAligner(BuiltInAligner):
    """Trains and aligns by an executor."""

    def __init__(self, choice: DistributedAlignerChoice) -> None:
        super().__init__(choice)
        self._choice = choice

    def align(self, pairs: Sequence[SentencePair], extra: Sequence[SentencePair] = ()) -> Iterator[Alignment]:
        """The alignment of every pair; the executor trains on a separate numbering."""
        if not pairs:
            return iter(())
        choice, store = self._choice, self._choice.store
        model = store.path("links/aligner", "model")
        model.parent.mkdir(parents=True, exist_ok=True)
        self.train([*pairs, *extra]).save(model)
        content = digest([model.read_bytes()])
        tasks = [
            LinkPairs(
                f"links/{number:05d}",
                tuple(pairs[start : start + BATCH]),
                model,
                content,
                choice.chosen_symmetrization,
                choice.pair,
                choice.packs,
            )
            for number, start in enumerate(range(0, len(pairs), BATCH))
        ]
        outcomes = choice.executor.run("aligning", tasks, store, no_progress)
        return (
            Alignment(
                tuple(sources),
                tuple(targets),
                None if sure is None else tuple(sure),
                None if confidence is None else tuple(confidence),
            )
            for outcome in all_done(outcomes)
            for sources, targets, sure, confidence in json.loads(
                store.path(outcome.name, "links").read_bytes()
            )
        )

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:
        """A model of these pairs, which are iterated over once."""
        choice, store = self._choice, self._choice.store
        packs = load_packs(choice.pair, choice.packs)
        remaining, shards, keys = iter(pairs), list[NumberedShard](), list[bytes]()
        while batch := list(islice(remaining, BATCH)):
            result = numbered_shard(iter(batch), *packs.vocabularies())
            shards.append(
                NumberedShard(f"batch-{len(shards):05d}", result.facts["pairs"], result.facts["words"])
            )
            keys.append(digest(result.files.values()).encode())
            store.save(f"numbers/{shards[-1].name}", "batch", result)
        job = digest([choice.signature().encode(), *keys])
        totals = merge_vocabularies([shard.name for shard in shards], store, packs.vocabularies())
        text = ShardedText(job, tuple(shards), totals, choice.executor, store)
        return self.train_on(text, totals.vocabularies)
