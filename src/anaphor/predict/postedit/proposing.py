"""From answers to proposals: what is probable enough, can stand there, and what a reader must know of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from anaphor.analyse.contract import load_analyser
from anaphor.analyse.gender import load_genders
from anaphor.core import Analysis, OptionError
from anaphor.languages import fold, load_language
from anaphor.predict.postedit.agreeing import agreement_warnings
from anaphor.predict.postedit.agreeing_nouns import agreeing_noun
from anaphor.predict.postedit.grammar import features_of, only_subjects
from anaphor.predict.postedit.nouns import Answer, Held, LinkedText, Proposal, Proposals
from anaphor.predict.postedit.spelling import CannotStand, speller_for
from anaphor.task.classes import OTHER

_ANALYSES_KEPT = 4096


def check_threshold(threshold: float) -> None:
    """An error unless this is a probability that something can have."""
    if not 0 < threshold <= 1:
        raise OptionError(f"no probability: {threshold}", where="--threshold", fix="give one such as 0.9")


class Proposer:
    """Makes proposals for one text."""

    def __init__(self, text: LinkedText, *, packs: Path | None = None) -> None:
        self._text, language = text, text.pair.target
        words = frozenset(fold(token) for sentence in text.candidate for token in sentence.tokens)
        self._speller = speller_for(language, lines_with=words)
        self._pack = load_language(language, folder=packs)
        self._nouns = load_genders(language)
        self._analyser = load_analyser("built-in", language=language)
        self._analyse = lru_cache(_ANALYSES_KEPT)(self._analysed)

    def propose(self, answers: Iterable[Answer], *, threshold: float) -> Proposals:
        """A proposal wherever another pronoun is as probable as the threshold and can stand there."""
        check_threshold(threshold)
        made: list[Proposal] = []
        held: list[Held] = []
        for answer in answers:
            label, share = _best(answer)
            if label == answer.occurrence.label or share < threshold:
                continue
            try:
                made.append(self._proposal(answer, label))
            except CannotStand as reason:
                held.append(Held(answer, label, str(reason)))
        return Proposals(tuple(made), tuple(held))

    def _proposal(self, answer: Answer, label: str) -> Proposal:
        occurrence, text = answer.occurrence, self._text
        analysis = self._analyse(occurrence.sentence.tokens)
        if not only_subjects(occurrence.label, self._pack) and occurrence.token not in analysis.subjects:
            raise CannotStand(f"{occurrence.word} may be no subject")
        edit, new = self._speller.write(occurrence, label, tokenised=text.tokenised)
        source = occurrence.pronoun.form
        before = features_of(occurrence.label, self._pack, source=source)
        after = features_of(label, self._pack, source=source)
        return Proposal(
            answer,
            label,
            edit,
            new,
            agreeing_noun(occurrence, after, text, nouns=self._nouns, analyse=self._analyse),
            agreement_warnings(occurrence, before, after, analysis, language=text.pair.target),
        )

    def _analysed(self, words: Sequence[str]) -> Analysis:
        return next(iter(self._analyser.analyse([words])))


def _best(answer: Answer) -> tuple[str, float]:
    """The most probable class that is a pronoun."""
    return answer.first(but=OTHER)
