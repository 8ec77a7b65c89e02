"""From text files to alignments or a model, for `anaphor align run` and `anaphor align train`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from anaphor.align.aligners import AlignerChoice, BuiltInAligner, align_with_model, sentences_to_align
from anaphor.align.hmm_aligner import TrainedAligner
from anaphor.align.programs import SentencePair
from anaphor.align.vocabulary import load_packs
from anaphor.core import Alignment, LanguagePair
from anaphor.core.progress import Progress
from anaphor.corpus import Inputs, format_alignment, read_text
from anaphor.languages import Words
from anaphor.languages.choose_tokenizer import words_of

#: The paths of a source text and of its translation, line by line.
TextFiles = tuple[str, str]


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


def tokenizers(
    pair: LanguagePair, *, tokenized: bool = False, packs: Path | None = None
) -> tuple[Words, Words]:
    """The tokenizers of source and target; tokenized text is split at spaces."""
    source, target = (words_of(code, tokenized=tokenized, packs=packs) for code in (pair.source, pair.target))
    return source, target


def read_pairs(files: TextFiles, words: tuple[Words, Words]) -> Iterator[SentencePair]:
    """Read the tokens of two files line by line; files of unequal length are an error.

    This is an iterator because the tokens of a large text would not fit into memory.
    """
    texts = Inputs(read_text(files[0]), (read_text(files[1]),), {})
    sides = zip((texts.source, texts.references[0]), words, strict=True)
    return zip(*(sentences_to_align(text, tokens) for text, tokens in sides), strict=True)


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
        model: The folder of a trained model to use instead of training.
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


class FixedAligner(BuiltInAligner):
    """Aligns with a saved model or one trained on other texts, and ignores what it aligns."""

    def __init__(self, choice: AlignerChoice) -> None:
        if choice.saved is None:  # otherwise no prior is needed, nor missed
            super().__init__(choice)
        self._choice = choice

    def align(self, pairs: Sequence[SentencePair], extra: Sequence[SentencePair] = ()) -> Iterator[Alignment]:
        return align_with_model(self.train(extra), pairs, self._choice.chosen_symmetrization)

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:  # noqa: ARG002 - see below
        """Return the same model for any pairs."""
        choice = self._choice
        if choice.saved is not None:
            packs = load_packs(choice.pair, choice.packs)
            return TrainedAligner.load(choice.saved, pair=choice.pair, threads=choice.threads, packs=packs)
        words = tokenizers(choice.pair, tokenized=choice.tokenized, packs=choice.packs)
        return super().train(chain.from_iterable(read_pairs(files, words) for files in choice.training))


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
