"""Data of the prediction task, shard by shard: read all shards, train the aligner, prepare each of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from anaphor.align.aligners import OWN
from anaphor.core import InputError, LanguagePair, OptionError, digest
from anaphor.languages import load_pair
from anaphor.scale.executor import Executor, Outcome, TaskFailed, failure
from anaphor.scale.numbering import NumberShard, TokenizationConfig
from anaphor.scale.result_store import ResultStore, StoredTaskResult
from anaphor.scale.shards import Shard, SurveyedShard, shards_of, survey
from anaphor.scale.training import MODEL, Progress, remove_steps, train
from anaphor.task.files import documents_beside
from anaphor.task.prepare.examples import analysers_for
from anaphor.task.prepare.part_store import PartReport, sum_reports
from anaphor.task.prepare.parts import IN_ORDER, PartJob, PartMaker, batches
from anaphor.task.prepare.plan import PART, PreparationPlan
from anaphor.task.prepare.preparation import VERSION, Preparation, check_place
from anaphor.task.prepare.texts import digest_of, read_prefixed


@dataclass(frozen=True, slots=True)
class PreparedOutput:
    """An existing folder, or a file that need not exist."""

    path: Path

    @property
    def in_shards(self) -> bool:
        """Whether every shard keeps files of its own."""
        return self.path.is_dir()

    @property
    def suffixes(self) -> tuple[str, str]:
        """Of segments and of document ids."""
        compress = self.in_shards or self.path.suffix == ".gz"
        return ("tsv.gz", "doc-ids.gz") if compress else ("tsv", "doc-ids")

    def open(self) -> ResultStore:
        """Where results are kept until all are there: the folder, or `FILE.parts`."""
        if self.in_shards:
            return ResultStore(self.path)
        check_place(self.path)
        store = ResultStore(self.path.with_name(f"{self.path.name}.parts"))
        store.open()
        return store

    def finish(self, store: ResultStore, shards: Sequence[Shard]) -> None:
        """Once all shards are prepared: leave what the user asked for and nothing else."""
        if self.in_shards:
            self._tidy(store, shards)
        else:
            self._join(store, shards)

    def _tidy(self, store: ResultStore, shards: Sequence[Shard]) -> None:
        """Leave shards, model and manifest; files of removed shards are deleted."""
        remove_steps(store)
        store.remove("survey")
        endings = (*self.suffixes, "json")
        known = {f"{shard.name}.{ending}" for shard in shards for ending in endings}
        for path in (store.folder / "shards").iterdir():
            if path.name not in known:
                path.unlink()

    def _join(self, store: ResultStore, shards: Sequence[Shard]) -> None:
        """One file of each kind from all shards, whole or not at all."""
        for suffix in self.suffixes:
            with store.path("whole", suffix).open("wb") as whole:
                for shard in shards:
                    with store.path(f"shards/{shard.name}", suffix).open("rb") as part:
                        shutil.copyfileobj(part, whole)
        for suffix, target in zip(self.suffixes, (self.path, documents_beside(self.path)), strict=True):
            store.path("whole", suffix).replace(target)
        store.remove()


MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class ShardState:
    """A shard at the end of a run: what was counted in it, or why it failed."""

    name: str
    inputs: tuple[dict[str, str], ...] = ()
    report: PartReport = field(default_factory=PartReport)
    failed: TaskFailed | None = None


def states_of(
    shards: Sequence[Shard], surveyed: Sequence[SurveyedShard], outcomes: Sequence[Outcome]
) -> list[ShardState]:
    """What became of every shard, in their order; outcomes are named after shards or their preparation."""
    files = {one.shard.name: one for one in surveyed}
    found = {outcome.name.removeprefix("shards/"): outcome for outcome in outcomes}
    return [_state(shard.name, files.get(shard.name), found[shard.name]) for shard in shards]


def _state(name: str, surveyed: SurveyedShard | None, outcome: Outcome) -> ShardState:
    read = () if surveyed is None else zip(surveyed.shard.text.paths, surveyed.hashes, strict=True)
    inputs = tuple({"file": Path(path).name, "sha256": sha256} for path, sha256 in read)
    if isinstance(outcome, TaskFailed):
        return ShardState(name, inputs, failed=outcome._replace(name=name))
    return ShardState(name, inputs, PartReport.from_json(outcome.facts))


def write_manifest(states: Sequence[ShardState], store: ResultStore, *, pair: LanguagePair) -> None:
    """Write `manifest.json` into the folder of the results."""
    content = {
        "pair": str(pair),
        "complete": all(state.failed is None for state in states),
        "total": sum_reports(state.report for state in states).to_dict(),
        "shards": [_entry(state, store) for state in states],
    }
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    store.write(MANIFEST, "json", text.encode("utf-8"))


def _entry(state: ShardState, store: ResultStore) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": state.name, "inputs": list(state.inputs)}
    if state.failed is not None:
        return entry | {"failed": state.failed._asdict()}
    record = json.loads(store.path(f"shards/{state.name}", "json").read_text(encoding="utf-8"))
    outputs = {
        f"shards/{state.name}.{suffix}": {"bytes": size, "sha256": sha256}
        for suffix, (size, sha256) in record["files"].items()
    }
    return entry | {"outputs": outputs, "counts": state.report.to_dict()}


@dataclass(frozen=True, slots=True)
class PrepareShard:
    """The task: segments and document ids of one shard. `rules` is a digest of everything but the text."""

    shard: Shard
    hashes: tuple[str, ...]
    plan: PreparationPlan
    model: Path
    rules: str
    suffixes: tuple[str, str]

    @property
    def name(self) -> str:
        return f"shards/{self.shard.name}"

    def key(self) -> str:
        content = (self.rules, self.shard.prefix, *self.suffixes, repr(self.shard.text), *self.hashes)
        return digest(one.encode() for one in content)

    def make(self, store: ResultStore) -> StoredTaskResult:  # noqa: ARG002
        maker = _maker(self.plan, self.model, self.rules)
        parts = [
            maker.make(PartJob(number=number, pairs=pairs), compress=self.suffixes[0].endswith(".gz"))
            for number, pairs in enumerate(batches(read_prefixed(self.shard.text, self.shard.prefix)))
        ]
        files = {
            suffix: b"".join(part.contents[kind] for part in parts)
            for kind, suffix in enumerate(self.suffixes)
        }
        return StoredTaskResult(files, sum_reports(part.report for part in parts).to_dict())


@dataclass(frozen=True, slots=True)
class ShardedPreparation:
    """A preparation that an executor does. Its bytes are those of `Preparation.run`."""

    preparation: Preparation
    executor: Executor
    progress: Progress

    def run(self, path: Path) -> PartReport:
        """Write a file, or files of every shard where `path` is a folder; what was counted comes back.

        Either way a manifest says what is complete: in the folder, or in `PATH.parts` until all is.
        """
        check_sharded(self.preparation)
        output = PreparedOutput(path.absolute())
        store = output.open()
        shards = shards_of(self.preparation.texts)
        good, failed, notes = survey(shards, self.executor, store, self._report)
        if not any(shard.pairs for shard in good) and not failed:
            raise InputError("there are no segments", where=shards[0].text.paths[0], fix="give parallel text")
        tasks = self._tasks(good, self._model(good, failed, store), output)
        outcomes = [*failed, *self.executor.run("preparing", tasks, store, self._report)]
        states = states_of(shards, good, outcomes)
        write_manifest(states, store, pair=self.preparation.plan.pair)
        if bad := [state.failed for state in states if state.failed is not None]:
            raise failure(bad, of=len(states))
        output.finish(store, shards)
        report = sum_reports(state.report for state in states)
        return replace(report, notes=tuple(dict.fromkeys((*notes, *report.notes))))

    def _model(self, good: Sequence[SurveyedShard], failed: Sequence[TaskFailed], store: ResultStore) -> Path:
        """The saved model, or one that learns from the shards; not from some of them where others are bad."""
        linking = self.preparation.linking
        if linking.model is not None:
            return Path(linking.model).resolve()
        if failed:
            raise failure(failed, of=len(good) + len(failed))
        train(self._training_shards(good, store), linking.choice, self.executor, store, self.progress)
        return store.path(MODEL, "model").resolve()

    def _training_shards(self, good: Sequence[SurveyedShard], store: ResultStore) -> list[NumberShard]:
        """Every pair, or every second, third and so on, of the text, and all of the extra text."""
        plan, linking = self.preparation.plan, self.preparation.linking
        tokenization = TokenizationConfig(plan.pair, plan.tokenized, plan.packs)
        pairs = sum(shard.pairs for shard in good)
        step = 1 if linking.learn_from is None else max(-(-pairs // linking.learn_from), 1)
        tasks, before = [], 0
        for one in good:
            first = -before % step
            tasks.append(NumberShard(one.shard.name, one.shard.text, one.hashes, tokenization, step, first))
            before += one.pairs
        extra, failed, _ = survey(shards_of(linking.extra, name="train-"), self.executor, store, self._report)
        if failed:
            raise failure(failed, of=len(linking.extra))
        return tasks + [
            NumberShard(one.shard.name, one.shard.text, one.hashes, tokenization) for one in extra
        ]

    def _tasks(
        self, good: Sequence[SurveyedShard], model: Path, output: PreparedOutput
    ) -> list[PrepareShard]:
        plan, rules = self.preparation.plan, _rules(self.preparation, model)
        return [PrepareShard(one.shard, one.hashes, plan, model, rules, output.suffixes) for one in good]

    def _report(self, step: str, done: int, number: int) -> None:
        self.progress(f"{step}: {done} of {number} shards")


def check_sharded(preparation: Preparation) -> None:
    """Raise for what has to be done in the order of the whole text, by one process."""
    linking, plan = preparation.linking, preparation.plan
    refused = {
        "--alignment": linking.file is not None,
        "--aligner": linking.choice.name != OWN and linking.model is None,
        "--analyser": plan.analyser == IN_ORDER,
    }
    for option in filter(refused.get, refused):
        raise OptionError(
            "this goes through the whole text in order, and cannot be done shard by shard",
            where=f"{option}, --cluster",
            fix="leave out --cluster, or this option",
        )


def _rules(preparation: Preparation, model: Path) -> str:
    """A digest of everything beside its text that can change a byte of a shard's result."""
    plan = preparation.plan
    analysers = [str(analyser and analyser.signature()) for analyser in analysers_for(plan)]
    pack = load_pair(plan.pair, folder=plan.packs).digest
    content = (VERSION, PART, plan, pack, *analysers, digest_of(str(model)))
    return digest(str(one).encode() for one in content)


@lru_cache(maxsize=1)
def _maker(plan: PreparationPlan, model: Path, rules: str) -> PartMaker:  # noqa: ARG001 - tells contents of `model` apart
    """Loaded once for all shards that a worker prepares."""
    return PartMaker(plan, model)
