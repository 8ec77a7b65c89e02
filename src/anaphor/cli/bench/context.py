"""`anaphor bench context`: what context does for a system."""

from __future__ import annotations

import argparse
from dataclasses import replace

from anaphor.cli.bench.options import (
    add_bench,
    add_reading,
    add_statistics,
    add_translations,
    read_scores_of,
    translation_options,
)
from anaphor.cli.output import add_output, whole_number

EXAMPLES = """examples:
  anaphor bench context contrapro.jsonl --with context.scores --without sentence.scores --format marian
  anaphor bench context contrapro.jsonl --with a.jsonl --without b.jsonl --random c.jsonl --examples 3
  anaphor bench context contrapro.jsonl --with a.txt --without b.txt --maximize --log-base e
  anaphor bench context contrapro.jsonl --with a.jsonl --without b.jsonl --answers
  anaphor bench context ctxpro.jsonl --with a.de --without b.de --translations --whole"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_bench(parser)
    files = parser.add_argument_group("files of one system")
    add = files.add_argument
    add(
        "--with",
        required=True,
        metavar="FILE",
        help="its scores, translations or answers with context",
        dest="with_context",
    )
    add("--without", required=True, metavar="FILE", help="those without context")
    add("--random", metavar="FILE", help="those with the context of another item")
    kind = files.add_mutually_exclusive_group()
    kind.add_argument("--translations", action="store_true", help="the files are translations, not scores")
    kind.add_argument("--answers", action="store_true", help="the files are answers of a language model")
    add("--prompt-seed", type=int, default=1, metavar="N", help="seed of the prompts (default 1)")
    add_reading(parser)
    add_translations(parser, whole="the lines of --with and --random")
    parser.add_argument(
        "--log-base", metavar="BASE", help="plain numbers are logarithms to this base, for CXMI: e, 2 or 10"
    )
    add_statistics(parser, paired=False)
    output = add_output(parser, ("json", "latex", "markdown", "tsv")).add_argument
    output("--examples", type=whole_number, default=0, metavar="N", help="show N items won and N lost")


def run(options: argparse.Namespace) -> None:
    from anaphor.bench import read_bench
    from anaphor.bench.choice import evaluate_answers, read_answers
    from anaphor.bench.context import RANDOM, WITH, WITHOUT, evaluate_context
    from anaphor.bench.scores import evaluate_scores, log_base_of
    from anaphor.bench.translations import evaluate_translations, read_translations
    from anaphor.cli.output import print_result

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
        judged = evaluate_translations(bench, texts, whole=whole, **translation_options(options, bench))
    else:
        scores = {name: read_scores_of(options, bench, path) for name, path in given.items()}
        if options.log_base is not None:
            base = log_base_of(options.log_base)
            scores = {name: replace(one, log_base=one.log_base or base) for name, one in scores.items()}
        judged = evaluate_scores(bench, scores)
    found = evaluate_context(
        judged,
        scores=scores,
        samples=options.samples,
        seed=options.seed,
        level=options.level,
        examples=options.examples,
    )
    print_result(options, found)
