"""`anaphor predict connect`: a model folder for a language model behind a server."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.task import add_task, classes_of

EXAMPLES = """examples:
  anaphor predict connect --server http://localhost:8000/v1 --model llama-3 --pair en-fr --output llama
  anaphor predict run llama test.tsv --dry-run
  anaphor predict evaluate llama test.tsv --limit 50
  anaphor predict connect mine.toml --server https://example.org/v1 --model large --pair en-de \\
      --key-variable EXAMPLE_KEY --rate 60 --output large

Nothing is sent until the model is used; then the texts in FILE go to the server. The API key is read from an
environment variable and never written. Answers are cached, and the same prompt is never sent twice.
The server, the variable and the answer folder are remembered; models and recipes from other people cannot use
any others."""


# Options of the recipe that can be given here; the recipe checks their values.
_OPTIONS: tuple[tuple[str, type, str, str], ...] = (
    ("--server", str, "URL", "base URL, which usually ends in /v1; required"),
    ("--model", str, "NAME", "name of the model on the server; needed unless RECIPE names it"),
    ("--endpoint", str, "KIND", "chat (default) or completions"),
    ("--key-variable", str, "NAME", "environment variable with the API key (default ANAPHOR_API_KEY)"),
    ("--timeout", float, "S", "seconds to wait for an answer (default 60)"),
    ("--rate", float, "N", "maximum requests per minute (default: no limit)"),
    ("--before", int, "N", "number of preceding sentences in the prompt (default 5)"),
    ("--after", int, "N", "number of following sentences in the prompt (default 1)"),
    ("--logprobs", int, "N", "number of log-probabilities to request (default: none)"),
    ("--cache", str, "FOLDER", "folder for cached answers (default ~/.cache/anaphor/answers)"),
)


def configure(parser: CommandParser) -> None:
    parser.add_argument(
        "recipe",
        metavar="RECIPE",
        nargs="?",
        default="language-model",
        help="recipe of the family server (default language-model), or your own .toml file",
    )
    task = parser.add_argument_group("task")
    add_task(task)
    task.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    add = parser.add_argument_group("server, prompts and answers").add_argument
    for flag, kind, metavar, text in _OPTIONS:
        add(flag, type=kind, metavar=metavar, help=text)
    output = parser.add_argument_group("output")
    output.add_argument("--output", required=True, metavar="FOLDER", help="folder for the model")
    add_output(output)


def run(options: argparse.Namespace) -> None:
    from anaphor.recipes.connection import connect

    names = [flag[2:].replace("-", "_") for flag, *_ in _OPTIONS]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    connected = connect(options.output, classes=classes_of(options), recipe=options.recipe, **given)
    print_result(options, connected)
