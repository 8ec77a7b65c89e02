"""`anaphor align`: word alignment, from text to links and from links to their quality."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli import align_options as shared
from anaphor.cli.cluster_options import add_cluster, executor_from
from anaphor.cli.commands import Command, CommandParser
from anaphor.cli.options import packs_of
from anaphor.cli.output import add_output, print_result
from anaphor.cli.terminal import TerminalProgress
from anaphor.core.errors import InputWarning, OptionError
from anaphor.core.text import LanguagePair

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice, SentencePair
    from anaphor.core import Alignment

EXAMPLES = """examples:
  anaphor align run --pair en-fr --source src.en --target ref.fr --output ref.align
  anaphor align run --pair en-fr ... --train more.en.gz more.fr.gz --scores ref.scores
  anaphor align run --pair en-fr ... --aligner eflomal --symmetrize intersection
  anaphor align run --pair en-de ... --aligner mgiza --method hmm --backoff fast_align
  anaphor align train --pair en-fr --source more.en.gz --target more.fr.gz --save en-fr.model
  anaphor align train --pair en-fr --source 'part-*.en.gz' --target 'part-*.fr.gz' --cluster local:4 --save m
  anaphor align run --pair en-fr ... --model en-fr.model
  anaphor align evaluate --gold gold.txt --alignment ref.align
  anaphor align evaluate --gold items.jsonl --gold-layout pronoun-links --align
  anaphor align evaluate --gold gold.tsv --gold-layout xl-wa --pair en-es --align --train m.en.gz m.es.gz

Links are source-target, such as `0-0 1-2`: one segment per line, tokens counted from 0."""


def configure_run(parser: CommandParser) -> None:
    shared.add_texts(parser)
    shared.add_choice(shared.add_training(parser))
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", help="write the links to FILE instead of standard output")
    group.add_argument(
        "--scores",
        metavar="FILE",
        help="also write the confidence of every link (0 to 1), in the order of the links",
    )
    group.add_argument("--json", action="store_true", help="print the links with their confidences as JSON")


def run_run(options: argparse.Namespace) -> None:
    from anaphor.align.texts import align_texts
    from anaphor.files.writing import write_atomically
    from anaphor.report.emit import to_json

    choice = shared.choice_of(options, LanguagePair.parse(options.pair))
    shared.check_standard_input(options, options.source, options.target)
    for path in filter(None, (options.output, options.scores)):
        shared.check_writable(path)
    if options.scores and options.output and Path(options.scores).resolve() == Path(options.output).resolve():
        raise OptionError(
            f"links and confidences would both be written to {options.output}",
            where="--output, --scores",
            fix="name two files",
        )
    if options.scores and not choice.has_confidences:
        raise OptionError(
            "only links from posteriors or from one direction have confidences",
            where="--scores",
            fix="omit it, or use the aligner anaphor with --symmetrize posterior, forward, reverse",
        )
    with TerminalProgress(quiet=options.quiet) as progress:
        aligned = align_texts(
            choice,
            (options.source, options.target),
            tokenized=options.tokenized,
            training=options.train,
            model=shared.model_of(options),
            progress=progress,
        )
    if options.output:
        write_atomically(options.output, aligned.links_text())
    if options.scores:
        write_atomically(options.scores, aligned.confidences_text())
    if options.json:
        print(to_json(aligned.to_dict(), indent=None))
    elif not options.output:
        print(aligned.links_text(), end="")


def configure_train(parser: CommandParser) -> None:
    shared.add_texts(parser)
    shared.add_training(parser)
    parser.add_argument("--save", required=True, metavar="FILE", help="file for the model")
    add_cluster(parser)


def run_train(options: argparse.Namespace) -> None:
    from anaphor.align.texts import train_model

    shared.check_writable(options.save)
    shared.check_standard_input(options, options.source, options.target)
    choice = shared.choice_of(options, LanguagePair.parse(options.pair))
    with TerminalProgress(quiet=options.quiet) as progress:
        if options.cluster is None:
            files = [*_texts(options), *map(tuple, options.train)]
            path = Path(options.save)
            pairs = train_model(choice, files, path, tokenized=options.tokenized, progress=progress)
        else:
            pairs = _train_on_cluster(options, choice, progress)
    print(f"{options.save}: a model of {choice.pair}, trained on {pairs} sentence pairs")


def _train_on_cluster(options: argparse.Namespace, choice: AlignerChoice, progress: TerminalProgress) -> int:
    from anaphor.align.pairs import tokenizers
    from anaphor.scale.numbering import TokenizationConfig
    from anaphor.scale.shards import expand_patterns
    from anaphor.scale.training import train_on_texts
    from anaphor.task.prepare.texts import TextPair

    progress("reading")
    if "-" in (options.source, options.target):
        raise OptionError("workers read the text", where="-", fix="pass files, not standard input")
    packs = packs_of(options)
    tokenizers(choice.pair, tokenized=options.tokenized, packs=packs)  # raises early for unknown languages
    files = [*_texts(options), *(expand_patterns(both, full=True) for both in options.train)]
    texts = [TextPair(source=source, target=target) for source, target in files]
    tokenization = TokenizationConfig(choice.pair, options.tokenized, packs and packs.absolute())
    with executor_from(options) as executor:
        pairs, notes = train_on_texts(texts, choice, tokenization, executor, Path(options.save), progress)
    for note in notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    return pairs


def _texts(options: argparse.Namespace) -> list[tuple[str, str]]:
    """The source and target files; a pattern matches several of each."""
    from anaphor.scale.shards import expand_patterns

    full = options.cluster is not None
    sources, targets = (
        expand_patterns([options.source], full=full),
        expand_patterns([options.target], full=full),
    )
    if len(sources) != len(targets):
        raise OptionError(
            f"{len(sources)} source texts and {len(targets)} target texts",
            where="--source, --target",
            fix="pass patterns that match the same number of files",
        )
    return list(zip(sources, targets, strict=True))


#: `TEXT_OPTIONS` of `anaphor.align.evaluate`, whose import a help text need not wait for.
LAYOUTS: dict[str, tuple[str, ...]] = {
    "pharaoh": ("source", "target"),
    "hansards": ("text",),
    "xl-wa": (),
    "pronoun-links": (),
}


def configure_evaluate(parser: CommandParser) -> None:
    gold = parser.add_argument_group("gold").add_argument
    gold("--gold", required=True, metavar="FILE", help="the gold alignment")
    gold(
        "--gold-layout",
        choices=tuple(LAYOUTS),
        default="pharaoh",
        help="format of the gold file (default pharaoh)",
    )
    gold("--source", metavar="FILE", help="source of a pharaoh gold file, tokenized")
    gold("--target", metavar="FILE", help="its translation, tokenized")
    gold("--text", metavar="FILE", help="text of a hansards gold file: one `source ||| target` per line")
    judged = parser.add_argument_group("what is evaluated")
    which = judged.add_mutually_exclusive_group(required=True)
    which.add_argument("--alignment", metavar="FILE", help="links, one line per segment of the gold file")
    which.add_argument(
        "--align", action="store_true", help="align the text of the gold file and evaluate the result"
    )
    judged.add_argument("--pair", metavar="SRC-TGT", help="language pair, such as en-fr")
    judged.add_argument(
        "--pronouns", action="store_true", help="also evaluate the links of the pair's pronouns"
    )
    judged.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    add_output(judged)
    shared.add_choice(shared.add_training(parser))


def run_evaluate(options: argparse.Namespace) -> None:
    from anaphor.align.evaluate import evaluate_gold
    from anaphor.align.pairs import read_pairs, tokenizers
    from anaphor.align.texts import align_pairs, signature

    _check(options)

    def align(pair: LanguagePair, sentences: list[SentencePair]) -> tuple[str, Sequence[Alignment]]:
        choice, model = shared.choice_of(options, pair), shared.model_of(options)
        extra: list[SentencePair] = []
        if options.train:
            words = tokenizers(pair, tokenized=options.tokenized, packs=choice.packs)
            extra = list(chain.from_iterable(read_pairs(files, words) for files in options.train))
        name = signature(choice, model)
        with TerminalProgress(quiet=options.quiet) as progress:
            return name, align_pairs(choice, sentences, extra=extra, model=model, progress=progress)

    evaluation = evaluate_gold(
        options.gold,
        layout=options.gold_layout,
        source=options.source,
        target=options.target,
        text=options.text,
        alignment=options.alignment,
        align=align if options.align else None,
        pair=None if options.pair is None else LanguagePair.parse(options.pair),
        pronouns=options.pronouns,
        packs=packs_of(options),
    )
    print_result(options, evaluation)


def _check(options: argparse.Namespace) -> None:
    """Raise for options that would be ignored, and for missing text."""
    # Pharaoh gold that has a text is read twice: for its links, and to check them against the sentences.
    again = [options.gold] if options.gold_layout == "pharaoh" and options.source else []
    texts = (options.source, options.target, options.text)
    shared.check_standard_input(options, options.gold, *again, options.alignment, *texts)
    needed = LAYOUTS[options.gold_layout]
    given = [name for name in ("source", "target", "text") if getattr(options, name) is not None]
    if surplus := [name for name in given if name not in needed]:
        raise OptionError(
            f"--{surplus[0]} would be ignored: {options.gold_layout} gold has its text elsewhere",
            where=f"--{surplus[0]}, --gold-layout",
            fix="omit it, or specify the layout of the gold file",
        )
    if (given or options.align or options.pronouns) and len(given) < len(needed):
        raise OptionError(
            f"the text of the gold file is missing: {options.gold_layout} gold has links only",
            where=", ".join(f"--{name}" for name in needed),
            fix="pass the text that was annotated, with its tokens",
        )
    if not options.align:
        shared.refuse(
            options, shared.DEFAULTS, beside="--alignment", because="nothing is aligned without --align"
        )
    if options.packs is not None and not (options.align or options.pronouns):
        raise OptionError(
            "--packs would be ignored: they are for --align and --pronouns",
            where="--packs, --alignment",
            fix="omit one of the two",
        )


COMMANDS = {
    "run": Command("align two files and print the links, one segment per line", configure_run, run_run),
    "train": Command("train a model on parallel text and save it", configure_train, run_train),
    "evaluate": Command("compare links with a gold alignment", configure_evaluate, run_evaluate),
}
