"""`anaphor bench import`: results of other tools, checked and kept in one format."""

from __future__ import annotations

import argparse

from anaphor.cli.bench.options import add_bench, add_reading, read_scores_of

EXAMPLES = """examples:
  anaphor bench import contrapro.jsonl --scores samples_contrapro.jsonl --output results.jsonl
  anaphor bench import contrapro.jsonl --scores lines.out --format fairseq --sums --output results.jsonl
  anaphor bench import ctxpro.jsonl --translations output.de --output results.jsonl
  anaphor bench import contrapro.jsonl --answers answers.txt --output results.jsonl"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_bench(parser)
    files = parser.add_argument_group("files")
    given = files.add_mutually_exclusive_group(required=True)
    given.add_argument("--scores", metavar="FILE", help="one score per variant")
    given.add_argument("--translations", metavar="FILE", help="one translation per item")
    given.add_argument("--answers", metavar="FILE", help="answers of a language model")
    files.add_argument(
        "--output", required=True, metavar="FILE", help="the results, with the hash of the set"
    )
    files.add_argument(
        "--prompt-seed", type=int, default=1, metavar="N", help="seed of the prompts (default 1)"
    )
    add_reading(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.bench import read_bench
    from anaphor.bench.choice import read_answers, write_answers
    from anaphor.bench.scores import write_scores
    from anaphor.bench.translations import read_translations, write_translations

    bench = read_bench(options.bench)
    if options.scores is not None:
        write_scores(options.output, bench, read_scores_of(options, bench, options.scores))
    elif options.translations is not None:
        write_translations(options.output, bench, read_translations(options.translations, bench))
    else:
        answers = read_answers(options.answers, bench, seed=options.prompt_seed)
        write_answers(options.output, bench, answers, seed=options.prompt_seed)
