"""`anaphor annotate init`: make a campaign from a suite or plain text, candidates and a sampling plan."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, add_material, loaded_suite, read_sampling
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
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


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    add_material(parser)
    work = parser.add_argument_group("work").add_argument
    work("--name", default="", metavar="TEXT", help="name of the campaign; that of the suite if left out")
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
    work("--tags", nargs="+", default=[], metavar="TAG", help="tags to offer besides the standard ones")
    text = "choices of gap filling; those of the language pair if left out"
    work("--choices", nargs="+", default=[], metavar="WORD", help=text)
    work("--guidelines", metavar="FILE", help="plain text that replaces the standard guidelines")
    work("--seed", type=int, default=12345, metavar="N", help="random seed (default 12345)")
    crowd = parser.add_argument_group("for a crowd platform").add_argument
    crowd("--completion-code", default="", metavar="CODE", help="shown to whoever has answered everything")
    text = "where they return to, such as Prolific; {person} in its query stands for the annotator's name"
    crowd("--completion-url", default="", metavar="URL", help=text)
    text = "let so many people join by one shared link (default 0)"
    crowd("--study-people", type=int, default=0, metavar="N", help=text)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.align import AlignerChoice
    from anaphor.annotate.campaign.create import CampaignConfig, create_campaign, numbered_annotators
    from anaphor.annotate.campaign.practice import read_practice
    from anaphor.annotate.campaign.workload import WorkloadConfig
    from anaphor.annotate.types import Mode
    from anaphor.cli.options import packs_of
    from anaphor.cli.suite_options import read_systems
    from anaphor.cli.terminal import Progress
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
