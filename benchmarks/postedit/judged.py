"""Does post-editing do more good than harm? Wrong and right pronouns that it changes, where readers judged.

Usage: python benchmarks/postedit/judged.py [--write]

The pronouns are those of benchmarks/verdict: judged by others (*given*) and by us in the same documents
(*ours*), outputs of real systems. Weights and the detector's opinions on the pronouns as they are have not
seen the document; of the forms in their place the detector that ships speaks, which has seen the documents
with their own pronouns. A changed pronoun counts as good if readers found it wrong, whatever it becomes.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.postediting import (
    JUDGED_THRESHOLD,
    LEAST_GAIN,
    expected_forms,
    find_postedit_model,
)
from anaphor.evaluation.predictions import link_candidate
from anaphor.evaluation.rejudging import JudgedCandidate, LineEdit
from anaphor.predict.postedit import Proposer, find_occurrences, predict_occurrences, use_antecedents
from anaphor.predict.shipped import default_model
from anaphor.verdict import verdict_of
from anaphor.verdict.base_rate import with_rate_of
from benchmarks.verdict.evidence import PARTS, Example, Part, Verdicts, examples_of
from benchmarks.verdict.fit import FOLDS, Design, HeldOut, Weights, fits, fold_of, held_out

RESULTS = Path(__file__).parent / "results"
PAIRS = ("en-de", "en-fr", "en-es")
_TOKENIZED = frozenset({"news-en-fr"})
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9)


@dataclass(frozen=True, slots=True)
class Alternative:
    """A form in place of a judged pronoun, and the probability that it is acceptable there."""

    label: str
    accepted: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A judged pronoun that could be changed, before and after."""

    example: Example
    accepted: float
    alternatives: Sequence[Alternative]

    def changed(self, threshold: float) -> str | None:
        """The form that is proposed for it."""
        if verdict_of(self.accepted) != "rejected" or not self.alternatives:
            return None
        best = max(self.alternatives, key=lambda alternative: alternative.accepted)
        return best.label if best.accepted >= max(threshold, LEAST_GAIN * self.accepted) else None


def asked(
    part: Part, found: HeldOut, weights: Sequence[Mapping[str, Weights]], design: Design
) -> Iterator[Asked]:
    """The judged pronouns of a part that held-out weights reject, with all forms that grammar allows."""
    pair = part.name[-5:]
    settings = Settings(pair=pair, metrics=("accept",), samples=0, tokenized=part.name in _TOKENIZED)
    source = Text.of(part.source, path="source")
    texts = {name: Text.of(lines, path=name) for name, lines in part.candidates.items()}
    inputs = Experiment.of(Inputs(source, (), texts, part.documents), settings).aligned().inputs
    model = find_postedit_model(default_model(pair), pair=pair)
    for system, candidate in texts.items():
        own = [n for n, one in enumerate(found.examples) if one.part == part.name and one.system == system]
        numbers = {
            (one.pair.source.segment, one.pair.source.position): n
            for n in own
            for one in [found.examples[n]]
            if one.wrong is not None and verdict_of(found.accepted[n]) == "rejected"
        }
        links = (inputs.candidate_alignments or {})[system]
        documents = part.documents
        linked = link_candidate(
            settings, source=source, candidate=candidate, documents=documents, links=links
        )
        proposer = Proposer(linked)
        occurrences = [
            occurrence
            for occurrence in find_occurrences(linked, year=model.card.year)
            if (occurrence.pronoun.segment, occurrence.pronoun.position) in numbers
        ]
        if not occurrences:
            continue
        # All pronouns are hidden, also those that nobody judged.
        everything = find_occurrences(linked, year=model.card.year)
        predictions = use_antecedents(linked, predict_occurrences(model, linked, everything))
        proposals = [
            proposal
            for prediction in predictions
            if prediction.occurrence in occurrences
            for proposal in expected_forms(proposer, prediction)
        ]
        judged = JudgedCandidate.of(
            settings, source=source, candidate=candidate, documents=documents, links=links
        )
        edits = [LineEdit(p.occurrence.pronoun, p.edit.span, p.edit.text) for p in proposals]
        collected = judged.evidence_after(edits)
        ratios = found.ratios[own].tolist()
        by_number: dict[int, list[Alternative]] = {}
        for proposal, evidence in zip(proposals, collected, strict=True):
            pronoun = proposal.occurrence.pronoun
            number = numbers[pronoun.segment, pronoun.position]
            own_weights = weights[fold_of(found.examples[number])][pair[-2:]]
            ratio = log_odds(own_weights, design, evidence.testimonies) - np.log(
                own_weights.prior / (1 - own_weights.prior)
            )
            (accepted,) = with_rate_of(ratios, own_weights.prior, [float(ratio)])
            by_number.setdefault(number, []).append(Alternative(proposal.label, accepted))
        for number, alternatives in by_number.items():
            yield Asked(found.examples[number], float(found.accepted[number]), alternatives)


def log_odds(weights: Weights, design: Design, testimonies: Mapping[str, Any]) -> float:
    """The log odds that a rendering is wrong, by the weights of one fold."""
    signals = np.zeros(len(design.names))
    for k, name in enumerate(design.names):
        witness, _, signal = name.partition(".")
        told = testimonies.get(witness)
        if told is not None and told.signals:
            signals[k] = told.signals.get(signal, 0.0) - design.means[k]
    return float(weights.log_odds(signals[None], design.names)[0])


def rows(examples: Sequence[Example], found: Sequence[Asked]) -> Iterator[dict[str, Any]]:
    """Wrong and right pronouns changed, by pair, readers and threshold."""
    for pair in PAIRS:
        for readers in ("given", "ours"):
            known = [
                one
                for one in examples
                if one.part.endswith(pair) and one.read_by == readers and one.wrong is not None
            ]
            here = [
                one for one in found if one.example.part.endswith(pair) and one.example.read_by == readers
            ]
            for threshold in THRESHOLDS:
                changed = [one for one in here if one.changed(threshold) is not None]
                wrong = sum(bool(one.example.wrong) for one in changed)
                yield {
                    "pair": pair,
                    "readers": readers,
                    "threshold": threshold,
                    "default": threshold == JUDGED_THRESHOLD,
                    "judged": len(known),
                    "wrong": sum(bool(one.wrong) for one in known),
                    "wrong rejected": sum(bool(one.example.wrong) for one in here),
                    "wrong changed": wrong,
                    "right changed": len(changed) - wrong,
                }


def judged_examples() -> list[Example]:
    """Every pronoun of the parts, judged or not."""
    verdicts = Verdicts.read()
    return [
        example
        for pair in PAIRS
        for name in PARTS[pair]
        for example in examples_of(Part.read(name), verdicts)
    ]


def measured(examples: Sequence[Example]) -> tuple[list[Asked], list[dict[str, Any]]]:
    design, weights = fits(examples)
    if len(weights) != FOLDS:
        raise ValueError("a fold has no weights")
    found = held_out(examples)
    answers = [
        one
        for pair in PAIRS
        for name in PARTS[pair]
        for one in asked(Part.read(name), found, weights, design)
    ]
    return answers, list(rows(examples, answers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    _, table = measured(judged_examples())
    for row in table:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    if options.write:
        text = json.dumps({"benchmark": "postedit-judged", "rows": table}, indent=1)
        (RESULTS / "judged.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
