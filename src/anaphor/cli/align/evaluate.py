"""`anaphor align evaluate`: links beside those that people made."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anaphor.cli.align.options import (
    DEFAULTS,
    add_choice,
    add_training,
    align,
    check_standard_input,
    choice_of,
    packs_of,
    read_pairs,
    refuse,
    signature_of,
)
from anaphor.core.errors import InputError, MismatchError, OptionError
from anaphor.core.text import LanguagePair

if TYPE_CHECKING:
    from anaphor.align import SentencePair
    from anaphor.align.evaluate import Evaluation
    from anaphor.align.gold import GoldSegment, PronounLinkItem
    from anaphor.core import Alignment
    from anaphor.corpus import AlignmentFile
    from anaphor.languages import PairPack

#: The layouts of a gold file, and the options that bring the text which it lacks.
LAYOUTS: dict[str, tuple[str, ...]] = {
    "pharaoh": ("source", "target"),
    "hansards": ("text",),
    "xl-wa": (),
    "pronoun-links": (),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """The links to judge, and what they are called: the path of their file, or the aligner's signature."""

    name: str
    alignments: Sequence[Alignment]


def configure(parser: argparse.ArgumentParser) -> None:
    gold = parser.add_argument_group("gold").add_argument
    gold("--gold", required=True, metavar="FILE", help="the links that people made")
    gold(
        "--gold-layout", choices=tuple(LAYOUTS), default="pharaoh", help="of the gold file (default pharaoh)"
    )
    gold("--source", metavar="FILE", help="source of a pharaoh gold file, tokenised")
    gold("--target", metavar="FILE", help="its translation, tokenised")
    gold("--text", metavar="FILE", help="text of a hansards gold file: `source ||| target` a line")
    judged = parser.add_argument_group("what is judged")
    which = judged.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--alignment", metavar="FILE", help="links, one line for every segment of the gold file"
    )
    which.add_argument("--align", action="store_true", help="align the text of the gold file and judge that")
    judged.add_argument("--pair", metavar="SRC-TGT", help="language pair, such as en-fr")
    judged.add_argument(
        "--pronouns", action="store_true", help="judge the links of the pair's pronouns as well"
    )
    judged.add_argument("--packs", metavar="FOLDER", help="language packs of your own")
    judged.add_argument("--json", action="store_true", help="print JSON")
    add_choice(add_training(parser))


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import paint
    from anaphor.report.alignment import evaluation_json, evaluation_text

    _check(options)
    evaluation = _evaluate(options)
    if options.json:
        print(evaluation_json(evaluation, gold=options.gold))
    else:
        print(evaluation_text(evaluation, paint=paint()))


def _check(options: argparse.Namespace) -> None:
    """Raise for options that would be ignored, and for text that is missing."""
    # Pharaoh gold that has a text is read twice: for its links, and for their places in the sentences.
    again = [options.gold] if options.gold_layout == "pharaoh" and options.source else []
    texts = (options.source, options.target, options.text)
    check_standard_input(options, options.gold, *again, options.alignment, *texts)
    needed = LAYOUTS[options.gold_layout]
    given = [name for name in ("source", "target", "text") if getattr(options, name) is not None]
    if surplus := [name for name in given if name not in needed]:
        raise OptionError(
            f"--{surplus[0]} would be ignored: {options.gold_layout} gold has its text elsewhere",
            where=f"--{surplus[0]}, --gold-layout",
            fix="leave it out, or name the layout that the gold file has",
        )
    if (given or options.align or options.pronouns) and len(given) < len(needed):
        raise OptionError(
            f"the text of the gold file is missing: {options.gold_layout} gold has links alone",
            where=", ".join(f"--{name}" for name in needed),
            fix="give the text that people aligned, with their tokens",
        )
    if not options.align:
        refuse(options, DEFAULTS, beside="--alignment", because="nothing is aligned without --align")
    if options.packs is not None and not (options.align or options.pronouns):
        raise OptionError(
            "--packs would be ignored: they are for --align and --pronouns",
            where="--packs, --alignment",
            fix="leave one of the two out",
        )


def _evaluate(options: argparse.Namespace) -> Evaluation:
    if options.gold_layout == "pronoun-links":
        return _evaluate_items(options)
    needed = LAYOUTS[options.gold_layout]
    if needed and getattr(options, needed[0]) is None:
        return _evaluate_links(options)
    return _evaluate_segments(options)


def _evaluate_items(options: argparse.Namespace) -> Evaluation:
    from anaphor.align.evaluate import Evaluation, evaluate_pronoun_links
    from anaphor.align.gold import read_pronoun_links

    items = read_pronoun_links(options.gold)
    pairs = {item.pair for item in items} | ({_pair(options)} if options.pair else set())
    if len(pairs) > 1:
        raise MismatchError(
            f"the items are not all of one language pair: {', '.join(sorted(map(str, pairs)))}",
            where=options.gold,
            fix="judge one pair at a time, and name that one with --pair",
        )
    judged = _judged(options, [(item.source, item.target) for item in items], pairs.pop())
    report = evaluate_pronoun_links(items, judged.alignments)
    return Evaluation(judged.name, len(items), pronouns=report)


def _evaluate_links(options: argparse.Namespace) -> Evaluation:
    """Without any text."""
    from anaphor.align.evaluate import Evaluation, evaluate_links
    from anaphor.align.gold import read_gold
    from anaphor.corpus import read_alignments

    golds = read_gold(options.gold, layout=options.gold_layout)
    alignments = tuple(read_alignments(options.alignment, segments=len(golds)))
    return Evaluation(options.alignment, len(golds), evaluate_links(golds, alignments))


def _evaluate_segments(options: argparse.Namespace) -> Evaluation:
    """With the text of the gold file."""
    from anaphor.align.evaluate import Evaluation, evaluate_links, evaluate_pronoun_links
    from anaphor.languages import load_pair

    segments = _segments(options)
    pair = _pair(options) if options.align or options.pronouns else None
    judged = _judged(options, [(segment.source, segment.target) for segment in segments], pair)
    links = evaluate_links([segment.gold for segment in segments], judged.alignments)
    if pair is None or not options.pronouns:
        return Evaluation(judged.name, len(segments), links)
    items = list(_pronouns(segments, load_pair(pair, folder=packs_of(options))))
    alignments = [judged.alignments[number] for number, _ in items]
    report = evaluate_pronoun_links([item for _, item in items], alignments)
    return Evaluation(judged.name, len(segments), links, report)


def _pair(options: argparse.Namespace) -> LanguagePair:
    if options.pair is None:
        raise OptionError("no language pair is named", where="--pair", fix="name it, such as en-fr")
    return LanguagePair.parse(options.pair)


def _segments(options: argparse.Namespace) -> Sequence[GoldSegment]:
    from anaphor.align.gold import GoldSegment, read_gold, read_hansards, read_xlwa
    from anaphor.corpus import read_alignments
    from anaphor.languages import split_words

    if options.gold_layout == "xl-wa":
        return read_xlwa(options.gold)
    if options.gold_layout == "hansards":
        return read_hansards(options.gold, text=options.text)
    sentences = read_pairs(source=options.source, target=options.target, words=(split_words, split_words))
    _check_inside(read_alignments(options.gold, segments=len(sentences)), sentences)
    # Surplus empty lines at the end of the gold file were announced when its links were read.
    golds = read_gold(options.gold, layout=options.gold_layout)
    return [GoldSegment(tuple(s), tuple(t), gold) for (s, t), gold in zip(sentences, golds, strict=False)]


def _judged(options: argparse.Namespace, sentences: list[SentencePair], pair: LanguagePair | None) -> Judged:
    """The links of a file, checked against the sentences, or new ones; `pair` is needed for these."""
    from anaphor.cli.terminal import Progress
    from anaphor.corpus import read_alignments

    if options.align and pair is not None:
        choice = choice_of(options, pair)
        with Progress() as progress:
            return Judged(signature_of(options, choice), align(options, choice, sentences, progress))
    found = read_alignments(options.alignment, segments=len(sentences))
    _check_inside(found, sentences)
    return Judged(options.alignment, tuple(found))


def _check_inside(links: AlignmentFile, sentences: Sequence[SentencePair]) -> None:
    """Raise for the first link that leads outside its sentence."""
    import numpy as np

    from anaphor.corpus import within_range

    lengths = np.array([(len(source), len(target)) for source, target in sentences])
    try:
        within_range(links, source_lengths=lengths[:, 0], target_lengths=lengths[:, 1])
    except InputError as error:
        fix = "give links and text of the same tokens, counted from 0"
        raise InputError(error.what, where=error.where, fix=fix) from error


def _pronouns(segments: Iterable[GoldSegment], pack: PairPack) -> Iterator[tuple[int, PronounLinkItem]]:
    """The watched pronouns of the pair as items, each with the number of its segment."""
    from anaphor.align.gold import PronounLinkItem
    from anaphor.languages import FormMatcher

    watched = FormMatcher(pack.source, pack.source_pronouns)
    for number, segment in enumerate(segments):
        for position, token in enumerate(segment.source):
            if watched.forms_in(token):
                yield (
                    number,
                    PronounLinkItem(
                        id=f"{number}-{position}",
                        pair=pack.pair,
                        source=segment.source,
                        target=segment.target,
                        pronoun=position,
                        sure=frozenset(j for i, j in segment.gold.sure if i == position),
                        possible=frozenset(j for i, j in segment.gold.possible if i == position),
                        function="not annotated",
                    ),
                )
