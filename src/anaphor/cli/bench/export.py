"""`anaphor bench export`: what other tools need to translate, score or choose."""

from __future__ import annotations

import argparse

from anaphor.cli.bench.options import add_bench, add_prompts
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor bench export contrapro.jsonl --plain lines
  anaphor bench export contrapro.jsonl --plain lines --separator " <eos> "
  anaphor bench export contrapro.jsonl --lm-eval tasks
  anaphor bench export contrapro.jsonl --prompts prompts.jsonl"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_bench(parser)
    files = parser.add_argument_group("files")
    chosen = files.add_mutually_exclusive_group(required=True)
    add = chosen.add_argument
    add("--plain", metavar="FOLDER", help="lines to translate and to score, with and without context")
    add("--lm-eval", metavar="FOLDER", help="tasks and items for lm-evaluation-harness (--include_path)")
    add("--prompts", metavar="FILE", help="prompts for language models, two per item, as JSON lines")
    files.add_argument(
        "--separator",
        default=" <SEP> ",
        metavar="TEXT",
        help="between sentences with --plain (<SEP> between spaces if not given)",
    )
    add_prompts(parser.add_argument_group("language models"))
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.bench import read_bench
    from anaphor.bench.choice import export_prompts
    from anaphor.bench.export import export_lm_eval, export_plain

    bench = read_bench(options.bench)
    if options.plain is not None:
        found = export_plain(bench, options.plain, separator=options.separator)
    elif options.lm_eval is not None:
        found = export_lm_eval(bench, options.lm_eval, seed=options.prompt_seed)
    else:
        found = export_prompts(bench, options.prompts, seed=options.prompt_seed, context=not options.sentence)
    print_result(options, found)
