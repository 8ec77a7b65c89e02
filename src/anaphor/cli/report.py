"""`anaphor report`: results as a page, tables or plots."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from anaphor.cli.commands import CommandParser
from anaphor.core.errors import InputWarning, OptionError
from anaphor.core.table import counted

EXAMPLES = """examples:
  anaphor report result.json --output report.html
  anaphor report a.json b.json --judgements judged.tsv --suite my-suite --output report.html
  anaphor report result.json --output tables.md          (or tables.tex)
  anaphor report plot result.json --output cases.svg
  anaphor report plot result.json --human human.tsv --output scatter.png
  anaphor report leaderboard results/ --output leaderboard.html

Reports show examples if the result was scored with --cards; `anaphor score --report FILE` implies this.
Results must be comparable: same test set, options and version. docs/report.md describes the page."""

_JOBS = ("plot", "leaderboard")


def configure(parser: CommandParser) -> None:
    add = parser.add_argument
    add(
        "what",
        nargs="+",
        metavar="[plot|leaderboard] RESULT.json",
        help="result files, or, after the word leaderboard, a folder of them",
    )
    add(
        "--output",
        required=True,
        metavar="FILE",
        help="file to write: .html, .md or .tex; .svg or .png for a plot",
    )
    add("--title", default="Pronoun translation", metavar="TEXT", help="title of the page")
    add("--judgements", metavar="FILE", help="human judgements of pronouns, as for `anaphor meta cases`")
    add("--suite", metavar="FOLDER", help="test suite with the categories and antecedents of the pronouns")
    add("--human", metavar="FILE", help="human system scores for a scatter plot")
    add("--metric", default="apt", metavar="NAME", help="metric for a scatter plot (default apt)")


def run(options: argparse.Namespace) -> None:
    from anaphor.files.writing import write_atomically

    # A leading word names a job; a file of that name is meant with ./ before it.
    job = options.what[0] if options.what[0] in _JOBS else ""
    paths = options.what[1:] if job else options.what
    if not paths or (job == "leaderboard" and len(paths) > 1):
        what = "there is no result to show" if not paths else "a leaderboard takes one folder"
        fix = "name result files, or one folder after the word leaderboard"
        raise OptionError(what, where="anaphor report", fix=fix)
    _check_options(job, options)
    text, summary = {"": _report, "plot": _plot, "leaderboard": _leaderboard}[job](options, paths)
    content = text.encode("utf-8")
    if Path(options.output).suffix == ".png":
        from anaphor.report.charts import as_png

        content = as_png(text)
    write_atomically(options.output, content)
    print(f"{options.output}: {summary}, {_size(len(content))}")


def _size(size: int) -> str:
    """A number of bytes as people read it."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"


def _check_options(job: str, options: argparse.Namespace) -> None:
    """Raise for options that do not apply and for unknown output formats."""
    suffixes = {"": (".html", ".md", ".tex"), "plot": (".svg", ".png"), "leaderboard": (".html",)}[job]
    if Path(options.output).suffix not in suffixes and not options.output.startswith("/dev/"):
        what = f"unknown output format: {options.output}"
        raise OptionError(what, where="--output", fix=f"the name must end in {' or '.join(suffixes)}")
    meant = {"judgements": "", "suite": "", "human": "plot"}
    for name, home in meant.items():
        if getattr(options, name) and job != home:
            what = "this option does not apply here"
            raise OptionError(what, where=f"--{name}", fix="omit it, or see `anaphor report --help`")


def _report(options: argparse.Namespace, paths: list[str]) -> tuple[str, str]:
    from anaphor.pages.annotations import read_annotations
    from anaphor.report.html import ReportView, page_date, report_page
    from anaphor.report.result_tables import result_latex, result_markdown
    from anaphor.report.stored import read_stored

    results = [read_stored(path) for path in paths]
    annotations = read_annotations(results, judgements=options.judgements, suite=options.suite)
    view = ReportView.of(results, title=options.title, annotations=annotations, date=page_date())
    summary = f"{counted(len(view.systems), 'system')}, {counted(results[0].pronouns, 'pronoun')}"
    tables = {".md": result_markdown, ".tex": result_latex}.get(Path(options.output).suffix)
    if tables is not None:
        return "\n\n".join(map(tables, results)) + "\n", summary
    return report_page(view), summary


def _plot(options: argparse.Namespace, paths: list[str]) -> tuple[str, str]:
    from anaphor.meta.scores import read_columns
    from anaphor.report.charts import cases_plot, scatter_plot
    from anaphor.report.ranking import require_comparable
    from anaphor.report.stored import read_stored

    results = [read_stored(path) for path in paths]
    require_comparable(results)
    systems = counted(sum(len(stored.systems) for stored in results), "system")
    if options.human is None:
        return cases_plot(results), systems
    human = read_columns([options.human], pair=None, human=True)[0]
    return scatter_plot(results, human.values, metric=options.metric, name=human.name), systems


def _leaderboard(options: argparse.Namespace, paths: list[str]) -> tuple[str, str]:
    from anaphor.report.html.page import leaderboard_page, page_date, read_folder

    results, refused = read_folder(paths[0])
    for file in refused:
        warnings.warn(f"{file.path}: rejected, {file.reason}", InputWarning, stacklevel=2)
    page = leaderboard_page(results, refused, title=options.title, date=page_date())
    systems = sum(len(stored.systems) for stored in results)
    return page, f"{counted(systems, 'system')}, {counted(len(refused), 'file')} rejected"
