"""From predictions to proposals and hints: what is probable enough, grammatical, and worth a warning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

from anaphor.analyse.contract import load_analyser
from anaphor.antecedents import TargetLanguage
from anaphor.core import Analysis, OptionError, UnknownNameError
from anaphor.languages import fold, load_language, load_pair
from anaphor.predict.postedit.agreement import (
    agreeing_noun,
    agreement_warnings,
    cases_of,
    features_of,
    noun_readings,
)
from anaphor.predict.postedit.chains import agrees
from anaphor.predict.postedit.english import EnglishSpeller, english_warnings
from anaphor.predict.postedit.spelling import (
    FrenchSpeller,
    GermanSpeller,
    SpanishSpeller,
    Speller,
    UngrammaticalError,
)
from anaphor.predict.postedit.types import (
    Analyse,
    EditProposal,
    EditProposals,
    HeldProposal,
    Hint,
    LinkedText,
    OccurrencePrediction,
)
from anaphor.task.classes import OTHER

#: A pronoun less probable than this is unlikely; benchmarks/postedit measures other values.
UNLIKELY = 0.05
_CACHED_ANALYSES = 4096
#: Forms that are always subjects, or always objects.
_ONE_CASE = ({"nominative"}, {"accusative"})


def speller_for(
    language: str, *, vocabulary: frozenset[str], analyse: Analyse, dropped: str | None = None
) -> Speller:
    """The speller of a target language; `vocabulary` are the folded words of the candidate.

    `dropped` is the class of a subject that is left out.
    """
    if language == "fr":
        return FrenchSpeller(informal="ça" in vocabulary and "cela" not in vocabulary)
    if language == "de":
        return GermanSpeller()
    if language == "en":
        return EnglishSpeller(analyse)
    if language == "es" and dropped is not None:
        return SpanishSpeller(dropped)
    raise UnknownNameError.among(
        language, ("de", "en", "es", "fr"), kind="language of post-editing", where="--pair"
    )


class Proposer:
    """Makes proposals for one text."""

    def __init__(self, text: LinkedText, *, packs: Path | None = None) -> None:
        self._text, language = text, text.pair.target
        words = frozenset(fold(token) for sentence in text.candidate for token in sentence.tokens)

        @lru_cache(_CACHED_ANALYSES)
        def analyse(words: Sequence[str]) -> Analysis:
            return next(iter(analyser.analyse([words])))

        task = load_pair(text.pair, folder=packs).prediction
        dropped = None if task is None else task.dropped
        self._speller = speller_for(language, vocabulary=words, analyse=analyse, dropped=dropped)
        self._pack, self._analyse = load_language(language, folder=packs), analyse
        self._language = TargetLanguage.load(language)
        self._agrees = partial(agrees, language=self._language)
        analyser = load_analyser("built-in", language=language)

    def propose(self, predictions: Iterable[OccurrencePrediction], *, threshold: float) -> EditProposals:
        """A proposal wherever another pronoun reaches the threshold and is grammatical."""
        check_threshold(threshold)
        proposals: list[EditProposal] = []
        withheld: list[HeldProposal] = []
        predictions = list(predictions)
        for prediction in predictions:
            label, share = prediction.first(but=OTHER)
            if label == prediction.occurrence.label or share < threshold:
                continue
            try:
                proposals.append(self._proposal(prediction, label))
            except UngrammaticalError as reason:
                withheld.append(HeldProposal(prediction, label, str(reason)))
        return self.consistent(predictions, proposals, withheld)

    def alternatives(self, prediction: OccurrencePrediction) -> list[EditProposal]:
        """Every other pronoun that grammar allows there, most probable first."""
        possible = []
        for label in prediction.probabilities:
            if label not in (OTHER, prediction.occurrence.label):
                with suppress(UngrammaticalError):
                    possible.append(self._proposal(prediction, label))
        return possible

    def consistent(
        self,
        predictions: Sequence[OccurrencePrediction],
        proposals: Sequence[EditProposal],
        withheld: Iterable[HeldProposal] = (),
    ) -> EditProposals:
        """The proposals, except those that would make pronouns with one antecedent differ."""
        divided = self._divided(predictions, proposals)
        refused = [
            *withheld,
            *(
                HeldProposal(
                    proposal.prediction,
                    proposal.label,
                    "it would be inconsistent with another pronoun for the same noun",
                )
                for proposal in proposals
                if proposal.prediction.chain in divided
            ),
        ]
        refused.sort(
            key=lambda proposal: (
                proposal.prediction.occurrence.pronoun.segment,
                proposal.prediction.occurrence.token,
            )
        )
        return EditProposals(
            tuple(proposal for proposal in proposals if proposal.prediction.chain not in divided),
            tuple(refused),
        )

    def _divided(
        self, predictions: Sequence[OccurrencePrediction], proposals: Sequence[EditProposal]
    ) -> frozenset[int]:
        """The chains whose pronouns would differ more in gender and number than they do in the candidate."""
        new = {proposal.occurrence: proposal.label for proposal in proposals}
        labels: defaultdict[int, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
        for prediction in predictions:
            if prediction.chain is not None:
                before, after = labels[prediction.chain]
                before.add(prediction.occurrence.label)
                after.add(new.get(prediction.occurrence, prediction.occurrence.label))
        return frozenset(
            chain
            for chain, (before, after) in labels.items()
            if sum(map(self._agrees, after)) > max(1, sum(map(self._agrees, before)))
        )

    def _proposal(self, prediction: OccurrencePrediction, label: str) -> EditProposal:
        occurrence, text = prediction.occurrence, self._text
        analysis = self._analyse(occurrence.sentence.tokens)
        cases = cases_of(occurrence.label, self._pack)
        if cases not in _ONE_CASE and occurrence.token not in analysis.subjects:
            raise UngrammaticalError(f"{occurrence.word} may not be a subject")
        edit, new = self._speller.write(occurrence, label, tokenized=text.tokenized)
        before, after = (
            features_of(form, self._pack, source=occurrence.pronoun.form)
            for form in (occurrence.label, label)
        )
        language = self._language
        fits = noun_readings(label, language, after) if self._agrees(label) else frozenset()
        if language.code == "en":
            warnings = tuple(english_warnings(occurrence, label, analysis))
        else:
            warnings = agreement_warnings(occurrence, before, after, analysis, language=language.code)
        return EditProposal(
            prediction=prediction,
            label=label,
            edit=edit,
            new=new,
            noun=agreeing_noun(occurrence, text, fits, nouns=language.nouns, analyse=self._analyse),
            warnings=warnings,
        )


def check_threshold(threshold: float) -> None:
    """Raise an error unless the threshold is above 0 and at most 1."""
    if not 0 < threshold <= 1:
        raise OptionError(
            f"the threshold must be above 0 and at most 1, got {threshold}",
            where="--threshold",
            fix="use a probability such as 0.9",
        )


def apply_proposals(lines: Sequence[str], proposals: Iterable[EditProposal]) -> list[str]:
    """The lines with every proposal applied; all other characters stay as they are."""
    edited = list(lines)
    # From the end of a line to its beginning, so that the offsets of earlier edits stay valid.
    for proposal in sorted(proposals, key=lambda proposal: proposal.edit.span, reverse=True):
        segment, (start, end) = proposal.occurrence.pronoun.segment, proposal.edit.span
        edited[segment] = edited[segment][:start] + proposal.edit.text + edited[segment][end:]
    return edited


def check_limit(below: float) -> None:
    """Raise an error unless the limit is strictly between 0 and 1."""
    if not 0 < below < 1:
        raise OptionError(
            f"the limit must be between 0 and 1, got {below}",
            where="--unlikely",
            fix="use a probability such as 0.05",
        )


def unlikely(predictions: Iterable[OccurrencePrediction], *, below: float = UNLIKELY) -> list[Hint]:
    """The occurrences whose own class is less probable than `below`, in order."""
    check_limit(below)
    return [
        Hint(
            prediction.occurrence, prediction.of_candidate, *prediction.first(but=prediction.occurrence.label)
        )
        for prediction in predictions
        if prediction.of_candidate < below
    ]
