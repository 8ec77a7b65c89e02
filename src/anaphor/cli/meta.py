"""`anaphor meta`: meta-evaluation against human judgements."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import Command, CommandParser, OptionGroup
from anaphor.cli.options import add_level, add_resampling, packs_of
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor meta correlate --scores result.json --human human.tsv --outliers weakest
  anaphor meta cases --items items.tsv --judgements judgements.tsv
  anaphor meta spans --pair en-de --mqm mqm.tsv.gz --items items.tsv
  anaphor meta published --table guillou-hardmeier-2018-table-3
  anaphor meta gaps --answers gaps.tsv
  anaphor meta equivalents --pair en-fr --pairs judged.tsv --output equivalent.toml

docs/meta/ describes files and measures."""


def numbers(text: str) -> tuple[float, ...]:
    """Numbers with commas between them."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a comma-separated list of numbers: {text!r}") from None


def add_judgements(group: OptionGroup, *, required: bool) -> None:
    """The two files that belong together: the cases of the metric, and the judgements of annotators."""
    group.add_argument("--items", required=required, metavar="FILE", help="output of `anaphor score --items`")
    group.add_argument(
        "--judgements", required=required, metavar="FILE", help="human judgements: TSV or JSON lines"
    )


def add_score_output(parser: CommandParser) -> None:
    """The output of commands whose human scores `anaphor meta correlate --human` can read."""
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", help="write the human score of every system as TSV")
    add_output(group)


CORRELATE_EXAMPLES = """examples:
  anaphor meta correlate --scores metrics.tsv --human human.tsv
  anaphor meta correlate --scores result.json --human human.tsv --outliers weakest --json
  anaphor meta correlate --scores table.tsv --human table.tsv --human-scores PROTEST
  anaphor meta correlate --scores wmt21 --human wmt21 --pair en-de
  anaphor meta correlate --counts repaired.json plain.json --human human.tsv

Scores are TSV files (system and scores), result files, .sys.score files, or folders in the layout of
mt-metrics-eval. --counts adds a grid over the weights w2 and w6 of APT, with and without repair."""


def configure_correlate(parser: CommandParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--scores", nargs="+", default=[], metavar="PATH", help="metric scores")
    files.add_argument("--human", nargs="+", required=True, metavar="PATH", help="human scores")
    files.add_argument(
        "--counts", nargs="+", default=[], metavar="FILE", help="APT cases: result files, or TSV"
    )
    files.add_argument("--pair", metavar="SRC-TGT", help="language pair to read from a folder, such as en-de")
    group = parser.add_argument_group("what is compared, and how")
    group.add_argument("--metrics", nargs="+", default=[], metavar="NAME", help="only these scores")
    group.add_argument(
        "--human-scores", nargs="+", default=[], metavar="NAME", help="only these human scores"
    )
    group.add_argument(
        "--outliers", nargs="+", default=[], metavar="SYSTEM", help="also correlate without these systems"
    )
    group.add_argument(
        "--common",
        action="store_true",
        help="leave out systems that lack a score, instead of stopping",
    )
    group.add_argument(
        "--human-range",
        type=numbers,
        metavar="LOW,HIGH",
        help="range of the human scores (default 0,1; unrestricted in the layout of mt-metrics-eval)",
    )
    for case, meaning in ((2, "equivalent"), (6, "both missing")):
        group.add_argument(
            f"--w{case}",
            type=numbers,
            default=(0.0, 0.5, 1.0),
            metavar="W,...",
            help=f"weights of case {case}, {meaning}, in the grid (default 0,0.5,1)",
        )
    group.add_argument(
        "--discard",
        rare=True,
        type=numbers,
        default=(),
        metavar="CASES",
        help="cases to leave out, such as 5,6",
    )
    add_level(group)
    add_output(parser)


def run_correlate(options: argparse.Namespace) -> None:
    from anaphor.meta.correlate import meta_evaluate

    study = meta_evaluate(
        human=options.human,
        scores=options.scores,
        counts=options.counts,
        pair=options.pair,
        metrics=options.metrics,
        human_scores=options.human_scores,
        outliers=options.outliers,
        common=options.common,
        human_range=options.human_range,
        w2=options.w2,
        w6=options.w6,
        discard=options.discard,
        level=options.level,
    )
    print_result(options, study)


CASES_EXAMPLES = """examples:
  anaphor score ... --items items.tsv
  anaphor meta cases --items items.tsv --judgements judgements.tsv
  anaphor meta cases --items items.tsv --judgements judgements.jsonl --json
  anaphor meta cases --items items.tsv --judgements judgements.tsv --output human.tsv

Judgements have the columns system, segment, token (or id), judgement (correct, incorrect, bad) and,
optionally, category, reason (V, E, I, O) and annotator. If several annotators judged the same pronouns,
their agreement is shown."""


def configure_cases(parser: CommandParser) -> None:
    add_judgements(parser.add_argument_group("files"), required=True)
    add_score_output(parser)


def run_cases(options: argparse.Namespace) -> None:
    from anaphor.files.writing import write_atomically
    from anaphor.meta.judgements import compare_cases, correct_share, join, read_cases, read_judgements
    from anaphor.meta.scores import format_score_table

    joined = join(read_judgements(options.judgements), read_cases(options.items))
    comparison = compare_cases(joined)
    if options.output:
        write_atomically(options.output, format_score_table([correct_share(joined)]))
    print_result(options, comparison)


SPANS_EXAMPLES = """examples:
  anaphor meta spans --pair en-de --mqm mqm.tsv.gz --texts talks
  anaphor score --pair en-de --source talks/source.txt --documents talks/documents.txt \\
    --reference talks/ref.txt --candidate talks/A.txt talks/B.txt --metrics apt accept --items items.tsv
  anaphor meta spans --pair en-de --mqm mqm.tsv.gz --items items.tsv
  anaphor meta spans --pair en-de --mqm mqm.tsv.gz --items items.tsv --longest 1 --severities major
  anaphor meta spans --pair en-fr --bio-mqm bio-mqm --texts abstracts
  anaphor meta spans --pair en-de --chat annotations.de.*.csv.gz --items items.tsv --raters any
  anaphor meta spans --pair en-fr --diabla dialogues --items items.tsv --over documents --json
  anaphor meta spans --pair en-fr --judgements judgements.tsv --items with.tsv without.tsv
  anaphor meta spans --pair en-de --judged en-de.tsv --items news.tsv chats.tsv --open 0.95

A pronoun counts as marked when a span of at most three words contains it and no other pronoun.
docs/meta/spans.md describes the files and the measures."""


def configure_spans(parser: CommandParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument(
        "--items",
        nargs="+",
        metavar="FILE",
        help="output of `anaphor score --items`; several runs of the same candidates are compared",
    )
    files.add_argument("--mqm", metavar="FILE", help="WMT's MQM annotation (TSV) by one or several raters")
    files.add_argument(
        "--bio-mqm", metavar="PATH", help="bio-MQM: JSON lines, or the folder of the SRC-TGT.jsonl files"
    )
    files.add_argument(
        "--chat", nargs="+", metavar="PATH", help="MQM annotation of WMT's chats: CSV files, or a folder"
    )
    files.add_argument("--esa", metavar="FILE", help="ESA annotation of WMT24 (JSON lines)")
    files.add_argument("--diabla", metavar="PATH", help="DiaBLa dialogues: a folder or a tar archive")
    files.add_argument("--judgements", metavar="FILE", help="judgements of pronouns: TSV or JSON lines")
    files.add_argument(
        "--judged", metavar="FILE", help="pronouns judged by readers: TSV with line and character positions"
    )
    files.add_argument(
        "--part",
        metavar="NAME",
        help="part of --judged to use (default: the name of each items file)",
    )
    files.add_argument("--texts", metavar="FOLDER", help="write the annotated texts to FOLDER, to be scored")
    group = parser.add_argument_group("what is compared, and how")
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-de")
    group.add_argument(
        "--raters",
        choices=("majority", "any"),
        default="majority",
        help="number of raters who must mark a pronoun (default majority)",
    )
    group.add_argument(
        "--longest", type=int, default=3, metavar="N", help="maximum number of words in a span (default 3)"
    )
    group.add_argument("--categories", nargs="+", default=[], metavar="NAME", help="only these categories")
    group.add_argument("--severities", nargs="+", default=[], metavar="NAME", help="only these severities")
    group.add_argument("--metrics", nargs="+", default=[], metavar="NAME", help="only these metrics")
    group.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="reject pronouns with a lower score (default: reject as many as are marked)",
    )
    group.add_argument(
        "--open",
        type=float,
        metavar="S",
        help="score of pronouns that a metric leaves open (default: its mean score)",
    )
    group.add_argument(
        "--over",
        choices=("systems", "documents"),
        default="systems",
        help="unit of the correlation (default systems)",
    )
    add_resampling(group, zero=False)
    add_output(parser)


def run_spans(options: argparse.Namespace) -> None:
    from anaphor.core import OptionError
    from anaphor.meta.spans import evaluate_spans, read_annotation, write_texts

    named = {name: getattr(options, name) for name in ("mqm", "bio_mqm", "chat", "esa", "diabla")}
    if options.texts:
        annotation = read_annotation(pair=options.pair, **named)
        if annotation is None:
            raise OptionError(
                "no annotation with texts is given",
                where="--texts",
                fix="add --mqm, --bio-mqm, --chat, --esa or --diabla",
            )
        write_texts(annotation, options.texts)
    if not options.items:
        if not options.texts:
            raise OptionError("nothing to evaluate", where="--items", fix="add --items or --texts")
        return
    evaluation = evaluate_spans(
        options.items,
        pair=options.pair,
        **named,
        judgements=options.judgements,
        judged=options.judged,
        part=options.part,
        vote=options.raters,
        longest=options.longest,
        categories=options.categories,
        severities=options.severities,
        metrics=options.metrics,
        threshold=options.threshold,
        open_score=options.open,
        over=options.over,
        samples=options.samples,
        seed=options.seed,
        level=options.level,
    )
    print_result(options, evaluation)


PUBLISHED_EXAMPLES = """examples:
  anaphor meta published
  anaphor meta published --table guillou-hardmeier-2018-table-3
  anaphor meta published --table guillou-hardmeier-2018-table-1 --output table-1.tsv
  anaphor meta published --table guillou-hardmeier-2018-table-1 --beside mine.tsv
  anaphor meta published --table apt-2017-table-5 --json

`anaphor meta correlate` reads tables written with --output."""


def configure_published(parser: CommandParser) -> None:
    parser.add_argument("--table", metavar="NAME", help="table to show (default: list all)")
    parser.add_argument("--beside", metavar="FILE", help="your own rows to append (TSV, same columns)")
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", help="write the table as TSV")
    add_output(group)


def run_published(options: argparse.Namespace) -> None:
    from anaphor.core import OptionError
    from anaphor.files.writing import write_atomically
    from anaphor.meta.published import published_table, published_tables

    if options.table is None:
        if options.output or options.beside:
            raise OptionError("no table is given", where="--output, --beside", fix="choose one with --table")
        print_result(options, published_tables())
        return
    table = published_table(options.table)
    if options.beside:
        table = table.beside(options.beside)
    if options.output:
        write_atomically(options.output, table.tsv())
    print_result(options, table)


GAPS_EXAMPLES = """examples:
  anaphor meta gaps --answers gaps.tsv
  anaphor meta gaps --answers gaps.jsonl --bad skip --json
  anaphor meta gaps --answers gaps.tsv --output human.tsv

The columns are system, id, candidate (what the system wrote; - for nothing) and choices: one or more of il,
elle, ils, elles, ce, on, ça/cela, other, with commas between them, or bad alone."""


def configure_gaps(parser: CommandParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--answers", required=True, metavar="FILE", help="gaps and choices: TSV or JSON lines")
    group = parser.add_argument_group("scoring")
    group.add_argument(
        "--bad",
        choices=("wrong", "skip"),
        default="wrong",
        help="how to count items with a bad translation (default wrong)",
    )
    add_score_output(parser)


def run_gaps(options: argparse.Namespace) -> None:
    from anaphor.files.writing import write_atomically
    from anaphor.meta.gaps import GapEvaluation, gap_columns, read_gaps, score_gaps
    from anaphor.meta.scores import format_score_table

    scores = score_gaps(read_gaps(options.answers), bad=options.bad)
    if options.output:
        write_atomically(options.output, format_score_table(gap_columns(scores)))
    print_result(options, GapEvaluation(options.bad, scores))


EQUIVALENTS_EXAMPLES = """examples:
  anaphor meta equivalents --pair en-fr --pairs judged.tsv
  anaphor meta equivalents --pair en-fr --items items.tsv --judgements judgements.tsv --output equivalent.toml

Pairs have the columns candidate, reference and judgement (correct, incorrect, bad), and optionally times, the
number of such pairs. The file that --output writes replaces `equivalent` in a copy of the pair's pack;
docs/packs.md describes packs."""


def configure_equivalents(parser: CommandParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--pairs", metavar="FILE", help="judged word pairs: TSV or JSON lines")
    add_judgements(files, required=False)
    files.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    group = parser.add_argument_group("what is proposed")
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    group.add_argument(
        "--share", type=float, default=0.05, metavar="S", help="drop pairs rarer than this (default 0.05)"
    )
    group.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="P",
        help="propose pronouns above this probability (default 0.5)",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--output", metavar="FILE", help="write a fragment of a pack (TOML)")
    add_output(output)


def run_equivalents(options: argparse.Namespace) -> None:
    from anaphor.core import LanguagePair
    from anaphor.files.writing import write_atomically
    from anaphor.languages import load_pair
    from anaphor.meta.equivalents import judged_pairs, pack_fragment, propose

    folder = packs_of(options)
    pack = load_pair(LanguagePair.parse(options.pair), folder=folder)
    pairs = judged_pairs(pairs=options.pairs, items=options.items, judgements=options.judgements)
    proposal = propose(pairs, pack, share=options.share, threshold=options.threshold)
    if options.output:
        write_atomically(options.output, pack_fragment(proposal))
    print_result(options, proposal)


COMMANDS = {
    "correlate": Command(
        "correlate metrics with human scores, and test whether one metric correlates better",
        configure_correlate,
        run_correlate,
        CORRELATE_EXAMPLES,
    ),
    "cases": Command(
        "compare APT cases with human judgements, by case and by category",
        configure_cases,
        run_cases,
        CASES_EXAMPLES,
    ),
    "spans": Command(
        "compare metrics with the pronouns that annotators marked as errors (MQM, ESA, DiaBLa, campaigns)",
        configure_spans,
        run_spans,
        SPANS_EXAMPLES,
    ),
    "published": Command(
        "show the printed tables of apt-2017, guillou-hardmeier-2018 and protest-2016",
        configure_published,
        run_published,
        PUBLISHED_EXAMPLES,
    ),
    "gaps": Command(
        "score systems by the choices of annotators who filled in hidden pronouns",
        configure_gaps,
        run_gaps,
        GAPS_EXAMPLES,
    ),
    "equivalents": Command(
        "propose equivalent pronouns from judged translations, and write them for a language pack",
        configure_equivalents,
        run_equivalents,
        EQUIVALENTS_EXAMPLES,
    ),
}
