"""Fit the weights of the verdict on judged pronouns, and measure them on documents that the fit has not seen.

    python benchmarks/verdict/fit.py            the tables of README.md, held out by document
    python benchmarks/verdict/fit.py --write    also the weights that ship, and results/fit.json

With `python tools/plain.py` before the path, it fits the weights of the plain installation, by its models and
on the parts that permit any use; their figures are in results/fit-free.json.

The model is a logistic regression with two shares: weights that all target languages have in common, and
deviations of each language, which are penalized more, because Spanish has 204 wrong pronouns and German 422.
Signals are centred where a witness testified; a witness that says nothing moves nothing. Documents are
divided into twenty folds by a hash of their name; every pronoun of a document is judged by weights that were
fitted without it.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.verdict.base_rate import probabilities
from anaphor.verdict.fusion import verdict_of
from benchmarks.verdict.evidence import NONCOMMERCIAL, Example, judged_sets
from benchmarks.verdict.logistic import maximized
from benchmarks.verdict.reference import reference_weights
from tools.distributions import component_folder, results_name, writes_research

HERE = Path(__file__).parent
FOLDS = 20
#: Penalties of common weights and of the deviations of a language, chosen among five pairs by the AUC on our
#: further readings, and reported on the given ones.
COMMON, OWN = 30.0, 1000.0
#: Languages with weights of their own only, and the penalties of the detector's signals and of all others.
#: What other witnesses say of Spanish, where most subjects are dropped, is worth little; German and French
#: weights made it worse: the penalty was chosen by our further readings, and is reported on the given ones.
ALONE, ALONE_PENALTIES = ("es",), (3.0, 1000.0)
#: How much a pronoun that was made wrong counts beside one that was read.
DAMAGED_COUNTS = 0.05
#: The detector knows no language without judged pronouns, so the common weights are fitted without it: beside
#: it, the others count less.
DETECTOR = "detector"
LANGUAGES = ("de", "fr", "es", "en")
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """What `weights.toml` holds of one language."""

    intercept: float
    prior: float
    weights: Mapping[str, float]
    means: Mapping[str, float]

    def log_odds(self, signals: Floats, names: Sequence[str]) -> Floats:
        found: Floats = self.intercept + signals @ np.array([self.weights.get(name, 0.0) for name in names])
        return found


class Design:
    """The centred signals of examples as a matrix; 0 where the witness said nothing."""

    def __init__(self, examples: Sequence[Example], without: Collection[str] = ()) -> None:
        rows = [
            {
                f"{witness}.{name}": value
                for witness, testimony in example.evidence.testimonies.items()
                if witness not in without
                for name, value in testimony.signals.items()
            }
            for example in examples
        ]
        judged = [example.wrong is not None and example.is_real and teaches(example) for example in examples]
        self.names = sorted(
            {name for row, is_judged in zip(rows, judged, strict=True) if is_judged for name in row}
        )
        spoke = np.array(
            [
                [
                    bool(
                        (found := example.evidence.testimonies.get(name.partition(".")[0])) and found.signals
                    )
                    for name in self.names
                ]
                for example in examples
            ],
            dtype=bool,
        )
        values = np.array([[row.get(name, 0.0) for name in self.names] for row in rows], dtype=float)
        counted = spoke & np.array(judged)[:, None]
        self.means = (values * counted).sum(axis=0) / np.maximum(1, counted.sum(axis=0))
        self.signals: Floats = np.where(spoke, values - self.means, 0.0)


def teaches(example: Example) -> bool:
    """Whether weights may be fitted on an example; all are measured."""
    return writes_research() or example.part not in NONCOMMERCIAL


def fold_of(example: Example) -> int:
    return zlib.crc32(example.document.encode()) % FOLDS


def fit(
    signals: Floats,
    languages: NDArray[np.str_],
    wrong: Floats,
    real: NDArray[np.bool_],
    names: Sequence[str],
    means: Floats,
) -> dict[str, Weights]:
    """Weights by language, and the common ones under `shared`.

    Pronouns that were made wrong teach what such errors look like, not how many there are: intercepts and
    shares are those of the real ones.
    """
    scale = signals.std(axis=0) + 1e-9
    scaled = signals / scale
    fitted = languages_of(languages)
    inside = [(languages == language)[:, None] for language in fitted]
    shared = ~np.isin(languages, ALONE)[:, None]
    design = np.hstack(
        [
            np.where(shared, scaled, 0),
            *[np.where(one, scaled, 0) for one in inside],
            *[one.astype(float) for one in inside],
        ]
    )
    size = len(names)
    from_detector = np.array([name.startswith("detector.") for name in names])
    penalty = np.concatenate(
        [
            np.full(size, COMMON),
            *[
                np.where(from_detector, *ALONE_PENALTIES) if language in ALONE else np.full(size, OWN)
                for language in fitted
            ],
            np.full(len(fitted), 0.01),
        ]
    )
    counts = np.where(real, 1.0, DAMAGED_COUNTS)
    solved = maximized(design, wrong, penalty, counts=counts)
    common = solved[:size]
    found = {}
    for number, language in enumerate(fitted, start=1):
        own = (common * (language not in ALONE) + solved[size * number : size * (number + 1)]) / scale
        here = real & (languages == language)
        free = maximized(np.ones((here.sum(), 1)), wrong[here], np.array([1e-9]), signals[here] @ own)
        found[language] = Weights(
            float(free[0]),
            float(wrong[here].mean()),
            dict(zip(names, own.tolist(), strict=True)),
            dict(zip(names, means.tolist(), strict=True)),
        )
    means_by_name = dict(zip(names, means.tolist(), strict=True))
    # A language without judged pronouns has the common weights and the middle of the intercepts.
    found["shared"] = Weights(
        float(np.mean([one.intercept for one in found.values()])),
        float(wrong[real].mean()),
        dict(zip(names, (common / scale).tolist(), strict=True)),
        means_by_name,
    )
    return found


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Examples with the probability that each is acceptable, by weights that have not seen its document.

    `ratios` are the log likelihood ratios from which the probabilities follow.
    """

    examples: Sequence[Example]
    accepted: Floats
    ratios: Floats

    def of(self, keep: Callable[[Example], bool]) -> tuple[Floats, NDArray[np.bool_]]:
        """Probability of a wrong pronoun, and whether it is one, of the judged examples that are kept."""
        chosen = [
            n for n, one in enumerate(self.examples) if one.wrong is not None and one.is_real and keep(one)
        ]
        wrong = np.array([bool(self.examples[n].wrong) for n in chosen])
        return 1 - self.accepted[chosen], wrong


def fits(examples: Sequence[Example], without: Sequence[str] = ()) -> tuple[Design, list[dict[str, Weights]]]:
    """The signals of all examples, and for every fold the weights that have not seen its documents."""
    design = Design(examples, without)
    languages = _languages(examples)
    judged = np.array(
        [one.wrong is not None and one.language in LANGUAGES and teaches(one) for one in examples]
    )
    wrong = np.array([bool(one.wrong) for one in examples], float)
    real = np.array([one.is_real for one in examples])
    folds = np.array([fold_of(one) for one in examples])
    apart = Design(examples, {*without, DETECTOR})
    return design, [
        _with_common(design, apart, seen, languages, wrong, real)
        for seen in (judged & (folds != fold) for fold in range(FOLDS))
    ]


def _with_common(
    design: Design,
    apart: Design,
    seen: NDArray[np.bool_],
    languages: NDArray[np.str_],
    wrong: Floats,
    real: NDArray[np.bool_],
) -> dict[str, Weights]:
    """The weights of all languages, and the common ones from the design without networks."""

    def fitted(one: Design) -> dict[str, Weights]:
        return fit(one.signals[seen], languages[seen], wrong[seen], real[seen], one.names, one.means)

    return fitted(design) | {"shared": fitted(apart)["shared"]}


def _languages(examples: Sequence[Example]) -> NDArray[np.str_]:
    """Languages that nobody judged enough of, or only in texts that do not teach, have the common weights."""
    own = {one.language for one in examples if one.wrong is not None and teaches(one)} & {*LANGUAGES}
    return np.array([one.language if one.language in own else "shared" for one in examples])


def languages_of(examples: NDArray[np.str_]) -> list[str]:
    """The languages that have examples, in the order of LANGUAGES."""
    return [language for language in LANGUAGES if (examples == language).any()]


def held_out(examples: Sequence[Example], without: Sequence[str] = ()) -> HeldOut:
    design, by_fold = fits(examples, without)
    languages = _languages(examples)
    folds = np.array([fold_of(one) for one in examples])
    ratios = np.zeros(len(examples))
    priors = np.zeros(len(examples))
    for fold, fitted in enumerate(by_fold):
        for language, weights in fitted.items():
            inside = (folds == fold) & (languages == language)
            odds = weights.log_odds(design.signals[inside], design.names)
            ratios[inside] = odds - np.log(weights.prior / (1 - weights.prior))
            priors[inside] = weights.prior
    accepted = np.zeros(len(examples))
    groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, one in enumerate(examples):
        groups[one.part, one.system].append(number)
    for numbers in groups.values():
        accepted[numbers] = probabilities(ratios[numbers].tolist(), float(priors[numbers].mean()))
    return HeldOut(examples, accepted, ratios)


def auc(values: Floats, wrong: NDArray[np.bool_]) -> float:
    """The chance that a wrong pronoun has a higher value than another one; ties count half."""
    bad, good = values[wrong], values[~wrong]
    if not len(bad) or not len(good):
        return float("nan")
    difference = bad[:, None] - good[None, :]
    return float(((difference > 0) + (difference == 0) / 2).mean())


def figures(values: Floats, wrong: NDArray[np.bool_]) -> dict[str, Any]:
    verdicts = np.array([verdict_of(1 - value) for value in values])
    rejected = verdicts == "rejected"
    return {
        "judged": len(values),
        "wrong": int(wrong.sum()),
        "auc": round(auc(values, wrong), 3),
        "open": round(float((verdicts == "open").mean()), 3),
        "rejected": int(rejected.sum()),
        "precision": round(float(wrong[rejected].mean()), 3) if rejected.any() else None,
        "recall": round(float(rejected[wrong].mean()), 3) if wrong.any() else None,
    }


def scores(found: HeldOut, readers: Sequence[str]) -> dict[str, Any]:
    """The score of every part and system beside the share that readers accepted."""
    values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    read: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for one, accepted in zip(found.examples, found.accepted.tolist(), strict=True):
        values[one.part, one.system].append(accepted)
        if one.wrong is not None and one.read_by in readers:
            read[one.part, one.system].append(not one.wrong)
    parts: dict[str, Any] = {}
    for part in sorted({part for part, _ in read}):
        judged = {system: ok for (name, system), ok in read.items() if name == part}
        total = sum(map(len, judged.values()))
        score = sum(float(np.mean(values[part, system])) * len(ok) for system, ok in judged.items()) / total
        share = sum(map(sum, judged.values())) / total
        parts[part] = {"score": round(100 * score, 1), "read": round(100 * share, 1), "judged": total}
    errors = [
        abs(float(np.mean(values[key])) - float(np.mean(ok))) for key, ok in read.items() if len(ok) >= 15
    ]
    return {"parts": parts, "systems": len(errors), "mean error": round(100 * float(np.mean(errors)), 1)}


def _is(example: Example, **facts: str) -> bool:
    return all(getattr(example, name) == value for name, value in facts.items())


def measured(examples: Sequence[Example]) -> dict[str, Any]:
    found = held_out(examples)
    result: dict[str, Any] = {"sets": {}, "kinds": {}, "witnesses": {}}
    for language in (*LANGUAGES, "en"):
        for readers in ("given", "ours", "further", "articles"):
            values, wrong = found.of(partial(_is, language=language, read_by=readers))
            if len(values):
                result["sets"][f"{language}, {readers}"] = figures(values, wrong)
        for kind in sorted({one.kind for one in examples}):
            values, wrong = found.of(partial(_is, language=language, kind=kind))
            if wrong.any() and language in LANGUAGES:
                result["kinds"][f"{language}, {kind}"] = figures(values, wrong)
    result["scores"] = scores(found, ("given",))
    witnesses = sorted({name for one in examples for name in one.evidence.testimonies})
    for name in witnesses:
        left, alone = held_out(examples, [name]), held_out(examples, [w for w in witnesses if w != name])
        result["witnesses"][name] = {
            f"{language}, {what}": round(auc(*which.of(partial(_is, language=language))), 3)
            for what, which in (("without", left), ("alone", alone))
            for language in LANGUAGES
        }
    return result


def weights_file(
    fitted: Mapping[str, Weights], reference: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {})
) -> str:
    """The text of `weights.toml`; `reference` are weights and means of the signals of the reference."""
    lines = [
        "# Weights of the verdict: log odds that a careful reader would change the rendering of a pronoun.",
        "# Made by benchmarks/verdict/fit.py from pronouns judged by reading; benchmarks/verdict/README.md",
        "# names the sets. Means are those of the judged pronouns; `shared` is for all other languages,",
        "# and is fitted without the detector, which knows none of them.",
    ]
    for language, one in fitted.items():
        lines += ["", f"[{language}]", f"intercept = {one.intercept:.3f}", f"prior = {one.prior:.3f}"]
        tables = {"weights": one.weights, "means": {**one.means, **reference[1]}, "reference": reference[0]}
        for title, table in tables.items():
            lines += [
                "",
                f"[{language}.{title}]",
                *(f'"{name}" = {value:.3f}' for name, value in table.items()),
            ]
    return "\n".join([*lines, ""])


def fitted_on_all(examples: Sequence[Example]) -> dict[str, Weights]:
    """The weights that ship, from all judged pronouns."""
    design = Design(examples)
    languages = np.array([one.language for one in examples])
    judged = np.array([one.wrong is not None and teaches(one) for one in examples])
    wrong = np.array([bool(one.wrong) for one in examples], float)
    real = np.array([one.is_real for one in examples])
    return _with_common(design, Design(examples, (DETECTOR,)), judged, languages, wrong, real)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the weights and results/fit.json")
    options = parser.parse_args()
    examples = judged_sets()
    result = measured(examples)
    for title, rows in result.items():
        print(title)
        for name, row in rows.items() if title != "scores" else rows["parts"].items():
            print(f"  {name:28}", "  ".join(f"{key} {value}" for key, value in row.items()))
    print(f"{result['scores']['systems']} systems: mean error {result['scores']['mean error']} points")
    if options.write:
        fitted = fitted_on_all(examples)
        weights = component_folder("verdict/model") / "weights.toml"
        weights.write_text(weights_file(fitted), encoding="utf-8")
        # The reference is weighed on top of the weights that were just written.
        weights.write_text(weights_file(fitted, reference_weights()), encoding="utf-8")
        file = HERE / "results" / f"{results_name('fit')}.json"
        file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
