"""`anaphor translate`: a language model behind a server translates documents."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.server_options import add_money, add_server, meter_of, print_cost, server_of

EXAMPLES = """examples:
  anaphor translate --server URL --model NAME -p en-fr -s src.en --documents docs --dry-run
  anaphor translate --server URL --model NAME -p en-fr -s src.en --documents docs -o chat.jsonl
  anaphor translate --server URL --model NAME -p en-fr -s src.en --mode segment -o lines.fr
  anaphor score -p en-fr -s src.en --documents docs -c lines.fr chat.jsonl --whole-documents chat --paired

The modes segment and window write one line per segment, document writes JSON lines for `--whole-documents`.
The texts go to the server that you name; answers are kept, and the same prompt is never sent twice."""


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
        help="what one request has: a segment, a segment after its context, a document (default document)",
    )
    how.add_argument(
        "--before", type=int, default=3, metavar="N", help="context segments in the mode window (default 3)"
    )
    add_money(how)
    how.add_argument(
        "--dry-run", action="store_true", help="print the first prompt, requests and cost; send nothing"
    )
    how.add_argument("--write-batch", metavar="FILE", help="write the requests for a batch service")
    how.add_argument("--read-batch", metavar="FILE", help="read the output of a batch service first")
    output = add_output(parser)
    output.add_argument("--output", metavar="FILE", help="the translation")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.core import LanguagePair, OptionError
    from anaphor.core.progress import in_percent
    from anaphor.corpus import read_documents, read_text
    from anaphor.predict.server.asking import RequestPlan, read_batch, write_batch
    from anaphor.translate import translation_options, translation_queries, translations, write_translation

    pair, source = LanguagePair.parse(options.pair), read_text(options.source)
    documents = options.documents and read_documents(options.documents, segments=len(source.lines))
    server = translation_options(server_of(options), options.mode, tokens=options.tokens)
    meter = meter_of(options)
    how = {"mode": options.mode, "before": options.before}
    queries = translation_queries(source.lines, documents, pair, **how, is_chat=server.endpoint == "chat")
    if options.read_batch:
        stored, failed = read_batch(options.read_batch, server, queries)
        print(f"{options.read_batch}: {stored} answers stored, {failed} failed")
    if options.dry_run:
        print_result(options, RequestPlan.of(server, queries, price=meter.price))
    elif options.write_batch:
        print(f"{options.write_batch}: {write_batch(options.write_batch, server, queries)} requests")
    elif not options.output:
        raise OptionError("the translation goes nowhere", where="--output", fix="name a file")
    else:
        with Progress(quiet=options.quiet) as progress:
            translation = translations(
                source.lines, documents, pair, server, **how, meter=meter, progress=in_percent(progress)
            )
        write_translation(options.output, translation)
        print_cost(options, meter)
        print_result(options, translation)
