"""Post-editing from texts to a result that can be printed: align, predict, propose.

The steps are in `anaphor.predict.postedit`; this module adds what they need from the scoring pipeline: the
source pronouns and their counterparts in a candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import Any

from anaphor import __version__
from anaphor.core import (
    Alignment,
    Counterpart,
    InputError,
    LanguagePair,
    PredictedForm,
    Pronoun,
    PronounPair,
    Settings,
    Signature,
    SystemResult,
)
from anaphor.core.table import Block, Paragraph, Style, Styled, Table, count, counted, number, text
from anaphor.corpus import AlignmentFile, Inputs, Text, within_range
from anaphor.experiment import Experiment
from anaphor.predict.contract import Model, ModelWithPrior
from anaphor.predict.postedit import (
    EditProposals,
    LinkedText,
    OccurrencePrediction,
    Proposer,
    apply_proposals,
    check_language,
    find_occurrences,
    null_subjects,
    predict_occurrences,
    use_antecedents,
)
from anaphor.predict.shipped import find_model, model_digest
from anaphor.pronouns import AlignedTranslation, CounterpartFinder, find_pronouns

Step = Callable[[str], None]


def link_candidate(
    settings: Settings,
    *,
    source: Text,
    candidate: Text,
    documents: tuple[str, ...] | None,
    links: AlignmentFile | None,
    progress: Step = lambda _: None,
) -> LinkedText:
    """Find the source pronouns and their counterparts in the candidate; align the texts without `links`."""
    # An experiment has a reference; here the candidate is the only translation and takes its place.
    inputs = Inputs(source, (candidate,), {}, documents)
    if links is not None:
        inputs = replace(inputs, reference_alignments=(links,), candidate_alignments={})
    experiment = Experiment.of(inputs, settings).aligned(progress)
    setup, inputs = experiment.setup, experiment.inputs
    (alignment,) = inputs.reference_alignments or ()
    inside = within_range(
        alignment,
        source_lengths=setup.source.lengths(source.lines),
        target_lengths=setup.target.lengths(candidate.lines),
    )
    task = setup.pack.prediction
    if task is not None and task.null_subjects:
        words, target = (
            [list(side.words(line)) for line in text.lines]
            for side, text in ((setup.source, source), (setup.target, candidate))
        )
        pronouns, counterparts = null_subjects(setup.pack.pair, words, target, inside)
        if not pronouns:
            raise InputError(
                f"no verb without a subject found in {counted(len(source), 'segment')}",
                where=source.path,
                fix="check that this is the source text and --pair is right",
            )
        return _linked(experiment, candidate, pronouns, counterparts, list(inside))
    found, finder = find_pronouns(inputs, setup.evaluated, setup.source, setup.pack).pronouns, setup.finder
    if setup.pack.pair.target == "en":
        # A wrong pronoun is no usual translation: elle as he.
        likely = {
            form: tuple(dict.fromkeys((*forms, "he", "she", "it", "they")))
            for form, forms in setup.pack.likely.items()
        }
        pack = replace(setup.pack, likely=likely)
        finder = CounterpartFinder(pack, setup.evaluated.forms, repair=settings.repair)
    translation = AlignedTranslation(candidate.lines, setup.target.words, inside)
    counterparts = finder.find(found, translation)
    return _linked(experiment, candidate, found, counterparts, list(inside))


def find_postedit_model(name: str, *, pair: str | None) -> Model:
    """The model of `find_model` that reads what post-editing shows: lemmas of English, else word forms.

    The form of an English verb gives away the number of the pronoun that was there, right or wrong; its lemma
    does not. docs/predict/postedit.md has the measurement.
    """
    return find_model(name, pair=pair, forms=pair is None or LanguagePair.parse(pair).target != "en")


def link_system(experiment: Experiment, system: SystemResult) -> LinkedText:
    """The candidate of a scored system, with the counterparts that its verdicts judge."""
    pairs = [verdict.pair for verdict in system.verdicts]
    return _linked_pairs(experiment, experiment.inputs.candidates[system.name], pairs)


def form_probabilities(
    experiment: Experiment, candidate: Text, pairs: Sequence[PronounPair], *, model: str
) -> dict[tuple[int, int], Mapping[str, PredictedForm]]:
    """What every class gets at each source pronoun whose form is one, by its segment and token."""
    settings = experiment.settings
    found = find_model(model, pair=settings.pair, forms=True)
    text = _linked_pairs(experiment, candidate, pairs)
    packs = None if settings.packs is None else Path(settings.packs)
    occurrences = find_occurrences(text, year=found.card.year, packs=packs)

    @cache
    def frequencies(form: str) -> Mapping[str, float]:
        prior = found.prior(form) if isinstance(found, ModelWithPrior) else None
        return {} if prior is None else dict(zip(found.card.classes, prior.tolist(), strict=True))

    answers: dict[tuple[int, int], Mapping[str, PredictedForm]] = {}
    for one in predict_occurrences(found, text, occurrences):
        pronoun = one.occurrence.pronoun
        frequency = frequencies(pronoun.form)
        answers[pronoun.segment, pronoun.position] = {
            # Engines differ in late decimals, and a score should not.
            label: PredictedForm(round(share, 4), frequency.get(label, 1.0))
            for label, share in one.probabilities.items()
        }
    return answers


def _linked_pairs(experiment: Experiment, candidate: Text, pairs: Sequence[PronounPair]) -> LinkedText:
    return _linked(experiment, candidate, [pair.source for pair in pairs], [pair.candidate for pair in pairs])


def _linked(
    experiment: Experiment,
    candidate: Text,
    pronouns: Sequence[Pronoun],
    counterparts: Sequence[Counterpart | None],
    alignments: Sequence[Alignment] = (),
) -> LinkedText:
    setup, inputs = experiment.setup, experiment.inputs
    return LinkedText(
        setup.pack.pair,
        [setup.source.sentence(line) for line in inputs.source.lines],
        [setup.target.sentence(line) for line in candidate.lines],
        pronouns,
        counterparts,
        inputs.documents,
        experiment.settings.tokenized,
        alignments,
    )


def model_signature(kind: str, name: str, model: Model, fields: Sequence[tuple[str, str]]) -> Signature:
    """The signature of what a model predicted; `name` is that of a shipped model, or a folder."""
    card = model.card
    own = [
        ("model", card.recipe),
        ("hash", model_digest(name)),
        ("pair", card.pair),
        ("year", str(card.year)),
    ]
    return Signature(kind, (*own, *fields), __version__)


@dataclass(frozen=True, slots=True)
class PosteditResult:
    """The proposals for a candidate, and its lines with all of them applied.

    `pronouns` is the number of pronouns that were predicted.
    """

    text: LinkedText
    candidate: Text
    pronouns: int
    threshold: float
    proposals: EditProposals
    lines: tuple[str, ...]
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """All proposals with their probabilities; segments, tokens and characters count from 0."""
        return {
            "pair": str(self.text.pair),
            "segments": len(self.text.source),
            "pronouns": len(self.text.pronouns),
            "asked": self.pronouns,
            "threshold": self.threshold,
            "proposals": [
                {
                    **_proposal_dict(one.prediction, one.label),
                    "new": one.new,
                    "edit": {"start": one.edit.span.start, "end": one.edit.span.end, "text": one.edit.text},
                    "agrees_with": None
                    if one.noun is None
                    else {"segment": one.noun.segment, "word": one.noun.word},
                    "warnings": list(one.warnings),
                }
                for one in self.proposals.made
            ],
            "held": [
                {**_proposal_dict(one.prediction, one.label), "reason": one.reason}
                for one in self.proposals.held
            ],
            "signature": str(self.signature),
            "signature_fields": self.signature.as_dict(),
        }

    def tables(self) -> Sequence[Block]:
        """Counts, a table of proposals, warnings, what was held back, the diff and the signature."""
        made, held = self.proposals.made, self.proposals.held
        segments, pronouns = len(self.text.source), len(self.text.pronouns)
        found = counted(pronouns, "source pronoun")
        if self.text.pair.source == "es":
            found = f"{counted(pronouns, 'verb')} without a subject"
        blocks: list[Block] = [
            f"{self.text.pair}, {counted(segments, 'segment')}, {found}, "
            f"{self.pronouns} asked about; "
            f"proposals at {self.threshold:g}: {len(made)}, held back: {len(held)}"
        ]
        if made:
            blocks.append(self._table())
        warnings: list[list[str | Styled]] = []
        for one in made:
            place = f"line {one.occurrence.pronoun.segment + 1}, {one.new}"
            warnings += [[Styled("warning", "mark"), f": {place}: {warning}"] for warning in one.warnings]
        blocks.append(Paragraph(warnings))
        reasons = []
        for refused in held:
            occurrence = refused.prediction.occurrence
            share = refused.prediction.probabilities[refused.label]
            place = f"line {occurrence.pronoun.segment + 1}, {occurrence.word} -> {refused.label}"
            reasons.append(f"held back, {place} ({share:.2f}): {refused.reason}")
        blocks.append("\n".join(reasons))
        styles: dict[str, Style] = {"-": "bad", "+": "good", "@": "dim"}
        blocks.append(Paragraph([[Styled(line, styles[line[0]])] for line in self.diff()]))
        blocks.append(Paragraph([str(self.signature)], "dim"))
        return blocks

    def diff(self) -> list[str]:
        """The lines of a unified diff between the candidate and the edited one, which `patch` can apply."""
        path = self.candidate.path
        # Without context lines, for every line is a whole segment.
        return list(unified_diff(self.candidate.lines, self.lines, path, f"{path}, edited", n=0, lineterm=""))

    def _table(self) -> Table:
        columns = (
            *(count("line"), count("token"), text("pronoun"), text("old"), text("new")),
            *(number("probability", 2), text("next best"), text("agrees with")),
        )
        rows = []
        for one in self.proposals.made:
            label, share = one.prediction.first(but=one.label)
            noun = "-" if one.noun is None else f"{one.noun.word} (line {one.noun.segment + 1})"
            place, pronoun = one.occurrence.position + 1, one.occurrence.pronoun
            old = (pronoun.segment + 1, place, pronoun.form, one.occurrence.word)
            rows.append((*old, one.new, one.probability, f"{label} {share:.2f}", noun))
        return Table(columns, rows)


def _proposal_dict(prediction: OccurrencePrediction, label: str) -> dict[str, Any]:
    occurrence = prediction.occurrence
    return {
        "segment": occurrence.pronoun.segment,
        "token": occurrence.position,
        "pronoun": occurrence.pronoun.form,
        "old": occurrence.word,
        "old_class": occurrence.label,
        "new_class": label,
        "probability": round(prediction.probabilities[label], 6),
        "probabilities": {name: round(share, 6) for name, share in prediction.probabilities.items()},
    }


def postedit(
    model: Model,
    settings: Settings,
    *,
    name: str,
    source: Text,
    candidate: Text,
    documents: tuple[str, ...] | None = None,
    links: AlignmentFile | None = None,
    threshold: float = 0.9,
    progress: Step = lambda _: None,
) -> PosteditResult:
    """Propose pronouns for a candidate: those that reach the threshold and that grammar allows.

    Args:
        model: The model, as `find_model` gives it.
        settings: The pair, whether the texts are tokenized, and where the user's language packs are.
        name: The name or folder of the model, for the signature.
        source: The source text.
        candidate: Its translation.
        documents: The document of every segment; by default all are one document.
        links: Their alignment; by default it is computed.
        threshold: The least probability of a proposal.
        progress: Called with the name of every step.

    Returns:
        The proposals with their reasons, and the edited lines.

    Raises:
        UserError: The texts differ in length or are in other languages than the pair says, or the model was
            trained for another pair.
    """
    pair = LanguagePair.parse(settings.pair)
    check_language(source.lines, pair, pair.source, path=source.path)
    check_language(candidate.lines, pair, pair.target, path=candidate.path)
    progress("aligning")
    linked = link_candidate(
        settings, source=source, candidate=candidate, documents=documents, links=links, progress=progress
    )
    progress("predicting")
    packs = None if settings.packs is None else Path(settings.packs)
    proposer = Proposer(linked, packs=packs)
    occurrences = find_occurrences(linked, year=model.card.year, packs=packs)
    predictions = use_antecedents(linked, predict_occurrences(model, linked, occurrences))
    proposals = proposer.propose(predictions, threshold=threshold)
    fields = [("threshold", f"{threshold:g}"), ("links", "anaphor" if links is None else "given")]
    return PosteditResult(
        text=linked,
        candidate=candidate,
        pronouns=len(occurrences),
        threshold=threshold,
        proposals=proposals,
        lines=tuple(apply_proposals(candidate.lines, proposals.made)),
        signature=model_signature("postedit", name, model, fields),
    )
