"""Post-editing and the hint, measured: scores before and after, precision, and fifty proposals for a reader.

Usage: python benchmarks/postedit/run.py [--model anaphor-2-small] [--write] [--show FILE]

`--show` writes the fifty proposals with their text, for reading alone: that text is not ours to keep.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.align import AlignerChoice
from anaphor.core import Outcome, Settings, Verdict
from anaphor.core.engine import warn_without_native
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.evaluation.predictions import link_candidate, model_signature
from anaphor.predict.contract import Model
from anaphor.predict.postedit import (
    EditProposal,
    LinkedText,
    OccurrencePrediction,
    Proposer,
    apply_proposals,
    find_occurrences,
    predict_occurrences,
    unlikely,
    use_antecedents,
)
from anaphor.predict.shipped import find_model
from anaphor.suite import EvaluationOptions, evaluate_suite
from anaphor.suite.linking import link_texts
from anaphor.suite.outcomes import ItemOutcome
from anaphor.suite.shipped import load_shipped
from benchmarks.postedit.tables import write_tables
from benchmarks.postedit.texts import Translated, apertium, contrastive, dialogues, news, news_by_apertium

RESULTS = Path(__file__).parent / "results"
FIFTY = RESULTS / "fifty.tsv"
THRESHOLDS = (0.5, 0.7, 0.9, 0.95)
UNLIKELY = (0.2, 0.1, 0.05, 0.02, 0.01)
SEED = 9
SUITE = "anaphor-en-fr"


class Asked:
    """A translation whose pronouns a predictor was asked about, once for all thresholds."""

    def __init__(self, text: Translated, model: Model) -> None:
        self.text = text
        self.settings = Settings(pair=text.pair, tokenized=text.tokenized)
        self.linked: LinkedText = link_candidate(
            self.settings,
            source=Text.of(text.source, path="source"),
            candidate=Text.of(text.candidate, path="candidate"),
            documents=text.documents,
            links=None,
        )
        occurrences = find_occurrences(self.linked, year=model.card.year)
        self.answers: list[OccurrencePrediction] = predict_occurrences(model, self.linked, occurrences)
        self._weighed = use_antecedents(self.linked, self.answers)
        self._proposer = Proposer(self.linked)

    def proposals(self, threshold: float, *, alone: bool = False) -> tuple[Sequence[EditProposal], int]:
        """The proposals and how many were held back; `alone`: by the network, without antecedents."""
        found = self._proposer.propose(self.answers if alone else self._weighed, threshold=threshold)
        return found.applied, len(found.withheld)

    def edited(self, threshold: float, *, alone: bool = False) -> tuple[str, ...]:
        return tuple(apply_proposals(self.text.candidate, self.proposals(threshold, alone=alone)[0]))


def before_and_after(asked: Asked) -> tuple[list[dict[str, Any]], Sequence[Verdict]]:
    """APT and AutoPRF of the candidate and of the edited ones, all aligned together, with paired tests.

    Then the verdicts on the candidate as it was.
    """
    text = asked.text
    candidates = {"before": text.candidate} | {str(t): asked.edited(t) for t in THRESHOLDS}
    inputs = Inputs(
        Text.of(text.source, path="source"),
        tuple(Text.of(lines, path="reference") for lines in text.references),
        {name: Text.of(lines, path=name) for name, lines in candidates.items()},
        text.documents,
    )
    settings = Settings(pair="en-fr", tokenized=text.tokenized, paired=True, samples=1000)
    result = evaluate_experiment(Experiment.of(inputs, settings))
    tests = {(one.system, one.metric): one for one in result.comparisons}
    rows = []
    for system in result.systems:
        row: dict[str, Any] = {"text": text.name, "threshold": system.name}
        row |= {score.metric: round(100 * score.value, 2) for score in system.scores}
        if system.name != "before":
            made, held = asked.proposals(float(system.name))
            better, worse = _changes(result.systems[0].verdicts, system.verdicts)
            row |= {"proposals": len(made), "held": held, "better": better, "worse": worse}
            row |= {"warned": sum(bool(one.warnings) for one in made)}
            row |= {"p": round(tests[system.name, "apt"].p_permutation, 4)}
        rows.append(row)
    return rows, result.systems[0].verdicts


def _changes(before: Sequence[Verdict], after: Sequence[Verdict]) -> tuple[int, int]:
    """Pronouns whose outcome became better, and worse, in the order of the cases."""
    pairs = [(one.outcome.value, two.outcome.value) for one, two in zip(before, after, strict=True)]
    return sum(two < one for one, two in pairs), sum(two > one for one, two in pairs)


def suite_rows(model: Model) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Matches on the suite that ships before and after, and what the hint finds there, by system."""
    loaded = load_shipped(SUITE)
    source = tuple(loaded.texts.source_lines)
    documents = tuple(one.id for one in loaded.suite.documents for _ in range(one.segments))
    reference = tuple(line or "" for line in loaded.texts.lines("reference"))
    folder = Path(str(RESULTS.parents[2])) / "src" / "anaphor" / "suite" / "shipped" / SUITE / "candidates"
    systems = {path.stem: tuple(path.read_text("utf-8").splitlines()) for path in sorted(folder.glob("*.fr"))}
    if (by_apertium := apertium(source)) is not None:
        systems["apertium"] = by_apertium
    rows, hints = [], []
    for name, lines in systems.items():
        asked = Asked(Translated(f"suite, {name}", source, lines, (reference,), documents), model)
        rows += _suite_scores(asked, loaded)
        hints.append(_suite_hints(asked, loaded))
        if name == "apertium":
            rows += before_and_after(asked)[0]
    return rows, hints


def _suite_scores(asked: Asked, loaded: Any) -> list[dict[str, Any]]:
    texts = {"before": asked.text.candidate} | {str(t): asked.edited(t) for t in THRESHOLDS}
    candidates = {name: Text.of(lines, path=name) for name, lines in texts.items()}
    report = evaluate_suite(
        loaded, candidates, EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    )
    return [
        {
            "text": asked.text.name,
            "threshold": system.system,
            "matches": system.category_scores[-1].right,
            "items": system.category_scores[-1].items,
            "proposals": 0 if system.system == "before" else len(asked.proposals(float(system.system))[0]),
        }
        for system in report.systems
    ]


def _suite_hints(asked: Asked, loaded: Any) -> dict[str, Any]:
    """Of the items whose pronoun is flagged, how many does the suite not match?"""
    candidates = {"it": Text.of(asked.text.candidate, path="candidate")}
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    judged = evaluate_suite(loaded, candidates, options).systems[0].judged
    items = link_texts(loaded, candidates, options, links=None, progress=lambda _: None).items
    # Where the antecedent alone is another one, nobody knows whether the pronoun is right.
    decided = {
        ItemOutcome.MATCH: False,
        ItemOutcome.AGREES: False,
        ItemOutcome.PRONOUN_DIFFERS: True,
        ItemOutcome.BOTH_DIFFER: True,
    }
    wrong = {
        (segment, token): decided[one.outcome]
        for one, item in zip(judged, items, strict=True)
        for segment, token in item.pronoun
        if one.outcome in decided
    }
    return _precision(asked, wrong)


def _precision(asked: Asked, wrong: dict[tuple[int, int], bool]) -> dict[str, Any]:
    """Flagged pronouns that are wrong, at every limit, beside the share of wrong ones among all."""

    def place(occurrence: Any) -> tuple[int, int]:
        return occurrence.pronoun.segment, occurrence.pronoun.position

    known = [answer for answer in asked.answers if place(answer.occurrence) in wrong]
    total = sum(wrong[place(answer.occurrence)] for answer in known)
    row: dict[str, Any] = {"text": asked.text.name, "asked": len(known), "wrong": total}
    for below in UNLIKELY:
        found = [wrong[place(hint.occurrence)] for hint in unlikely(known, below=below)]
        row[str(below)] = {"flagged": len(found), "wrong": sum(found)}
    return row


def verdict_hints(asked: Asked, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The same where a pronoun is wrong if its case is neither identical nor equivalent to the reference."""
    good = (Outcome.IDENTICAL, Outcome.EQUIVALENT)
    wrong = {
        (one.pair.source.segment, one.pair.source.position): one.outcome not in good
        for one in verdicts
        if one.outcome is not Outcome.REFERENCE_MISSING
    }
    return _precision(asked, wrong)


def _verdicts_on(text: Translated) -> Sequence[Verdict]:
    inputs = Inputs(
        Text.of(text.source, path="source"),
        tuple(Text.of(lines, path="reference") for lines in text.references),
        {"it": Text.of(text.candidate, path="candidate")},
    )
    return evaluate_experiment(Experiment.of(inputs, Settings(pair="en-fr", samples=0))).systems[0].verdicts


def dialogue_hints(model: Model) -> list[dict[str, Any]]:
    """DiaBLa: pronouns flagged in turns that their reader found wanting, or unlike the reference."""
    found = dialogues()
    asked = Asked(found.text, model)
    places = [
        (one.occurrence.pronoun.segment, one.occurrence.pronoun.position)
        for one in asked.answers
        if one.occurrence.pronoun.segment in found.judgements
    ]
    imperfect = {place: found.judgements[place[0]][0] != "perfect" for place in places}
    named = {place: bool({"coherence", "grammar"} & set(found.judgements[place[0]][1])) for place in places}
    # Turns in French are there as context; nobody translated them into French.
    verdicts = [one for one in _verdicts_on(found.text) if one.pair.source.segment in found.judgements]
    by_reference = verdict_hints(asked, verdicts)
    return [
        _precision(asked, imperfect) | {"text": "DiaBLa, reader: not perfect"},
        _precision(asked, named) | {"text": "DiaBLa, reader: coherence or grammar"},
        by_reference | {"text": "DiaBLa, unlike the reference"},
    ]


def contrastive_hints(model: Model) -> dict[str, Any]:
    """DiscEvalMT: right and wrong versions of the same sentences; a hint should fall on wrong ones."""
    text, right = contrastive()
    asked = Asked(text, model)
    wrong = {
        (one.occurrence.pronoun.segment, one.occurrence.pronoun.position): not right[
            one.occurrence.pronoun.segment
        ]
        for one in asked.answers
        if one.occurrence.pronoun.segment % 2
    }
    return _precision(asked, wrong)


def write_fifty(asked: Asked, show: Path | None) -> None:
    """Fifty proposals at 0.9 drawn by seed; verdicts that were written before are kept for the same ones."""
    # By hash, so that another model with the same proposals draws the same ones.
    drawn = sorted(asked.proposals(0.9)[0], key=_draw)[:50]
    known = _read_before()
    rows = []
    for one in sorted(drawn, key=lambda one: (one.occurrence.pronoun.segment, one.occurrence.position)):
        key = _key(one)
        rows.append((*key, f"{one.probability:.3f}", *known.get(key, ("", ""))))
        if show is not None:
            _show(asked, one, show)
    heading = "line\ttoken\told\tnew\tprobability\tverdict\treason"
    FIFTY.write_text("\n".join([heading, *map("\t".join, rows)]) + "\n", encoding="utf-8")


def _key(one: EditProposal) -> tuple[str, ...]:
    place = one.occurrence
    return str(place.pronoun.segment + 1), str(place.position + 1), place.word, one.new


def _draw(one: EditProposal) -> str:
    return sha256("|".join([str(SEED), *_key(one)]).encode()).hexdigest()


def _read_before() -> dict[tuple[str, ...], tuple[str, str]]:
    if not FIFTY.is_file():
        return {}
    rows = [line.split("\t") for line in FIFTY.read_text("utf-8").splitlines()[1:]]
    return {tuple(row[:4]): (row[5], row[6]) for row in rows}


def _show(asked: Asked, one: EditProposal, path: Path) -> None:
    here = one.occurrence.pronoun.segment
    around = [n for n in range(max(0, here - 3), here + 1) if asked.linked.same_document(n, other=here)]
    with path.open("a", encoding="utf-8") as file:
        print(f"=== {here + 1} {one.occurrence.position + 1}: {one.occurrence.word} -> {one.new}", file=file)
        for number in around:
            print(f"  E {asked.text.source[number]}\n  F {asked.text.candidate[number]}", file=file)
        print(
            f"  R {asked.text.references[0][here]}\n  {one.probability:.3f} {one.warnings} {one.noun}",
            file=file,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="anaphor-2-small")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    parser.add_argument("--show", type=Path, help="write the fifty proposals with their text here")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.process_time()  # which a busy machine does not stretch
    model = find_model(options.model, pair="en-fr")
    whole = news()
    asked = Asked(whole, model)
    changes, verdicts = before_and_after(asked)
    report: dict[str, Any] = {
        "benchmark": "postedit",
        "signature": str(model_signature("postedit", options.model, model, [])),
        "before_and_after": changes,
        "hints": [verdict_hints(asked, verdicts)],
    }
    write_fifty(asked, options.show)
    if (translated := news_by_apertium(whole)) is not None:
        report["before_and_after"] += before_and_after(Asked(translated, model))[0]
    rows, hints = suite_rows(model)
    report["before_and_after"] += rows
    report["hints"] += [*hints, *dialogue_hints(model), contrastive_hints(model)]
    report["processor_seconds"] = round(time.process_time() - start, 1)
    text = json.dumps(report, ensure_ascii=False, indent=1)
    print(text)
    if options.write:
        (RESULTS / "postedit.json").write_text(text + "\n", encoding="utf-8")
        write_tables(report)


if __name__ == "__main__":
    warn_without_native()
    main()
