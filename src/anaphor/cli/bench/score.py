"""`anaphor bench score`: the items of a set, judged for one or more systems."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from anaphor.cli.bench.options import (
    add_bench,
    add_prompts,
    add_reading,
    add_statistics,
    add_translations,
    named_files,
    read_scores_of,
    statistics_of,
    translation_options,
)
from anaphor.cli.output import add_output, whole_number
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.bench import Bench
    from anaphor.bench.result import BenchResult

EXAMPLES = """examples:
  anaphor bench score contrapro.jsonl --scores old.scores new.scores --format marian --paired
  anaphor bench score disceval.jsonl --scores system.out --sums --examples 3
  anaphor bench score contrapro.jsonl --scores samples_contrapro.jsonl --latex > table.tex
  anaphor bench score ctxpro.jsonl --translations old.de new.de --paired
  anaphor bench score ctxpro.jsonl --translations documents.de --whole --separator "<eos>"
  anaphor bench score contrapro.jsonl --answers llama=answers.jsonl --report report.html
  anaphor bench score contrapro.jsonl --predictor anaphor-2-small
  anaphor bench score contrapro.jsonl --server http://localhost:8000/v1 --model llama-3

With --server, the texts of the bench go to that server. The API key is read from an environment variable and
never written; answers are kept, and the same prompt is never sent twice."""

# Options of the server that can be given here; `ServerOptions` checks their values.
_SERVER: tuple[tuple[str, type, str, str], ...] = (
    ("--model", str, "NAME", "model, as the server names it"),
    ("--endpoint", str, "KIND", "chat or completions (default chat)"),
    ("--key-variable", str, "NAME", "environment variable with the API key (default ANAPHOR_API_KEY)"),
    ("--timeout", float, "S", "seconds to wait for an answer (default 60)"),
    ("--rate", float, "N", "most requests per minute (default: no limit)"),
    ("--tokens", int, "N", "longest answer in tokens; 0: no limit, as reasoning needs it (default 16)"),
    ("--cache", str, "FOLDER", "folder of kept answers (default ~/.cache/anaphor/answers)"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_bench(parser)
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
        "--predictor", nargs="+", metavar="MODEL", help="score the variants with predictors of pronouns"
    )
    given.add_argument("--server", metavar="URL", help="ask a language model here; mostly ends in /v1")
    add_reading(parser)
    add_translations(parser, whole="the lines")
    models = parser.add_argument_group("language models")
    add_prompts(models)
    for flag, kind, metavar, what in _SERVER:
        models.add_argument(flag, type=kind, metavar=metavar, help=what)
    add_statistics(parser)
    output = add_output(parser, ("json", "latex", "markdown", "tsv")).add_argument
    output("--examples", type=whole_number, default=0, metavar="N", help="show N items below the tables")
    output("--report", metavar="FILE", help="also write the result with examples as an HTML page to FILE")


def run(options: argparse.Namespace) -> None:
    from anaphor.bench import read_bench
    from anaphor.cli.output import print_result
    from anaphor.corpus import write_atomically
    from anaphor.report.emit import render

    result = _evaluate(options, read_bench(options.bench))
    if options.report:
        from anaphor.reporting import bench_page  # pages are slow to import

        write_atomically(options.report, bench_page(result))
    if options.latex:
        print(render([result.paper_table()], "latex"))
    else:
        print_result(options, result)


def _evaluate(options: argparse.Namespace, bench: Bench) -> BenchResult:
    from anaphor.bench.scores import evaluate_scores

    summary = {**statistics_of(options), "examples": options.examples}
    if options.scores:
        scores = {
            name: read_scores_of(options, bench, path) for name, path in named_files(options.scores).items()
        }
        return evaluate_scores(bench, scores, **summary)
    if options.predictor:
        from anaphor.bench.predictor import predictor_scores
        from anaphor.predict.shipped import find_model

        models = {name: find_model(name, pair=str(bench.pair), forms=True) for name in options.predictor}
        context = not options.sentence
        found = {name: predictor_scores(bench, model, context=context) for name, model in models.items()}
        return evaluate_scores(bench, found, **summary)
    if options.translations:
        from anaphor.bench.translations import evaluate_translations, read_translations

        texts = {
            name: read_translations(path, bench) for name, path in named_files(options.translations).items()
        }
        whole = tuple(texts) if options.whole else ()
        return evaluate_translations(
            bench, texts, whole=whole, **translation_options(options, bench), **summary
        )
    from anaphor.bench.choice import evaluate_answers, read_answers

    seed = options.prompt_seed
    if options.server is not None:
        answers = {options.model or "": _ask(options, bench)}
    else:
        files = named_files(options.answers)
        answers = {name: read_answers(path, bench, seed=seed) for name, path in files.items()}
    return evaluate_answers(bench, answers, prompt_seed=seed, **summary)


def _ask(options: argparse.Namespace, bench: Bench) -> dict[str, str]:
    from anaphor.bench.choice import ask_server
    from anaphor.cli.terminal import Progress
    from anaphor.predict.server.client import ServerOptions

    if not options.model:
        raise OptionError("no model is named", where="--model", fix="give the model as the server names it")
    names = [flag[2:].replace("-", "_") for flag, *_ in _SERVER]
    given: dict[str, Any] = {
        name: getattr(options, name) for name in names if getattr(options, name) is not None
    }
    server = ServerOptions(server=options.server, **given)
    with Progress(quiet=options.quiet) as progress:
        return ask_server(
            bench,
            server,
            seed=options.prompt_seed,
            context=not options.sentence,
            progress=lambda share, what: progress(f"{what}: {share:.0%}"),
        )
