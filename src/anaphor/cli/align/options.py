"""The options that say how to align, and the aligning itself, for all verbs of `anaphor align`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.core.errors import OptionError, UnknownNameError

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice, SentencePair
    from anaphor.cli.terminal import Progress
    from anaphor.core import Alignment, LanguagePair
    from anaphor.pronouns import Words

#: What an option holds where the user gave none; `--symmetrize` and `--method` are then the aligner's own.
DEFAULTS: dict[str, object] = {
    "tokenized": False,
    "train": [],
    "model": None,
    "priors": "built-in",
    "aligner": "anaphor",
    "symmetrize": "",
    "method": "",
    "backoff": "",
    "threads": 2,
}
_OF_TRAINING = ("train", "priors", "aligner", "method", "backoff")


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
    add(
        "--method",
        metavar="NAME",
        help="of anaphor: hmm, or ibm1 without word order, and hmm-apart and ibm1-apart, whose directions do "
        "not learn from each other; of giza++ and mgiza: model4 or hmm",
    )
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
    add(
        "--backoff",
        metavar="NAME",
        help="anaphor or fast_align: aligns the segments that the aligner cannot, such as long ones",
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


def check_standard_input(options: argparse.Namespace, *paths: str | None) -> None:
    """Raise if the standard input stands for several of these files and those of `--train`."""
    if [*paths, *chain.from_iterable(options.train)].count("-") > 1:
        raise OptionError(
            "the standard input can stand for one file only", where="-", fix="write the other texts to files"
        )


def choice_of(options: argparse.Namespace, pair: LanguagePair) -> AlignerChoice:
    """The aligner that the options name; options that it would ignore are errors."""
    from anaphor.align import AlignerChoice

    if options.model is not None:
        refuse(options, _OF_TRAINING, beside="--model", because="a saved model is not trained again")
    choice = AlignerChoice(
        pair=pair,
        name=options.aligner,
        symmetrization=options.symmetrize,
        model=options.method,
        priors=options.priors,
        threads=options.threads,
        backoff=options.backoff,
        packs=packs_of(options),
    )
    if options.train:
        choice.check_more_text()
    return choice


def tokenizers(options: argparse.Namespace, pair: LanguagePair) -> tuple[Words, Words]:
    """What cuts the lines of source and target into tokens."""
    from anaphor.languages import Tokenizer, known_languages, load_language, split_words

    if options.tokenized:
        return split_words, split_words
    folder = packs_of(options)
    known = known_languages(folder)
    for code in (pair.source, pair.target):
        if code not in known:
            raise UnknownNameError(
                f"there is no tokeniser for the language {code}",
                where="--pair",
                fix=f"tokenise the texts and give --tokenized, or --packs; known: {', '.join(known)}",
            )
    source, target = (load_language(code, folder=folder) for code in (pair.source, pair.target))
    return Tokenizer(source).words, Tokenizer(target).words


def packs_of(options: argparse.Namespace) -> Path | None:
    """The folder with packs of the user, if there is one."""
    return None if options.packs is None else Path(options.packs)


def read_pairs(*, source: str, target: str, words: tuple[Words, Words]) -> list[SentencePair]:
    """The tokens of two files, line by line; files of unequal length are an error."""
    return list(iterate_pairs(source=source, target=target, words=words))


def iterate_pairs(*, source: str, target: str, words: tuple[Words, Words]) -> Iterator[SentencePair]:
    """The same one after the other: the tokens of a large text would not fit into memory."""
    from anaphor.corpus import Inputs, read_text

    texts = Inputs(read_text(source), (read_text(target),), {})
    return zip(map(words[0], texts.source.lines), map(words[1], texts.references[0].lines), strict=True)


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
    from anaphor.align.aligners import BuiltInAligner

    if options.model is not None:
        return _align_by_model(options, choice, pairs, progress)
    extra = background(options, choice.pair)
    step = f"aligning {len(pairs)} sentence pairs, learning from {len(pairs) + len(extra)}"
    progress(step)
    aligner = choice.telling(step, progress).build()
    if isinstance(aligner, BuiltInAligner):
        return list(aligner.align(pairs, extra))
    return list(islice(aligner.align([*pairs, *extra]), len(pairs)))


def _align_by_model(
    options: argparse.Namespace, choice: AlignerChoice, pairs: list[SentencePair], progress: Progress
) -> list[Alignment]:
    from anaphor.align import TrainedAligner
    from anaphor.align.aligners import read_links
    from anaphor.align.vocabulary import load_packs

    packs = load_packs(choice.pair, choice.packs)
    model = TrainedAligner.load(Path(options.model), pair=choice.pair, threads=choice.threads, packs=packs)
    progress(f"aligning {len(pairs)} sentence pairs")
    return list(read_links(model, pairs, choice.way))


def signature_of(options: argparse.Namespace, choice: AlignerChoice) -> str:
    """What made the links; a saved model is named by the hash of its file."""
    from anaphor.align.aligners import VERSION
    from anaphor.core import digest

    if options.model is None:
        return choice.signature()
    content = digest([Path(options.model).read_bytes()])
    return f"anaphor-{VERSION}+{choice.way}+model-{content}"


def add_texts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files")
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    group.add_argument("--source", required=True, metavar="FILE", help="source text, one segment a line")
    group.add_argument("--target", required=True, metavar="FILE", help="its translation, line by line")
    group.add_argument("--packs", metavar="FOLDER", help="language packs of your own")


def check_place(path: str) -> None:
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise OptionError(
            "the file cannot be written (it is a folder, or its folder does not exist)",
            where=path,
            fix="choose a file in an existing folder that you may write to",
        )
