"""Prediction data from parallel text: tokenize, align, analyse, choose examples, write.

Read in this order: this file (the pipeline), `parts` (one part of the text), `examples` and `placeholders`
(the rules of the papers). Memory holds the aligner's model and a few parts; finished parts survive an
interruption (`part_store`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from anaphor.align import SentencePair
from anaphor.core import InputError, OptionError, digest
from anaphor.languages import load_pair
from anaphor.task.files import documents_beside
from anaphor.task.prepare.examples import analysers_for
from anaphor.task.prepare.links import LinkConfig, LinkSource, Progress, make_links
from anaphor.task.prepare.part_store import PartReport, PartStore, sum_reports
from anaphor.task.prepare.parts import PartJobs, make_parts, tokenizers_for
from anaphor.task.prepare.plan import PART, PreparationPlan
from anaphor.task.prepare.texts import ParallelText, RawPair, digest_of, read_all

#: Changes with the rules: work of another version is not taken up again.
VERSION = 2


@dataclass(frozen=True, slots=True)
class Preparation:
    """Parallel texts and everything that is done to them."""

    texts: tuple[ParallelText, ...]
    plan: PreparationPlan
    linking: LinkConfig

    def run(self, output: Path, *, workers: int | None = None, progress: Progress) -> PartReport:
        """Write `output` and, beside it, the ids of documents; what was counted comes back.

        Compressed where the name ends in `.gz`. An interrupted run leaves `output` as it was, and its parts
        in `OUTPUT.parts`, from which the same run goes on.
        """
        progress("reading")
        check_place(output)
        parts = PartStore(output, job=self.digest(), suffixes=("segments", "documents"))
        made = make_links(self.linking, self, folder=parts.folder, progress=progress)
        reports = self._make(parts, made, compress=output.suffix == ".gz", workers=workers, progress=progress)
        if not any(report.segments for report in reports):
            raise InputError("there are no segments", where=self.texts[0].paths[0], fix="give parallel text")
        parts.join(len(reports), [output, documents_beside(output)])
        return sum_reports(reports)

    def _make(
        self, parts: PartStore, made: LinkSource, *, compress: bool, workers: int | None, progress: Progress
    ) -> list[PartReport]:
        """The reports of all parts in order, finished before or now."""
        jobs = PartJobs(self.texts, self.plan, made, parts)
        number = workers or os.cpu_count() or 1
        for part in make_parts(jobs, self.plan, model=made.model, compress=compress, workers=number):
            parts.keep(part.number, part.contents, part.report)
            jobs.reports[part.number] = part.report
            done = sum(report.segments for report in jobs.reports.values())
            progress(f"preparing: {done:,} segments")
        return [report for _, report in sorted(jobs.reports.items())]

    def pairs(self, *, step: int = 1) -> Iterator[SentencePair]:
        """The tokens of every pair, or of every second, third and so on."""
        return _cut(islice(read_all(self.texts), 0, None, step), self.plan)

    def extra(self) -> Iterator[SentencePair]:
        """The tokens of the text that the aligner learns from as well."""
        return _cut(read_all(self.linking.extra), self.plan)

    def count(self) -> int:
        """How many pairs the texts have."""
        return sum(1 for _ in read_all(self.texts))

    def digest(self) -> str:
        """Names the job: every input, option and version that can move a byte of the output."""
        plan = {key: str(value) for key, value in asdict(self.plan).items()}
        analysers = [str(analyser and analyser.signature()) for analyser in analysers_for(self.plan)]
        files = [digest_of(path) for text in self.texts for path in text.paths]
        pack = load_pair(self.plan.pair, folder=self.plan.packs).digest
        content = [VERSION, PART, plan, [str(text) for text in self.texts], files, pack, analysers]
        return digest([json.dumps([*content, self.linking.signature()]).encode("utf-8")])


def _cut(pairs: Iterator[RawPair], plan: PreparationPlan) -> Iterator[SentencePair]:
    source, target = tokenizers_for(plan)
    return ((source(pair.source), target(pair.target)) for pair in pairs)


def check_place(output: Path) -> None:
    """Raise if a file cannot be written there."""
    if not output.parent.is_dir() or (output.exists() and not output.is_file()):
        raise OptionError(
            "the file cannot be written (it is no plain file, or its folder does not exist)",
            where=str(output),
            fix="choose a file in an existing folder that you may write to",
        )
