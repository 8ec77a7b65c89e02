"""`anaphor suite evaluate`: candidates judged item by item."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.options import named
from anaphor.cli.suite.options import add_linking, add_suite, load, settings_of
from anaphor.core.errors import MismatchError, OptionError

if TYPE_CHECKING:
    from anaphor.corpus import Text
    from anaphor.suite import GivenLinks, LoadedSuite


def configure(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    files = parser.add_argument_group("files").add_argument
    files(
        "--candidate",
        nargs="+",
        required=True,
        metavar="[NAME=]PATH",
        help="translations of all documents in their order, or folders with a file DOCUMENT.txt each; the "
        "first one is the baseline of the others",
    )
    files(
        "--alignment",
        nargs="+",
        default=[],
        metavar="FILE",
        help="links of each candidate, between tokens that spaces separate; none is then made",
    )
    files(
        "--source",
        metavar="FILE",
        help="the tokenised source that --alignment counts in, if its tokens are not those of the suite",
    )
    add_linking(parser)
    output = parser.add_argument_group("output").add_argument
    output(
        "--work-list", metavar="FILE", help="write the mismatches for people: TSV, or JSON lines if .jsonl"
    )
    output("--changes", action="store_true", help="name every item that improved or broke")
    output("--json", action="store_true", help="print the figures and all outcomes as JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.suite.text import report_json, report_text
    from anaphor.cli.terminal import Progress, paint
    from anaphor.corpus import write_atomically
    from anaphor.suite import evaluate_suite, format_work_list, work_list

    with Progress() as progress:
        progress("reading")
        loaded = load(options)
        candidates = candidates_of(options, loaded)
        report = evaluate_suite(
            loaded,
            candidates,
            settings_of(options, loaded.suite.pair),
            links=links_of(options, loaded, candidates),
            progress=progress,
        )
    if options.work_list:
        rows = work_list(loaded, report, candidates)
        json_lines = options.work_list.endswith(".jsonl")
        write_atomically(options.work_list, format_work_list(rows, json_lines=json_lines))
    if options.json:
        print(report_json(loaded, report))
    else:
        print(report_text(report, paint=paint(), changes=options.changes))


def candidates_of(options: argparse.Namespace, loaded: LoadedSuite) -> dict[str, Text]:
    found: dict[str, Text] = {}
    for name, path in map(named, options.candidate):
        if name in found:
            raise MismatchError(
                f"two candidates are called {name}",
                where=path,
                fix="give them names: --candidate first=PATH second=PATH",
            )
        found[name] = _candidate(path, loaded)
    return found


def _candidate(path: str, loaded: LoadedSuite) -> Text:
    """One text: a file as it is, or the files of a folder in the order of the documents."""
    from anaphor.corpus import Text, read_text

    if not Path(path).is_dir():
        return read_text(path)
    lines: list[str] = []
    for document in loaded.suite.documents:
        text = read_text(Path(path) / f"{document.id}.txt")
        if len(text) != document.segments:
            raise MismatchError(
                f"the document has {len(text)} lines, its source has {document.segments}",
                where=text.path,
                fix="translate the same document line by line",
            )
        lines += text.lines
    return Text.of(lines, path=path)


def links_of(
    options: argparse.Namespace, loaded: LoadedSuite, candidates: dict[str, Text]
) -> GivenLinks | None:
    from anaphor.corpus import Text, read_alignments, read_text
    from anaphor.suite import GivenLinks

    if not options.alignment:
        if options.source:
            raise OptionError(
                "a tokenised source is of use for given alignments only",
                where="--source, --alignment",
                fix="give both, or leave the source out: the suite has its own",
            )
        return None
    if len(options.alignment) != len(candidates):
        raise MismatchError(
            f"{len(options.alignment)} alignment files for {len(candidates)} candidates",
            where="--alignment",
            fix="give one alignment file for every candidate, in the same order",
        )
    segments = loaded.suite.segments
    source = Text.of(loaded.texts.source_lines, path=f"{options.suite} [source]")
    if options.source:
        source = read_text(options.source)
    if len(source) != segments:
        raise MismatchError(
            f"the tokenised source has {len(source)} lines, the documents of the suite have {segments}",
            where=source.path,
            fix="tokenise what `anaphor suite export --source` writes",
        )
    links = [read_alignments(path, segments=segments) for path in options.alignment]
    return GivenLinks(source, dict(zip(candidates, links, strict=True)))
