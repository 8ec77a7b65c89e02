"""The options that say how to align, and the aligning itself, for all verbs of `anaphor align`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.core.errors import OptionError, UnknownNameError

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice, SentencePair
    from anaphor.cli.terminal import Progress
    from anaphor.core import Alignment, LanguagePair
    from anaphor.pronouns import Words

#: What an option holds where the user gave none; `--symmetrize` is then the aligner's own way.
DEFAULTS = {
    "tokenized": False,
    "train": [],
    "model": None,
    "priors": "built-in",
    "aligner": "anaphor",
    "symmetrize": "",
    "method": "hmm",
    "threads": 2,
}
_OF_TRAINING = ("train", "priors", "aligner", "method", "threads")
_OF_OUR_OWN = ("priors", "method", "threads")
# Pretrained on many languages; they learn nothing from the text they align.
_PRETRAINED = ("awesome-align", "simalign")


def add_training(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The options of training a model of our own; the group takes those of `add_choice` as well."""
    parser.set_defaults(**DEFAULTS)
    group = parser.add_argument_group("how to align")
    add = group.add_argument
    add("--tokenized", action="store_true", help="the texts are tokenised: keep their tokens")
    add(
        "--train",
        nargs=2,
        action="append",
        metavar="FILE",
        help="source and target of more text to learn from; may be given several times",
    )
    add("--priors", metavar="NAME", help="built-in, none, or a file: what is known before training")
    add("--method", metavar="NAME", help="hmm, or ibm1 for a model without word order")
    add("--threads", type=int, metavar="N", help="they change the time, never the links")
    return group


def add_choice(group: argparse._ArgumentGroup) -> None:
    """The options that choose an aligner and how its links are read."""
    add = group.add_argument
    add("--model", metavar="FILE", help="align with what `anaphor align train` saved, without training")
    add(
        "--aligner",
        metavar="NAME",
        help="anaphor, or one that is installed: awesome-align, eflomal, fast_align, giza++, mgiza, simalign",
    )
    add(
        "--symmetrize",
        metavar="METHOD",
        help="posterior (our own way), forward, reverse, intersection, union, grow-diag, grow-diag-final or "
        "grow-diag-final-and (the way of other aligners)",
    )


def refuse(options: argparse.Namespace, names: Iterable[str], *, beside: str, because: str) -> None:
    """Raise for the first of these options that the user set, for it would be ignored."""
    for name in names:
        if getattr(options, name) != DEFAULTS[name]:
            raise OptionError(
                f"--{name} would be ignored: {because}",
                where=f"--{name}, {beside}",
                fix="leave one of the two out",
            )


def choice_of(options: argparse.Namespace, pair: LanguagePair) -> AlignerChoice:
    """The aligner that the options name; options that it would ignore are errors."""
    from anaphor.align import ALIGNERS, AlignerChoice

    if options.aligner not in ALIGNERS:
        raise UnknownNameError.among(options.aligner, ALIGNERS, kind="aligner", where="--aligner")
    if options.model is not None:
        refuse(options, _OF_TRAINING, beside="--model", because="a saved model is not trained again")
    if options.aligner != DEFAULTS["aligner"]:
        refuse(options, _OF_OUR_OWN, beside="--aligner", because=f"{options.aligner} has no such option")
    if options.aligner in _PRETRAINED:
        refuse(options, ["train"], beside="--aligner", because=f"{options.aligner} is not trained")
    return AlignerChoice(
        pair=pair,
        name=options.aligner,
        symmetrization=options.symmetrize,
        model=options.method,
        priors=options.priors,
        threads=options.threads,
    )


def tokenizers(options: argparse.Namespace, pair: LanguagePair) -> tuple[Words, Words]:
    """What cuts the lines of source and target into tokens."""
    from anaphor.languages import Tokenizer, known_languages, load_language, split_words

    if options.tokenized:
        return split_words, split_words
    for code in (pair.source, pair.target):
        if code not in known_languages():
            raise UnknownNameError(
                f"there is no tokeniser for the language {code}",
                where="--pair",
                fix=f"tokenise the texts and give --tokenized; known: {', '.join(known_languages())}",
            )
    return Tokenizer(load_language(pair.source)).words, Tokenizer(load_language(pair.target)).words


def read_pairs(*, source: str, target: str, words: tuple[Words, Words]) -> list[SentencePair]:
    """The tokens of two files, line by line; files of unequal length are an error."""
    from anaphor.corpus import Inputs, read_text

    texts = Inputs(read_text(source), (read_text(target),), {})
    return list(zip(map(words[0], texts.source.lines), map(words[1], texts.references[0].lines), strict=True))


def background(options: argparse.Namespace, pair: LanguagePair) -> list[SentencePair]:
    """The sentence pairs of every `--train`."""
    if not options.train:
        return []
    words = tokenizers(options, pair)
    files = (read_pairs(source=source, target=target, words=words) for source, target in options.train)
    return list(chain.from_iterable(files))


def align(
    options: argparse.Namespace, choice: AlignerChoice, pairs: list[SentencePair], progress: Progress
) -> list[Alignment]:
    """One alignment for every pair, by a saved model or by an aligner that learns from the text."""
    from anaphor.align.builders import OwnAligner

    if options.model is not None:
        return _align_by_model(options, choice, pairs, progress)
    aligner = choice.build()
    extra = background(options, choice.pair)
    progress(f"aligning {len(pairs)} sentence pairs, learning from {len(pairs) + len(extra)}")
    if isinstance(aligner, OwnAligner):
        return list(aligner.align(pairs, extra))
    return list(islice(aligner.align([*pairs, *extra]), len(pairs)))


def _align_by_model(
    options: argparse.Namespace, choice: AlignerChoice, pairs: list[SentencePair], progress: Progress
) -> list[Alignment]:
    from anaphor.align import TrainedAligner
    from anaphor.align.choice import POSTERIOR, read_links

    model = TrainedAligner.load(Path(options.model), pair=choice.pair)
    progress(f"aligning {len(pairs)} sentence pairs")
    return list(read_links(model, pairs, choice.symmetrization or POSTERIOR))


def signature_of(options: argparse.Namespace, choice: AlignerChoice) -> str:
    """What made the links; a saved model is named by the hash of its file."""
    from anaphor.align.choice import POSTERIOR, VERSION
    from anaphor.core import digest

    if options.model is None:
        return choice.signature()
    content = digest([Path(options.model).read_bytes()])
    return f"anaphor-{VERSION}+{choice.symmetrization or POSTERIOR}+model-{content}"
