"""Prediction data from parallel text: tokenize, align, analyse, choose examples, write.

Read in this order: this file (the pipeline), `parts` (one part of the text) and `placeholders` (the rules of
the papers). Memory holds the aligner's model and a few parts; finished parts survive an
interruption (`part_store`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from anaphor.align import AlignerChoice, SentencePair
from anaphor.align.aligners import BuiltInAligner
from anaphor.align.choice import OWN
from anaphor.core import InputError, LanguagePair, OptionError, digest
from anaphor.core.progress import Progress
from anaphor.core.table import Block, Paragraph, Table, text
from anaphor.corpus import format_alignment, read_alignments
from anaphor.languages import load_pair
from anaphor.task.classes import task_classes
from anaphor.task.files import documents_beside
from anaphor.task.prepare.part_store import PartReport, PartStore, sum_reports
from anaphor.task.prepare.parts import LinkSource, PartJobs, make_parts
from anaphor.task.prepare.plan import PART, PreparationPlan, analysers_for, tokenizers_for
from anaphor.task.prepare.texts import ParallelText, RawPair, TextPair, digest_of, read_all
from anaphor.task.streams import write_lines

#: Changes with the rules: unfinished work of another version is not continued.
VERSION = 4
_PLACED = {
    "linked": "placeholders that hide a linked word",
    "dropped": "placeholders before the verb of a dropped subject",
    "neighbour": "placeholders next to the word of a linked neighbour",
    "position": "placeholders at a similar position, without any link",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    """The source of links: a `file`, a saved `model`, or an aligner trained on the text.

    The built-in aligner is trained on about `learn_from` segments, spread evenly over the text, or on all;
    every aligner is also trained on `extra` text.
    """

    choice: AlignerChoice
    file: str | None = None
    model: str | None = None
    extra: tuple[TextPair, ...] = ()
    learn_from: int | None = None

    def signature(self) -> str:
        """Everything other than the text that affects the links."""
        if self.file is not None:
            return f"file-{digest_of(self.file)}"
        if self.model is not None:
            return f"model-{digest_of(self.model)}+{self.choice.chosen_symmetrization}"
        more = [digest_of(path) for text in self.extra for path in text.paths]
        return "+".join([self.choice.signature(), str(self.learn_from), *more])


def make_links(linking: LinkConfig, text: Preparation, *, folder: Path, progress: Progress) -> LinkSource:
    """Train or align, unless an interrupted run has left its model or links in `folder`."""
    if linking.file is not None:
        return read_alignments(linking.file, segments=text.count())
    if linking.model is not None:
        return Path(linking.model)
    choice = linking.choice
    if choice.name == OWN:
        model = folder / "aligner.model"
        step = 1 if linking.learn_from is None else -(-text.count() // linking.learn_from)
        if not model.is_file():
            reporting = choice.with_progress("learning to align", progress)
            # It reads its pairs once and in order; all of them as words would not fit into memory.
            pairs = chain(text.pairs(step=max(step, 1)), text.extra())
            BuiltInAligner(reporting).train(cast("Sequence[SentencePair]", pairs)).save(model)
        return model
    progress(f"aligning with {choice.name}")
    path, count = folder / "links", text.count()
    if not path.is_file():
        everything = list(chain(text.pairs(), text.extra()))
        write_lines(path, map(format_alignment, islice(choice.build().align(everything), count)))
    return read_alignments(path, segments=count)


@dataclass(frozen=True, slots=True)
class PreparationResult:
    """The counts of a preparation, like Table 5 of wmt16-findings; `job` identifies inputs and options."""

    report: PartReport
    classes: tuple[str, ...]
    pair: LanguagePair
    output: str
    job: str

    def to_dict(self) -> dict[str, Any]:
        report = self.report
        return {
            "output": self.output,
            "pair": str(self.pair),
            "job": self.job,
            "segments": report.segments,
            "left_out": dict(report.left_out),
            "classes": {
                label: {"before": report.before.get(label, 0), "after": report.after.get(label, 0)}
                for label in self.classes
            },
            "placed": {key: report.placed.get(key, 0) for key in self._ways},
            "notes": list(report.notes),
        }

    @property
    def _ways(self) -> list[str]:
        """How positions were found; only languages that drop subjects have all types."""
        return [key for key in _PLACED if key != "dropped" or self.report.placed.get(key)]

    def tables(self) -> list[Block]:
        """The classes before and after filtering, then how the positions of placeholders were found."""
        report = self.report
        rows = [
            (label, f"{report.before.get(label, 0):,}", f"{report.after.get(label, 0):,}")
            for label in self.classes
        ]
        rows.append(("all", f"{sum(report.before.values()):,}", f"{sum(report.after.values()):,}"))
        lines = [f"{_PLACED[key]}: {report.placed.get(key, 0):,}" for key in self._ways]
        lines += [f"pairs left out, {reason}: {count:,}" for reason, count in sorted(report.left_out.items())]
        return [
            f"{self.output}: {report.segments:,} segments",
            Table((text("class"), text("before"), text("after")), rows),
            Paragraph(lines),
        ]


@dataclass(frozen=True, slots=True)
class Preparation:
    """Parallel texts and all steps of their preparation."""

    texts: tuple[ParallelText, ...]
    plan: PreparationPlan
    linking: LinkConfig

    def run(self, output: Path, *, workers: int | None = None, progress: Progress) -> PartReport:
        """Write `output` and the accompanying document ids; return the counts.

        Compressed if the name ends in `.gz`. An interrupted run leaves `output` as it was, and its parts in
        `OUTPUT.parts`, from which the same run continues.
        """
        progress("reading")
        check_place(output)
        parts = PartStore(output, job=self.digest(), suffixes=("segments", "documents"))
        links = make_links(self.linking, self, folder=parts.folder, progress=progress)
        jobs = PartJobs(self.texts, self.plan, links, parts)
        compress, number = output.suffix == ".gz", workers or os.cpu_count() or 1
        model = links if isinstance(links, Path) else None
        for part in make_parts(jobs, self.plan, model=model, compress=compress, workers=number):
            parts.keep(part.number, part.contents, part.report)
            jobs.reports[part.number] = part.report
            done = sum(report.segments for report in jobs.reports.values())
            progress(f"preparing: {done:,} segments")
        reports = [report for _, report in sorted(jobs.reports.items())]
        if not any(report.segments for report in reports):
            raise InputError(
                "the texts have no segments", where=self.texts[0].paths[0], fix="pass parallel text"
            )
        parts.join(len(reports), [output, documents_beside(output)])
        return sum_reports(reports)

    def result(self, report: PartReport, *, output: str) -> PreparationResult:
        """The counts for people and programs."""
        plan = self.plan
        classes = task_classes(plan.pair, year=plan.style, folder=plan.packs).classes
        return PreparationResult(report, classes, plan.pair, output, self.digest())

    def pairs(self, *, step: int = 1) -> Iterator[SentencePair]:
        """The tokens of every pair, or of every second, third and so on."""
        return self._tokenized(islice(read_all(self.texts), 0, None, step))

    def extra(self) -> Iterator[SentencePair]:
        """The tokens of additional training text of the aligner."""
        return self._tokenized(read_all(self.linking.extra))

    def count(self) -> int:
        """The number of pairs of the texts."""
        return sum(1 for _ in read_all(self.texts))

    def digest(self) -> str:
        """Identifies the job: every input, option and version that can affect a byte of the output."""
        plan = {key: str(value) for key, value in asdict(self.plan).items()}
        analysers = [str(analyser and analyser.signature()) for analyser in analysers_for(self.plan)]
        files = [digest_of(path) for text in self.texts for path in text.paths]
        pack = load_pair(self.plan.pair, folder=self.plan.packs).digest
        # A `ParallelTable` was once called `Table`: work that was begun then is still continued.
        texts = [str(text).removeprefix("Parallel") for text in self.texts]
        content = [VERSION, PART, plan, texts, files, pack, analysers]
        return digest([json.dumps([*content, self.linking.signature()]).encode("utf-8")])

    def _tokenized(self, pairs: Iterator[RawPair]) -> Iterator[SentencePair]:
        source, target = tokenizers_for(self.plan)
        return ((source(pair.source), target(pair.target)) for pair in pairs)


def check_place(output: Path) -> None:
    """Raise if a file cannot be written there."""
    if not output.parent.is_dir() or (output.exists() and not output.is_file()):
        raise OptionError(
            "the file cannot be written (it is not a plain file, or its folder does not exist)",
            where=str(output),
            fix="choose a file in an existing folder that you may write to",
        )
