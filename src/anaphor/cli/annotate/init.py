"""`anaphor annotate init`: a new campaign from a suite, candidates and perhaps a sampling plan."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.annotate.options import add_database

if TYPE_CHECKING:
    from anaphor.annotate.create import Created, Wishes
    from anaphor.core import LanguagePair
    from anaphor.suite import EvaluationOptions

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
    files = parser.add_argument_group("files").add_argument
    files("--suite", required=True, metavar="SUITE", help="folder with suite.toml, or its file of items")
    files("--documents", metavar="FOLDER", help="the texts, where they are not in the folder of the suite")
    files(
        "--candidate",
        nargs="+",
        required=True,
        metavar="[NAME=]PATH",
        help="translations of all documents in their order, or folders with a file DOCUMENT.txt each",
    )
    files("--plan", metavar="FILE", help="of `anaphor estimate plan`: judge what it drew, nothing else")
    files(
        "--alignment",
        nargs="+",
        default=[],
        metavar="FILE",
        help="links of each candidate, between tokens that spaces separate; none is then made",
    )
    files("--source", metavar="FILE", help="the tokenised source that --alignment counts in")
    files("--guidelines", metavar="FILE", help="plain text that the page shows instead of the standard ones")
    _add_work(parser)
    how = parser.add_argument_group("how words are found").add_argument
    how("--tokenized", action="store_true", help="the texts are tokenised: keep their tokens")
    how("--aligner", default="anaphor", metavar="NAME", help="makes the alignments that are not given")
    parser.add_argument_group("output").add_argument("--json", action="store_true", help="print JSON")


def _add_work(parser: argparse.ArgumentParser) -> None:
    work = parser.add_argument_group("work").add_argument
    work("--name", default="", metavar="TEXT", help="of the campaign; that of the suite if left out")
    work(
        "--mode",
        choices=("judge", "gaps", "compare"),
        default="judge",
        help="judge pronouns, fill gaps, or compare systems (default judge)",
    )
    work(
        "--annotators",
        nargs="+",
        required=True,
        metavar="NAME",
        help="their names; or a number, for annotator-1, annotator-2 and so on",
    )
    work("--mismatches-only", action="store_true", help="judge only what the automatic check does not match")
    work(
        "--overlap",
        type=float,
        default=0.2,
        metavar="SHARE",
        help="of each category and system, answered by several people (default 0.2)",
    )
    work("--raters", type=int, metavar="N", help="how many people those are (3, or all if they are fewer)")
    work("--batch-size", type=int, default=50, metavar="N", help="examples of a batch (default 50)")
    work(
        "--attention",
        type=int,
        default=0,
        metavar="N",
        help="examples with a known answer for everybody (default 0)",
    )
    work("--tags", nargs="+", default=[], metavar="TAG", help="tags to offer beside the standard ones")
    work("--choices", nargs="+", default=[], metavar="WORD", help="of gap filling, if not those of the pair")
    work("--seed", type=int, default=12345, metavar="N", help="of all draws (default 12345)")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.create import create_campaign
    from anaphor.cli.suite.options import load, read_systems
    from anaphor.cli.terminal import Progress
    from anaphor.meta import read_plan

    wishes = _wishes(options)
    with Progress() as progress:
        progress("reading")
        loaded = load(options)
        candidates, links = read_systems(options, loaded)
        created = create_campaign(
            options.database,
            loaded,
            candidates,
            _settings(options, loaded.suite.pair),
            wishes,
            plan=read_plan(options.plan) if options.plan else None,
            plan_path=options.plan or "",
            links=links,
            progress=progress,
        )
    print(_json(created) if options.json else _text(options.database, created))


def _wishes(options: argparse.Namespace) -> Wishes:
    from anaphor.annotate.assigning import Shares
    from anaphor.annotate.create import Wishes
    from anaphor.annotate.nouns import Mode
    from anaphor.corpus import read_text

    guidelines = "\n".join(read_text(options.guidelines).lines) if options.guidelines else ""
    return Wishes(
        annotators=_names(options.annotators),
        mode=Mode(options.mode),
        name=options.name,
        shares=Shares(
            overlap=options.overlap,
            raters=options.raters,
            batch_size=options.batch_size,
            seed=options.seed,
        ),
        attention=options.attention,
        mismatches_only=options.mismatches_only,
        tags=tuple(options.tags),
        choices=tuple(options.choices),
        guidelines=guidelines,
    )


def _names(given: list[str]) -> tuple[str, ...]:
    if len(given) == 1 and given[0].isdecimal() and 0 < int(given[0]) <= 1000:
        return tuple(f"annotator-{number}" for number in range(1, int(given[0]) + 1))
    return tuple(given)


def _settings(options: argparse.Namespace, pair: LanguagePair) -> EvaluationOptions:
    from anaphor.align import AlignerChoice
    from anaphor.suite import EvaluationOptions

    return EvaluationOptions(
        aligner=AlignerChoice(pair=pair, name=options.aligner), tokenized=options.tokenized
    )


def _text(database: str, created: Created) -> str:
    name = database if "://" not in database else "the database"
    lines = [f"{Path(name).name}: {created.items} items, {created.units} examples to judge"]
    lines += [f"  {person}: {count}" for person, count in created.by_person.items()]
    return "\n".join(lines)


def _json(created: Created) -> str:
    content = {
        "items": created.items,
        "units": created.units,
        "assignments": created.assignments,
        "annotators": dict(created.by_person),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)
