"""Data of the prediction task, shard by shard: read all shards, train the aligner, prepare each shard."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from anaphor.align.choice import OWN
from anaphor.core import InputError, LanguagePair, OptionError, digest
from anaphor.core.progress import Progress, in_percent
from anaphor.files.writing import atomic_file
from anaphor.languages import load_pair
from anaphor.scale.executor import Executor, Outcome, TaskDone, TaskFailed, failure
from anaphor.scale.numbering import NumberShard, TokenizationConfig
from anaphor.scale.result_store import ResultStore, StoredTaskResult
from anaphor.scale.shards import Shard, SurveyedShard, shards_of, survey
from anaphor.scale.training import MODEL, remove_steps, train
from anaphor.task.files import documents_beside
from anaphor.task.prepare.part_store import PartReport, sum_reports
from anaphor.task.prepare.parts import IN_ORDER, PartJob, PartMaker, batches
from anaphor.task.prepare.plan import PART, PreparationPlan, analysers_for
from anaphor.task.prepare.preparation import VERSION, Preparation, check_place
from anaphor.task.prepare.texts import digest_of, read_prefixed


@dataclass(frozen=True, slots=True)
class PreparedOutput:
    """An existing folder, or a file that need not exist."""

    path: Path

    @property
    def in_shards(self) -> bool:
        """Whether every shard keeps separate files."""
        return self.path.is_dir()

    @property
    def suffixes(self) -> tuple[str, str]:
        """Of segments and of document ids."""
        compress = self.in_shards or self.path.suffix == ".gz"
        return ("tsv.gz", "doc-ids.gz") if compress else ("tsv", "doc-ids")

    def open(self) -> ResultStore:
        """Where results are stored until all are complete: the folder, or `FILE.parts`."""
        if self.in_shards:
            return ResultStore(self.path)
        check_place(self.path)
        store = ResultStore(self.path.with_name(f"{self.path.name}.parts"))
        store.open()
        return store

    def finish(self, store: ResultStore, shards: Sequence[Shard]) -> None:
        """Once all shards are prepared, leave only the requested files."""
        if not self.in_shards:
            # One file of each kind from all shards; neither takes its place before both are written.
            with ExitStack() as files:
                for suffix, path in zip(self.suffixes, (self.path, documents_beside(self.path)), strict=True):
                    whole = files.enter_context(atomic_file(path))
                    for shard in shards:
                        with store.path(f"shards/{shard.name}", suffix).open("rb") as part:
                            shutil.copyfileobj(part, whole)
            store.remove()
            return
        remove_steps(store)
        store.remove("survey")
        known = {f"{shard.name}.{ending}" for shard in shards for ending in (*self.suffixes, "json")}
        for path in (store.folder / "shards").iterdir():
            if path.name not in known:  # of a shard that is no longer given
                path.unlink()


def write_manifest(
    shards: Sequence[Shard],
    surveyed: Sequence[SurveyedShard],
    outcomes: Mapping[str, Outcome],
    store: ResultStore,
    *,
    pair: LanguagePair,
) -> None:
    """Write `manifest.json`: of every shard what was counted, or why it failed."""
    read = {
        survey.shard.name: zip(survey.shard.text.paths, survey.hashes, strict=True) for survey in surveyed
    }
    entries = []
    for name in (shard.name for shard in shards):
        inputs = [{"file": Path(path).name, "sha256": sha256} for path, sha256 in read.get(name, ())]
        entry: dict[str, Any] = {"name": name, "inputs": inputs}
        outcome = outcomes[name]
        if isinstance(outcome, TaskFailed):
            entry["failed"] = outcome._asdict()
        else:
            record = json.loads(store.path(f"shards/{name}", "json").read_text(encoding="utf-8"))
            entry["outputs"] = {
                f"shards/{name}.{suffix}": {"bytes": size, "sha256": sha256}
                for suffix, (size, sha256) in record["files"].items()
            }
            entry["counts"] = outcome.facts
        entries.append(entry)
    content = {
        "pair": str(pair),
        "complete": all(isinstance(outcome, TaskDone) for outcome in outcomes.values()),
        "total": _total(outcomes.values()).to_dict(),
        "shards": entries,
    }
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    store.write("manifest", "json", text.encode("utf-8"))


def _total(outcomes: Iterable[Outcome]) -> PartReport:
    return sum_reports(
        PartReport.from_json(outcome.facts) for outcome in outcomes if isinstance(outcome, TaskDone)
    )


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
        return digest(value.encode() for value in content)

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
    """A preparation that an executor does. Its bytes equal those of `Preparation.run`."""

    preparation: Preparation
    executor: Executor
    progress: Progress

    def run(self, path: Path) -> PartReport:
        """Write a file, or files per shard if `path` is a folder; return the counts.

        Either way a manifest lists what is complete: in the folder, or in `PATH.parts` until everything is.
        """
        check_sharded(self.preparation)
        output = PreparedOutput(path.absolute())
        store = output.open()
        shards = shards_of(self.preparation.texts)
        good, failed, notes = survey(shards, self.executor, store, in_percent(self.progress))
        if not any(shard.pairs for shard in good) and not failed:
            raise InputError(
                "the texts have no segments", where=shards[0].text.paths[0], fix="pass parallel text"
            )
        model, plan = self._model(good, failed, store), self.preparation.plan
        rules = _rules(self.preparation, model)
        tasks = [
            PrepareShard(survey.shard, survey.hashes, plan, model, rules, output.suffixes) for survey in good
        ]
        done = self.executor.run("preparing", tasks, store, in_percent(self.progress))
        by_name = {outcome.name.removeprefix("shards/"): outcome for outcome in (*failed, *done)}
        outcomes = {shard.name: by_name[shard.name]._replace(name=shard.name) for shard in shards}
        write_manifest(shards, good, outcomes, store, pair=plan.pair)
        if bad := [outcome for outcome in outcomes.values() if isinstance(outcome, TaskFailed)]:
            raise failure(bad, of=len(shards))
        output.finish(store, shards)
        report = _total(outcomes.values())
        return replace(report, notes=tuple(dict.fromkeys((*notes, *report.notes))))

    def _model(self, good: Sequence[SurveyedShard], failed: Sequence[TaskFailed], store: ResultStore) -> Path:
        """The saved model, or one trained on the shards; not on a subset if others are invalid."""
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
        # Rounded up, so that never more pairs are trained on than were asked for.
        step = 1 if linking.learn_from is None else max(-(-pairs // linking.learn_from), 1)
        tasks, before = [], 0
        for surveyed in good:
            # Counting goes on across shards: the pairs are those that one process would take.
            first = -before % step
            tasks.append(
                NumberShard(
                    surveyed.shard.name, surveyed.shard.text, surveyed.hashes, tokenization, step, first
                )
            )
            before += surveyed.pairs
        extra, failed, _ = survey(
            shards_of(linking.extra, name="train-"), self.executor, store, in_percent(self.progress)
        )
        if failed:
            raise failure(failed, of=len(linking.extra))
        return tasks + [
            NumberShard(survey.shard.name, survey.shard.text, survey.hashes, tokenization) for survey in extra
        ]


def check_sharded(preparation: Preparation) -> None:
    """Raise for options that require one process to read the whole text in order."""
    linking, plan = preparation.linking, preparation.plan
    refused = {
        "--alignment": linking.file is not None,
        "--aligner": linking.choice.name != OWN and linking.model is None,
        "--analyser": plan.analyser == IN_ORDER,
    }
    for option in filter(refused.get, refused):
        raise OptionError(
            "this processes the whole text in order, so it cannot be done shard by shard",
            where=f"{option}, --cluster",
            fix="leave out --cluster, or this option",
        )


def _rules(preparation: Preparation, model: Path) -> str:
    """A digest of everything other than its text that can change a byte of a shard's result."""
    plan = preparation.plan
    analysers = [str(analyser and analyser.signature()) for analyser in analysers_for(plan)]
    pack = load_pair(plan.pair, folder=plan.packs).digest
    content = (VERSION, PART, plan, pack, *analysers, digest_of(str(model)))
    return digest(str(value).encode() for value in content)


@lru_cache(maxsize=1)
def _maker(plan: PreparationPlan, model: Path, rules: str) -> PartMaker:  # noqa: ARG001 - tells contents of `model` apart
    """Loaded once for all shards that a worker prepares."""
    return PartMaker(plan, model)
