"""Does a metric see the pronoun errors that professionals mark?

    python benchmarks/verdict/run.py               the table of README.md, held out by document
    python benchmarks/verdict/run.py --write       the same, kept in results/verdict.json and README.md
    python benchmarks/verdict/run.py --calibrate   coefficients for src/anaphor/metrics/accept.toml

Scores 13 systems of the MQM set of TED talks (ANAPHOR_DATA/mqm-ted-en-de) by APT and by acceptability, with
and without the reference, and compares both with the marks. The logistic model of acceptability is fitted
anew for every talk on the other two, so that no talk is judged by a model that has seen it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import LanguagePair, Outcome, Settings
from anaphor.corpus import Inputs, Text
from anaphor.languages import load_pair
from anaphor.meta.detection import MarkedItem, MarkEvaluation, Measured, evaluate_marks
from anaphor.meta.judgements import ScoredItem
from anaphor.meta.spans import MarkRule, SpanAnnotation, mark_items, read_mqm
from anaphor.metrics import MetricInput, ScoringSetup
from anaphor.metrics.accept import Accept, PronounEvidence
from anaphor.metrics.apt import Apt
from anaphor.pipeline import predicted_forms
from benchmarks.verdict.logistic import fitted

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
END = "<!-- end -->\n"
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A pronoun with a candidate word: whether people marked it by each rule, and what speaks for that."""

    id: str
    words: str
    items: tuple[MarkedItem, ...]
    evidence: PronounEvidence | None

    @property
    def item(self) -> MarkedItem:
        return self.items[0]


def examples_of(
    annotation: SpanAnnotation,
    *,
    pair: str,
    candidates: Sequence[str],
    rules: Sequence[MarkRule],
    recognize: str = "analysis",
) -> list[Example]:
    """Every judged pronoun of the candidates; the text `ref` is the reference."""
    text = {name: Text.of(lines, path=name) for name, lines in annotation.systems.items()}
    settings = Settings(pair=pair, metrics=("apt", "accept"), samples=0, recognize=recognize)
    setup = ScoringSetup.of(settings)
    inputs = setup.aligned(
        Inputs(
            source=Text.of(annotation.source, path="source"),
            references=(text["ref"],),
            candidates={name: text[name] for name in candidates},
            documents=annotation.documents,
        )
    )
    metric, apt, pack = Accept.build(setup.context), Apt.build(setup.context), setup.context.pack
    found = []
    for name, pairs in setup.pairs(inputs).items():
        alignment = (inputs.candidate_alignments or {})[name]
        lines = inputs.candidates[name].lines
        reference = (text["ref"].lines,)
        trial = MetricInput(
            name,
            reference,
            lines,
            pairs,
            inputs.source.lines,
            inputs.documents,
            alignment,
            predicted_forms([metric], inputs, settings, name, pairs),
        )
        for verdict, (evidence, *_) in zip(apt.verdicts(pairs), metric.evidence(trial), strict=True):
            source, candidate = verdict.pair.source, verdict.pair.candidate
            item = ScoredItem(
                name,
                f"{source.segment}:{source.position}",
                document=annotation.documents[source.segment],
                pronoun=source.form,
                outcome=verdict.outcome,
                reference_words=None,
                candidate_words=None if candidate is None else " ".join(candidate.words),
                candidate_positions=() if candidate is None else candidate.positions,
                scores={},
            )
            marked = [mark_items([item], annotation, rule, pack) for rule in rules]
            # Nothing is left of a pronoun without a word, or in a line that nobody judged.
            words = (item.candidate_words or "").lower()
            found += [Example(item.id, words, items, evidence) for items in zip(*marked, strict=True)]
    return found


def talks(recognize: str = "analysis") -> list[Example]:
    """The talks; marked by spans of one word, and by spans of at most three."""
    annotation = read_mqm(DATA / "mqm-ted-en-de" / "mqm.tsv.gz")
    candidates = [name for name in annotation.systems if name != "ref"]
    pack = load_pair(LanguagePair.parse("en-de"))
    forms = frozenset((*pack.target_pronouns, *pack.object_pronouns))
    rules = [MarkRule(forms, longest) for longest in (1, 3)]
    return examples_of(annotation, pair="en-de", candidates=candidates, rules=rules, recognize=recognize)


def features_of(examples: Sequence[Example], *, reference: bool) -> Floats:
    columns = []
    for example in examples:
        found, outcome = example.evidence, example.item.outcome
        # An open verdict says nothing for or against.
        one = [0.0, 0.0, 0.0, 0.0]
        if found is not None:
            one = [found.disagreement, float(found.neutral), float(found.untranslated), found.unpredicted]
        if reference:
            one += [float(outcome is Outcome.DIFFERENT), float(outcome is Outcome.REFERENCE_MISSING)]
        columns.append(one)
    return np.array(columns)


def held_out(examples: Sequence[Example], *, reference: bool) -> Floats:
    """The chance that each pronoun is accepted, by a model that has not seen its document."""
    features = features_of(examples, reference=reference)
    marked = np.array([example.item.marked for example in examples])
    documents = np.array([example.item.document for example in examples])
    chance = np.zeros(len(examples))
    for document in sorted(set(documents)):
        inside = documents == document
        weights = fitted(features[~inside], marked[~inside])
        chance[inside] = 1 / (1 + np.exp(features[inside] @ weights[:-1] + weights[-1]))
    return chance


def scored(examples: Sequence[Example], rule: int = 0) -> list[MarkedItem]:
    """The items with the scores of APT and of both modes of acceptability."""
    free, full = (held_out(examples, reference=reference) for reference in (False, True))
    return [
        replace(
            example.items[rule],
            scores={"accept, without reference": float(one), "accept, with reference": float(other)},
        )
        for example, one, other in zip(examples, free, full, strict=True)
    ]


def consistency(examples: Sequence[Example]) -> dict[str, float]:
    """How far people mark the same word at the same place alike, and what that leaves for any metric."""
    groups: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for example in examples:
        groups[example.id, example.words].append(example)
    marks = {key: sum(one.item.marked for one in group) for key, group in groups.items()}
    repeated = [key for key, group in groups.items() if len(group) > 1 and marks[key]]
    overall = sum(marks.values()) / len(examples)
    oracle = []
    for example in examples:
        key = example.id, example.words
        others = marks[key] - example.item.marked
        # The rate of marks of the same word in the other systems, drawn a little towards the mean.
        oracle.append(replace(example.item, scores={"oracle": 1 - (others + overall) / len(groups[key])}))
    found = {
        "marked where the same word is marked in some system": sum(marks[key] for key in repeated)
        / sum(len(groups[key]) for key in repeated)
    }
    (auc,) = (
        one.auc.value or 0.0 for one in evaluate_marks(oracle, samples=0).metrics if one.metric == "oracle"
    )
    return {
        name: round(value, 3) for name, value in {**found, "AUC of the other systems' marks": auc}.items()
    }


def without_each_system(items: Sequence[MarkedItem]) -> dict[str, dict[str, float]]:
    """Pearson's correlation over systems when one of them is left out."""
    return {
        system: {
            one.metric: round(one.pearson.value, 2)
            for one in evaluate_marks([item for item in items if item.system != system], samples=0).metrics
            if one.pearson.value is not None
        }
        for system in sorted({item.system for item in items})
    }


def measure() -> dict[str, Any]:
    started = time.process_time()
    examples = talks()
    items = scored(examples)
    found = evaluate_marks(items)
    by_talk = {
        talk: evaluate_marks([one for one in items if one.document == talk], samples=0)
        for talk in sorted({item.document for item in items})
    }
    three = evaluate_marks(scored(examples, rule=1))
    return {
        "one word": found.to_dict(),
        "at most three words": three.to_dict(),
        "consistency": consistency(examples),
        "without one system": without_each_system(items),
        "left open by accept": sum(example.evidence is None for example in examples),
        "by talk": {
            talk: {one.metric: one.auc.value for one in part.metrics} for talk, part in by_talk.items()
        },
        "cpu_s": round(time.process_time() - started, 1),
        "table": as_table(found, by_talk),
    }


def as_table(found: MarkEvaluation, by_talk: Mapping[str, MarkEvaluation]) -> str:
    rows = [["metric", "AUC", "Pearson over 13 systems", *by_talk], ["---", *["---:"] * (2 + len(by_talk))]]
    for number, one in enumerate(found.metrics):
        talks = [f"{part.metrics[number].auc.value:.3f}" for part in by_talk.values()]
        rows.append([one.metric, with_interval(one.auc), with_interval(one.pearson, 2), *talks])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_interval(figure: Measured, digits: int = 3) -> str:
    text = f"{figure.value:.{digits}f}"
    if figure.interval is None:
        return text
    return f"{text} [{figure.interval.low:.{digits}f}, {figure.interval.high:.{digits}f}]"


def write_table(name: str, table: str) -> None:
    """Replace what README.md has between the marks of a table."""
    page = HERE / "README.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, _, after = rest.partition(END)
    page.write_text(f"{before}<!-- {name} -->\n{table}{END}{after}", encoding="utf-8")


def calibrate() -> None:
    examples = talks()
    marked = np.array([example.item.marked for example in examples])
    names = ("disagreement", "neutral", "untranslated", "unpredicted", "different", "reference_missing")
    for mode, reference in (("free", False), ("reference", True)):
        weights = fitted(features_of(examples, reference=reference), marked)
        print(f"[en-de.{mode}]\nintercept = {weights[-1]:.2f}")
        for name, weight in zip(names, weights[:-1], strict=False):
            print(f"{name} = {weight:.2f}")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--calibrate", action="store_true")
    options = parser.parse_args()
    if not (DATA / "mqm-ted-en-de").is_dir():
        print(f"no MQM set in {DATA}: set ANAPHOR_DATA")
        return
    if options.calibrate:
        calibrate()
        return
    result = measure()
    table = result.pop("table")
    print(json.dumps(result, indent=2))
    print(table)
    if options.write:
        (HERE / "results" / "verdict.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        write_table("measured", table)


if __name__ == "__main__":
    main()
