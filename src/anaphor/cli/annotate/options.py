"""Options that several subcommands of `anaphor annotate` share: the database, and the rules of a merge."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anaphor.cli.output import add_output, print_result
from anaphor.cli.suite_options import add_systems

if TYPE_CHECKING:
    from anaphor.annotate.exchange.merge import MergedCopies, MergeReport, MergeRules
    from anaphor.annotate.store import Store
    from anaphor.meta import SamplingPlan, Unit
    from anaphor.suite import LoadedSuite


def add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "database", metavar="DATABASE", help="file of the campaign, or postgresql://USER@HOST/DATABASE"
    )


def opened(options: argparse.Namespace) -> Store:
    """The campaign that the options name; a context manager that closes it."""
    from anaphor.annotate.store import open_store

    return open_store(options.database)


def add_material(parser: argparse.ArgumentParser, *, grows: bool = False) -> None:
    """What annotators judge: a suite or plain text, candidates, and optionally a sampling plan."""
    group = parser.add_argument_group("files")
    files = group.add_argument
    text = "that of the campaign with more items or documents" if grows else "its file of items"
    files("--suite", metavar="SUITE", help=f"folder with suite.toml, or {text}")
    text = "the texts of the suite, or a file with the document id of every line of --source"
    files("--documents", metavar="PATH", help=text)
    if not grows:
        files("--pair", metavar="PAIR", help="language pair of plain text, such as en-fr: no suite is needed")
        text = "source pronouns of plain text; those of the language pair if left out"
        files("--pronouns", nargs="+", default=[], metavar="FORM", help=text)
    text = "tokenized source of --alignment, if not that of the suite"
    add_systems(group, required=not grows, source=text if grows else f"source of plain text; or {text}")
    files("--plan", metavar="FILE", help="sampling plan of `anaphor estimate plan`: judge only its sample")
    files("--items", metavar="FILE", help="items that the plan was drawn from: lets the sample grow later")
    how = parser.add_argument_group("how words are found").add_argument
    how("--tokenized", action="store_true", help="the texts are tokenized: keep their tokens")
    how("--aligner", default="anaphor", metavar="NAME", help="word aligner where no alignment is given")
    how("--packs", metavar="FOLDER", help="folder with your own language packs")


def loaded_suite(options: argparse.Namespace) -> LoadedSuite:
    """The suite that the options name, or one made from plain text."""
    from anaphor.cli.options import packs_of
    from anaphor.cli.suite_options import load
    from anaphor.core import LanguagePair, OptionError
    from anaphor.corpus import read_text
    from anaphor.corpus.inputs import read_documents
    from anaphor.suite import plain_suite

    if bool(options.suite) == bool(options.pair):
        fix = "give --suite; or --pair and --source for plain text"
        raise OptionError("a campaign is about a suite or about plain text", where="--suite, --pair", fix=fix)
    if options.suite:
        if options.pronouns:
            fix = "leave it out: a suite lists its items"
            raise OptionError("pronouns are only looked for in plain text", where="--pronouns", fix=fix)
        return load(options)
    if not options.source:
        raise OptionError("plain text needs its source", where="--source", fix="give --source FILE")
    source = read_text(options.source)
    documents = read_documents(options.documents, segments=len(source)) if options.documents else None
    return plain_suite(
        source,
        LanguagePair.parse(options.pair),
        documents=documents,
        pronouns=options.pronouns,
        tokenized=options.tokenized or bool(options.alignment),
        packs=packs_of(options),
    )


def read_sampling(options: argparse.Namespace) -> tuple[SamplingPlan | None, tuple[Unit, ...] | None]:
    """The plan of the options, and what it was drawn from where `--items` says it."""
    from anaphor.core import OptionError
    from anaphor.meta import read_plan, read_population

    plan = read_plan(options.plan) if options.plan else None
    if not options.items:
        return plan, None
    if plan is None:
        fix = "give --plan too, or leave the items out"
        raise OptionError("items are those that a plan was drawn from", where="--items", fix=fix)
    return plan, read_population(options.items, guess=plan.guess.metric if plan.guess else None)


def add_rules(parser: argparse.ArgumentParser, *, create: bool = True) -> None:
    """How far a merge may go."""
    add = parser.add_argument
    add("--dry-run", action="store_true", help="write nothing, print what would be written")
    add("--skip", action="store_true", help="leave out conflicts and unknown answers, write the rest")
    if create:
        add("--create", action="store_true", help="make missing annotators and assignments")
    add_output(parser)


def rules_of(options: argparse.Namespace) -> MergeRules:
    from anaphor.annotate.exchange.merge import MergeRules

    create = getattr(options, "create", False)
    return MergeRules(dry_run=options.dry_run, skip=options.skip, create=create)


def print_merge(options: argparse.Namespace, result: MergeReport | MergedCopies) -> int:
    """Print what became of the answers; the exit code is 1 where conflicts stopped the merge."""
    print_result(options, result)
    return 0 if result.written or options.dry_run else 1
