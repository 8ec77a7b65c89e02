"""Where a candidate renders the pronoun and the antecedent heads of every item: the words to show to people.

The automatic check compares words, which may come from a reference; a page needs their places in the
candidate itself. Four sources are tried, the most reliable first:

    suite       the line equals that of a reference, and the suite has the places of the words
    reference   the line differs elsewhere: here the reference's words are unchanged, or one replaces one
    search      the aligner's links with their repair, clitics and verbs with a subject, as for `accept`
    links       whatever the aligner links

An empty place may be an omission by the candidate or a miss by this search, which cannot tell them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from pathlib import Path

from anaphor.analyse import Analyser, load_analyser
from anaphor.antecedents import Place, Resolver, TargetLanguage, resolver_languages, target_languages
from anaphor.core import Counterpart, LanguagePair, Pronoun, PronounPair
from anaphor.core.text import NOUNS
from anaphor.corpus import Text
from anaphor.languages import FormMatcher, PairPack, fold, known_pairs, load_pair
from anaphor.pronouns import AlignedTranslation, CounterpartFinder
from anaphor.suite.build.projection import person_of, target_forms
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.linking import LinkedTexts
from anaphor.suite.overlooked import PronounForms, dative_before, is_no_rendering, overlooked
from anaphor.suite.texts import SOURCE, TokenizedSide, TokenPlace, Tokens
from anaphor.verdict import Case
from anaphor.verdict.document import CandidateDocument, SourceDocument, analysed
from anaphor.verdict.rendering import RenderingKind, rendering_of

#: Tags of words that can be the head of an antecedent, the likelier ones first.
_HEADS = (NOUNS, frozenset({"ADJ", "NUM", "PRON", "X"}))
#: In a longer stretch that replaces words of a reference, one fitting word says little.
_MOST_REPLACED = 4
#: Words that look like a pronoun before this one: *que l'on dise*, *lo que queda*.
_NO_PRONOUNS = frozenset((("l'", "on"), *((form, "que") for form in ("lo", "la", "los", "las"))))


class FrameSource(Enum):
    """How the words for a pronoun were found."""

    SUITE = "suite"
    REFERENCE = "reference"
    SEARCH = "search"
    LINKS = "links"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ItemFrame:
    """The words of a candidate for one item, and how those for the pronoun were found."""

    pronoun: TokenPlace
    heads: tuple[TokenPlace, ...]
    source: FrameSource


class FrameFinder:
    """Finds the frames of all candidates of a suite; `references` are the tokens of its references."""

    def __init__(
        self,
        loaded: LoadedSuite,
        linked: LinkedTexts,
        *,
        references: Mapping[str, Tokens],
        packs: Path | None = None,
    ) -> None:
        self._loaded, self._linked = loaded, linked
        pair = loaded.suite.pair
        self._sides = {
            name: TokenizedSide(loaded.texts, name, str.split, tokens=tokens)
            for name, tokens in references.items()
        }
        pack = load_pair(pair, folder=packs) if str(pair) in known_pairs(packs) else None
        is_analysed = packs is None and _is_analysed(pair)
        self._tagger = load_analyser("built-in", language=pair.target) if is_analysed else None
        self._search = None if pack is None else _Search(pair, pack, linked, self._tagger)

    def find(self, name: str, candidate: Text) -> list[ItemFrame]:
        """The frame of every item, in the order of the suite."""
        tags = self._tags(name)
        known = [
            self._from_references(name, candidate, number, tags) for number in range(len(self._linked.items))
        ]
        items = self._linked.items
        searched = iter(
            self.search(
                name,
                candidate,
                [tokens.pronoun for tokens, places in zip(items, known, strict=True) if places[0] is None],
            )
        )
        frames = []
        for tokens, places in zip(items, known, strict=True):
            pronoun, by = next(searched) if places[0] is None else places[0]
            heads = (
                _head(self._linked_words(name, head), tags) if place is None else place[0]
                for head, place in zip(tokens.heads, places[1:], strict=True)
            )
            frames.append(ItemFrame(pronoun, tuple(heads), by if pronoun else FrameSource.NONE))
        return frames

    def search(
        self, name: str, candidate: Text, pronouns: Sequence[TokenPlace]
    ) -> list[tuple[TokenPlace, FrameSource]]:
        """The words for pronouns of the source without looking at a reference, and how they were searched."""
        searched = {} if self._search is None else self._search.pronouns(name, candidate, pronouns)
        return [
            (searched[number], FrameSource.SEARCH)
            if number in searched
            else (self._unlisted(name, self._linked_words(name, place)), FrameSource.LINKS)
            for number, place in enumerate(pronouns)
        ]

    def _linked_words(self, name: str, place: TokenPlace) -> TokenPlace:
        links = self._linked.alignments[name]
        return tuple(sorted({(segment, to) for segment, at in place for to in links[segment].targets_of(at)}))

    def _unlisted(self, name: str, linked: TokenPlace) -> TokenPlace:
        """The links of a pronoun that the search did not find, without articles that look like pronouns."""
        if self._tagger is None or self._search is None:
            return linked
        tokens = self._linked.tokens[name]
        return tuple(at for at in linked if not self._search.is_pronoun(tokens[at[0]][at[1]]))

    def _tags(self, name: str) -> dict[int, Sequence[str]]:
        """The tags of every line of a candidate in which the words of a head may be."""
        if self._tagger is None:
            return {}
        wanted = sorted({at for tokens in self._linked.items for head in tokens.heads for at, _ in head})
        lines = [self._linked.tokens[name][segment] for segment in wanted]
        return {
            segment: analysis.tags
            for segment, analysis in zip(wanted, self._tagger.analyse(lines), strict=True)
        }

    def _from_references(
        self, name: str, candidate: Text, number: int, tags: Mapping[int, Sequence[str]]
    ) -> list[tuple[TokenPlace, FrameSource] | None]:
        """The words for the pronoun and every head according to the references; None if they do not show
        them."""
        item, tokens = self._loaded.suite.items[number], self._linked.items[number]
        sources = [item.pronoun, *(antecedent.head for antecedent in item.antecedents)]
        known: list[tuple[TokenPlace, FrameSource] | None] = [None] * (1 + len(tokens.heads))
        # Equal lines of any reference come before differing ones of the first.
        for wanted in (FrameSource.SUITE, FrameSource.REFERENCE):
            for pair in item.references:
                side = self._sides[pair.reference]
                for at, place in enumerate((pair.pronoun, *pair.heads)):
                    if known[at] is not None:
                        continue
                    own = side.find(item.document, place)
                    source = self._loaded.texts.locators[SOURCE][item.document].stretches(sources[at])
                    segments = {segment for segment, *_ in (*source, *own)}
                    equal = all(candidate.lines[at] == side.lines[at] for at in segments)
                    if equal and wanted is FrameSource.SUITE:
                        known[at] = own, wanted
                    elif not equal and own and wanted is FrameSource.REFERENCE:
                        carried = self._carried(name, side, own, () if at else tokens.pronoun, tags)
                        known[at] = None if carried is None else (carried, wanted)
        return known

    def _carried(
        self,
        name: str,
        side: TokenizedSide,
        place: TokenPlace,
        source: TokenPlace,
        tags: Mapping[int, Sequence[str]],
    ) -> TokenPlace | None:
        """The words of a reference in a candidate's line that differs from it; None if they were changed.
        `source` is the pronoun that they render, `tags` are those of the candidate's lines for the words of a
        head; one of the two is empty.
        """
        carried = []
        for segment, position in place:
            theirs = [fold(word) for word in side.tokens[segment]]
            ours = [fold(word) for word in self._linked.tokens[name][segment]]
            for kind, first, last, start, end in SequenceMatcher(None, theirs, ours, False).get_opcodes():
                if not first <= position < last:
                    continue
                if kind == "equal":
                    # A single equal word may be another one: *la* is an article elsewhere in the line.
                    if not source or last - first > 1 or last - first == len(theirs):
                        carried.append((segment, start + position - first))
                elif kind == "replace":
                    if source:
                        fitting = [
                            at for at in range(start, end) if self._may_render(name, source, segment, at)
                        ]
                    else:
                        own = tags.get(segment, ())
                        fitting = [at for at in range(start, end) if own and own[at] in _HEADS[0]]
                    # Of two words that would fit, either could be meant.
                    if len(fitting) == 1 and end - start <= _MOST_REPLACED:
                        carried.append((segment, fitting[0]))
        # Half a rendering would be shown as a whole one.
        return tuple(carried) if len(carried) == len(place) else None

    def _may_render(self, name: str, source: TokenPlace, segment: int, position: int) -> bool:
        """Whether a word is a pronoun that is not linked to another source pronoun."""
        if self._search is None or not self._search.is_listed(self._linked.tokens[name][segment][position]):
            return False
        linked = {
            (segment, at) for at in self._linked.alignments[name][segment].by_target().get(position, ())
        }
        words = self._linked.source[segment]
        # A word without links may render any pronoun; one that is linked to another belongs to that.
        return not linked.isdisjoint(source) or not any(
            self._search.is_source_pronoun(words[at]) for _, at in linked
        )


def _is_analysed(pair: LanguagePair) -> bool:
    return pair.source in resolver_languages() and pair.target in target_languages()


def _head(linked: TokenPlace, tags: Mapping[int, Sequence[str]]) -> TokenPlace:
    """Of the words linked to a head, the nouns, or else other possible heads; all words if nothing is
    tagged."""
    for wanted in _HEADS:
        if chosen := tuple((s, at) for s, at in linked if s not in tags or tags[s][at] in wanted):
            return chosen
    return ()


class _Search:
    """Finds the translations of pronouns among the aligner's links and near them."""

    def __init__(
        self, pair: LanguagePair, pack: PairPack, linked: LinkedTexts, tagger: Analyser | None
    ) -> None:
        self._pack, self._linked, self._tagger = pack, linked, tagger
        # *You* and *it* have different translations, so that each person has its own list of forms.
        self._forms = {
            person: (*target_forms(pack, person), *(_likely(pack) if person == 3 else ()))
            for person in (2, 3)
        }
        every = dict.fromkeys(form for forms in self._forms.values() for form in forms)
        self._listed = FormMatcher(pack.target, tuple(every))
        # Those of the first person cannot render what a suite or a metric asks about.
        self._pronouns = FormMatcher(pack.target, tuple(entry.form for entry in pack.target.forms))
        self._source_pronouns = frozenset(entry.form for entry in pack.source.forms)
        self._overlooked_forms = PronounForms(
            self.is_listed, frozenset(pack.object_pronouns) - frozenset(pack.target_pronouns)
        )
        self._language = TargetLanguage.load(pair.target) if tagger is not None else None
        if tagger is not None:
            self._source_tagger = load_analyser("built-in", language=pair.source)
            self._nothing = SourceDocument.of((), Resolver.load(pair.source)).antecedents

    def is_listed(self, word: str) -> bool:
        """Whether a word is a pronoun that can render those of the items."""
        return bool(self._listed.forms_in(word))

    def is_pronoun(self, word: str) -> bool:
        """Whether a word is a pronoun of any person."""
        return bool(self._pronouns.forms_in(word)) or self.is_listed(word)

    def is_source_pronoun(self, word: str) -> bool:
        """The same for the source language."""
        return fold(word) in self._source_pronouns

    def pronouns(self, name: str, candidate: Text, places: Sequence[TokenPlace]) -> dict[int, TokenPlace]:
        """The words for pronouns at source positions, by number; pronouns without words are left out."""
        pairs = self._pairs(name, candidate, places)
        cases = self._cases(name, pairs)
        positions: dict[int, tuple[int, ...]] = {}
        for number, pair in pairs.items():
            rendered = _rendered(cases[number]) if cases else ()
            rendered = rendered or self._listed_positions(pair.candidate)
            if cases:
                rendered = tuple(at for at in rendered if not is_no_rendering(cases[number], at))
            if own := tuple(at for at in rendered if not self._is_anothers(name, pair.source, at)):
                positions[number] = own
        if cases:
            positions |= self._late(cases, positions)
        return {
            number: tuple((pairs[number].source.segment, at) for at in own)
            for number, own in positions.items()
        }

    def _late(
        self, cases: Mapping[int, Case], positions: Mapping[int, tuple[int, ...]]
    ) -> dict[int, tuple[int, ...]]:
        """The words of pronouns that have no `positions` yet, unless several pronouns claim the same word."""
        taken: dict[int, set[int]] = {}
        for number, own in positions.items():
            taken.setdefault(cases[number].place.sentence, set()).update(own)
        late = {}
        for number in cases.keys() - positions.keys():
            case = cases[number]
            used = taken.get(case.place.sentence, set())
            if own := overlooked(case, self._overlooked_forms, taken=used):
                late[number] = own
        claims = Counter((cases[number].place, own) for number, own in late.items())
        words = Counter((sentence, own) for (sentence, _), own in claims)
        return {n: own for n, own in late.items() if words[cases[n].place.sentence, own] == 1}

    def _is_anothers(self, name: str, pronoun: Pronoun, position: int) -> bool:
        """Whether a pronoun found outside the links renders another pronoun, or nothing: *l'on*, *lo que*."""
        words = self._linked.tokens[name][pronoun.segment]
        if not self.is_listed(words[position]):
            return False
        following = fold(words[position + 1]) if position + 1 < len(words) else ""
        if (fold(words[position]), following) in _NO_PRONOUNS:
            return True
        linked = self._linked.alignments[name][pronoun.segment].by_target().get(position, ())
        source = [fold(word) for word in self._linked.source[pronoun.segment]]
        # Links of two equal pronouns may be exchanged; *them* and *it* are told apart.
        others = [source[at] for at in linked if self.is_source_pronoun(source[at])]
        return bool(others) and pronoun.form not in others

    def _pairs(self, name: str, candidate: Text, places: Sequence[TokenPlace]) -> dict[int, PronounPair]:
        """The pronouns with what their links lead to, repaired."""
        pronouns: dict[Pronoun, list[int]] = {}
        for number, place in enumerate(places):
            segment, position = place[0]
            form = fold(self._linked.source[segment][position])
            pronouns.setdefault(Pronoun(segment, position, form), []).append(number)
        tokens = dict(zip(candidate.lines, self._linked.tokens[name], strict=True))
        side = AlignedTranslation(candidate.lines, tokens.__getitem__, self._linked.alignments[name])
        tag = None if self._tagger is None else self._tags
        pairs: dict[int, PronounPair] = {}
        for person, forms in self._forms.items():
            own = [pronoun for pronoun in pronouns if person_of(self._pack, pronoun.form) == person]
            # The finder wants the order of the text, and items come in that of the suite.
            own.sort(key=lambda pronoun: (pronoun.segment, pronoun.position))
            finder = CounterpartFinder(self._pack, forms, tag=tag)
            for pronoun, counterpart in zip(own, finder.find(own, side), strict=True):
                pairs |= dict.fromkeys(pronouns[pronoun], PronounPair(pronoun, (), counterpart))
        return pairs

    def _tags(self, lines: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
        analysed_lines = () if self._tagger is None else self._tagger.analyse(list(lines))
        return (analysis.tags for analysis in analysed_lines)

    def _listed_positions(self, counterpart: Counterpart | None) -> tuple[int, ...]:
        """Those words of a counterpart that are pronouns."""
        if counterpart is None or not counterpart.forms:
            return ()
        words = zip(counterpart.positions, counterpart.words, strict=True)
        listed = [at for at, word in words if word not in counterpart.articles and self.is_listed(word)]
        return tuple(listed)

    def _cases(self, name: str, pairs: Mapping[int, PronounPair]) -> dict[int, Case]:
        """The pronouns in their analysed sentences; none if the target language is not analysed."""
        if self._tagger is None or self._language is None:
            return {}
        segments = sorted({pair.source.segment for pair in pairs.values()})
        place = {segment: at for at, segment in enumerate(segments)}
        source, tokens = (
            [side[segment] for segment in segments]
            for side in (self._linked.source, self._linked.tokens[name])
        )
        document = CandidateDocument(
            self._language,
            SourceDocument(analysed(source, self._source_tagger), self._nothing),
            tokens,
            analysed(tokens, self._tagger),
            [self._linked.alignments[name][segment] for segment in segments],
        )
        return {
            number: Case(pair, Place(place[pair.source.segment], pair.source.position), 0, document)
            for number, pair in pairs.items()
        }


def _rendered(case: Case) -> tuple[int, ...]:
    """The words of a pronoun, a clitic next to the verb, a noun, or a verb that contains its subject."""
    rendering = rendering_of(case)
    # What is linked and no pronoun, noun or verb with its subject in it is left to the plain links.
    if rendering.kind in (RenderingKind.NOTHING, RenderingKind.OTHER):
        return ()
    if rendering.kind is RenderingKind.NULL_SUBJECT:
        return dative_before(case, rendering.positions[0]) or rendering.positions
    return rendering.positions


def _likely(pack: PairPack) -> tuple[str, ...]:
    return tuple(form for forms in pack.likely.values() for form in forms)
