"""From text files to alignments or a model, for `anaphor align run` and `anaphor align train`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.align.aligners import BuiltInAligner
from anaphor.align.choice import AlignerChoice
from anaphor.align.pairs import TextFiles, read_pairs, tokenizers
from anaphor.align.programs import SentencePair
from anaphor.core import Alignment, LanguagePair
from anaphor.core.progress import Progress
from anaphor.corpus import format_alignment


@dataclass(frozen=True, slots=True)
class TextAlignment:
    """The alignment of every segment of a text, and the signature of the aligner."""

    pair: LanguagePair
    aligner: str
    alignments: Sequence[Alignment]

    def to_dict(self) -> dict[str, Any]:
        return {
            "pair": str(self.pair),
            "aligner": self.aligner,
            "segments": len(self.alignments),
            "links": sum(map(len, self.alignments)),
            "alignments": [
                {
                    "links": list(zip(alignment.sources, alignment.targets, strict=True)),
                    # A segment without links has an empty list, one without confidences None.
                    "confidence": None
                    if alignment.confidence is None
                    else [round(c, 4) for c in alignment.confidence],
                }
                for alignment in self.alignments
            ],
        }

    def links_text(self) -> str:
        """Links such as `0-0 1-2`, one line per segment."""
        return "".join(f"{format_alignment(alignment)}\n" for alignment in self.alignments)

    def confidences_text(self) -> str:
        """The confidence of every link in the order of `links_text`, one line per segment."""
        return "".join(
            " ".join(f"{c:.4f}" for c in alignment.confidence or ()) + "\n" for alignment in self.alignments
        )


def align_texts(
    choice: AlignerChoice,
    files: TextFiles,
    *,
    tokenized: bool = False,
    training: Iterable[TextFiles] = (),
    model: Path | None = None,
    progress: Progress = lambda _: None,
) -> TextAlignment:
    """Align the words of a text with those of its translation.

    Args:
        choice: The aligner, its language pair and its options.
        files: The paths of source and target, one segment per line.
        tokenized: Whether the texts are tokenized; their tokens are then kept.
        training: More training texts.
        model: A saved model, to be used instead of training.
        progress: Called with the name of each step.

    Returns:
        One alignment per segment, and the aligner's signature.

    Raises:
        UserError: A file is invalid, texts differ in length, or the aligner is not installed.

    Example:
        >>> from anaphor.align import AlignerChoice
        >>> from anaphor.align.texts import align_texts
        >>> from anaphor.core import LanguagePair
        >>> choice = AlignerChoice(pair=LanguagePair.parse("en-fr"))
        >>> found = align_texts(choice, ("source.en", "reference.fr"))
        >>> print(len(found.alignments))
        115
    """
    progress("reading")
    words = tokenizers(choice.pair, tokenized=tokenized, packs=choice.packs)
    pairs = list(read_pairs(files, words))
    extra = [pair for more in training for pair in read_pairs(more, words)]
    alignments = align_pairs(choice, pairs, extra=extra, model=model, progress=progress)
    return TextAlignment(choice.pair, signature(choice, model), alignments)


def align_pairs(
    choice: AlignerChoice,
    pairs: Sequence[SentencePair],
    *,
    extra: Sequence[SentencePair] = (),
    model: Path | None = None,
    progress: Progress = lambda _: None,
) -> list[Alignment]:
    """Align each pair with the saved `model`, or with an aligner that is also trained on `extra`."""
    if model is not None:
        progress(f"aligning {len(pairs)} sentence pairs")
        return list(_with_model(choice, model).build().align(pairs))
    step = f"aligning {len(pairs)} sentence pairs, training on {len(pairs) + len(extra)}"
    progress(step)
    aligner = choice.with_progress(step, progress).build()
    if isinstance(aligner, BuiltInAligner):
        return list(aligner.align(pairs, extra))
    # Third-party aligners learn from all they align: the links of the additional text are dropped.
    return list(islice(aligner.align([*pairs, *extra]), len(pairs)))


def signature(choice: AlignerChoice, model: Path | None = None) -> str:
    """The signature of the links; a saved model is identified by the hash of its file."""
    return choice.signature() if model is None else _with_model(choice, model).signature()


def _with_model(choice: AlignerChoice, model: Path) -> AlignerChoice:
    """The same choice with a saved model, which needs no prior."""
    return replace(choice, saved=model, priors="built-in")


def train_model(
    choice: AlignerChoice,
    texts: Iterable[TextFiles],
    path: Path,
    *,
    tokenized: bool = False,
    progress: Progress = lambda _: None,
) -> int:
    """Train a model of the built-in aligner on these texts and save it; return the number of pairs."""
    progress("reading")
    words = tokenizers(choice.pair, tokenized=tokenized, packs=choice.packs)
    read = 0

    def pairs() -> Iterator[SentencePair]:
        nonlocal read
        for files in texts:
            for pair in read_pairs(files, words):
                read += 1
                yield pair

    BuiltInAligner(choice.with_progress("training", progress)).train(pairs()).save(path)
    return read
