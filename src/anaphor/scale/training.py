"""The aligner trained by a crew: number the shards, join their vocabularies, then train as ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from anaphor.align import AlignerChoice
from anaphor.align.aligners import BuiltInAligner
from anaphor.core import InputError, digest
from anaphor.scale.crew import Crew, Done, Outcome, all_done, failure
from anaphor.scale.kept import Kept, Made, Record
from anaphor.scale.numbering import Cutting, NumberShard, merge_vocabularies
from anaphor.scale.sharded_text import NumberedShard, ShardedText
from anaphor.scale.shards import shards_of
from anaphor.scale.survey import survey
from anaphor.task.prepare.texts import ParallelText

Progress = Callable[[str], None]

MODEL = "aligner"
"""The name of the result."""
_STEPS = ("numbers", "together")


def train(
    shards: Sequence[NumberShard], choice: AlignerChoice, crew: Crew, kept: Kept, progress: Progress
) -> Record:
    """Train on the shards and keep the model as `aligner.model`, unless it is there.

    The record has the number of `pairs` that it saw, and the tolerances that were used to read them.
    The file is the same, byte for byte, as that of one process that reads the shards one after the other.
    """
    job = digest([choice.signature().encode(), *(shard.key().encode() for shard in shards)])
    if (record := kept.finished(MODEL, job)) is not None:
        return record

    def told(step: str, done: int, total: int) -> None:
        progress(f"{step}: {done} of {total} shards")

    done = _all_numbered(crew.run("numbering words", shards, kept, told))
    numbered = [NumberedShard(one.name, one.facts["pairs"], one.facts["words"]) for one in done]
    pairs = sum(shard.pairs for shard in numbered)
    if not pairs:
        raise InputError(
            "there is nothing to train on",
            where=shards[0].text.paths[0],
            fix="give at least one sentence pair",
        )
    names = [shard.name for shard in numbered]
    totals = merge_vocabularies(names, kept, shards[0].cutting.vocabularies())
    text = ShardedText(job, tuple(numbered), totals, crew, kept)
    heard = replace(
        choice, progress=lambda phase, share: progress(f"learning to align, {phase}: {share:.0%}")
    )
    trained = BuiltInAligner(heard).train_on(text, totals.vocabularies)
    temporary = kept.path(MODEL, "unfinished")
    trained.save(temporary)
    notes = tuple(dict.fromkeys(note for one in done for note in one.notes))
    record = kept.keep(MODEL, job, Made({"model": temporary.read_bytes()}, {"pairs": pairs}), notes)
    temporary.unlink()
    return record


def train_on_texts(
    texts: Sequence[ParallelText],
    choice: AlignerChoice,
    cutting: Cutting,
    crew: Crew,
    output: Path,
    progress: Progress,
) -> tuple[int, tuple[str, ...]]:
    """Write a model of texts, each of which is a shard; how many pairs it saw, and tolerances that were used.

    Until it is written, what is finished stays in `OUTPUT.parts`, from which the same run goes on.
    """
    kept = Kept(output.absolute().with_name(f"{output.name}.parts"))
    kept.open()
    good, failed, _ = survey(
        shards_of(texts),
        crew,
        kept,
        lambda step, done, total: progress(f"{step}: {done} of {total} shards"),
        lines=False,
    )
    if failed:
        raise failure(failed, of=len(texts))
    shards = [NumberShard(one.shard.name, one.shard.text, one.hashes, cutting) for one in good]
    record = train(shards, choice, crew, kept, progress)
    kept.path(MODEL, "model").replace(output)
    kept.remove()
    return int(record.facts["pairs"]), record.notes


def remove_steps(kept: Kept) -> None:
    """Remove everything that training needed and nobody needs after it."""
    for name in _STEPS:
        kept.remove(name)
    for path in kept.folder.glob("pass-*"):
        path.unlink()


def _all_numbered(outcomes: Sequence[Outcome]) -> list[Done]:
    """The numbered shards by their own names; those that could not be read are an error."""
    return all_done([one._replace(name=one.name.removeprefix("numbers/")) for one in outcomes])
