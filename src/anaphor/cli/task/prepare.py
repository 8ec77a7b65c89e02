"""`anaphor task prepare`: from parallel text to a file of the prediction task."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.align.options import DEFAULTS, add_choice, add_training, choice_of, refuse
from anaphor.cli.cluster_options import add_cluster, crew_of
from anaphor.cli.task.prepare_texts import into_folder, is_sharded, texts_of
from anaphor.core.errors import InputWarning, OptionError

if TYPE_CHECKING:
    from anaphor.cli.terminal import Progress
    from anaphor.core import LanguagePair
    from anaphor.task.prepare.links import LinkConfig
    from anaphor.task.prepare.part_store import PartReport
    from anaphor.task.prepare.placeholders import PronounFilter
    from anaphor.task.prepare.preparation import Preparation

EXAMPLES = """examples:
  anaphor task prepare --pair en-fr --source text.en --target text.fr --output train.tsv.gz
  anaphor task prepare --pair en-fr ... --documents text.doc-ids --style 2015
  anaphor task prepare --pair de-en --tsv europarl.tsv.gz tatoeba.txt.gz --output train.tsv.gz
  anaphor task prepare --pair en-de --source ted.en --target ted.de --document-mark '<d>' --output dev.tsv
  anaphor task prepare --pair en-fr ... --symmetrize grow-diag-final-and    (the links of the papers)
  anaphor task prepare --pair en-fr ... --model en-fr.model                 (no training)
  anaphor task prepare --pair en-fr --source 'part-*.en.gz' --target 'part-*.fr.gz' --cluster local:4 \\
    --output shards/

The ids of documents go to a second file, train.doc-ids for train.tsv. A run that was interrupted goes on
from the parts it had finished, in train.tsv.parts, when the same command is given again. With an output that
ends in a slash, every text is a shard with files of its own, and manifest.json says what is complete."""

_OF_ALIGNING = ("train", "model", "priors", "aligner", "symmetrize", "method", "backoff", "threads")


def configure(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    _add_examples(parser)
    group = add_training(parser)
    add_choice(group)
    group.add_argument("--alignment", metavar="FILE", help="links made elsewhere, one line a segment")
    group.add_argument(
        "--learn-from",
        type=int,
        metavar="N",
        help="of anaphor: learn from about N segments, spread over the text; from all if not given",
    )
    work = parser.add_argument_group("work and output")
    work.add_argument(
        "--output",
        required=True,
        metavar="FILE",
        help="where segments go; .gz is compressed; a folder with /",
    )
    work.add_argument("--workers", type=int, metavar="N", help="processes; one for each core if not given")
    add_cluster(work)
    work.add_argument("--json", action="store_true", help="print the counts as JSON")


def _add_files(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files")
    add = group.add_argument
    add("--pair", required=True, metavar="SRC-TGT", help="en-fr, fr-en, en-de, de-en, es-en, or of a pack")
    add("--source", nargs="+", default=[], metavar="FILE", help="source texts, one segment a line")
    add("--target", nargs="+", default=[], metavar="FILE", help="their translations, line by line")
    add(
        "--documents",
        nargs="+",
        default=[],
        metavar="FILE",
        help="for each text, document ids or start lines",
    )
    add("--document-mark", metavar="LINE", help="a line in both texts where a document starts, such as <d>")
    add("--tsv", nargs="+", default=[], metavar="FILE", help="tables with a column for each language")
    add(
        "--columns",
        metavar="SRC,TGT[,DOC]",
        help="their columns, by header or by number from 1; found by the codes of the languages if not given",
    )
    add("--packs", metavar="FOLDER", help="language packs of your own")


def _add_examples(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which examples, and how they are written")
    add = group.add_argument
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
        help="keep pronouns that are objects, or not; as in the year of --style if not given",
    )
    add(
        "--expletives",
        choices=("keep", "drop"),
        default="keep",
        help="pronouns that stand for nothing, such as es in es gibt (default keep)",
    )
    add("--words", choices=("forms", "lemmas"), help="of the target; as in the year of --style if not given")
    add("--tags", choices=("universal", "french"), default="universal", help="of lemma|TAG")
    add("--analyser", default="built-in", metavar="NAME", help="built-in, spacy, stanza, udpipe or conllu")
    add("--source-model", metavar="NAME", help="of the analyser for the source: a model, or a CoNLL-U file")
    add("--target-model", metavar="NAME", help="the same for the target")


def run(options: argparse.Namespace) -> int:
    from anaphor.cli.terminal import Progress

    preparation = _preparation(options)
    if options.workers is not None and options.workers < 1:
        raise OptionError(f"{options.workers} processes", where="--workers", fix="give 1 or more")
    with Progress() as progress, _notes_once():
        report = _run(options, preparation, progress)
        for note in report.notes:
            warnings.warn(note, InputWarning, stacklevel=2)
    _tell(options, preparation, report)
    return 0


def _run(options: argparse.Namespace, preparation: Preparation, progress: Progress) -> PartReport:
    """In this process, or shard by shard where a cluster or a folder is named."""
    from anaphor.scale.kept import Kept
    from anaphor.scale.preparing import ShardedPreparation

    output = Path(options.output)
    if not is_sharded(options):
        return preparation.run(output, workers=options.workers, progress=progress)
    if options.workers is not None:
        raise OptionError(
            "--workers would be ignored: the cluster has its own",
            where="--workers, --cluster",
            fix="leave it out, or give --cluster local:N",
        )
    if into_folder(options):
        Kept(output).open()
    with crew_of(options) as crew:
        return ShardedPreparation(preparation, crew, progress).run(output)


@contextmanager
def _notes_once() -> Iterator[None]:
    """Tolerances used inside the block are told once each, though the texts are read more than once."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InputWarning)
            yield
    finally:
        for warning in {str(one.message): one for one in caught}.values():
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _preparation(options: argparse.Namespace) -> Preparation:
    from anaphor.core import LanguagePair
    from anaphor.task.prepare.plan import PreparationPlan
    from anaphor.task.prepare.preparation import Preparation

    pair = LanguagePair.parse(options.pair)
    linking = _linking(options, pair)
    plan = PreparationPlan(
        pair=pair,
        style=options.style,
        forms=options.words and options.words == "forms",
        filter=_filter(options),
        tags=options.tags,
        tokenized=options.tokenized,
        analyser=options.analyser,
        source_model=options.source_model,
        target_model=options.target_model,
        way=linking.choice.chosen_symmetrization,
        packs=Path(options.packs).absolute() if options.packs else None,
    )
    return Preparation(tuple(texts_of(options, pair)), plan, linking)


def _linking(options: argparse.Namespace, pair: LanguagePair) -> LinkConfig:
    from anaphor.scale.shards import expanded
    from anaphor.task.prepare.links import LinkConfig
    from anaphor.task.prepare.texts import TextPair

    if options.alignment:
        refuse(options, _OF_ALIGNING, beside="--alignment", because="the links are given")
    choice = choice_of(options, pair)
    _check_learning(options)
    files = (expanded(both, full=is_sharded(options)) for both in options.train)
    extra = tuple(TextPair(source=source, target=target) for source, target in files)
    return LinkConfig(
        choice=choice,
        file=options.alignment,
        model=options.model,
        extra=extra,
        learn_from=options.learn_from,
    )


def _check_learning(options: argparse.Namespace) -> None:
    if options.learn_from is None:
        return
    if options.alignment or options.model or options.aligner != DEFAULTS["aligner"]:
        raise OptionError(
            "--learn-from would be ignored: only the aligner anaphor is told how much to learn from",
            where="--learn-from",
            fix="leave it out",
        )
    if options.learn_from < 1:
        raise OptionError(f"{options.learn_from} segments", where="--learn-from", fix="give 1 or more")


def _filter(options: argparse.Namespace) -> PronounFilter:
    from anaphor.task.prepare.placeholders import PronounFilter

    subjects = options.subjects == "subjects" if options.subjects else options.style != 2015
    return PronounFilter(subjects=subjects, expletives=options.expletives == "keep")


def _tell(options: argparse.Namespace, preparation: Preparation, report: PartReport) -> None:
    from anaphor.cli.task.prepare_tables import report_json, report_text
    from anaphor.task import task_classes

    plan = preparation.plan
    classes = task_classes(plan.pair, year=plan.style, folder=plan.packs).classes
    if options.json:
        print(report_json(report, classes, output=options.output, pair=plan.pair, job=preparation.digest()))
    else:
        print(report_text(report, classes, output=options.output))
