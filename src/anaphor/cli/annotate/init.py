"""`anaphor annotate init`: make a campaign from a suite, candidates and optionally a sampling plan."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database
from anaphor.cli.output import add_output, print_result
from anaphor.cli.suite.options import add_systems

EXAMPLES = """examples:
  anaphor annotate init campaign.db --suite my-suite --candidate old.fr new.fr --annotators ann bob
  anaphor annotate init campaign.db --suite my-suite --candidate a=a.fr b=b.fr --annotators 5 \\
      --mismatches-only --overlap 0.3 --attention 10
  anaphor annotate init campaign.db --suite my-suite --candidate a=a.fr b=b.fr --plan plan.json \\
      --annotators ann bob
  anaphor annotate init gaps.db --suite my-suite --candidate a.fr --mode gaps --annotators ann
  anaphor annotate init ranks.db --suite my-suite --candidate a.fr b.fr c.fr --mode compare --annotators 3"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    group = parser.add_argument_group("files")
    files = group.add_argument
    files("--suite", required=True, metavar="SUITE", help="folder with suite.toml, or its file of items")
    files("--documents", metavar="FOLDER", help="the texts, where they are not in the folder of the suite")
    add_systems(group)
    files("--plan", metavar="FILE", help="sampling plan of `anaphor estimate plan`: judge only its sample")
    files("--guidelines", metavar="FILE", help="plain text that replaces the standard guidelines")
    work = parser.add_argument_group("work").add_argument
    work("--name", default="", metavar="TEXT", help="name of the campaign; that of the suite if left out")
    text = "judge pronouns, fill gaps, or compare systems (default judge)"
    work("--mode", choices=("judge", "gaps", "compare"), default="judge", help=text)
    text = "their names; or a number, for annotator-1, annotator-2 and so on"
    work("--annotators", nargs="+", required=True, metavar="NAME", help=text)
    work("--mismatches-only", action="store_true", help="judge only what the automatic check does not match")
    text = "share of each category and system that several people answer (default 0.2)"
    work("--overlap", type=float, default=0.2, metavar="SHARE", help=text)
    text = "number of people who answer that share; min(3, number of annotators) if left out"
    work("--raters", type=int, metavar="N", help=text)
    work("--batch-size", type=int, default=50, metavar="N", help="examples per batch (default 50)")
    text = "examples with a known answer, for every annotator (default 0)"
    work("--attention", type=int, default=0, metavar="N", help=text)
    work("--tags", nargs="+", default=[], metavar="TAG", help="tags to offer besides the standard ones")
    text = "choices of gap filling; those of the language pair if left out"
    work("--choices", nargs="+", default=[], metavar="WORD", help=text)
    work("--seed", type=int, default=12345, metavar="N", help="random seed (default 12345)")
    how = parser.add_argument_group("how words are found").add_argument
    how("--tokenized", action="store_true", help="the texts are tokenized: keep their tokens")
    how("--aligner", default="anaphor", metavar="NAME", help="word aligner where no alignment is given")
    how("--packs", metavar="FOLDER", help="folder with your own language packs")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.align import AlignerChoice
    from anaphor.annotate.campaign.create import CampaignConfig, create_campaign, numbered_annotators
    from anaphor.annotate.campaign.workload import WorkloadConfig
    from anaphor.annotate.types import Mode
    from anaphor.cli.options import packs_of
    from anaphor.cli.suite.options import load, read_systems
    from anaphor.cli.terminal import Progress
    from anaphor.corpus import read_text
    from anaphor.meta import read_plan
    from anaphor.suite import EvaluationOptions

    config = CampaignConfig(
        annotators=numbered_annotators(options.annotators),
        mode=Mode(options.mode),
        name=options.name,
        workload=WorkloadConfig(
            **{name: getattr(options, name) for name in ("overlap", "raters", "batch_size", "seed")}
        ),
        attention=options.attention,
        mismatches_only=options.mismatches_only,
        tags=tuple(options.tags),
        choices=tuple(options.choices),
        guidelines="\n".join(read_text(options.guidelines).lines) if options.guidelines else "",
    )
    with Progress(quiet=options.quiet) as progress:
        progress("reading")
        loaded = load(options)
        candidates, links, _ = read_systems(options, loaded)
        aligner = AlignerChoice(pair=loaded.suite.pair, name=options.aligner, packs=packs_of(options))
        created = create_campaign(
            options.database,
            loaded,
            candidates,
            EvaluationOptions(aligner=aligner, tokenized=options.tokenized),
            config,
            plan=read_plan(options.plan) if options.plan else None,
            plan_path=options.plan or "",
            links=links,
            progress=progress,
        )
    print_result(options, created)
