"""`anaphor check`: suspicious pronouns in translated files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_width

if TYPE_CHECKING:
    from anaphor.check import CheckInput, CheckReport
    from anaphor.check.findings import Kind
    from anaphor.check.units import UnitFile
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.core import LanguagePair

EXAMPLES = """examples:
  anaphor check game.de.xlf
  anaphor check po/fr.po --pair en-fr --min-confidence 0.8
  anaphor check film.es.srt --source film.en.srt --pair en-es
  anaphor check lines.csv --pair en-de --columns source=text target=german speaker=who
  anaphor check game.de.xlf --propose-cast > cast.toml      (then check it, and use it:)
  anaphor check game.de.xlf --cast cast.toml --notes reviewed
  anaphor check po/*.po --pair en-de --format sarif -o pronouns.sarif --baseline known.json

Formats: XLIFF 1.2 and 2, PO, TMX, SRT, WebVTT, ASS, CSV, TSV, JSON, Markdown, text. Files with one language
need --source. The exit code is 3 if something is found (never with --fail-on none) and 1 if a file cannot
be read."""

_KINDS = ("agreement", "missing", "number", "cast", "chain")
_FORMATS = ("text", "json", "sarif", "junit", "csv", "html", "github")


def configure(parser: CommandParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="translated files")
    files = parser.add_argument_group("files").add_argument
    files("--pair", metavar="SRC-TGT", help="language pair, such as en-de (default: taken from the file)")
    files("--source", nargs="+", default=[], metavar="FILE", help="source files, one per translated file")
    files(
        "--columns",
        nargs="+",
        default=[],
        metavar="ROLE=NAME",
        help="columns of tables and JSON: source, target, id, speaker, listener, document, note",
    )
    files(
        "--cast",
        metavar="FILE",
        help="cast file with the characters' pronouns and how they address each other",
    )
    files(
        "--input-format", metavar="NAME", rare=True, help="input format, if the suffix does not identify it"
    )
    files("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    how = parser.add_argument_group("reporting").add_argument
    how(
        "--min-confidence",
        type=float,
        metavar="P",
        help="minimum probability of an error (default: 0.65; 0.9 for missing words)",
    )
    how(
        "--kinds",
        nargs="+",
        default=list(_KINDS),
        choices=_KINDS,
        metavar="KIND",
        help=f"kinds of findings to report: {', '.join(_KINDS)}",
    )
    how("--baseline", metavar="FILE", help="report only findings that are not in this file")
    how("--write-baseline", metavar="FILE", help="write all findings to FILE, for --baseline")
    how(
        "--fail-on",
        nargs="+",
        default=["any"],
        choices=("any", "none", *_KINDS),
        metavar="KIND",
        help="kinds of findings that set the exit code to 3, or any, or none (default any)",
    )
    how("--fast", action="store_true", help="judge without neural networks, which is faster but less precise")
    copies = parser.add_argument_group("copies").add_argument
    copies("--notes", metavar="FOLDER", help="write copies of XLIFF and PO files with notes into FOLDER")
    copies(
        "--fix", metavar="FOLDER", help="write copies with corrected pronouns into FOLDER and print the diff"
    )
    copies(
        "--fix-confidence",
        type=float,
        default=0.9,
        metavar="P",
        help="minimum probability for --fix (default 0.9)",
    )
    more = parser.add_argument_group("other modes").add_argument
    more("--propose-cast", action="store_true", help="print a draft of a cast file with the evidence for it")
    more("--lsp", action="store_true", help="run as a language server for editors (needs the extra `check`)")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        default="text",
        choices=_FORMATS,
        metavar="NAME",
        help=f"{', '.join(_FORMATS)} (default text)",
    )
    output.add_argument("--output", metavar="FILE", help="write the report to FILE")
    add_width(output)


def run(options: argparse.Namespace) -> int:
    import warnings

    from anaphor.check import CheckOptions
    from anaphor.check.baseline import baseline_text, read_baseline
    from anaphor.check.cast import Cast, read_cast
    from anaphor.check.checking import check_units, propose_cast, read_inputs
    from anaphor.check.findings import Kind
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.core import InputWarning, OptionError
    from anaphor.files.writing import write_atomically

    how = CheckOptions(
        min_confidence=options.min_confidence,
        kinds=frozenset(Kind(name) for name in options.kinds),
        fast=options.fast,
        baseline=read_baseline(options.baseline) if options.baseline else frozenset(),
        cast=read_cast(options.cast) if options.cast else Cast(),
        packs=options.packs,
    )
    if not 0 <= options.fix_confidence <= 1:
        what = f"a confidence must be between 0 and 1, got {options.fix_confidence}"
        raise OptionError(what, where="--fix-confidence", fix="use a number such as 0.9")
    if options.lsp:
        from anaphor.check.server import serve

        serve(how, _pair(options))
        return 0
    with TerminalProgress(quiet=options.quiet) as progress:
        read = read_inputs(_inputs(options), progress)
        if options.propose_cast:
            proposal = propose_cast(read, progress)
        else:
            report = check_units(read, how, progress)
            diff = _write_copies(options, read, report, progress)
    if options.propose_cast:
        _write(options, proposal.removesuffix("\n"))
        return 0
    for file in report.files:
        if line := file.skipped_line():
            warnings.warn(line, InputWarning, stacklevel=2)
    if options.write_baseline:
        write_atomically(options.write_baseline, baseline_text(report.findings))
    if options.fix:
        _show(diff, end="")
    else:
        _print(options, report)
    return 3 if _fails(options.fail_on, [finding.kind for finding in report.findings]) else 0


def _inputs(options: argparse.Namespace) -> list[CheckInput]:
    from anaphor.check import CheckInput
    from anaphor.core import OptionError

    if not options.files:
        raise OptionError("no file is given", where="FILE", fix="pass translated files: anaphor check de.xlf")
    if options.source and len(options.source) != len(options.files):
        what = f"{len(options.files)} files and {len(options.source)} sources"
        raise OptionError(what, where="--source", fix="pass one source for each file, in the same order")
    columns = {}
    for entry in options.columns:
        role, equals, name = entry.partition("=")
        if not equals or role not in ("source", "target", "id", "speaker", "listener", "document", "note"):
            fix = "write ROLE=NAME, such as target=german"
            raise OptionError(f"not a column assignment: {entry}", where="--columns", fix=fix)
        columns[role] = name
    pair = _pair(options)
    sources: Sequence[str | None] = options.source or [None] * len(options.files)
    return [
        CheckInput(path=path, pair=pair, source=source, columns=columns, format=options.input_format)
        for path, source in zip(options.files, sources, strict=True)
    ]


def _print(options: argparse.Namespace, report: CheckReport) -> None:
    from anaphor.check.output import WRITERS
    from anaphor.cli.terminal import paint
    from anaphor.report.emit import emit

    if options.format in WRITERS:
        text = WRITERS[options.format](report)
    elif options.format == "json":
        text = emit(report, "json")
    else:
        text = emit(report, "text", paint=None if options.output else paint(options))
    _write(options, text, is_safe=options.format == "text")


def _write(options: argparse.Namespace, text: str, *, is_safe: bool = False) -> None:
    """Write a text to the file that an option names, or show it; `is_safe` is one with colours of our own."""
    from anaphor.files.writing import write_atomically

    if options.output:
        write_atomically(options.output, text + "\n")
    elif is_safe:
        print(text)
    else:
        _show(text)


def _show(text: str, end: str = "\n") -> None:
    """Print a text with words of strangers, which no terminal shall obey; files and pipes get it as it is."""
    from anaphor.core.errors import printable

    print(printable(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text, end=end)


def _pair(options: argparse.Namespace) -> LanguagePair | None:
    from anaphor.core import LanguagePair

    return None if options.pair is None else LanguagePair.parse(options.pair)


def _write_copies(
    options: argparse.Namespace,
    read: Sequence[tuple[UnitFile, LanguagePair]],
    report: CheckReport,
    progress: TerminalProgress,
) -> str:
    """Write the requested copies, and return the diff of the fixed ones."""
    from anaphor.check.copies import annotated, fixed, write_copies

    if options.notes:
        write_copies(options.notes, {file.path: annotated(file, report.findings) for file, _ in read})
    if not options.fix:
        return ""
    fixes = [
        fixed(
            file,
            pair,
            report.findings,
            confidence=options.fix_confidence,
            packs=options.packs,
            progress=progress,
        )
        for file, pair in read
    ]
    write_copies(options.fix, {fix.file.path: fix.text for fix in fixes})
    return "".join(fix.diff() for fix in fixes)


def _fails(names: Sequence[str], kinds: Sequence[Kind]) -> bool:
    if "none" in names:
        return False
    return bool(kinds) if "any" in names else any(kind.value in names for kind in kinds)
