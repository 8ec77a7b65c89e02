"""Projection of candidates onto the references: the translation of a pronoun and of its antecedent head.

The pronoun is found by word alignment and link repair; the head by word alignment alone, without articles and
punctuation, which leaves the content words (protest-2016, section 5.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from anaphor.align import AlignerChoice
from anaphor.analyse import Analyser
from anaphor.core import Alignment, Counterpart, Pronoun, ReferencePair, Sentence, TextPlace
from anaphor.core.text import NOUNS
from anaphor.corpus import AlignmentFile
from anaphor.languages import FormMatcher, PairPack, fold
from anaphor.pronouns import AlignedTranslation, CounterpartFinder
from anaphor.suite.build.candidates import PronounCandidate
from anaphor.suite.build.documents import SentenceTokenizer, token_place

_LOOK_ALIKES = frozenset({"DET", "ADP"})  # French le and en
_OTHER_CONTENT = frozenset({"ADJ", "VERB", "NUM", "PRON", "X"})


class ProjectionFailure(Enum):
    """Why a pronoun cannot become an item."""

    NO_PRONOUN = "no pronoun in the reference"
    NO_HEAD = "no word for the antecedent head in the reference"


@dataclass(frozen=True, slots=True)
class Projection:
    """The translation of a candidate in one reference, and the folded forms of the pronoun there.

    `repaired` says that the aligner's links of the pronoun were repaired.
    """

    pair: ReferencePair
    forms: tuple[str, ...]
    repaired: bool


class Projector:
    """Knows the alignment between the source and one reference of all documents."""

    def __init__(
        self,
        name: str,
        pack: PairPack,
        lines: Sequence[str],
        tokenize: SentenceTokenizer,
        links: Sequence[Alignment],
    ) -> None:
        self._name = name
        self._pack = pack
        self._lines = lines
        self._sentences = [tokenize(line) for line in lines]
        self._links = AlignmentFile.made(links, path=f"reference {name}")
        self._tokenize = tokenize

    def tags(self, analyser: Analyser | None) -> list[Sequence[str]]:
        """The tag of every token; without an analyser, words count as content and the rest as punctuation."""
        if analyser is None:
            return [
                ["X" if any(map(str.isalnum, token)) else "PUNCT" for token in sentence.tokens]
                for sentence in self._sentences
            ]
        return [
            analysed.tags for analysed in analyser.analyse(sentence.tokens for sentence in self._sentences)
        ]

    def project(
        self, candidates: Sequence[PronounCandidate], tags: Sequence[Sequence[str]]
    ) -> list[Projection | ProjectionFailure]:
        """The projection of every candidate; `tags` belong to the reference's tokens, by segment."""
        counterparts: dict[Pronoun, Counterpart | None] = {}
        pronouns = sorted(map(_pronoun, candidates), key=lambda pronoun: (pronoun.segment, pronoun.position))
        # *You* and *it* have different translations, so that each person has its own list of forms.
        for person in (2, 3):
            wanted = [pronoun for pronoun in pronouns if person_of(self._pack, pronoun.form) == person]
            finder = CounterpartFinder(self._pack, target_forms(self._pack, person))
            side = AlignedTranslation(self._lines, lambda line: self._tokenize(line).tokens, self._links)
            counterparts |= zip(wanted, finder.find(wanted, side), strict=True)
        return [self._one(candidate, counterparts.get(_pronoun(candidate)), tags) for candidate in candidates]

    def _one(
        self, candidate: PronounCandidate, counterpart: Counterpart | None, tags: Sequence[Sequence[str]]
    ) -> Projection | ProjectionFailure:
        at = _pronoun(candidate)
        forms_at: dict[int, tuple[str, ...]] = {}
        if counterpart is not None:
            person = person_of(self._pack, at.form)
            matcher = FormMatcher(self._pack.target, target_forms(self._pack, person))
            for position, word in zip(counterpart.positions, counterpart.words, strict=True):
                forms = matcher.forms_in(word)
                if forms and tags[at.segment][position] not in _LOOK_ALIKES:
                    forms_at[position] = forms
        if counterpart is None or not forms_at:
            return ProjectionFailure.NO_PRONOUN
        heads: tuple[TextPlace, ...] = ()
        if candidate.antecedent is not None:
            head = self._head(candidate, candidate.antecedent.head, tags)
            if not head:
                return ProjectionFailure.NO_HEAD
            heads = (head,)
        pronoun = self._place(candidate, at.segment, list(forms_at))
        return Projection(
            ReferencePair(self._name, pronoun, heads),
            tuple(form for forms in forms_at.values() for form in forms),
            counterpart.repair is not None,
        )

    def _head(self, candidate: PronounCandidate, head: TextPlace, tags: Sequence[Sequence[str]]) -> TextPlace:
        """The words aligned to a head: nouns, or otherwise other content words."""
        inside, positions = candidate.document.positions(head)
        segment = candidate.document.first + inside
        links = self._links[segment]
        linked = sorted({target for position in positions for target in links.targets_of(position)})
        for wanted in (NOUNS, _OTHER_CONTENT):
            tagged = [target for target in linked if tags[segment][target] in wanted]
            if tagged:
                return self._place(candidate, segment, tagged)
        return ()

    def _place(self, candidate: PronounCandidate, segment: int, positions: Sequence[int]) -> TextPlace:
        document = candidate.document
        lines = document.document.references[self._name]
        offset = sum(len(line) + 1 for line in lines[: segment - document.first])
        return token_place(self._sentences[segment], positions, offset=offset)


def align_references(
    source: Sequence[Sentence],
    references: Mapping[str, Sequence[str]],
    tokenize: SentenceTokenizer,
    choice: AlignerChoice,
) -> dict[str, list[Alignment]]:
    """Alignments with every reference, trained on all of them together."""
    pairs = [
        (sentence.tokens, tokenize(line).tokens)
        for lines in references.values()
        for sentence, line in zip(source, lines, strict=True)
    ]
    links = list(choice.build().align(pairs))
    size = len(source)
    return {name: links[n * size : (n + 1) * size] for n, name in enumerate(references)}


def target_forms(pack: PairPack, person: int) -> tuple[str, ...]:
    """Forms that translate a pronoun of this person: for the second, its own and the impersonal ones."""
    if person == 3:
        return tuple(dict.fromkeys((*pack.target_pronouns, *pack.object_pronouns)))
    # Impersonal: a subject without gender in the third person, French *on* and German *man*.
    impersonal = (3, "any", "nominative", "singular")
    return tuple(
        dict.fromkeys(
            entry.form
            for entry in pack.target.forms
            if entry.person == 2 or (entry.person, entry.gender, entry.case, entry.number) == impersonal
        )
    )


def person_of(pack: PairPack, form: str) -> int:
    return 2 if any(entry.form == form and entry.person == 2 for entry in pack.source.forms) else 3


def _pronoun(candidate: PronounCandidate) -> Pronoun:
    segment, positions = candidate.document.positions(candidate.pronoun)
    token = candidate.document.sentences[segment].tokens[positions[0]]
    return Pronoun(candidate.document.first + segment, positions[0], fold(token))
