"""What `anaphor score` does, as a function: score texts, and everything that is shown beside the scores.

from anaphor import Files, Settings
from anaphor.report.emit import emit
from anaphor.scoring import ScoringRequest, score

report = score(ScoringRequest(files, Settings(pair="en-fr"), functions=True))
print(emit(report))
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anaphor.align import AlignerChoice
from anaphor.core import (
    Files,
    FunctionScores,
    InputWarning,
    LanguagePair,
    OptionError,
    Result,
    Sensitivity,
    Settings,
    Signature,
)
from anaphor.core.table import Block, Paragraph, Styled
from anaphor.corpus import Inputs, read_inputs, write_mtme_scores
from anaphor.functions import check_functions, scores_by_function
from anaphor.metrics import ScoringSetup
from anaphor.pipeline import Progress, evaluate
from anaphor.postediting import link_system, model_signature
from anaphor.predict.contract import Model
from anaphor.predict.postedit import Hint, find_occurrences, predict_occurrences, unlikely
from anaphor.predict.postedit.proposals import check_limit
from anaphor.predict.shipped import find_model
from anaphor.report.cards import CardHint, Cards, cards_of
from anaphor.report.result_file import (
    ResultFile,
    StoredResult,
    content_json,
    counts_of,
    result_content,
    stored_of,
)
from anaphor.report.result_tables import function_blocks, result_blocks, sensitivity_blocks
from anaphor.sensitivity import alignment_sensitivity, check_sensitivity

#: Hints that are listed for each system; JSON has all of them.
_LISTED = 20


@dataclass(frozen=True, slots=True)
class PredictorHints:
    """For every system the number of its pronouns that were predicted, and the unlikely ones."""

    predicted: Mapping[str, int]
    found: Mapping[str, tuple[Hint, ...]]
    below: float
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """Segments and tokens count from 0."""
        return {
            "signature": str(self.signature),
            "unlikely": self.below,
            "asked": dict(self.predicted),
            "found": {
                system: [
                    {
                        "segment": one.pronoun.segment,
                        "token": one.pronoun.position,
                        "pronoun": one.pronoun.form,
                        "candidate_token": one.position,
                        "word": one.word,
                        "probability": round(hint.probability, 6),
                        "likelier": hint.likelier,
                        "likelier_probability": round(hint.likelier_probability, 6),
                    }
                    for hint in found
                    for one in [hint.occurrence]
                ]
                for system, found in self.found.items()
            },
        }

    def tables(self) -> list[Block]:
        """A count for each system, then its first hints, the most unlikely first."""
        title = f"hint, not a score: pronouns less probable than {self.below:g} to the predictor"
        lines: list[str | Sequence[str | Styled]] = [[Styled(title, "bold")]]
        for system, found in self.found.items():
            lines.append(f"{system}: {len(found)} of {self.predicted[system]} pronouns")
            for hint in sorted(found, key=lambda hint: hint.probability)[:_LISTED]:
                one = hint.occurrence
                lines.append(
                    f"  line {one.pronoun.segment + 1} token {one.position + 1}: "
                    f"{one.word} for {one.pronoun.form} {hint.probability:.3f}, "
                    f"likelier {hint.likelier} {hint.likelier_probability:.2f}"
                )
            if len(found) > _LISTED:
                lines.append(f"  ... and {len(found) - _LISTED} more; --json has all of them")
        return [Paragraph([*lines, [Styled(str(self.signature), "dim")]])]

    def for_cards(self) -> dict[tuple[str, int, int], CardHint]:
        """The hints by system, segment and source token."""
        return {
            (system, hint.occurrence.pronoun.segment, hint.occurrence.pronoun.position): CardHint(
                round(hint.probability, 6), hint.likelier, round(hint.likelier_probability, 6)
            )
            for system, found in self.found.items()
            for hint in found
        }


@dataclass(frozen=True, slots=True)
class ScoringRequest:
    """What to score, and what to show beside the scores.

    `parts` are shown below the scores: case, pronoun, document, matrix, clipped. `cards` keeps the texts and
    links behind every pronoun where pronouns are judged; `functions`, `sensitivity` and `predictor` (a model,
    by name or path) change no score. `keep_alignments` shows the confidences of links on cards.
    """

    files: Files
    settings: Settings
    parts: tuple[str, ...] = ("case",)
    cards: bool = False
    keep_alignments: bool = False
    functions: bool = False
    sensitivity: bool = False
    predictor: str | None = None
    unlikely: float = 0.05


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """A result with everything that was asked for beside it; `inputs` hold the texts and their alignments."""

    request: ScoringRequest
    result: Result
    inputs: Inputs
    notes: tuple[str, ...] = ()
    sensitivity: Sensitivity | None = None
    functions: FunctionScores | None = None
    hints: PredictorHints | None = None
    cards: Cards | None = None

    def to_dict(self) -> dict[str, Any]:
        """The content of the result file, without cards."""
        return result_content(
            self.result,
            self.request.files,
            notes=self.notes,
            sensitivity=self.sensitivity,
            functions=self.functions,
            hints=None if self.hints is None else self.hints.to_dict(),
        )

    def tables(self) -> list[Block]:
        return [*result_blocks(self.result, self.request.parts), *self.hint_tables()]

    def hint_tables(self) -> list[Block]:
        """What stands below the scores and is not part of them."""
        return [
            *([] if self.sensitivity is None else sensitivity_blocks(self.sensitivity)),
            *([] if self.functions is None else function_blocks(self.functions)),
            *([] if self.hints is None else self.hints.tables()),
        ]

    def to_json(self, *, cards: bool) -> str:
        """The text of the result file, with what is behind the scores if `cards`."""
        if not cards:
            return content_json(self.to_dict())
        return content_json(self.to_dict(), self.cards, counts_of(self.result))

    def stored(self) -> StoredResult:
        """The result as a report reads it from a file."""
        files, settings = self.request.files, self.result.settings
        content = ResultFile(files, settings, self.to_dict())
        return stored_of(content, path="this result", cards=self.cards, counts=counts_of(self.result))


#: Gives the aligner to use in place of the one that the settings choose, for as long as it is needed.
AlignerSource = Callable[[AlignerChoice], AbstractContextManager[AlignerChoice]]


def score(
    request: ScoringRequest, progress: Progress = lambda _: None, *, aligner: AlignerSource = nullcontext
) -> ScoreReport:
    """Read the files of a request and score them. `progress` is called with the name of every step.

    What cannot be done is an error before any long work.
    """
    settings = request.settings
    model = None
    # All checks come before reading and aligning, which can take minutes.
    if request.predictor is not None:
        check_limit(request.unlikely)
        model = find_model(request.predictor, pair=settings.pair, forms=True)
    if request.functions:
        check_functions(settings)
    progress("reading")
    given = inputs = read_inputs(request.files, LanguagePair.parse(settings.pair))
    if request.sensitivity:
        check_sensitivity(given, settings)
    if request.keep_alignments or request.functions:
        progress("aligning")
        setup = ScoringSetup.of(settings)
        with aligner(setup.aligner) as chosen:
            inputs = replace(setup, aligner=chosen).aligned(inputs, progress)
    result = evaluate(inputs, settings, progress, given)
    sensitivity = alignment_sensitivity(given, settings, progress) if request.sensitivity else None
    functions = scores_by_function(result, inputs) if request.functions else None
    hints = None if model is None else predictor_hints(request, model, result, inputs)
    cards = None
    if request.cards and result.systems[0].verdicts:
        cards = cards_of(result, inputs, {} if hints is None else hints.for_cards())
    return ScoreReport(
        request, result, inputs, sensitivity=sensitivity, functions=functions, hints=hints, cards=cards
    )


def predictor_hints(request: ScoringRequest, model: Model, result: Result, inputs: Inputs) -> PredictorHints:
    """The pronouns of every system that a predictor finds unlikely; no part of any score."""
    if not result.systems[0].verdicts:
        what = "no metric judges pronouns, so there is nothing to predict"
        raise OptionError(what, where="--predictor", fix="add a metric such as apt, or leave it out")
    packs = None if request.settings.packs is None else Path(request.settings.packs)
    predicted, found = {}, {}
    for system in result.systems:
        text = link_system(result.settings, inputs, system)
        answers = predict_occurrences(model, text, find_occurrences(text, year=model.card.year, packs=packs))
        predicted[system.name] = len(answers)
        found[system.name] = tuple(unlikely(answers, below=request.unlikely))
    fields = [("unlikely", f"{request.unlikely:g}")]
    signature = model_signature("hint", str(request.predictor), model, fields)
    return PredictorHints(predicted, found, request.unlikely, signature)


def write_mtme(folder: str, result: Result, inputs: Inputs) -> None:
    """Write the scores of systems and of known documents in the layout of mt-metrics-eval."""
    pair = result.settings.pair
    names = (Path(text.path).name.removeprefix(f"{pair}.").partition(".")[0] for text in inputs.references)
    reference = ".".join(names)
    for metric in dict.fromkeys(result.settings.metrics):
        documents = {system.name: list(system.by_document[metric].values()) for system in result.systems}
        undefined = sum(math.isnan(value) for values in documents.values() for value in values)
        if undefined:
            warnings.warn(
                f"--mtme: no document scores of {metric}: {undefined} documents have nothing to score, which "
                "the format cannot express",
                InputWarning,
                stacklevel=2,
            )
        write_mtme_scores(
            folder,
            pair=LanguagePair.parse(pair),
            metric=metric,
            reference=reference,
            systems={
                system.name: one.value
                for system in result.systems
                for one in system.scores
                if one.metric == metric
            },
            documents=None if undefined or result.documents is None else documents,
        )
