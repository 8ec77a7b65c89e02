"""`anaphor annotate grow`: more systems, more items or a larger sample for a running campaign."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, add_material, opened, read_sampling
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor annotate grow campaign.db --candidate newest.fr
  anaphor annotate grow campaign.db --suite larger-suite --candidate old.fr new.fr
  anaphor annotate grow campaign.db --plan larger-plan.json
  anaphor annotate grow campaign.db --more --target 0.05

Annotators may go on meanwhile: what is new is added in one transaction, behind what they have. Add annotators
with `anaphor annotate annotator --add`; those who are there divide what is new."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    text = "draw as many more examples as the intervals need; for campaigns with --budget or --items"
    parser.add_argument("--more", action="store_true", help=text)
    text = "half-width of the intervals that --more aims at (default 0.02)"
    parser.add_argument("--target", type=float, default=0.02, metavar="SHARE", help=text)
    add_material(parser, grows=True)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.align import AlignerChoice
    from anaphor.annotate.analysis.more import draw_more
    from anaphor.annotate.campaign.facts import campaign_suite
    from anaphor.annotate.campaign.grow import grow_campaign
    from anaphor.cli.options import packs_of
    from anaphor.cli.suite_options import load, read_systems
    from anaphor.cli.terminal import Progress
    from anaphor.core import OptionError
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
