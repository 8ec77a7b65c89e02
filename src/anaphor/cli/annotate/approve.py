"""`anaphor annotate approve`: add the translations that were judged right to the suite."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate approve campaign.db --suite my-suite --output my-suite-2
  anaphor suite evaluate my-suite-2 --candidate old.fr new.fr

A translation is approved where a lead decided so, or where everybody who answered calls pronoun and
antecedent right and chose their words. Scores with approved translations cannot be compared with others."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("--suite", required=True, metavar="SUITE", help="the suite of the campaign")
    parser.add_argument("--documents", metavar="FOLDER", help="its texts, where they are not in its folder")
    parser.add_argument("--output", required=True, metavar="FOLDER", help="new folder for the suite")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.approval import approve
    from anaphor.cli.suite_options import load
    from anaphor.suite import write_suite

    loaded = load(options)
    with opened(options) as store:
        suite = approve(store, loaded.suite)
    write_suite(suite, options.output, texts=loaded.texts)
    before, after = (sum(len(item.alternatives) for item in one.items) for one in (loaded.suite, suite))
    print(f"{options.output}: {after} approved alternatives, {after - before} of them new")
