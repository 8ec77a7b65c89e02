"""Texts that people annotated, scored as a user would score them, pronoun by pronoun.

`scored()` runs `apt` and `accept` on the texts of an annotation, with and without the reference; `marked()`
says which of the pronouns people marked. Nothing is fitted here: the metric comes with its weights.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from anaphor.core import LanguagePair, Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.languages import load_pair
from anaphor.meta.annotation import SpanAnnotation
from anaphor.meta.detection import MarkedItem, evaluate_marks
from anaphor.meta.judgements import Key, ScoredItem, read_items
from anaphor.meta.spans import MarkRule, Vote, join_items, mark_items
from anaphor.report.rows import items_tsv

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
FREE, WITH_REFERENCE = "accept (without reference)", "accept (with reference)"
_MODES = {"without reference": "ignore", "with reference": "use"}
#: Neutral marks are remarks, not errors.
_SEVERITIES = frozenset({"minor", "major", "critical"})


def scored(
    annotation: SpanAnnotation,
    *,
    pair: str,
    reference: str,
    candidates: Sequence[str],
    recognize: str = "analysis",
) -> list[ScoredItem]:
    """Every pronoun of the candidates with its scores, verdicts and outcome of APT."""
    text = {name: Text.of(lines, path=name) for name, lines in annotation.systems.items()}
    inputs = Inputs(
        source=Text.of(annotation.source, path="source"),
        references=(text[reference],),
        candidates={name: text[name] for name in candidates},
        documents=annotation.documents,
    )
    inputs = Experiment.of(inputs, Settings(pair=pair)).aligned().inputs
    parts = {}
    for label, mode in _MODES.items():
        settings = Settings(
            pair=pair,
            metrics=("apt", "accept"),
            samples=0,
            recognize=recognize,
            options={"accept_reference": mode},
        )
        parts[label] = scored_items(inputs, settings)
    return list(join_items(parts).values())


def scored_items(inputs: Inputs, settings: Settings) -> Mapping[Key, ScoredItem]:
    """What `anaphor score --items` writes, read again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.tsv"
        result = evaluate_experiment(Experiment.of(inputs, settings))
        path.write_text(items_tsv(result, inputs), encoding="utf-8")
        return read_items(path)


def marked(
    items: Sequence[ScoredItem],
    annotation: SpanAnnotation,
    *,
    pair: str,
    longest: int = 3,
    vote: Vote = "majority",
) -> list[MarkedItem]:
    """The judged pronouns; a span of at most `longest` words with no other pronoun in it marks one."""
    pack = load_pair(LanguagePair.parse(pair))
    forms = frozenset(form.lower() for form in (*pack.target_pronouns, *pack.object_pronouns))
    return mark_items(items, annotation, MarkRule(forms, longest, severities=_SEVERITIES), pack, vote=vote)


def without_each_system(
    items: Sequence[MarkedItem], metrics: Sequence[str] = ()
) -> dict[str, dict[str, float]]:
    """Pearson's correlation over systems when one of them is left out, by system and metric."""
    found = {}
    for system in sorted({item.system for item in items}):
        kept = [item for item in items if item.system != system]
        if len({item.marked for item in kept}) < 2:
            continue
        found[system] = {
            one.metric: round(one.pearson.value, 3)
            for one in evaluate_marks(kept, metrics=metrics, samples=0).metrics
            if one.pearson.value is not None
        }
    return found


def write_table(page: Path, name: str, table: str) -> None:
    """Replace what a page has between the marks of a table."""
    start, end = f"<!-- {name} -->\n", "<!-- end -->\n"
    before, found, rest = page.read_text(encoding="utf-8").partition(start)
    if not found:
        raise ValueError(f"{page.name} has no table {name}")
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{start}{table}{end}{after}", encoding="utf-8")
