"""Post-editing from texts to a result that can be printed: align, predict, judge, propose.

The steps are in `anaphor.predict.postedit`. Into French, German and Spanish the verdict decides: a rejected
pronoun gets the form with the highest probability of acceptance. Into English the predictor decides alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair, Progress, Settings, Signature
from anaphor.core.table import Block, Paragraph, Style, Styled, Table, count, counted, number, text
from anaphor.corpus import AlignmentFile, Text
from anaphor.evaluation.predictions import link_candidate, model_signature
from anaphor.evaluation.rejudging import JudgedCandidate, LineEdit
from anaphor.predict.contract import Model
from anaphor.predict.postedit import (
    EditProposal,
    EditProposals,
    LinkedText,
    Occurrence,
    OccurrencePrediction,
    Proposer,
    apply_proposals,
    check_language,
    find_occurrences,
    predict_occurrences,
    use_antecedents,
)
from anaphor.predict.postedit.proposals import check_threshold
from anaphor.predict.shipped import find_model
from anaphor.verdict import verdict_of

#: The least probability of a proposal: that a reader accepts it, and for the predictor alone.
JUDGED_THRESHOLD, PREDICTED_THRESHOLD = 0.85, 0.9
#: How many times as probable as the old form a proposal must be. Without this, one change in three would
#: replace a right pronoun, because that many rejections are wrong; `benchmarks/postedit` has the counts.
LEAST_GAIN = 2.0
#: What the predictor must give to a proposal, as a share of what it gives to the old form. It has not seen
#: either, so it is a second opinion: in French, it prevents every second change of a right pronoun.
LEAST_EXPECTED = 0.2


def find_postedit_model(name: str, *, pair: str | None) -> Model:
    """Find a model that reads what post-editing may see: English lemmas, or word forms of other languages.

    An English verb form reveals the number of the pronoun that was there, right or wrong; its lemma does not.
    docs/predict/postedit.md has the measurement.
    """
    return find_model(name, pair=pair, forms=pair is None or LanguagePair.parse(pair).target != "en")


@dataclass(frozen=True, slots=True)
class PosteditResult:
    """The proposals for a candidate, and its lines with all proposals applied.

    `pronouns` is the number of predicted pronouns.
    """

    text: LinkedText
    candidate: Text
    pronouns: int
    threshold: float
    proposals: EditProposals
    lines: tuple[str, ...]
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """All proposals with their probabilities; segments, tokens and characters are 0-based."""
        return {
            "pair": str(self.text.pair),
            "segments": len(self.text.source),
            "pronouns": len(self.text.pronouns),
            "predicted": self.pronouns,
            "threshold": self.threshold,
            "proposals": [
                {
                    **_proposal_dict(proposal.prediction, proposal.label),
                    "new": proposal.new,
                    "accepted": None
                    if proposal.accepted is None
                    else dict(
                        zip(("before", "after"), (round(p, 6) for p in proposal.accepted), strict=True)
                    ),
                    "edit": {
                        "start": proposal.edit.span.start,
                        "end": proposal.edit.span.end,
                        "text": proposal.edit.text,
                    },
                    "agrees_with": None
                    if proposal.noun is None
                    else {"segment": proposal.noun.segment, "word": proposal.noun.word},
                    "warnings": list(proposal.warnings),
                }
                for proposal in self.proposals.applied
            ],
            "held": [
                {**_proposal_dict(refused.prediction, refused.label), "reason": refused.reason}
                for refused in self.proposals.withheld
            ],
            "signature": str(self.signature),
            "signature_fields": self.signature.as_dict(),
        }

    def tables(self) -> Sequence[Block]:
        """Return counts, proposals, warnings, withheld proposals, the diff and the signature."""
        proposals, withheld = self.proposals.applied, self.proposals.withheld
        segments, pronouns = len(self.text.source), len(self.text.pronouns)
        subjects = counted(pronouns, "source pronoun")
        if self.text.pair.source == "es":
            subjects = f"{counted(pronouns, 'verb')} without a subject"
        blocks: list[Block] = [
            f"{self.text.pair}, {counted(segments, 'segment')}, {subjects}, "
            f"{self.pronouns} predicted; "
            f"proposals at {self.threshold:g}: {len(proposals)}, held back: {len(withheld)}"
        ]
        if proposals:
            blocks.append(self._table())
        warnings: list[list[str | Styled]] = []
        for proposal in proposals:
            place = f"line {proposal.occurrence.pronoun.segment + 1}, {proposal.new}"
            warnings += [
                [Styled("warning", "mark"), f": {place}: {warning}"] for warning in proposal.warnings
            ]
        blocks.append(Paragraph(warnings))
        reasons = []
        for refused in withheld:
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
        """Return a unified diff between the candidate and the edited text, as `patch` expects it."""
        path = self.candidate.path
        # Without context lines, for every line is a whole segment.
        return list(unified_diff(self.candidate.lines, self.lines, path, f"{path}, edited", n=0, lineterm=""))

    def _table(self) -> Table:
        judged = self.text.pair.target != "en"
        columns = (
            *(count("line"), count("token"), text("pronoun"), text("old"), text("new")),
            *(
                (number("accepted", 2), text("before"))
                if judged
                else (number("probability", 2), text("next best"))
            ),
            text("agrees with"),
        )
        rows = []
        for proposal in self.proposals.applied:
            label, share = proposal.prediction.first(but=proposal.label)
            other = f"{label} {share:.2f}" if proposal.accepted is None else f"{proposal.accepted[0]:.2f}"
            noun = (
                "-" if proposal.noun is None else f"{proposal.noun.word} (line {proposal.noun.segment + 1})"
            )
            place, pronoun = proposal.occurrence.position + 1, proposal.occurrence.pronoun
            old = (pronoun.segment + 1, place, pronoun.form, proposal.occurrence.word)
            rows.append((*old, proposal.new, proposal.probability, other, noun))
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


def expected_forms(proposer: Proposer, prediction: OccurrencePrediction) -> list[EditProposal]:
    """The other forms that grammar allows and the predictor does not rule out."""
    least = LEAST_EXPECTED * prediction.of_candidate
    return [
        proposal
        for proposal in proposer.alternatives(prediction)
        if prediction.probabilities[proposal.label] >= least
    ]


def accepted_forms(
    proposer: Proposer,
    predictions: Sequence[OccurrencePrediction],
    judged: JudgedCandidate,
    *,
    threshold: float,
) -> list[EditProposal]:
    """For each pronoun that the verdict rejects, the form that it accepts most.

    The form must reach the threshold, be `LEAST_GAIN` times as probable as the old one, and be one that the
    predictor does not rule out.
    """
    before = judged.accepted()
    possible = [
        (before[place], proposal)
        for prediction in predictions
        for place in [(prediction.occurrence.pronoun.segment, prediction.occurrence.pronoun.position)]
        if place in before and verdict_of(before[place]) == "rejected"
        for proposal in expected_forms(proposer, prediction)
    ]
    after = judged.accepted_after(
        [
            LineEdit(proposal.occurrence.pronoun, proposal.edit.span, proposal.edit.text)
            for _, proposal in possible
        ]
    )
    best: dict[Occurrence, EditProposal] = {}
    for (share, proposal), new_share in zip(possible, after, strict=True):
        if new_share < max(threshold, LEAST_GAIN * share):
            continue
        known = best.get(proposal.occurrence)
        if known is None or new_share > known.probability:
            best[proposal.occurrence] = replace(proposal, accepted=(share, new_share))
    return list(best.values())


def postedit(
    model: Model,
    settings: Settings,
    *,
    name: str,
    source: Text,
    candidate: Text,
    documents: tuple[str, ...] | None = None,
    links: AlignmentFile | None = None,
    threshold: float | None = None,
    progress: Progress = lambda _: None,
) -> PosteditResult:
    """Propose other pronouns for a candidate, if the proposals reach the threshold and fit the grammar.

    Args:
        model: The model, as returned by `find_model`.
        settings: The pair, whether the texts are tokenized, and the folder of the user's language packs.
        name: The name or folder of the model, for the signature.
        source: The source text.
        candidate: Its translation.
        documents: The document of every segment; by default all are one document.
        links: The alignment of source and candidate; computed by default.
        threshold: The minimum probability that a reader accepts a proposal (default 0.85); for translations
            into English, the minimum probability that the predictor gives it (default 0.9).
        progress: Called with the name of every step.

    Returns:
        The proposals with their reasons, and the edited lines.

    Raises:
        UserError: The texts differ in length or do not match the language pair, or the model was trained for
            another pair.
    """
    pair = LanguagePair.parse(settings.pair)
    # Texts in exchanged order would be aligned without complaint, and every proposal would be nonsense.
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
    signed = [("links", "anaphor" if links is None else "given")]
    if pair.target == "en":
        threshold = PREDICTED_THRESHOLD if threshold is None else threshold
        proposals = proposer.propose(predictions, threshold=threshold)
    else:
        threshold = JUDGED_THRESHOLD if threshold is None else threshold
        check_threshold(threshold)
        progress("judging")
        judged = JudgedCandidate.of(
            settings,
            source=source,
            candidate=candidate,
            documents=documents,
            links=AlignmentFile.made(linked.alignments, path="links") if links is None else links,
        )
        signed.append(("verdict", judged.experiment.signer.models(judged.metric)))
        better = accepted_forms(proposer, predictions, judged, threshold=threshold)
        proposals = proposer.consistent(predictions, better)
    fields = [("threshold", f"{threshold:g}"), *signed]
    return PosteditResult(
        text=linked,
        candidate=candidate,
        pronouns=len(occurrences),
        threshold=threshold,
        proposals=proposals,
        lines=tuple(apply_proposals(candidate.lines, proposals.applied)),
        signature=model_signature("postedit", name, model, fields),
    )
