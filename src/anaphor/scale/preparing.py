"""Data of the prediction task, shard by shard: read all shards, train the aligner, prepare each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from anaphor.align.aligners import OWN
from anaphor.core import InputError, OptionError, digest
from anaphor.languages import load_pair
from anaphor.scale.crew import Crew, Failed, failure
from anaphor.scale.kept import Kept, Made
from anaphor.scale.manifest import states_of, write_manifest
from anaphor.scale.numbering import Cutting, NumberShard
from anaphor.scale.output import Output
from anaphor.scale.shards import Shard, shards_of
from anaphor.scale.survey import Surveyed, survey
from anaphor.scale.training import MODEL, Progress, train
from anaphor.task.prepare.examples import analysers_for
from anaphor.task.prepare.part_store import PartReport, sum_reports
from anaphor.task.prepare.parts import IN_ORDER, PartJob, PartMaker, batches, encode_part
from anaphor.task.prepare.plan import PART, PreparationPlan
from anaphor.task.prepare.preparation import VERSION, Preparation
from anaphor.task.prepare.texts import digest_of, read_prefixed


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

    def make(self, kept: Kept) -> Made:  # noqa: ARG002
        maker = _maker(self.plan, self.model, self.rules)
        parts = [
            encode_part(maker, PartJob(number=number, pairs=pairs), compress=self.suffixes[0].endswith(".gz"))
            for number, pairs in enumerate(batches(read_prefixed(self.shard.text, self.shard.prefix)))
        ]
        files = {
            suffix: b"".join(part.contents[kind] for part in parts)
            for kind, suffix in enumerate(self.suffixes)
        }
        return Made(files, sum_reports(part.report for part in parts).as_json())


@dataclass(frozen=True, slots=True)
class ShardedPreparation:
    """A preparation that a crew does. Its bytes are those of `Preparation.run`."""

    preparation: Preparation
    crew: Crew
    progress: Progress

    def run(self, path: Path) -> PartReport:
        """Write a file, or files of every shard where `path` is a folder; what was counted comes back.

        Either way a manifest says what is complete: in the folder, or in `PATH.parts` until all is.
        """
        check_sharded(self.preparation)
        output = Output(path.absolute())
        kept = output.open()
        shards = shards_of(self.preparation.texts)
        good, failed, notes = survey(shards, self.crew, kept, self._told)
        if not any(shard.pairs for shard in good) and not failed:
            raise InputError("there are no segments", where=shards[0].text.paths[0], fix="give parallel text")
        tasks = self._tasks(good, self._model(good, failed, kept), output)
        outcomes = [*failed, *self.crew.run("preparing", tasks, kept, self._told)]
        states = states_of(shards, good, outcomes)
        write_manifest(states, kept, pair=self.preparation.plan.pair)
        if bad := [state.failed for state in states if state.failed is not None]:
            raise failure(bad, of=len(states))
        output.finish(kept, shards)
        report = sum_reports(state.report for state in states)
        return replace(report, notes=tuple(dict.fromkeys((*notes, *report.notes))))

    def _model(self, good: Sequence[Surveyed], failed: Sequence[Failed], kept: Kept) -> Path:
        """The saved model, or one that learns from the shards; not from some of them where others are bad."""
        linking = self.preparation.linking
        if linking.model is not None:
            return Path(linking.model).resolve()
        if failed:
            raise failure(failed, of=len(good) + len(failed))
        train(self._training_shards(good, kept), linking.choice, self.crew, kept, self.progress)
        return kept.path(MODEL, "model").resolve()

    def _training_shards(self, good: Sequence[Surveyed], kept: Kept) -> list[NumberShard]:
        """Every pair, or every second, third and so on, of the text, and all of the extra text."""
        plan, linking = self.preparation.plan, self.preparation.linking
        cutting = Cutting(plan.pair, plan.tokenized, plan.packs)
        pairs = sum(shard.pairs for shard in good)
        step = 1 if linking.learn_from is None else max(-(-pairs // linking.learn_from), 1)
        tasks, before = [], 0
        for one in good:
            first = -before % step
            tasks.append(NumberShard(one.shard.name, one.shard.text, one.hashes, cutting, step, first))
            before += one.pairs
        extra, failed, _ = survey(shards_of(linking.extra, name="train-"), self.crew, kept, self._told)
        if failed:
            raise failure(failed, of=len(linking.extra))
        return tasks + [NumberShard(one.shard.name, one.shard.text, one.hashes, cutting) for one in extra]

    def _tasks(self, good: Sequence[Surveyed], model: Path, output: Output) -> list[PrepareShard]:
        plan, rules = self.preparation.plan, _rules(self.preparation, model)
        return [PrepareShard(one.shard, one.hashes, plan, model, rules, output.suffixes) for one in good]

    def _told(self, step: str, done: int, number: int) -> None:
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
    """Names everything that can move a byte of a shard's result beside its text."""
    plan = preparation.plan
    analysers = [str(analyser and analyser.signature()) for analyser in analysers_for(plan)]
    pack = load_pair(plan.pair, folder=plan.packs).digest
    content = (VERSION, PART, plan, pack, *analysers, digest_of(str(model)))
    return digest(str(one).encode() for one in content)


@lru_cache(maxsize=1)
def _maker(plan: PreparationPlan, model: Path, rules: str) -> PartMaker:  # noqa: ARG001 - tells contents of `model` apart
    """Loaded once for all shards that a worker prepares."""
    return PartMaker(plan, model)
