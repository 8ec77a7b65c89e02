"""The counterparts of source pronouns: how each is translated in every reference and candidate."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from anaphor.core import Counterpart, OptionError, Pronoun, PronounPair, Repair
from anaphor.corpus import AlignmentFile, Around, Inputs, Text, within_range
from anaphor.languages import FormMatcher, PairPack
from anaphor.pronouns.find import EvaluatedPronouns, Splitter, Words
from anaphor.pronouns.repair import find_repair


@dataclass(frozen=True, slots=True)
class AlignedTranslation:
    """One translation of the source: its lines, how they split into tokens, its links to the source."""

    lines: Sequence[str]
    words: Words
    alignments: AlignmentFile


class CounterpartFinder:
    """Finds counterparts with one pair's lists. `repair=False` leaves every link as the aligner gave it."""

    def __init__(self, pack: PairPack, forms: Sequence[str], *, repair: bool = True) -> None:
        self._pack = pack
        self._forms = tuple(forms)
        self._listed = FormMatcher(pack.target, forms)
        self._likely: dict[str, FormMatcher] = {}
        self._repair = repair

    def find(self, pronouns: Sequence[Pronoun], translation: AlignedTranslation) -> list[Counterpart | None]:
        """One counterpart, or None, for every pronoun; pronouns come in the order of the text."""
        links = translation.alignments.around([p.segment for p in pronouns], [p.position for p in pronouns])
        found: list[Counterpart | None] = []
        for segment, group in groupby(zip(pronouns, links, strict=True), key=lambda pair: pair[0].segment):
            tokens = translation.words(translation.lines[segment])
            inside = list(group)
            for pronoun, around in inside:
                linked = around.linked
                # By far the most frequent case first: one link, to a listed pronoun.
                if len(linked) == 1 and (forms := self._listed.forms_in(tokens[linked[0]])):
                    found.append(Counterpart(linked, (tokens[linked[0]],), forms))
                    continue
                repair = self._find_repair(pronoun, around, tokens, inside) if self._repair else None
                chosen = linked if repair is None else repair.chosen
                if not chosen:
                    found.append(None)
                    continue
                words = tuple([tokens[t] for t in chosen])
                forms = tuple([form for word in words for form in self._listed.forms_in(word)])
                found.append(Counterpart(chosen, words, forms, repair))
        return found

    def _find_repair(
        self, pronoun: Pronoun, around: Around, tokens: Sequence[str], inside: list[tuple[Pronoun, Around]]
    ) -> Repair | None:
        """`inside` are all evaluated pronouns of the sentence: their links are not free for this one."""
        taken: Collection[int] = ()
        if len(inside) > 1:
            taken = {t for p, other in inside if p.position != pronoun.position for t in other.linked}
        form = pronoun.form
        if form not in self._likely:
            self._likely[form] = FormMatcher(self._pack.target, self._pack.likely.get(form, self._forms))
        return find_repair(around, tokens, listed=self._listed, likely=self._likely[form], taken=taken)


def pair_up(
    inputs: Inputs,
    source: EvaluatedPronouns,
    finder: CounterpartFinder,
    *,
    target: Splitter,
    drop_outside: bool,
) -> dict[str, list[PronounPair]]:
    """The pronoun pairs of every candidate. References are read once for all candidates.

    A link that leads outside its sentence is an error, or left out with `drop_outside`.
    """
    if not inputs.is_aligned or inputs.candidate_alignments is None:
        raise OptionError(
            "pronoun metrics need word alignments",
            where="alignments",
            fix="give files, or make them with `with_alignments`",
        )

    def counterparts(text: Text, links: AlignmentFile) -> list[Counterpart | None]:
        inside = within_range(
            links,
            source_lengths=source.lengths,
            target_lengths=target.lengths(text.lines),
            drop=drop_outside,
        )
        return finder.find(source.pronouns, AlignedTranslation(text.lines, target.words, inside))

    references = [
        counterparts(text, links)
        for text, links in zip(inputs.references, inputs.reference_alignments or (), strict=True)
    ]
    by_pronoun = [tuple(found[number] for found in references) for number in range(len(source.pronouns))]
    return {
        name: [
            PronounPair(pronoun, wanted, given)
            for pronoun, wanted, given in zip(
                source.pronouns,
                by_pronoun,
                counterparts(text, inputs.candidate_alignments[name]),
                strict=True,
            )
        ]
        for name, text in inputs.candidates.items()
    }
