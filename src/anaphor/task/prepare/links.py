"""The links that a preparation goes by: from a model of our own, from a file, or from another aligner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Protocol, cast

from anaphor.align import AlignerChoice, SentencePair
from anaphor.align.aligners import OWN, BuiltInAligner
from anaphor.corpus import AlignmentFile, format_alignment, read_alignments
from anaphor.task.prepare.texts import TextPair, digest_of
from anaphor.task.streams import write_lines

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    """Where links come from: a `file` of them, a saved `model`, or an aligner that learns from the text.

    Our own aligner learns from about `learn_from` segments, spread evenly over the text, or from all; and
    every aligner from `extra` text as well.
    """

    choice: AlignerChoice
    file: str | None = None
    model: str | None = None
    extra: tuple[TextPair, ...] = ()
    learn_from: int | None = None

    def signature(self) -> str:
        """What moves the links beside the text itself."""
        if self.file is not None:
            return f"file-{digest_of(self.file)}"
        if self.model is not None:
            return f"model-{digest_of(self.model)}+{self.choice.chosen_symmetrization}"
        more = [digest_of(path) for text in self.extra for path in text.paths]
        return "+".join([self.choice.signature(), str(self.learn_from), *more])


@dataclass(frozen=True, slots=True)
class LinkSource:
    """What was made or found: a model that aligns part by part, or all links in a file."""

    model: Path | None = None
    links: AlignmentFile | None = None


class TokenizedText(Protocol):
    """The text to align, as tokens."""

    def pairs(self, *, step: int = 1) -> Iterator[SentencePair]:
        """Every pair, or every second, third and so on."""

    def extra(self) -> Iterator[SentencePair]: ...

    def count(self) -> int:
        """How many pairs there are."""


def make_links(linking: LinkConfig, text: TokenizedText, *, folder: Path, progress: Progress) -> LinkSource:
    """Train or align, unless an interrupted run has left its model or links in `folder`."""
    if linking.file is not None:
        return LinkSource(links=read_alignments(linking.file, segments=text.count()))
    if linking.model is not None:
        return LinkSource(model=Path(linking.model))
    if linking.choice.name == OWN:
        step = 1 if linking.learn_from is None else -(-text.count() // linking.learn_from)
        pairs = chain(text.pairs(step=max(step, 1)), text.extra())
        return LinkSource(model=_train(_heard(linking.choice, progress), pairs, folder / "aligner.model"))
    progress(f"aligning with {linking.choice.name}")
    everything = chain(text.pairs(), text.extra())
    return LinkSource(links=_align(linking.choice, everything, text.count(), folder / "links"))


def _heard(choice: AlignerChoice, progress: Progress) -> AlignerChoice:
    return replace(choice, progress=lambda phase, share: progress(f"learning to align, {phase}: {share:.0%}"))


def _train(choice: AlignerChoice, text: Iterator[SentencePair], path: Path) -> Path:
    if not path.is_file():
        # It reads its pairs once and in order; all of them as words would not fit into memory.
        BuiltInAligner(choice).train(cast("Sequence[SentencePair]", text)).save(path)
    return path


def _align(choice: AlignerChoice, text: Iterator[SentencePair], count: int, path: Path) -> AlignmentFile:
    if not path.is_file():
        write_lines(path, map(format_alignment, islice(choice.build().align(list(text)), count)))
    return read_alignments(path, segments=count)
