"""`anaphor meta cases`: the metric's cases beside the judgements of people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.cli.meta.options import add_judgements, add_score_output

if TYPE_CHECKING:
    from anaphor.meta.judgements import Judged
    from anaphor.stats import AgreementCoefficient

EXAMPLES = """examples:
  anaphor score ... --items items.tsv
  anaphor meta cases --items items.tsv --judgements judgements.tsv
  anaphor meta cases --items items.tsv --judgements judgements.jsonl --json
  anaphor meta cases --items items.tsv --judgements judgements.tsv --output human.tsv

Judgements have the columns system, segment, token (or id), judgement (correct, incorrect, bad) and, if
wanted, category, reason (V, E, I, O) and annotator. Where several people judged the same pronouns, their
agreement is shown."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_judgements(parser.add_argument_group("files"), required=True)
    add_score_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.meta.cases_tables import as_json, as_text
    from anaphor.cli.terminal import paint
    from anaphor.corpus import write_atomically
    from anaphor.meta.cases import confront, correct_share
    from anaphor.meta.judgements import join, read_cases, read_judgements
    from anaphor.meta.scores import format_score_table

    judged = read_judgements(options.judgements)
    joined = join(judged, read_cases(options.items))
    found, agreements = confront(joined), _agreements(judged)
    if options.output:
        write_atomically(options.output, format_score_table([correct_share(joined)]))
    print(as_json(found, agreements) if options.json else as_text(found, agreements, paint()))


def _agreements(judged: Sequence[Judged]) -> tuple[AgreementCoefficient, ...]:
    """Every coefficient, where somebody judged what another one judged; Cohen's for two people alone."""
    from anaphor import stats
    from anaphor.meta.judgements import ratings

    rows = ratings(judged)
    if not any(sum(label is not None for label in row) > 1 for row in rows):
        return ()
    measures = [stats.observed_agreement, stats.fleiss_kappa, stats.krippendorff_alpha, stats.gwet_ac1]
    if len(rows[0]) == 2:
        measures.insert(1, stats.cohen_kappa)
    return tuple(measure(rows) for measure in measures)
