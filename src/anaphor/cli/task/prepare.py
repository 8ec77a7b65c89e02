"""`anaphor task prepare`: from parallel text to a file of the prediction task."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.align_options import DEFAULTS, add_choice, add_training, choice_of, refuse
from anaphor.cli.cluster_options import add_cluster, executor_from
from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output
from anaphor.core.errors import InputWarning, OptionError

if TYPE_CHECKING:
    from anaphor.core import LanguagePair
    from anaphor.task.prepare import LinkConfig, ParallelText, Preparation

EXAMPLES = """examples:
  anaphor task prepare --pair en-fr --source text.en --target text.fr --output train.tsv.gz
  anaphor task prepare --pair en-fr ... --documents text.doc-ids --style 2015
  anaphor task prepare --pair de-en --tsv europarl.tsv.gz tatoeba.txt.gz --output train.tsv.gz
  anaphor task prepare --pair en-de --source ted.en --target ted.de --document-mark '<d>' --output dev.tsv
  anaphor task prepare --pair en-fr ... --symmetrize grow-diag-final-and    (the links of the papers)
  anaphor task prepare --pair en-fr ... --model en-fr.model                 (no training)
  anaphor task prepare --pair en-fr --source 'part-*.en.gz' --target 'part-*.fr.gz' --cluster local:4 \\
    --output shards/

Document ids go to a second file, train.doc-ids for train.tsv. If a run is interrupted, the same command
continues from the finished parts in train.tsv.parts. If the output ends in a slash, every text is a shard
with its own files, and manifest.json lists the finished shards."""

_OF_ALIGNING = ("train", "model", "priors", "aligner", "symmetrize", "method", "backoff", "threads")


def configure(parser: CommandParser) -> None:
    add = parser.add_argument_group("files").add_argument
    add(
        "--pair",
        required=True,
        metavar="SRC-TGT",
        help="en-fr, en-de, en-es, fr-en, de-en, es-en, or the pair of a pack",
    )
    add("--source", nargs="+", default=[], metavar="FILE", help="source texts, one segment per line")
    add("--target", nargs="+", default=[], metavar="FILE", help="their translations, line by line")
    add(
        "--documents",
        nargs="+",
        default=[],
        metavar="FILE",
        help="for each text, a file of document ids or start lines",
    )
    add(
        "--document-mark",
        rare=True,
        metavar="LINE",
        help="a line that starts a document in both texts, such as <d>",
    )
    add("--tsv", nargs="+", default=[], metavar="FILE", help="tables with one column per language")
    add(
        "--columns",
        rare=True,
        metavar="SRC,TGT[,DOC]",
        help="columns of --tsv, by header or by number from 1 (default: found by language code)",
    )
    add("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    add = parser.add_argument_group("selection and format of examples").add_argument
    add(
        "--style",
        type=int,
        choices=(2015, 2016, 2017),
        default=2016,
        help="2015: all pronouns, word forms; 2016 and 2017: subjects, lemma|TAG (default 2016)",
    )
    add(
        "--subjects",
        choices=("all", "subjects"),
        help="keep all pronouns, or only subjects (default: depends on --style)",
    )
    add(
        "--expletives",
        choices=("keep", "drop"),
        default="keep",
        help="what to do with pronouns that have no referent, such as es in es gibt (default keep)",
    )
    add(
        "--words",
        choices=("forms", "lemmas"),
        help="target words as inflected forms or lemmas (default: depends on --style)",
    )
    add("--tags", choices=("universal", "french"), default="universal", help="tag set of lemma|TAG")
    add("--analyser", default="built-in", metavar="NAME", help="built-in, spacy, stanza, udpipe or conllu")
    add("--source-model", metavar="NAME", help="source model of the analyser, or a CoNLL-U file")
    add("--target-model", metavar="NAME", help="target model of the analyser, or a CoNLL-U file")
    group = add_training(parser)
    add_choice(group)
    group.add_argument("--alignment", metavar="FILE", help="alignment file, one line per segment")
    group.add_argument(
        "--learn-from",
        rare=True,
        type=int,
        metavar="N",
        help="train the built-in aligner on about N segments, spread over the text (default: all)",
    )
    work = parser.add_argument_group("work and output")
    work.add_argument(
        "--output",
        required=True,
        metavar="FILE",
        help="output file, compressed if .gz; a folder if it ends in /",
    )
    work.add_argument("--workers", type=int, metavar="N", help="worker processes (default: one per core)")
    add_cluster(work)
    add_output(work)


def run(options: argparse.Namespace) -> int:
    from anaphor.cli.output import print_result
    from anaphor.cli.terminal import TerminalProgress, collected_notes

    preparation = _preparation(options)
    if options.workers is not None and options.workers < 1:
        raise OptionError(f"{options.workers} processes", where="--workers", fix="use 1 or more")
    with TerminalProgress(quiet=options.quiet) as progress, collected_notes(once=True):
        output = Path(options.output)
        if not _is_sharded(options):
            report = preparation.run(output, workers=options.workers, progress=progress)
        else:
            from anaphor.scale.preparation import ShardedPreparation
            from anaphor.scale.result_store import ResultStore

            if options.workers is not None:
                raise OptionError(
                    "--workers would be ignored: the cluster has its own",
                    where="--workers, --cluster",
                    fix="omit it, or add --cluster local:N",
                )
            if _into_folder(options):
                ResultStore(output).open()
            with executor_from(options) as executor:
                report = ShardedPreparation(preparation, executor, progress).run(output)
        for note in report.notes:
            warnings.warn(note, InputWarning, stacklevel=2)
    print_result(options, preparation.result(report, output=options.output))
    return 0


def _preparation(options: argparse.Namespace) -> Preparation:
    from anaphor.core import LanguagePair
    from anaphor.task.prepare import Preparation, PreparationPlan, PronounFilter

    pair = LanguagePair.parse(options.pair)
    linking = _linking(options, pair)
    subjects = options.subjects == "subjects" if options.subjects else options.style != 2015
    plan = PreparationPlan(
        pair=pair,
        style=options.style,
        forms=options.words and options.words == "forms",
        filter=PronounFilter(subjects=subjects, expletives=options.expletives == "keep"),
        tags=options.tags,
        tokenized=options.tokenized,
        analyser=options.analyser,
        source_model=options.source_model,
        target_model=options.target_model,
        symmetrization=linking.choice.chosen_symmetrization,
        packs=Path(options.packs).absolute() if options.packs else None,
    )
    return Preparation(tuple(_texts(options, pair)), plan, linking)


def _linking(options: argparse.Namespace, pair: LanguagePair) -> LinkConfig:
    from anaphor.task.prepare import LinkConfig, TextPair

    if options.alignment:
        refuse(options, _OF_ALIGNING, beside="--alignment", because="the links are given")
    choice = choice_of(options, pair)
    if options.learn_from is not None:
        if options.alignment or options.model or options.aligner != DEFAULTS["aligner"]:
            raise OptionError(
                "--learn-from would be ignored: it applies only to training the aligner anaphor",
                where="--learn-from",
                fix="omit it",
            )
        if options.learn_from < 1:
            raise OptionError(f"{options.learn_from} segments", where="--learn-from", fix="use 1 or more")
    extra = tuple(
        TextPair(source=source, target=target)
        for source, target in (_expanded(options, both) for both in options.train)
    )
    return LinkConfig(
        choice=choice,
        file=options.alignment,
        model=options.model,
        extra=extra,
        learn_from=options.learn_from,
    )


def _texts(options: argparse.Namespace, pair: LanguagePair) -> list[ParallelText]:
    """Every table and pair of files from the options; a pattern matches several."""
    from anaphor.task.prepare import ParallelTable, TextPair

    if options.columns and not options.tsv:
        raise OptionError(
            "--columns applies only to tables", where="--columns", fix="add one with --tsv, or omit it"
        )
    columns = tuple(options.columns.split(",")) if options.columns else ()
    if columns and len(columns) not in (2, 3):
        raise OptionError(
            f"{len(columns)} columns", where="--columns", fix="specify source, target and document"
        )
    sources, targets, documents = (
        _expanded(options, paths) for paths in (options.source, options.target, options.documents)
    )
    if len(sources) != len(targets) or (documents and len(documents) != len(sources)):
        raise OptionError(
            f"{len(sources)} source texts, {len(targets)} target texts, {len(documents)} files of documents",
            where="--source, --target, --documents",
            fix="pass the same number of each; --documents may be left out",
        )
    if documents and options.document_mark:
        raise OptionError(
            "documents are given twice", where="--documents, --document-mark", fix="omit one of the two"
        )
    texts: list[ParallelText] = [
        ParallelTable(path, pair, columns) for path in _expanded(options, options.tsv)
    ]
    texts += [
        TextPair(source=source, target=target, documents=ids, mark=options.document_mark)
        for source, target, ids in zip_longest(sources, targets, documents)
    ]
    if not texts:
        raise OptionError(
            "no text is given", where="--source, --tsv", fix="add --source and --target, or --tsv"
        )
    if any(path == "-" for text in texts for path in text.paths):
        raise OptionError("the text is read more than once", where="-", fix="pass files, not standard input")
    return texts


def _expanded(options: argparse.Namespace, paths: Sequence[str]) -> list[str]:
    from anaphor.scale.shards import expand_patterns

    return list(expand_patterns(paths, full=_is_sharded(options)))


def _is_sharded(options: argparse.Namespace) -> bool:
    """Whether the work is done shard by shard: by a cluster, or into a folder."""
    return options.cluster is not None or _into_folder(options)


def _into_folder(options: argparse.Namespace) -> bool:
    """Whether every shard gets its own files."""
    return options.output.endswith("/") or Path(options.output).is_dir()
