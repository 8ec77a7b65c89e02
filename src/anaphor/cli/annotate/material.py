"""`anaphor annotate init` and `grow`: what annotators judge."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import TYPE_CHECKING

from anaphor.cli.annotate.database import add_database, opened
from anaphor.cli.commands import CommandParser
from anaphor.cli.options import packs_of
from anaphor.cli.output import add_output, print_result
from anaphor.cli.suite_options import add_systems, load, read_systems
from anaphor.cli.terminal import TerminalProgress
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.meta import PlannedUnit, SamplingPlan
    from anaphor.suite import EvaluationOptions, LoadedSuite


def add_material(parser: CommandParser, *, grows: bool = False) -> None:
    """The material to judge: a suite or plain text, candidates, and optionally a sampling plan."""
    group = parser.add_argument_group("files")
    files = group.add_argument
    text = "the campaign's suite with more items or documents" if grows else "the suite's items file"
    files("--suite", metavar="SUITE", help=f"suite folder, or {text}")
    text = "the suite's texts, or a file with the document id of each --source line"
    files("--documents", metavar="PATH", help=text)
    if not grows:
        files("--pair", metavar="PAIR", help="language pair of plain text, such as en-fr; replaces --suite")
        text = "source pronouns of plain text (default: those of the language pair)"
        files("--pronouns", nargs="+", default=[], metavar="FORM", help=text)
    text = "tokenized source of --alignment, if it differs from the suite's"
    add_systems(
        group, required=not grows, source=text if grows else f"source text, if there is no suite; or {text}"
    )
    files(
        "--plan", metavar="FILE", help="sampling plan from `anaphor estimate plan`: only its sample is judged"
    )
    files(
        "--items",
        metavar="FILE",
        help="items from which the plan was drawn, to allow a larger sample later",
    )
    how = parser.add_argument_group("how words are found").add_argument
    how("--tokenized", action="store_true", help="the texts are already tokenized: keep their tokens")
    how("--aligner", default="anaphor", metavar="NAME", help="word aligner, if no alignment is given")
    how("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")


def loaded_suite(options: argparse.Namespace) -> LoadedSuite:
    """The suite given by the options, or one built from plain text."""
    from anaphor.core import LanguagePair
    from anaphor.corpus import read_text
    from anaphor.corpus.inputs import read_documents
    from anaphor.suite import plain_suite

    if bool(options.suite) == bool(options.pair):
        fix = "add --suite; or --pair and --source for plain text"
        raise OptionError("a campaign needs either a suite or plain text", where="--suite, --pair", fix=fix)
    if options.suite:
        if options.pronouns:
            fix = "omit it: a suite lists its items"
            raise OptionError("pronouns can only be chosen for plain text", where="--pronouns", fix=fix)
        return load(options)
    if not options.source:
        raise OptionError("plain text needs its source", where="--source", fix="add --source FILE")
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


def evaluation_options(options: argparse.Namespace, loaded: LoadedSuite) -> EvaluationOptions:
    """Options for finding the words of candidates."""
    from anaphor.align import AlignerChoice
    from anaphor.suite import EvaluationOptions

    aligner = AlignerChoice(pair=loaded.suite.pair, name=options.aligner, packs=packs_of(options))
    return EvaluationOptions(aligner=aligner, tokenized=options.tokenized)


def read_sampling(options: argparse.Namespace) -> tuple[SamplingPlan | None, tuple[PlannedUnit, ...] | None]:
    """The plan given by the options, and its population if `--items` is given."""
    from anaphor.meta import read_plan, read_population

    plan = read_plan(options.plan) if options.plan else None
    if not options.items:
        return plan, None
    if plan is None:
        fix = "add --plan as well, or leave --items out"
        raise OptionError("items only apply with a plan", where="--items", fix=fix)
    return plan, read_population(options.items, guess=plan.guess.metric if plan.guess else None)


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
    text = "names of the annotators, or their number (for annotator-1, annotator-2 ...)"
    work("--annotators", nargs="+", required=True, metavar="NAME", help=text)
    work(
        "--mismatches-only",
        action="store_true",
        help="judge only items that the automatic check does not match",
    )
    text = "judge a random sample of this many examples; more can be added later"
    work("--budget", type=int, metavar="N", help=text)
    text = "present the examples that improve the estimate most first"
    work("--adaptive", action="store_true", help=text)
    text = "share of each category and system that several annotators judge (default 0.2)"
    work("--overlap", type=float, default=0.2, metavar="SHARE", help=text)
    text = "number of annotators per item of that share (default: min(3, number of annotators))"
    work("--raters", type=int, metavar="N", help=text)
    work("--batch-size", type=int, default=50, metavar="N", help="examples per batch (default 50)")
    text = "number of examples with known answers for every annotator (default 0)"
    work("--attention", type=int, default=0, metavar="N", help=text)
    text = "practice examples with feedback: a JSON Lines file, or the number to generate"
    work("--practice", default="0", metavar="FILE", help=text)
    work("--tags", nargs="+", default=[], metavar="TAG", help="additional tags")
    text = "choices for gap filling (default: those of the language pair)"
    work("--choices", nargs="+", default=[], metavar="WORD", help=text)
    work("--guidelines", metavar="FILE", help="Markdown that replaces the standard guidelines")
    text = "Markdown that every annotator must agree to before the first item"
    work("--consent", metavar="FILE", help=text)
    text = "language of the annotators' pages (default: that of their browser)"
    work("--language", choices=("en", "de", "fr", "es"), default="", help=text)
    text = "share of practice items that annotators must get right at the first attempt to continue"
    work("--practice-required", type=float, default=0.0, metavar="SHARE", help=text)
    text = "number of wrong attention items after which an annotator is stopped politely"
    work("--attention-limit", type=int, default=0, metavar="N", help=text)
    text = "move on as soon as an answer is complete; annotators can switch this off"
    work("--advance", action="store_true", help=text)
    text = "show the verdict of accept, preselected before the answer or shown after it (default: never)"
    work("--suggestions", choices=("before", "after"), default="", help=text)
    text = "share of the work with suggestions; the rest serves for comparison (default 0.5)"
    work("--suggestion-share", type=float, default=0.5, metavar="SHARE", help=text)
    work("--seed", rare=True, type=int, default=12345, metavar="N", help="random seed (default 12345)")
    crowd = parser.add_argument_group("for a crowd platform").add_argument
    crowd("--completion-code", default="", metavar="CODE", help="code shown to annotators who have finished")
    text = "return address, such as Prolific's; {person} in its query is replaced by the annotator's name"
    crowd("--completion-url", default="", metavar="URL", help=text)
    text = "maximum number of people who may join through a shared link (default 0)"
    crowd("--study-people", type=int, default=0, metavar="N", help=text)
    add_output(parser)


def _written(path: str | None) -> str:
    """The text of a file; nothing if none was given."""
    from anaphor.corpus import read_text

    return "\n".join(read_text(path).lines) if path else ""


def run_init(options: argparse.Namespace) -> None:
    from anaphor.annotate.campaign.create import CampaignConfig, create_campaign, numbered_annotators
    from anaphor.annotate.campaign.practice import read_practice
    from anaphor.annotate.campaign.workload import WorkloadConfig
    from anaphor.annotate.types import CampaignOptions, Mode
    from anaphor.scoring.suggestions import accept_guesser

    practice = options.practice
    same = (
        *("attention", "budget", "name"),
        *(option.name for option in fields(CampaignOptions) if option.name not in ("guidelines", "consent")),
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
        guidelines=_written(options.guidelines),
        consent=_written(options.consent),
        **{name: getattr(options, name) for name in same},
    )
    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading")
        loaded = loaded_suite(options)
        candidates, links, _ = read_systems(options, loaded)
        plan, population = read_sampling(options)
        created = create_campaign(
            options.database,
            loaded,
            candidates,
            evaluation_options(options, loaded),
            config,
            plan=plan,
            plan_path=options.plan or "",
            population=population,
            links=links,
            guess=accept_guesser(packs_of(options)) if options.suggestions else None,
            progress=progress,
        )
    print_result(options, created)


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
    text = "target half-width of the intervals, for --more (default 0.02)"
    parser.add_argument("--target", type=float, default=0.02, metavar="SHARE", help=text)
    add_material(parser, grows=True)
    add_output(parser)


def run_grow(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.more import draw_more
    from anaphor.annotate.campaign.facts import campaign_suite
    from anaphor.annotate.campaign.grow import grow_campaign
    from anaphor.scoring.suggestions import accept_guesser

    guess = accept_guesser(packs_of(options))
    with opened(options) as store, TerminalProgress(quiet=options.quiet) as progress:
        if options.more:
            if options.candidate or options.suite or options.plan:
                fix = "add --more alone"
                raise OptionError(
                    "--more draws from the existing items of the campaign", where="--more", fix=fix
                )
            grown = draw_more(store, target=options.target, guess=guess)
        else:
            suite = load(options) if options.suite else None
            with store.read() as connection:
                loaded = suite or campaign_suite(connection)
            candidates, links = None, None
            if options.candidate:
                candidates, links, _ = read_systems(options, loaded)
            plan, population = read_sampling(options)
            grown = grow_campaign(
                store,
                evaluation_options(options, loaded),
                suite=suite,
                candidates=candidates,
                links=links,
                plan=plan,
                plan_path=options.plan or "",
                population=population,
                guess=guess,
                progress=progress,
            )
    print_result(options, grown)
