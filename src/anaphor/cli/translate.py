"""`anaphor translate`: a language model behind a server translates documents."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser, OptionGroup
from anaphor.cli.output import add_output, print_result, whole_number
from anaphor.cli.server_options import (
    add_money,
    add_server,
    meter_of,
    print_cost,
    print_plan,
    server_of,
)

EXAMPLES = """examples:
  anaphor translate --server URL --model NAME -p en-fr -s src.en --documents docs --dry-run
  anaphor translate --server URL --model NAME -p en-fr -s src.en --documents docs -o chat.jsonl
  anaphor translate --server URL --model NAME -p en-fr -s src.en --mode segment -o lines.fr
  anaphor score -p en-fr -s src.en --documents docs -c lines.fr chat.jsonl --whole-documents chat --paired

The modes segment and window write one line per segment; document writes JSON lines for `--whole-documents`.
The texts are sent to the server that you name; answers are cached."""


def configure(parser: CommandParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files("--source", required=True, metavar="FILE", help="source text, one segment per line")
    files("--documents", metavar="FILE", help="document name of each line, or start lines")
    files("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-de")
    server = parser.add_argument_group("server")
    server.add_argument("--server", required=True, metavar="URL", help="base URL; usually ends in /v1")
    add_server(server)
    how = parser.add_argument_group("requests")
    how.add_argument(
        "--mode",
        choices=("segment", "window", "document"),
        default="document",
        help="content of a request: a segment, a segment with context, or a document (default document)",
    )
    how.add_argument(
        "--before",
        type=int,
        default=3,
        metavar="N",
        help="number of context segments in window mode (default 3)",
    )
    how.add_argument(
        "--limit",
        type=whole_number,
        metavar="N",
        help="translate only the first N segments or documents",
    )
    add_money(how)
    how.add_argument(
        "--dry-run",
        action="store_true",
        help="print the first prompt, the number of requests and the cost; send nothing",
    )
    how.add_argument("--write-batch", metavar="FILE", help="write the requests for a batch service")
    how.add_argument("--read-batch", metavar="FILE", help="read the output of a batch service first")
    output = add_output(parser)
    output.add_argument("--output", metavar="FILE", help="write the translation to FILE")


def add_translations(group: OptionGroup) -> None:
    """Options of commands that score what a server translates."""
    group.add_argument(
        "--server", metavar="URL", help="let a model translate the source; usually ends in /v1"
    )
    add_server(group, prefix="server-")
    group.add_argument(
        "--translate",
        nargs="+",
        choices=("segment", "window", "document"),
        default=["document"],
        metavar="MODE",
        help="modes of `anaphor translate`; each gives a candidate",
    )
    group.add_argument("--translations", metavar="FOLDER", help="folder for the translations")
    add_money(group, rare=True)


def translated_candidates(options: argparse.Namespace) -> tuple[tuple[str, str], ...]:
    """Translate the source in every given mode; return the names and files of the candidates."""
    from pathlib import Path

    from anaphor.cli.terminal import TerminalProgress
    from anaphor.core import LanguagePair, OptionError
    from anaphor.core.progress import in_percent
    from anaphor.corpus import read_documents, read_text
    from anaphor.translate import translation_options, translation_queries, translations, write_translation

    server = server_of(options, prefix="server-")
    for flag in ("translations", "source"):
        if not getattr(options, flag):
            raise OptionError(
                f"--server needs --{flag}",
                where=f"--{flag}",
                fix="add --translations FOLDER and --source FILE",
            )
    pair, source = LanguagePair.parse(options.pair), read_text(options.source)
    documents = options.documents and read_documents(options.documents, segments=len(source.lines))
    meter, is_chat = meter_of(options, server.model), server.endpoint == "chat"
    modes = {
        mode: translation_options(server, mode, tokens=options.server_tokens) for mode in options.translate
    }
    if meter.price is not None:
        for mode, own in modes.items():
            queries = translation_queries(source.lines, documents, pair, mode=mode, is_chat=is_chat)
            print_plan(options, own, queries, meter, what=mode)
    folder = Path(options.translations)
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with TerminalProgress(quiet=options.quiet) as progress:
        for mode, own in modes.items():
            translation = translations(
                source.lines,
                documents,
                pair,
                own,
                mode=mode,
                meter=meter,
                progress=in_percent(progress, mode),
            )
            path = folder / (f"{mode}.jsonl" if mode == "document" else f"{mode}.{pair.target}")
            write_translation(path, translation)
            made.append((mode, str(path)))
    print_cost(options, meter)
    return tuple(made)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.core import LanguagePair, OptionError
    from anaphor.core.progress import in_percent
    from anaphor.corpus import read_documents, read_text
    from anaphor.predict.server.asking import RequestPlan, read_batch, write_batch
    from anaphor.translate import (
        first_lines,
        translation_options,
        translation_queries,
        translations,
        write_translation,
    )

    pair, source = LanguagePair.parse(options.pair), read_text(options.source).lines
    documents = options.documents and read_documents(options.documents, segments=len(source))
    last = first_lines(source, documents, mode=options.mode, units=options.limit)
    source, documents = source[:last], documents and documents[:last]
    server = translation_options(server_of(options), options.mode, tokens=options.tokens)
    meter = meter_of(options, server.model)
    how = {"mode": options.mode, "before": options.before}
    queries = translation_queries(source, documents, pair, **how, is_chat=server.endpoint == "chat")
    if options.read_batch:
        stored, failed = read_batch(options.read_batch, server, queries)
        print(f"{options.read_batch}: {stored} answers stored, {failed} failed")
    if options.dry_run:
        print_result(options, RequestPlan.of(server, queries, price=meter.price))
    elif options.write_batch:
        print(f"{options.write_batch}: {write_batch(options.write_batch, server, queries)} requests")
    elif not options.output:
        raise OptionError("there is no output for the translation", where="--output", fix="name a file")
    else:
        print_plan(options, server, queries, meter)
        with TerminalProgress(quiet=options.quiet) as progress:
            translation = translations(
                source, documents, pair, server, **how, meter=meter, progress=in_percent(progress)
            )
        write_translation(options.output, translation)
        print_cost(options, meter)
        print_result(options, translation)
