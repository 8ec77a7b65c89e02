"""The links of a preparation: from a model of our own, from a file, or from a third-party aligner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from anaphor.align import AlignerChoice, SentencePair
from anaphor.align.aligners import OWN, BuiltInAligner
from anaphor.corpus import AlignmentFile, format_alignment, read_alignments
from anaphor.task.prepare.texts import TextPair, digest_of
from anaphor.task.streams import write_lines

if TYPE_CHECKING:
    from anaphor.task.prepare.preparation import Preparation

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    """Where links come from: a `file`, a saved `model`, or an aligner that is trained on the text.

    Our own aligner is trained on about `learn_from` segments, spread evenly over the text, or on all; every
    aligner is trained on `extra` text as well.
    """

    choice: AlignerChoice
    file: str | None = None
    model: str | None = None
    extra: tuple[TextPair, ...] = ()
    learn_from: int | None = None

    def signature(self) -> str:
        """Everything besides the text that affects the links."""
        if self.file is not None:
            return f"file-{digest_of(self.file)}"
        if self.model is not None:
            return f"model-{digest_of(self.model)}+{self.choice.chosen_symmetrization}"
        more = [digest_of(path) for text in self.extra for path in text.paths]
        return "+".join([self.choice.signature(), str(self.learn_from), *more])


#: A saved model that aligns part by part, or a file with all links.
LinkSource = Path | AlignmentFile


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
            reporting = replace(
                choice, progress=lambda phase, share: progress(f"learning to align, {phase}: {share:.0%}")
            )
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
