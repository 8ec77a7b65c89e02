"""From the source to the references: what each has for a pronoun and for the head of its antecedent.

The pronoun by word alignment and the repair of its links; the head by word alignment alone, without articles
and punctuation, so that the content words are left (protest-2016, section 5.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from anaphor.align import AlignerChoice
from anaphor.analyse import Analyser
from anaphor.core import Alignment, Counterpart, Place, Pronoun, ReferencePair, Sentence
from anaphor.corpus import AlignmentFile
from anaphor.languages import FormMatcher, PairPack, PronounForm, fold
from anaphor.pronouns import AlignedTranslation, CounterpartFinder
from anaphor.suite.build.candidates import PronounCandidate
from anaphor.suite.build.documents import SentenceTokenizer, token_place

_NOUNS = frozenset({"NOUN", "PROPN"})
_LOOK_ALIKES = frozenset({"DET", "ADP"})  # French le and en
_OTHER_CONTENT = frozenset({"ADJ", "VERB", "NUM", "PRON", "X"})


class ProjectionFailure(Enum):
    """Why a pronoun cannot become an item."""

    NO_PRONOUN = "no pronoun in the reference"
    NO_HEAD = "no word for the antecedent head in the reference"


@dataclass(frozen=True, slots=True)
class Projection:
    """What one reference has for a candidate, and the pronoun's forms there in folded spelling.

    `repaired` says that the aligner had other links for the pronoun, which were repaired.
    """

    pair: ReferencePair
    forms: tuple[str, ...]
    repaired: bool


class Projector:
    """Knows the links between the source and one reference of all documents."""

    def __init__(
        self,
        name: str,
        pack: PairPack,
        lines: Sequence[str],
        cut: SentenceTokenizer,
        links: Sequence[Alignment],
    ) -> None:
        self._name = name
        self._pack = pack
        self._lines = lines
        self._sentences = [cut(line) for line in lines]
        self._links = AlignmentFile.made(links, path=f"reference {name}")
        self._cut = cut

    def project(
        self, candidates: Sequence[PronounCandidate], tags: Sequence[Sequence[str]]
    ) -> list[Projection | ProjectionFailure]:
        """What the reference has for every candidate; `tags` are those of its tokens, by segment."""
        found: dict[Pronoun, Counterpart | None] = {}
        pronouns = sorted(map(_pronoun, candidates), key=lambda one: (one.segment, one.position))
        for person in (2, 3):
            forms = target_forms(self._pack, person)
            wanted = [one for one in pronouns if _person(self._pack, one.form) == person]
            finder = CounterpartFinder(self._pack, forms)
            side = AlignedTranslation(self._lines, lambda line: self._cut(line).tokens, self._links)
            found |= zip(wanted, finder.find(wanted, side), strict=True)
        return [self._one(candidate, found.get(_pronoun(candidate)), tags) for candidate in candidates]

    def _one(
        self, candidate: PronounCandidate, counterpart: Counterpart | None, tags: Sequence[Sequence[str]]
    ) -> Projection | ProjectionFailure:
        at = _pronoun(candidate)
        holding = {} if counterpart is None else self._holding(counterpart, at, tags[at.segment])
        if counterpart is None or not holding:
            return ProjectionFailure.NO_PRONOUN
        heads: tuple[Place, ...] = ()
        if candidate.antecedent is not None:
            head = self._head(candidate, candidate.antecedent.head, tags)
            if not head:
                return ProjectionFailure.NO_HEAD
            heads = (head,)
        pronoun = self._place(candidate, at.segment, list(holding))
        forms = tuple(form for found in holding.values() for form in found)
        pair = ReferencePair(self._name, pronoun, heads)
        return Projection(pair, forms, counterpart.repair is not None)

    def _holding(
        self, counterpart: Counterpart, pronoun: Pronoun, tags: Sequence[str]
    ) -> dict[int, tuple[str, ...]]:
        """The linked tokens that have a pronoun in them, with its forms; articles look alike and are none."""
        matcher = FormMatcher(self._pack.target, target_forms(self._pack, _person(self._pack, pronoun.form)))
        words = zip(counterpart.positions, counterpart.words, strict=True)
        found = {position: matcher.forms_in(word) for position, word in words}
        return {at: forms for at, forms in found.items() if forms and tags[at] not in _LOOK_ALIKES}

    def _head(self, candidate: PronounCandidate, head: Place, tags: Sequence[Sequence[str]]) -> Place:
        """The content words linked to a head: nouns, or else other words that are no grammar."""
        inside, positions = candidate.document.positions(head)
        segment = candidate.document.first + inside
        links = self._links[segment]
        linked = sorted({target for position in positions for target in links.targets_of(position)})
        for wanted in (_NOUNS, _OTHER_CONTENT):
            kept = [target for target in linked if tags[segment][target] in wanted]
            if kept:
                return self._place(candidate, segment, kept)
        return ()

    def _place(self, candidate: PronounCandidate, segment: int, positions: Sequence[int]) -> Place:
        document = candidate.document
        lines = document.document.references[self._name]
        offset = sum(len(line) + 1 for line in lines[: segment - document.first])
        return token_place(self._sentences[segment], positions, offset=offset)

    def tags(self, analyser: Analyser | None) -> list[Sequence[str]]:
        """The tag of every token; without an analyser, words are taken for content and the rest for marks."""
        if analyser is None:
            return [_plain_tags(sentence) for sentence in self._sentences]
        return [one.tags for one in analyser.analyse(sentence.tokens for sentence in self._sentences)]


def align_references(
    source: Sequence[Sentence],
    references: Mapping[str, Sequence[str]],
    cut: SentenceTokenizer,
    choice: AlignerChoice,
) -> dict[str, list[Alignment]]:
    """Links to every reference, learned from all of them together."""
    pairs = [
        (sentence.tokens, cut(line).tokens)
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
    return tuple(dict.fromkeys(entry.form for entry in pack.target.forms if _addresses(entry)))


def _addresses(entry: PronounForm) -> bool:
    """Second person, or a subject without gender in the third: French *on*, German *man*."""
    impersonal = (entry.gender, entry.case, entry.number) == ("any", "nominative", "singular")
    return entry.person == 2 or (entry.person == 3 and impersonal)


def _person(pack: PairPack, form: str) -> int:
    return 2 if any(entry.form == form and entry.person == 2 for entry in pack.source.forms) else 3


def _pronoun(candidate: PronounCandidate) -> Pronoun:
    segment, positions = candidate.document.positions(candidate.pronoun)
    token = candidate.document.sentences[segment].tokens[positions[0]]
    return Pronoun(candidate.document.first + segment, positions[0], fold(token))


def _plain_tags(sentence: Sentence) -> list[str]:
    return ["X" if any(map(str.isalnum, token)) else "PUNCT" for token in sentence.tokens]
