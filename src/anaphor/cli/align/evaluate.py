"""`anaphor align evaluate`: links compared with a gold alignment."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from anaphor.cli.align import options as shared
from anaphor.cli.options import packs_of
from anaphor.cli.output import add_output, print_result
from anaphor.core.errors import OptionError
from anaphor.core.text import LanguagePair

if TYPE_CHECKING:
    from anaphor.align import SentencePair
    from anaphor.core import Alignment

#: `TEXT_OPTIONS` of `anaphor.align.evaluate`, whose import a help text need not wait for.
LAYOUTS: dict[str, tuple[str, ...]] = {
    "pharaoh": ("source", "target"),
    "hansards": ("text",),
    "xl-wa": (),
    "pronoun-links": (),
}


def configure(parser: argparse.ArgumentParser) -> None:
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
        "--align", action="store_true", help="align the text of the gold file and evaluate that"
    )
    judged.add_argument("--pair", metavar="SRC-TGT", help="language pair, such as en-fr")
    judged.add_argument(
        "--pronouns", action="store_true", help="evaluate the links of the pair's pronouns as well"
    )
    judged.add_argument("--packs", metavar="FOLDER", help="your own language packs")
    add_output(judged)
    shared.add_choice(shared.add_training(parser))


def run(options: argparse.Namespace) -> None:
    from anaphor.align.evaluate import evaluate_gold
    from anaphor.align.texts import align_pairs, read_pairs, signature, tokenizers
    from anaphor.cli.terminal import Progress

    _check(options)

    def align(pair: LanguagePair, sentences: list[SentencePair]) -> tuple[str, Sequence[Alignment]]:
        choice, model = shared.choice_of(options, pair), shared.model_of(options)
        extra: list[SentencePair] = []
        if options.train:
            words = tokenizers(pair, tokenized=options.tokenized, packs=choice.packs)
            extra = list(chain.from_iterable(read_pairs(files, words) for files in options.train))
        name = signature(choice, model)
        with Progress(quiet=options.quiet) as progress:
            return name, align_pairs(choice, sentences, extra=extra, model=model, tell=progress)

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
            fix="omit it, or name the layout of the gold file",
        )
    if (given or options.align or options.pronouns) and len(given) < len(needed):
        raise OptionError(
            f"the text of the gold file is missing: {options.gold_layout} gold has links only",
            where=", ".join(f"--{name}" for name in needed),
            fix="give the text that was annotated, with its tokens",
        )
    if not options.align:
        shared.refuse(
            options, shared.DEFAULTS, beside="--alignment", because="nothing is aligned without --align"
        )
    if options.packs is not None and not (options.align or options.pronouns):
        raise OptionError(
            "--packs would be ignored: they are for --align and --pronouns",
            where="--packs, --alignment",
            fix="leave one of the two out",
        )
