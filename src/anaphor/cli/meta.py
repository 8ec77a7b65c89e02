"""`anaphor meta`: judge the metric itself. Each job is a module of its own; a new one is a line below."""

from __future__ import annotations

import argparse

from anaphor.cli import meta_cases, meta_correlate, meta_equivalents, meta_gaps, meta_published

SUMMARY = "does the metric agree with people? correlation, cases, published tables, gap filling, equivalents"
EXAMPLES = """examples:
  anaphor meta correlate --scores result.json --human human.tsv --outliers weakest
  anaphor meta cases --items items.tsv --judgements judgements.tsv
  anaphor meta published --table guillou-hardmeier-2018-table-3
  anaphor meta gaps --answers gaps.tsv
  anaphor meta equivalents --pair en-fr --pairs judged.tsv --output equivalent.toml

`anaphor meta JOB --help` has examples of each job; docs/meta/ describes files and measures."""

_JOBS = {
    "correlate": meta_correlate,
    "cases": meta_cases,
    "published": meta_published,
    "gaps": meta_gaps,
    "equivalents": meta_equivalents,
}


def configure(parser: argparse.ArgumentParser) -> None:
    jobs = parser.add_subparsers(dest="job", metavar="JOB", required=True)
    for name, module in _JOBS.items():
        job = jobs.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY[0].upper() + module.SUMMARY[1:] + ".",
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(job)


def run(options: argparse.Namespace) -> None:
    _JOBS[options.job].run(options)
