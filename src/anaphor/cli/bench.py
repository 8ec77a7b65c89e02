"""`anaphor bench`: public pronoun test sets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from anaphor.cli.commands import Command, CommandParser, OptionGroup
from anaphor.cli.options import add_resampling, named
from anaphor.cli.output import add_output, print_result, whole_number
from anaphor.cli.server_options import (
    add_money,
    add_server,
    meter_of,
    price_of,
    print_cost,
    print_plan,
    server_of,
)
from anaphor.cli.terminal import TerminalProgress
from anaphor.core.errors import OptionError
from anaphor.core.options import THEY
from anaphor.core.progress import in_percent
from anaphor.metrics.options import known_options

if TYPE_CHECKING:
    from anaphor.bench import Bench
    from anaphor.bench.result import BenchResult
    from anaphor.bench.scores import VariantScores

EXAMPLES = """examples:
  anaphor bench list
  anaphor bench check disceval-anaphora anaphora.json
  anaphor bench make disceval-anaphora anaphora.json --output my-bench.jsonl
  anaphor bench export my-bench.jsonl --plain lines
  anaphor bench score my-bench.jsonl --scores old.scores new.scores --format marian --paired
  anaphor bench score my-bench.jsonl --translations old.fr new.fr --paired
  anaphor bench import my-bench.jsonl --scores samples.jsonl --output results.jsonl
  anaphor bench context my-bench.jsonl --with context.scores --without sentence.scores"""


def _add_bench(parser: CommandParser) -> None:
    parser.add_argument("bench", metavar="BENCH", help="bench file written by `anaphor bench make`")


def _named_files(given: Sequence[str]) -> dict[str, str]:
    """The files of several systems by name; names must be unique."""
    files: dict[str, str] = {}
    for name, path in map(named, given):
        if name in files:
            what = f"two systems have the name {name}: {files[name]} and {path}"
            raise OptionError(what, where=path, fix="give one of them another name: NAME=FILE")
        files[name] = path
    return files


def _add_reading(parser: CommandParser) -> None:
    """Options for reading score files."""
    group = parser.add_argument_group("scores")
    group.add_argument(
        "--format",
        default="auto",
        metavar="NAME",
        help="format of the scores: plain, marian, fairseq, ctranslate2, openai, lm-eval, anaphor, or "
        "auto (default auto)",
    )
    direction = group.add_mutually_exclusive_group()
    direction.add_argument("--maximize", action="store_true", help="plain numbers: higher values are better")
    direction.add_argument(
        "--minimize", action="store_true", help="plain numbers: lower values are better (default)"
    )
    group.add_argument(
        "--sums", action="store_true", help="fairseq: use the sum of the token scores, not their mean"
    )


def _read_scores_of(options: argparse.Namespace, bench: Bench, path: str) -> VariantScores:
    from anaphor.bench.scores import read_scores

    maximize = True if options.maximize else False if options.minimize else None
    return read_scores(path, bench, format=options.format, maximize=maximize, sums=options.sums)


def _add_originals(parser: CommandParser) -> None:
    """A public set and its files."""
    parser.add_argument("name", metavar="NAME", help="name of the set; see anaphor bench list")
    parser.add_argument(
        "files", nargs="+", metavar="FILES", help="its files, in the order given by `anaphor bench list`"
    )
    parser.add_argument("--pair", default="", metavar="PAIR", help="language pair, if the set has several")


def _add_statistics(parser: CommandParser, *, paired: bool = True) -> None:
    """Intervals and tests."""
    group = parser.add_argument_group("statistics")
    if paired:
        group.add_argument("--paired", action="store_true", help="test every system against the first")
    add_resampling(group, zero=False)


def _add_prompt_seed(group: OptionGroup) -> None:
    what = "seed for the order of options in prompts (default 1)"
    group.add_argument("--prompt-seed", type=int, default=1, metavar="N", help=what)


def _add_prompts(group: OptionGroup) -> None:
    """Options for the prompts of language models."""
    _add_prompt_seed(group)
    group.add_argument(
        "--sentence", action="store_true", help="show only the tested sentence, without context"
    )


def _add_translations(parser: CommandParser, *, whole: str) -> None:
    """Options for judging translations; `whole` names the files to which the option of that name applies."""
    add = parser.add_argument_group("translations").add_argument
    add("--rule", choices=("official", "linked"), help="judge under one rule (default: all rules of the set)")
    add(
        "--whole",
        action="store_true",
        help=f"{whole} translate all source sentences, not only the tested one",
    )
    add("--separator", default="", metavar="TEXT", help="separator between the sentences of a line")
    add(
        "--they",
        choices=THEY,
        default="default",
        help=known_options()["they"].help,
    )
    add("--aligner", default="anaphor", metavar="NAME", help="word aligner; WinoMT used fast_align")


def _translation_options(options: argparse.Namespace, bench: Bench) -> dict[str, Any]:
    from anaphor.align import AlignerChoice

    return {
        "rules": (options.rule,) if options.rule else (),
        "separator": options.separator.strip(),
        "aligner": AlignerChoice(pair=bench.pair, name=options.aligner),
        "they": options.they,
    }


LIST_EXAMPLES = """examples:
  anaphor bench list
  anaphor bench list ctxpro-formality"""


def configure_list(parser: CommandParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="show these sets with their versions")
    add_output(parser)


def run_list(options: argparse.Namespace) -> None:
    from anaphor.bench import list_sets

    print_result(options, list_sets(options.names))


CHECK_EXAMPLES = """examples:
  anaphor bench check disceval-anaphora anaphora.json
  anaphor bench check winomt en.txt --pair en-de"""


def configure_check(parser: CommandParser) -> None:
    _add_originals(parser)
    add_output(parser)


def run_check(options: argparse.Namespace) -> None:
    from anaphor.bench import check_files
    from anaphor.core import CheckError

    result = check_files(options.name, options.files, pair=options.pair)
    print_result(options, result)
    if result.problems:
        fix = "download the set again, or use the files as a version of your own: figures are not comparable"
        raise CheckError("the files are not a known version of the set", where=options.files[0], fix=fix)


MAKE_EXAMPLES = """examples:
  anaphor bench make disceval-anaphora anaphora.json --output anaphora.jsonl
  anaphor bench make winomt en.txt --pair en-de --output winomt.jsonl"""


def configure_make(parser: CommandParser) -> None:
    _add_originals(parser)
    parser.add_argument("--output", required=True, metavar="FILE", help="write the bench to FILE")


def run_make(options: argparse.Namespace) -> None:
    from anaphor.bench import make_from_files, write_bench
    from anaphor.core.table import counted

    bench = make_from_files(options.name, options.files, pair=options.pair)
    write_bench(options.output, bench)
    print(
        f"{options.output}: {bench.name} {bench.pair}, {counted(len(bench.items), 'item')}, hash {bench.hash}"
    )


EXPORT_EXAMPLES = """examples:
  anaphor bench export contrapro.jsonl --plain lines
  anaphor bench export contrapro.jsonl --plain lines --separator " <eos> "
  anaphor bench export contrapro.jsonl --lm-eval tasks
  anaphor bench export contrapro.jsonl --prompts prompts.jsonl"""


def configure_export(parser: CommandParser) -> None:
    _add_bench(parser)
    files = parser.add_argument_group("files")
    chosen = files.add_mutually_exclusive_group(required=True)
    add = chosen.add_argument
    add(
        "--plain",
        metavar="FOLDER",
        help="write lines to translate and to score, with context, without it, and with random context",
    )
    add(
        "--lm-eval",
        metavar="FOLDER",
        help="tasks for lm-evaluation-harness; pass --include_path when you run them",
    )
    add("--prompts", metavar="FILE", help="prompts for language models, two per item, as JSON lines")
    files.add_argument(
        "--separator",
        default=" <SEP> ",
        metavar="TEXT",
        help="text between sentences with --plain (<SEP> between spaces if not given)",
    )
    _add_prompts(parser.add_argument_group("language models"))
    add_output(parser)


def run_export(options: argparse.Namespace) -> None:
    from anaphor.bench import read_bench
    from anaphor.bench.choice import export_prompts
    from anaphor.bench.export import export_lm_eval, export_plain

    bench = read_bench(options.bench)
    if options.plain is not None:
        exported = export_plain(bench, options.plain, separator=options.separator)
    elif options.lm_eval is not None:
        exported = export_lm_eval(bench, options.lm_eval, seed=options.prompt_seed)
    else:
        exported = export_prompts(
            bench, options.prompts, seed=options.prompt_seed, context=not options.sentence
        )
    print_result(options, exported)


SCORE_EXAMPLES = """examples:
  anaphor bench score contrapro.jsonl --scores old.scores new.scores --format marian --paired
  anaphor bench score disceval.jsonl --scores system.out --sums --examples 3
  anaphor bench score contrapro.jsonl --scores samples_contrapro.jsonl --latex > table.tex
  anaphor bench score ctxpro.jsonl --translations old.de new.de --paired
  anaphor bench score ctxpro.jsonl --translations documents.de --whole --separator "<eos>"
  anaphor bench score contrapro.jsonl --answers llama=answers.jsonl --report report.html
  anaphor bench score contrapro.jsonl --predictor anaphor-2-small
  anaphor bench score contrapro.jsonl --server http://localhost:8000/v1 --model llama-3 --dry-run

--server sends the texts of the bench to that server. The API key is read from an environment variable and
never written; answers are cached."""


def configure_score(parser: CommandParser) -> None:
    _add_bench(parser)
    files = parser.add_argument_group("files")
    given = files.add_mutually_exclusive_group(required=True)
    kinds = (
        ("--scores", "one score per variant, for each system"),
        ("--translations", "one translation per item, for each system"),
        ("--answers", "answers to the prompts of `anaphor bench export --prompts`, for each language model"),
    )
    for flag, what in kinds:
        given.add_argument(flag, nargs="+", metavar="[NAME=]FILE", help=what)
    given.add_argument(
        "--predictor", nargs="+", metavar="MODEL", help="score the variants with pronoun predictors"
    )
    given.add_argument("--server", metavar="URL", help="base URL of a language model; usually ends in /v1")
    _add_reading(parser)
    _add_translations(parser, whole="the lines")
    models = parser.add_argument_group("language models")
    _add_prompts(models)
    add_server(models)
    add_money(models)
    models.add_argument(
        "--dry-run",
        action="store_true",
        help="print the first prompt, the number of requests and the cost; send nothing",
    )
    models.add_argument(
        "--keep-going", action="store_true", help="continue even if most of the first answers are unreadable"
    )
    _add_statistics(parser)
    output = add_output(parser, ("json", "latex", "markdown", "tsv")).add_argument
    output("--examples", type=whole_number, default=0, metavar="N", help="show N items below the tables")
    output("--report", metavar="FILE", help="also write the result with examples as an HTML page to FILE")


def run_score(options: argparse.Namespace) -> None:
    from anaphor.bench import read_bench
    from anaphor.files.writing import write_atomically
    from anaphor.report.emit import render

    bench = read_bench(options.bench)
    if options.dry_run:
        _print_requests(options, bench)
        return
    result = _evaluate(options, bench)
    if options.report:
        from anaphor.pages.bench import bench_page  # pages are slow to import

        write_atomically(options.report, bench_page(result))
    if options.latex:
        print(render([result.paper_table()], "latex"))
    else:
        print_result(options, result)


def _evaluate(options: argparse.Namespace, bench: Bench) -> BenchResult:
    from anaphor.bench.scores import evaluate_scores

    if options.paired and options.samples < 100:
        what = f"{options.samples} resamples are too few for a test"
        raise OptionError(what, where="--samples", fix="use 100 or more, better 1000")
    names = ("paired", "samples", "seed", "level", "examples")
    summary = {name: getattr(options, name) for name in names}
    if options.scores:
        scores = {
            name: _read_scores_of(options, bench, path) for name, path in _named_files(options.scores).items()
        }
        return evaluate_scores(bench, scores, **summary)
    if options.predictor:
        from anaphor.bench.predictor import predictor_scores
        from anaphor.predict.shipped import find_model

        models = {name: find_model(name, pair=str(bench.pair), forms=True) for name in options.predictor}
        context = not options.sentence
        by_model = {name: predictor_scores(bench, model, context=context) for name, model in models.items()}
        return evaluate_scores(bench, by_model, **summary)
    if options.translations:
        from anaphor.bench.translations import evaluate_translations, read_translations

        texts = {
            name: read_translations(path, bench) for name, path in _named_files(options.translations).items()
        }
        whole = tuple(texts) if options.whole else ()
        return evaluate_translations(
            bench, texts, whole=whole, **_translation_options(options, bench), **summary
        )
    from anaphor.bench.choice import evaluate_answers, read_answers

    seed = options.prompt_seed
    if options.server is not None:
        answers = {options.model or "": _ask(options, bench)}
    else:
        files = _named_files(options.answers)
        answers = {name: read_answers(path, bench, seed=seed) for name, path in files.items()}
    return evaluate_answers(bench, answers, prompt_seed=seed, **summary)


def _print_requests(options: argparse.Namespace, bench: Bench) -> None:
    from anaphor.bench.choice import choice_queries
    from anaphor.predict.server.asking import RequestPlan

    if options.server is None:
        raise OptionError("only --server sends requests", where="--dry-run", fix="add --server, or omit it")
    queries = choice_queries(bench, seed=options.prompt_seed, context=not options.sentence)
    server = server_of(options)
    print_result(options, RequestPlan.of(server, queries, price=price_of(options, server.model)))


def _ask(options: argparse.Namespace, bench: Bench) -> dict[str, str]:
    from anaphor.bench.choice import ask_server, choice_queries

    server, how = server_of(options), {"seed": options.prompt_seed, "context": not options.sentence}
    meter = meter_of(options, server.model)
    print_plan(options, server, choice_queries(bench, **how), meter)
    with TerminalProgress(quiet=options.quiet) as progress:
        answers = ask_server(
            bench,
            server,
            **how,
            keep_going=options.keep_going,
            meter=meter,
            progress=in_percent(progress),
        )
    print_cost(options, meter)
    return answers


CONTEXT_EXAMPLES = """examples:
  anaphor bench context contrapro.jsonl --with context.scores --without sentence.scores --format marian
  anaphor bench context contrapro.jsonl --with a.jsonl --without b.jsonl --random c.jsonl --examples 3
  anaphor bench context contrapro.jsonl --with a.txt --without b.txt --maximize --log-base e
  anaphor bench context contrapro.jsonl --with a.jsonl --without b.jsonl --answers
  anaphor bench context ctxpro.jsonl --with a.de --without b.de --translations --whole"""


def configure_context(parser: CommandParser) -> None:
    _add_bench(parser)
    files = parser.add_argument_group("files of one system")
    add = files.add_argument
    add(
        "--with",
        required=True,
        metavar="FILE",
        help="its scores, translations or answers with context",
        dest="with_context",
    )
    add("--without", required=True, metavar="FILE", help="its results without context")
    add("--random", metavar="FILE", help="its results with another item's context")
    kind = files.add_mutually_exclusive_group()
    kind.add_argument("--translations", action="store_true", help="the files are translations, not scores")
    kind.add_argument("--answers", action="store_true", help="the files are answers of a language model")
    _add_prompt_seed(files)
    _add_reading(parser)
    _add_translations(parser, whole="the lines of --with and --random")
    parser.add_argument(
        "--log-base", metavar="BASE", help="plain numbers are logarithms to this base, for CXMI: e, 2 or 10"
    )
    _add_statistics(parser, paired=False)
    output = add_output(parser, ("json", "latex", "markdown", "tsv")).add_argument
    output("--examples", type=whole_number, default=0, metavar="N", help="show N items won and N lost")


def run_context(options: argparse.Namespace) -> None:
    from anaphor.bench import read_bench
    from anaphor.bench.choice import evaluate_answers, read_answers
    from anaphor.bench.context import RANDOM, WITH, WITHOUT, evaluate_context
    from anaphor.bench.scores import evaluate_scores, log_base_of
    from anaphor.bench.translations import evaluate_translations, read_translations

    bench = read_bench(options.bench)
    files = {WITH: options.with_context, WITHOUT: options.without, RANDOM: options.random}
    given = {name: path for name, path in files.items() if path}
    scores = {}
    if options.answers:
        seed = options.prompt_seed
        answers = {name: read_answers(path, bench, seed=seed) for name, path in given.items()}
        judged = evaluate_answers(bench, answers, prompt_seed=seed)
    elif options.translations:
        texts = {name: read_translations(path, bench) for name, path in given.items()}
        whole = (WITH, RANDOM) if options.whole else ()
        judged = evaluate_translations(bench, texts, whole=whole, **_translation_options(options, bench))
    else:
        scores = {name: _read_scores_of(options, bench, path) for name, path in given.items()}
        if options.log_base is not None:
            base = log_base_of(options.log_base)
            scores = {
                name: replace(system, log_base=system.log_base or base) for name, system in scores.items()
            }
        judged = evaluate_scores(bench, scores)
    effect = evaluate_context(
        judged,
        scores=scores,
        samples=options.samples,
        seed=options.seed,
        level=options.level,
        examples=options.examples,
    )
    print_result(options, effect)


IMPORT_EXAMPLES = """examples:
  anaphor bench import contrapro.jsonl --scores samples_contrapro.jsonl --output results.jsonl
  anaphor bench import contrapro.jsonl --scores lines.out --format fairseq --sums --output results.jsonl
  anaphor bench import ctxpro.jsonl --translations output.de --output results.jsonl
  anaphor bench import contrapro.jsonl --answers answers.txt --output results.jsonl"""


def configure_import(parser: CommandParser) -> None:
    _add_bench(parser)
    files = parser.add_argument_group("files")
    given = files.add_mutually_exclusive_group(required=True)
    given.add_argument("--scores", metavar="FILE", help="one score per variant")
    given.add_argument("--translations", metavar="FILE", help="one translation per item")
    given.add_argument("--answers", metavar="FILE", help="answers of a language model")
    files.add_argument(
        "--output",
        required=True,
        metavar="FILE",
        help="file for the results, which include the hash of the set",
    )
    _add_prompt_seed(files)
    _add_reading(parser)


def run_import(options: argparse.Namespace) -> None:
    from anaphor.bench import read_bench
    from anaphor.bench.choice import read_answers, write_answers
    from anaphor.bench.scores import write_scores
    from anaphor.bench.translations import read_translations, write_translations

    bench = read_bench(options.bench)
    if options.scores is not None:
        write_scores(options.output, bench, _read_scores_of(options, bench, options.scores))
    elif options.translations is not None:
        write_translations(options.output, bench, read_translations(options.translations, bench))
    else:
        answers = read_answers(options.answers, bench, seed=options.prompt_seed)
        write_answers(options.output, bench, answers, seed=options.prompt_seed)


COMMANDS = {
    "list": Command(
        "list the public test sets that can be read, their licences, and where to get them",
        configure_list,
        run_list,
        LIST_EXAMPLES,
    ),
    "check": Command(
        "compare the files of a set with known hashes and counts", configure_check, run_check, CHECK_EXAMPLES
    ),
    "make": Command(
        "convert the files of a public test set into a bench", configure_make, run_make, MAKE_EXAMPLES
    ),
    "score": Command(
        "judge the items of a set by translations, scores of variants, or language models' choices",
        configure_score,
        run_score,
        SCORE_EXAMPLES,
    ),
    "context": Command(
        "show which items a system gains and loses through context, with CXMI if known",
        configure_context,
        run_context,
        CONTEXT_EXAMPLES,
    ),
    "export": Command(
        "write lines to translate or score, tasks for lm-evaluation-harness, or prompts",
        configure_export,
        run_export,
        EXPORT_EXAMPLES,
    ),
    "import": Command(
        "check results of other tools against the set and convert them to one format",
        configure_import,
        run_import,
        IMPORT_EXAMPLES,
    ),
}
