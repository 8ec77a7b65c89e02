"""`anaphor annotate`: annotators judge pronouns in the browser."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anaphor.cli.commands import Command, CommandParser
from anaphor.cli.options import packs_of
from anaphor.cli.output import add_output, print_result
from anaphor.cli.suite_options import add_systems, load, read_systems
from anaphor.cli.terminal import Progress
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anaphor.annotate.exchange.merge import MergedCopies, MergeReport, MergeRules
    from anaphor.annotate.store import Store
    from anaphor.meta import SamplingPlan, Unit
    from anaphor.suite import LoadedSuite

EXAMPLES = """examples:
  anaphor annotate init campaign.db --suite my-suite --candidate old.fr new.fr --annotators ann bob
  anaphor annotate lead campaign.db --add "C. Lead"
  anaphor annotate link campaign.db --add ann bob
  anaphor annotate serve campaign.db
  anaphor annotate status campaign.db
  anaphor annotate export campaign.db --format judgements --output judgements.tsv
  anaphor annotate approve campaign.db --suite my-suite --output my-suite-2
  anaphor annotate backup campaign.db --output campaign-friday.db

DATABASE is a file, or the address of a PostgreSQL database: postgresql://USER@HOST/DATABASE"""


def database(address: str) -> str:
    """The address of a database as it was given, without a password: every user of the machine sees those."""
    server, _, rest = address.partition("://")[2].partition("/")
    if ":" in server.rpartition("@")[0] or "password=" in rest.partition("?")[2]:
        raise OptionError(
            "the address of the database has a password, which other users of the machine could see",
            where="DATABASE",
            fix="leave it out: set the environment variable PGPASSWORD, or write it to ~/.pgpass",
        )
    return address


def add_database(parser: CommandParser) -> None:
    text = "file of the campaign, or postgresql://USER@HOST/DATABASE"
    parser.add_argument("database", type=database, metavar="DATABASE", help=text)


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Store]:
    """The campaign that the options name; a row that cannot be read is an error that names it."""
    from anaphor.annotate.store import open_store
    from anaphor.annotate.store.damage import naming_damage

    with open_store(options.database) as store, naming_damage(store):
        yield store


def add_material(parser: CommandParser, *, grows: bool = False) -> None:
    """What annotators judge: a suite or plain text, candidates, and optionally a sampling plan."""
    group = parser.add_argument_group("files")
    files = group.add_argument
    text = "that of the campaign with more items or documents" if grows else "its file of items"
    files("--suite", metavar="SUITE", help=f"folder with suite.toml, or {text}")
    text = "the texts of the suite, or a file with the document id of every line of --source"
    files("--documents", metavar="PATH", help=text)
    if not grows:
        files("--pair", metavar="PAIR", help="language pair of plain text, such as en-fr: no suite is needed")
        text = "source pronouns of plain text (default: those of the language pair)"
        files("--pronouns", nargs="+", default=[], metavar="FORM", help=text)
    text = "tokenized source of --alignment, if it differs from the suite"
    add_systems(group, required=not grows, source=text if grows else f"source of plain text; or {text}")
    files("--plan", metavar="FILE", help="sampling plan of `anaphor estimate plan`: judge only its sample")
    files("--items", metavar="FILE", help="items that the plan was drawn from: lets the sample grow later")
    how = parser.add_argument_group("how words are found").add_argument
    how("--tokenized", action="store_true", help="the texts are tokenized: keep their tokens")
    how("--aligner", default="anaphor", metavar="NAME", help="word aligner, if no alignment is given")
    how("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")


def loaded_suite(options: argparse.Namespace) -> LoadedSuite:
    """The suite that the options name, or one made from plain text."""
    from anaphor.core import LanguagePair
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
    from anaphor.meta import read_plan, read_population

    plan = read_plan(options.plan) if options.plan else None
    if not options.items:
        return plan, None
    if plan is None:
        fix = "give --plan too, or leave the items out"
        raise OptionError("items are those that a plan was drawn from", where="--items", fix=fix)
    return plan, read_population(options.items, guess=plan.guess.metric if plan.guess else None)


def add_rules(parser: CommandParser, *, create: bool = True) -> None:
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


INIT_EXAMPLES = """examples:
  anaphor annotate init campaign.db --suite my-suite --candidate old.fr new.fr --annotators ann bob
  anaphor annotate init campaign.db --suite my-suite --candidate a=a.fr b=b.fr --annotators 5 \\
      --mismatches-only --overlap 0.3 --attention 10
  anaphor annotate init campaign.db --suite my-suite --candidate a=a.fr b=b.fr --plan plan.json \\
      --annotators ann bob
  anaphor annotate init campaign.db --pair en-fr --source source.en --candidate a.fr b.fr --budget 200 \\
      --annotators ann bob
  anaphor annotate init crowd.db --suite my-suite --candidate a.fr --annotators 20 \\
      --practice practice.jsonl --completion-code C1A2B3 \\
      --completion-url "https://app.prolific.com/submissions/complete?cc=C1A2B3"
  anaphor annotate init gaps.db --suite my-suite --candidate a.fr --mode gaps --annotators ann
  anaphor annotate init ranks.db --suite my-suite --candidate a.fr b.fr c.fr --mode compare --annotators 3"""


def configure_init(parser: CommandParser) -> None:
    add_database(parser)
    add_material(parser)
    work = parser.add_argument_group("work").add_argument
    work("--name", default="", metavar="TEXT", help="name of the campaign (default: the name of the suite)")
    text = "judge pronouns, fill gaps, or compare systems (default judge)"
    work("--mode", choices=("judge", "gaps", "compare"), default="judge", help=text)
    text = "their names; or a number, for annotator-1, annotator-2 and so on"
    work("--annotators", nargs="+", required=True, metavar="NAME", help=text)
    work("--mismatches-only", action="store_true", help="judge only what the automatic check does not match")
    text = "judge a random sample of so many examples; more are drawn when they are needed"
    work("--budget", type=int, metavar="N", help=text)
    text = "go on with the example whose judgement gains most for the estimate"
    work("--adaptive", action="store_true", help=text)
    text = "share of each category and system that several people answer (default 0.2)"
    work("--overlap", type=float, default=0.2, metavar="SHARE", help=text)
    text = "number of people who answer that share; min(3, number of annotators) if left out"
    work("--raters", type=int, metavar="N", help=text)
    work("--batch-size", type=int, default=50, metavar="N", help="examples per batch (default 50)")
    text = "examples with a known answer, for every annotator (default 0)"
    work("--attention", type=int, default=0, metavar="N", help=text)
    text = "examples with feedback before the others: a file of JSON lines, or a number of made-up ones"
    work("--practice", default="0", metavar="FILE", help=text)
    work(
        "--tags", nargs="+", default=[], metavar="TAG", help="tags to offer in addition to the standard ones"
    )
    text = "choices of gap filling (default: those of the language pair)"
    work("--choices", nargs="+", default=[], metavar="WORD", help=text)
    work("--guidelines", metavar="FILE", help="plain text that replaces the standard guidelines")
    work("--seed", rare=True, type=int, default=12345, metavar="N", help="random seed (default 12345)")
    crowd = parser.add_argument_group("for a crowd platform").add_argument
    crowd("--completion-code", default="", metavar="CODE", help="shown to annotators who have finished")
    text = "where they return to, such as Prolific; {person} in its query is replaced by the annotator's name"
    crowd("--completion-url", default="", metavar="URL", help=text)
    text = "let so many people join by one shared link (default 0)"
    crowd("--study-people", type=int, default=0, metavar="N", help=text)
    add_output(parser)


def run_init(options: argparse.Namespace) -> None:
    from anaphor.align import AlignerChoice
    from anaphor.annotate.campaign.create import CampaignConfig, create_campaign, numbered_annotators
    from anaphor.annotate.campaign.practice import read_practice
    from anaphor.annotate.campaign.workload import WorkloadConfig
    from anaphor.annotate.types import Mode
    from anaphor.corpus import read_text
    from anaphor.suite import EvaluationOptions

    practice = options.practice
    same = (
        *("attention", "mismatches_only", "budget", "adaptive", "name"),
        *("completion_code", "completion_url", "study_people"),
    )
    config = CampaignConfig(
        annotators=numbered_annotators(options.annotators),
        mode=Mode(options.mode),
        workload=WorkloadConfig(
            **{name: getattr(options, name) for name in ("overlap", "raters", "batch_size", "seed")}
        ),
        practice=int(practice) if practice.isdecimal() else read_practice(practice),
        tags=tuple(options.tags),
        choices=tuple(options.choices),
        guidelines="\n".join(read_text(options.guidelines).lines) if options.guidelines else "",
        **{name: getattr(options, name) for name in same},
    )
    with Progress(quiet=options.quiet) as progress:
        progress("reading")
        loaded = loaded_suite(options)
        candidates, links, _ = read_systems(options, loaded)
        aligner = AlignerChoice(pair=loaded.suite.pair, name=options.aligner, packs=packs_of(options))
        plan, population = read_sampling(options)
        created = create_campaign(
            options.database,
            loaded,
            candidates,
            EvaluationOptions(aligner=aligner, tokenized=options.tokenized),
            config,
            plan=plan,
            plan_path=options.plan or "",
            population=population,
            links=links,
            progress=progress,
        )
    print_result(options, created)


SERVE_EXAMPLES = """examples:
  anaphor annotate serve campaign.db
  anaphor annotate serve campaign.db --port 9000 --no-open
  anaphor annotate serve pilot.db main=campaign.db
  anaphor annotate serve campaign.db --public --host 0.0.0.0 --certificate cert.pem --key key.pem
  anaphor annotate serve postgresql://lead@localhost/campaign --behind-proxy --no-open

Several campaigns are served at /NAME/, by default the name of the file, each with its own leads, links and
sessions. By default only this machine can reach the pages. For others put a web server with TLS in front
(--behind-proxy), or give --public with a certificate and its key: personal links and passwords must not be
sent unencrypted."""


def configure_serve(parser: CommandParser) -> None:
    text = "file of a campaign, or postgresql://USER@HOST/DATABASE; several have a path each, called NAME"
    parser.add_argument("databases", nargs="+", type=database, metavar="[NAME=]DATABASE", help=text)
    where = parser.add_argument_group("where").add_argument
    where("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default 127.0.0.1)")
    where("--port", type=int, default=8080, metavar="N", help="port to listen on (default 8080)")
    where("--public", action="store_true", help="allow addresses other than this machine's own")
    where("--behind-proxy", action="store_true", help="a web server with TLS is in front")
    where("--certificate", metavar="FILE", help="TLS certificate, in PEM format")
    where("--key", metavar="FILE", help="key of the certificate, in PEM format")
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")


def run_serve(options: argparse.Namespace) -> None:
    from anaphor.annotate.web import serve

    names = ("host", "port", "public", "behind_proxy", "certificate", "key")
    given = {name: getattr(options, name) for name in names}
    serve(*options.databases, open_browser=not options.no_open, **given)


LINK_EXAMPLES = """examples:
  anaphor annotate link campaign.db
  anaphor annotate link campaign.db --add ann bob --days 14
  anaphor annotate link campaign.db --add ann --url https://judge.example.org
  anaphor annotate link campaign.db --revoke 1f0a...
  anaphor annotate link study.db --revoke shared

A link is shown only once. Anyone who has it can sign in as that person until it expires or is revoked.
`--revoke shared` ends the shared link of a study: nobody else can join, but annotators who have joined can
still use it."""


def configure_link(parser: CommandParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group().add_argument
    what("--add", nargs="+", metavar="NAME", help="make a link for each of these people")
    what("--revoke", nargs="+", metavar="ID", help="end these links and the sessions they opened")
    add = parser.add_argument
    add("--days", type=float, default=30, metavar="N", help="days until a link expires (default 30)")
    add("--url", metavar="URL", help="address of the pages (default: where they were last served)")
    add_output(parser)


def run_link(options: argparse.Namespace) -> None:
    from anaphor.annotate.campaign.people import add_links, link_list, revoke_link

    with opened(options) as store:
        for link in options.revoke or ():
            revoke_link(store, link)
        made = add_links(store, options.add, days=options.days, url=options.url) if options.add else None
        print_result(options, made or link_list(store))


GROW_EXAMPLES = """examples:
  anaphor annotate grow campaign.db --candidate newest.fr
  anaphor annotate grow campaign.db --suite larger-suite --candidate old.fr new.fr
  anaphor annotate grow campaign.db --plan larger-plan.json
  anaphor annotate grow campaign.db --more --target 0.05

Annotators can keep working: new items are added in one transaction, after their existing ones. Add annotators
with `anaphor annotate annotator --add`; existing annotators share the new items."""


def configure_grow(parser: CommandParser) -> None:
    add_database(parser)
    text = "draw as many more examples as the intervals need; for campaigns with --budget or --items"
    parser.add_argument("--more", action="store_true", help=text)
    text = "half-width of the intervals that --more aims at (default 0.02)"
    parser.add_argument("--target", type=float, default=0.02, metavar="SHARE", help=text)
    add_material(parser, grows=True)
    add_output(parser)


def run_grow(options: argparse.Namespace) -> None:
    from anaphor.align import AlignerChoice
    from anaphor.annotate.analysis.more import draw_more
    from anaphor.annotate.campaign.facts import campaign_suite
    from anaphor.annotate.campaign.grow import grow_campaign
    from anaphor.suite import EvaluationOptions

    with opened(options) as store, Progress(quiet=options.quiet) as progress:
        if options.more:
            if options.candidate or options.suite or options.plan:
                fix = "give --more alone"
                raise OptionError("--more draws from what the campaign has", where="--more", fix=fix)
            grown = draw_more(store, target=options.target)
        else:
            suite = load(options) if options.suite else None
            with store.read() as connection:
                loaded = suite or campaign_suite(connection)
            candidates, links = None, None
            if options.candidate:
                candidates, links, _ = read_systems(options, loaded)
            aligner = AlignerChoice(pair=loaded.suite.pair, name=options.aligner, packs=packs_of(options))
            plan, population = read_sampling(options)
            grown = grow_campaign(
                store,
                EvaluationOptions(aligner=aligner, tokenized=options.tokenized),
                suite=suite,
                candidates=candidates,
                links=links,
                plan=plan,
                plan_path=options.plan or "",
                population=population,
                progress=progress,
            )
    print_result(options, grown)


ANNOTATOR_EXAMPLES = """examples:
  anaphor annotate annotator campaign.db
  anaphor annotate annotator campaign.db --add dan
  anaphor annotate annotator campaign.db --add dan --share overlap
  anaphor annotate annotator campaign.db --end bob"""


def configure_annotator(parser: CommandParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--add", nargs="+", metavar="NAME", help="new annotators")
    what.add_argument("--end", nargs="+", metavar="NAME", help="end their access; their answers stay")
    text = (
        "items of a new annotator: unanswered ones, those that several people answer, all "
        "or none (default open)"
    )
    parser.add_argument("--share", choices=("open", "overlap", "all", "none"), default="open", help=text)


def run_annotator(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.status import annotator_list
    from anaphor.annotate.campaign.people import deactivate
    from anaphor.annotate.campaign.workload import add_annotators

    with opened(options) as store:
        add_annotators(store, options.add or (), share=options.share)
        for name in options.end or ():
            deactivate(store, name)
        found = annotator_list(store)
    print_result(options, found)


LEAD_EXAMPLES = """examples:
  anaphor annotate lead campaign.db --add "C. Lead"
  anaphor annotate lead campaign.db --password "C. Lead"
  pass show lead | anaphor annotate lead campaign.db --add "C. Lead"

The password is prompted for, or read from the first line of standard input; it is never an option, because
other users of the machine could see it. Only an argon2 hash of it is stored."""


def configure_lead(parser: CommandParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--add", metavar="NAME", help="a new lead")
    what.add_argument("--password", metavar="NAME", help="a lead whose password is changed")


def run_lead(options: argparse.Namespace) -> None:
    from getpass import getpass

    from anaphor.annotate.campaign.people import add_lead, set_password

    with opened(options) as store:
        if not sys.stdin.isatty():
            password = sys.stdin.readline().rstrip("\n")
        elif (password := getpass("password: ")) != getpass("again: "):
            fix = "type the same password twice"
            raise OptionError("the two passwords differ", where="password", fix=fix)
        if options.add:
            print(f"{add_lead(store, options.add, password).name} can sign in now")
        else:
            set_password(store, options.password, password)
            print(f"the password of {options.password} is changed; all sessions ended")


STATUS_EXAMPLES = """examples:
  anaphor annotate status campaign.db
  anaphor annotate status campaign.db --target 0.05 --json
  anaphor annotate status campaign.db --question antecedent"""


def configure_status(parser: CommandParser) -> None:
    add_database(parser)
    add = parser.add_argument
    text = "question that agreement is measured on; overall is the exported judgement (default overall)"
    add("--question", choices=("overall", "pronoun", "antecedent"), default="overall", help=text)
    text = "half-width of the intervals to aim at; says how many more to judge (default 0.02)"
    add("--target", type=float, default=0.02, metavar="SHARE", help=text)
    add_output(parser)


def run_status(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.status import read_status

    with opened(options) as store:
        status = read_status(store, question=options.question, target=options.target)
    print_result(options, status)


EXPORT_EXAMPLES = """examples:
  anaphor annotate export campaign.db --format judgements --output judgements.tsv
  anaphor annotate export campaign.db --format final --output final.tsv
  anaphor annotate export campaign.db --format protest --output campaign.protest.db
  anaphor annotate export campaign.db --format mtme --output ratings.zip
  anaphor annotate export campaign.db --format jsonl --output -

formats: judgements (every annotator, for anaphor meta cases), final (decisions of leads first, for anaphor
estimate), gaps (for anaphor meta gaps), csv, tsv, jsonl, journal, protest, mtme, pearmut, label-studio"""

_EXPORT_FORMATS = (
    *("judgements", "final", "gaps", "csv", "tsv", "jsonl", "journal"),
    *("protest", "mtme", "pearmut", "label-studio"),
)


def configure_export(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("--format", choices=_EXPORT_FORMATS, required=True, help="see below")
    parser.add_argument("--output", required=True, metavar="FILE", help="output file; - is standard output")


def run_export(options: argparse.Namespace) -> None:
    from anaphor.annotate.exchange import export_file, export_parts

    with opened(options) as store:
        if options.output == "-":
            for part in export_parts(store, options.format):
                sys.stdout.buffer.write(part)
            return
        size = export_file(store, options.format, options.output)
    print(f"{options.output}: {size} bytes")


IMPORT_EXAMPLES = """examples:
  anaphor annotate import campaign.db answers.jsonl --format jsonl --dry-run
  anaphor annotate import campaign.db batch.db --format protest --create
  anaphor annotate import campaign.db pearmut-output.jsonl --format pearmut --skip

Without --skip one conflict, or one answer that has no place in the campaign, stops the import."""

_IMPORT_FORMATS = ("csv", "tsv", "jsonl", "protest", "mtme", "pearmut", "label-studio")


def configure_import(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("file", metavar="FILE", help="the answers")
    parser.add_argument("--format", choices=_IMPORT_FORMATS, required=True, help="format of the file")
    add_rules(parser)


def run_import(options: argparse.Namespace) -> int:
    from anaphor.annotate.exchange import import_bytes
    from anaphor.annotate.store.audit import COMMAND_LINE
    from anaphor.corpus.text import read_bytes

    data = read_bytes(options.file)
    with opened(options) as store:
        report = import_bytes(
            store, options.format, data, by=COMMAND_LINE, path=options.file, rules=rules_of(options)
        )
    return print_merge(options, report)


MERGE_EXAMPLES = """examples:
  anaphor annotate backup campaign.db --output for-ann.db
  anaphor annotate merge campaign.db from-ann.db --dry-run
  anaphor annotate merge campaign.db from-ann.db from-bob.db

Answers are matched by their ids. An answer that was changed in both places is a conflict: it is shown, and
the existing one stays. Without --skip one conflict in any copy stops the merge of all copies. --json prints
an object, or a list with one object per copy if there are several."""


def configure_merge(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument(
        "copies", nargs="+", type=database, metavar="COPY", help="databases that were annotated elsewhere"
    )
    add_rules(parser, create=False)


def run_merge(options: argparse.Namespace) -> int:
    from anaphor.annotate.exchange.merge import merge_copies
    from anaphor.annotate.store.audit import COMMAND_LINE

    with opened(options) as store:
        merged = merge_copies(store, options.copies, by=COMMAND_LINE, rules=rules_of(options))
    return print_merge(options, merged)


APPROVE_EXAMPLES = """examples:
  anaphor annotate approve campaign.db --suite my-suite --output my-suite-2
  anaphor suite evaluate my-suite-2 --candidate old.fr new.fr

A translation is approved if a lead decided so, or if all annotators accept pronoun and antecedent and chose
their words. Scores with approved translations cannot be compared with others."""


def configure_approve(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("--suite", required=True, metavar="SUITE", help="the suite of the campaign")
    parser.add_argument("--documents", metavar="FOLDER", help="its texts, if they are not in its folder")
    parser.add_argument("--output", required=True, metavar="FOLDER", help="new folder for the suite")


def run_approve(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.approval import approve
    from anaphor.suite import write_suite

    loaded = load(options)
    with opened(options) as store:
        suite = approve(store, loaded.suite)
    write_suite(suite, options.output, texts=loaded.texts)
    before, after = (sum(len(item.alternatives) for item in one.items) for one in (loaded.suite, suite))
    print(f"{options.output}: {after} approved alternatives, {after - before} of them new")


BACKUP_EXAMPLES = """examples:
  anaphor annotate backup campaign.db --output campaign-friday.db

The copy is complete, checked, and a complete campaign: `merge` brings back what was annotated in it. For
PostgreSQL use pg_dump."""


def configure_backup(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("--output", required=True, metavar="FILE", help="a new file")


def run_backup(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import backup

    with opened(options) as store:
        size = backup(store, options.output)
    print(f"{options.output}: {size} bytes")


CHECK_EXAMPLES = """examples:
  anaphor annotate check campaign.db"""


def run_check(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import check
    from anaphor.core import CheckError
    from anaphor.core.errors import printable

    with opened(options) as store:
        found = check(store)
        address = store.address
    for name, problems in found.items():
        print(f"{name}: {f'{len(problems)} problems' if problems else 'ok'}")
        for problem in problems:
            print(printable(f"  {problem}"))
    first = next((one for problems in found.values() for one in problems), None)
    if first is not None:
        fix = "restore the last backup, and merge this file into it"
        if found["rows"]:
            fix += ", or move damaged rows aside with `anaphor annotate repair`"
        raise CheckError(f"the campaign is not consistent: {first}", where=address, fix=fix)


REPAIR_EXAMPLES = """examples:
  anaphor annotate check campaign.db
  anaphor annotate repair campaign.db --output damaged.jsonl

Rows that cannot be read, and those that need them, go to the file as JSON, one per line; the rest of the
campaign can be used again. A file is never overwritten. Make a copy of the database first."""


def configure_repair(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("--output", required=True, metavar="FILE", help="a new file for the damaged rows")


def run_repair(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import repair

    with opened(options) as store:
        moved = repair(store, options.output)
    for one in moved:
        print(one)
    print(f"{options.output}: {len(moved)} rows" if moved else "no row is damaged")


COMMANDS = {
    "init": Command(
        "make a campaign: who judges which items of which systems", configure_init, run_init, INIT_EXAMPLES
    ),
    "serve": Command(
        "serve the pages of a campaign on this machine and open the browser",
        configure_serve,
        run_serve,
        SERVE_EXAMPLES,
    ),
    "link": Command("list, make and revoke personal links", configure_link, run_link, LINK_EXAMPLES),
    "grow": Command(
        "add systems and items to a running campaign, or draw a larger sample",
        configure_grow,
        run_grow,
        GROW_EXAMPLES,
    ),
    "annotator": Command(
        "add annotators to a running campaign, or end their access",
        configure_annotator,
        run_annotator,
        ANNOTATOR_EXAMPLES,
    ),
    "lead": Command("add a lead, or change a lead's password", configure_lead, run_lead, LEAD_EXAMPLES),
    "status": Command(
        "progress, agreement, speed, and how many more judgements are needed",
        configure_status,
        run_status,
        STATUS_EXAMPLES,
    ),
    "export": Command(
        "write answers for anaphor meta and estimate, for PROTEST and for third-party tools",
        configure_export,
        run_export,
        EXPORT_EXAMPLES,
    ),
    "import": Command(
        "import answers from a file; existing answers are never overwritten",
        configure_import,
        run_import,
        IMPORT_EXAMPLES,
    ),
    "merge": Command(
        "merge copies of the database that were annotated offline", configure_merge, run_merge, MERGE_EXAMPLES
    ),
    "approve": Command(
        "write the suite with the translations that annotators approved",
        configure_approve,
        run_approve,
        APPROVE_EXAMPLES,
    ),
    "backup": Command(
        "copy the database while annotators go on", configure_backup, run_backup, BACKUP_EXAMPLES
    ),
    "check": Command(
        "check that a campaign is consistent",
        add_database,
        run_check,
        CHECK_EXAMPLES,
    ),
    "repair": Command(
        "move rows that cannot be read out of a campaign", configure_repair, run_repair, REPAIR_EXAMPLES
    ),
}
