"""The counterparts of source pronouns: how each is translated in every reference and candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, islice, pairwise

import numpy as np

from anaphor.core import Counterpart, OptionError, Pronoun, PronounPair, Repair
from anaphor.core.array_types import Ints, Longs
from anaphor.core.engine import native
from anaphor.core.remembering import Remembered
from anaphor.core.text import NOUNS, Lines
from anaphor.corpus import AlignmentFile, Around, Inputs, Text, within_range
from anaphor.languages import FormMatcher, NeutralForms, PairPack, Tokenizer, Words
from anaphor.pronouns.find import EvaluatedPronouns, Splitter
from anaphor.pronouns.repair import find_repair

#: The part-of-speech tags of sentences of the target language, each a sequence of tokens.
Tagger = Callable[[Iterable[Sequence[str]]], Iterator[Sequence[str]]]
#: Segments that are analysed at once.
_BATCH = 1024
#: What may stand between a determiner and its noun: *das sehr kleine Haus*; not *dies ist*, *dies eine*.
_BEFORE_NOUN = frozenset({"ADJ", "ADV", "NUM"})


@dataclass(frozen=True, slots=True)
class AlignedTranslation:
    """One translation of the source: its lines, how they split into tokens, its links to the source."""

    lines: Sequence[str]
    words: Words
    alignments: AlignmentFile


#: Replaces some of the counterparts of pronouns in a translation.
Marker = Callable[
    [Sequence[Pronoun], Sequence[Counterpart | None], AlignedTranslation], list[Counterpart | None]
]


@dataclass(frozen=True, slots=True, eq=False)
class _Sentences:
    """The segments of a translation that have pronouns, with the links around these.

    Sentence k is the line `segments[k]` and has the pronouns `starts[k]` to `starts[k + 1]` (exclusive),
    whose links are in `bounds` and `targets` as returned by `AlignmentFile.slots_around`.
    """

    pronouns: Sequence[Pronoun]
    positions: Longs
    lines: Sequence[str]
    segments: Longs
    starts: Longs
    bounds: Longs
    targets: Ints

    @classmethod
    def of(cls, pronouns: Sequence[Pronoun], translation: AlignedTranslation) -> _Sentences:
        segments = np.array([pronoun.segment for pronoun in pronouns], np.int64)
        positions = np.array([pronoun.position for pronoun in pronouns], np.int64)
        starts = np.flatnonzero(np.diff(segments, prepend=-1, append=-1))
        slots = translation.alignments.slots_around(segments, positions)
        return cls(pronouns, positions, translation.lines, segments[starts[:-1]], starts, *slots)

    def __len__(self) -> int:
        return len(self.segments)

    def line(self, k: int) -> str:
        return self.lines[self.segments.item(k)]

    def inside(self, k: int) -> list[tuple[Pronoun, Around]]:
        """The pronouns of a sentence with the links around each."""
        start, stop = self.starts.item(k), self.starts.item(k + 1)
        bounds = self.bounds[3 * start : 3 * stop + 1].tolist()
        targets = self.targets[bounds[0] : bounds[-1]].tolist()
        slots = [tuple(targets[start - bounds[0] : two - bounds[0]]) for start, two in pairwise(bounds)]
        around = map(Around, slots[0::3], slots[1::3], slots[2::3])
        return list(zip(self.pronouns[start:stop], around, strict=True))

    def first_alike(self) -> list[int]:
        """For every sentence the number of the first one with the same text, pronouns and links."""
        if native is not None:
            lines = Lines.of(self.lines)
            numbers: dict[str, int] = {}
            forms = [numbers.setdefault(pronoun.form, len(numbers)) for pronoun in self.pronouns]
            first: list[int] = native.first_alike(
                lines.data,
                np.where(self.segments > 0, lines.stops[self.segments - 1] + 1, 0),
                lines.stops[self.segments],
                self.starts,
                self.positions,
                np.array(forms, np.int64),
                self.bounds,
                self.targets,
            ).tolist()
            return first
        seen: dict[tuple[object, ...], int] = {}
        return [
            seen.setdefault((self.line(k), *[(p.position, p.form, links) for p, links in self.inside(k)]), k)
            for k in range(len(self))
        ]


@dataclass(frozen=True, slots=True)
class TakenWords:
    """The words of a sentence that are linked to pronouns other than the one at `position`."""

    owners: dict[int, set[int]]
    position: int

    def __contains__(self, word: object) -> bool:
        return any(owner != self.position for owner in self.owners.get(word, ()))  # type: ignore[call-overload]


class CounterpartFinder:
    """Finds counterparts with one pair's lists. `repair=False` leaves every link as the aligner gave it.

    With `tag`, an ambiguous form such as *das* or *en* is not a pronoun if it is tagged as a preposition, a
    conjunction, or a determiner before a noun; it is then treated like any word outside the lists.
    """

    def __init__(
        self, pack: PairPack, forms: Sequence[str], *, repair: bool = True, tag: Tagger | None = None
    ) -> None:
        self._pack = pack
        self._forms = tuple(forms)
        self._neutral = tuple(NeutralForms.of(pack.target).always)
        self._listed = FormMatcher(pack.target, forms)
        self._likely: dict[str, FormMatcher] = {}
        self._repair = repair
        self._tag = tag
        self._ambiguous = FormMatcher(pack.target, pack.target.ambiguous)
        split = Tokenizer(pack.target).words
        #: The words inside each distinct token.
        self._pieces = Remembered[Sequence[str]](lambda token: split(token) or (token,))
        #: One object for all that are equal: there are few, and a large text has hundreds of thousands.
        self._plain: dict[tuple[int, str, tuple[str, ...]], Counterpart] = {}

    def find(self, pronouns: Sequence[Pronoun], translation: AlignedTranslation) -> list[Counterpart | None]:
        """One counterpart, or None, for every pronoun; pronouns come in the order of the text."""
        if not pronouns:
            return []
        sentences = _Sentences.of(pronouns, translation)
        counterparts: list[Counterpart | None] = []
        if self._tag is not None:
            groups = ((sentences.line(k), sentences.inside(k)) for k in range(len(sentences)))
            for tokens, searched, inside in self._tagged(groups, translation.words, self._tag):
                counterparts += self._in_sentence(tokens, searched, inside)
            return counterparts
        # Subtitles and messages repeat whole sentences; those with the same links have the same counterparts.
        alike = sentences.first_alike()
        repeated = {first for k, first in enumerate(alike) if k != first}
        known: dict[int, list[Counterpart | None]] = {}
        for k, first in enumerate(alike):
            if k != first:
                counterparts += known[first]
                continue
            tokens = translation.words(sentences.line(k))
            own = self._in_sentence(tokens, tokens, sentences.inside(k))
            if k in repeated:
                known[k] = own
            counterparts += own
        return counterparts

    def _in_sentence(
        self, tokens: Sequence[str], searched: Sequence[str], inside: list[tuple[Pronoun, Around]]
    ) -> list[Counterpart | None]:
        """The counterparts of the pronouns of one sentence."""
        counterparts: list[Counterpart | None] = []
        forms_in = self._listed.forms_in
        owners: dict[int, set[int]] = {}
        if len(inside) > 1:
            for pronoun, around in inside:
                for t in around.linked:
                    owners.setdefault(t, set()).add(pronoun.position)
        for pronoun, around in inside:
            linked = around.linked
            # By far the most frequent case first: one link, to a listed pronoun.
            if len(linked) == 1 and (forms := forms_in(searched[linked[0]])):
                if len(forms) > 1:
                    forms = self._own_form(pronoun.form, forms)
                key = linked[0], tokens[linked[0]], forms
                if (known := self._plain.get(key)) is None:
                    known = self._plain[key] = Counterpart(linked, (tokens[linked[0]],), forms)
                counterparts.append(known)
                continue
            repair = self._find_repair(pronoun, around, tokens, searched, owners) if self._repair else None
            chosen = linked if repair is None else repair.chosen
            if not chosen:
                counterparts.append(None)
                continue
            words = tuple([tokens[t] for t in chosen])
            forms = tuple(
                [form for t in chosen for form in self._own_form(pronoun.form, forms_in(searched[t]))]
            )
            articles = tuple([tokens[t] for t in chosen if not searched[t]])
            counterparts.append(Counterpart(chosen, words, forms, repair, articles))
        return counterparts

    def _own_form(self, source: str, forms: tuple[str, ...]) -> tuple[str, ...]:
        """Of several pronouns in one word, the likeliest translation of the source pronoun.

        In *dagliela*, *give it to him*, *la* is *it* and *glie* is not.
        """
        if len(forms) < 2:
            return forms
        return next(((form,) for form in self._pack.likely.get(source, ()) if form in forms), forms)

    def _tagged(
        self, groups: Iterator[tuple[str, list[tuple[Pronoun, Around]]]], words: Words, tag: Tagger
    ) -> Iterator[tuple[Sequence[str], Sequence[str], list[tuple[Pronoun, Around]]]]:
        """The tokens of each segment, the same without articles and their like, and its pronouns."""
        sentences = ((words(line), inside) for line, inside in groups)
        while batch := list(islice(sentences, _BATCH)):
            doubtful = [self._is_doubtful(tokens, inside) for tokens, inside in batch]
            doubtful_tokens = [tokens for (tokens, _), doubt in zip(batch, doubtful, strict=True) if doubt]
            searched = self._without_articles(doubtful_tokens, tag)
            for (tokens, inside), doubt in zip(batch, doubtful, strict=True):
                yield tokens, next(searched) if doubt else tokens, inside

    def _is_doubtful(self, tokens: Sequence[str], inside: Iterable[tuple[Pronoun, Around]]) -> bool:
        """Whether a pronoun of the sentence is linked to anything other than an unambiguous pronoun."""
        for _, around in inside:
            if len(around.linked) != 1:
                return True
            word = tokens[around.linked[0]]
            if self._ambiguous.forms_in(word) or not self._listed.forms_in(word):
                return True
        return False

    def _without_articles(self, sentences: Sequence[Sequence[str]], tag: Tagger) -> Iterator[Sequence[str]]:
        """The sentences without the words that only look like pronouns."""
        # Given tokens may hold several words, such as *l'eau*. `map` and `chain` run over hundreds of
        # thousands of tokens; the loop below sees only the few that are ambiguous.
        cut = [list(map(self._pieces.__getitem__, tokens)) for tokens in sentences]
        tagged = tag(list(chain.from_iterable(words)) for words in cut)
        for tokens, words, tags in zip(sentences, cut, tagged, strict=True):
            searched = list(tokens)
            # A clitic with its hyphen, such as *-la*, is no article whatever the tagger says.
            ambiguous = [
                at
                for at, forms in enumerate(map(self._ambiguous.forms_in, tokens))
                if forms and tokens[at][0] != "-"
            ]
            firsts: Sequence[int] = range(len(tokens))
            if ambiguous and len(tags) > len(tokens):
                firsts = list(accumulate(map(len, words), initial=0))
            for position in ambiguous:
                pieces = words[position]
                rest = [p for at, p in enumerate(pieces, firsts[position]) if not is_article(tags, at)]
                if len(rest) < len(pieces):
                    searched[position] = " ".join(rest)
            yield searched

    def _find_repair(
        self,
        pronoun: Pronoun,
        around: Around,
        tokens: Sequence[str],
        searched: Sequence[str],
        owners: dict[int, set[int]],
    ) -> Repair | None:
        """`owners` are the pronouns that each word is linked to: it is not free for another one."""
        taken = TakenWords(owners, pronoun.position)
        form = pronoun.form
        if form not in self._likely:
            likely = (*self._pack.likely.get(form, self._forms), *self._neutral)
            self._likely[form] = FormMatcher(self._pack.target, likely)
        return find_repair(
            around, tokens, listed=self._listed, likely=self._likely[form], taken=taken, searched=searched
        )


class PronounPairs(list[PronounPair]):
    """The pronoun pairs of one candidate, and which of them are alike; immutable."""

    @classmethod
    def of(cls, pairs: Sequence[PronounPair]) -> PronounPairs:
        return pairs if isinstance(pairs, PronounPairs) else cls(pairs)

    @cached_property
    def segments(self) -> Longs:
        """The segment of every pair."""
        return np.array([pair.source.segment for pair in self], np.int64)

    @cached_property
    def forms(self) -> list[str]:
        """The form of every source pronoun."""
        return [pair.source.form for pair in self]

    @cached_property
    def distinct(self) -> tuple[list[PronounPair], Longs]:
        """The first pair of each kind, and the number of the kind of every pair.

        Pairs of a kind have equal counterparts: most are one listed pronoun, and sentences occur again.
        """
        firsts: list[PronounPair] = []
        numbers: dict[tuple[object, ...], int] = {}
        kinds = []
        for pair in self:
            number = numbers.setdefault((pair.candidate, pair.references), len(firsts))
            if number == len(firsts):
                firsts.append(pair)
            kinds.append(number)
        return firsts, np.array(kinds, np.int64)


def is_article(tags: Sequence[str], position: int) -> bool:
    """Whether a word with the form of a pronoun is something else: *das Haus*, *en ville*, *that he came*.

    A determiner without a following noun replaces one, and therefore is a pronoun: *das war gut*.
    """
    if tags[position] != "DET":
        return tags[position] in ("ADP", "SCONJ")
    following = (tags[at] for at in range(position + 1, len(tags)) if tags[at] not in _BEFORE_NOUN)
    return next(following, "") in NOUNS


def pair_up(
    inputs: Inputs,
    source: EvaluatedPronouns,
    finder: CounterpartFinder,
    *,
    target: Splitter,
    drop_outside: bool,
    mark: Marker | None = None,
) -> dict[str, PronounPairs]:
    """The pronoun pairs of every candidate. References are read once for all candidates.

    A link that leads outside its sentence is an error, or left out with `drop_outside`. `mark` replaces
    counterparts that are verbs with a dropped subject.
    """
    if not inputs.is_aligned or inputs.candidate_alignments is None:
        raise OptionError(
            "pronoun metrics need word alignments",
            where="alignments",
            fix="pass files, or compute them with `with_alignments`",
        )

    def counterparts(text: Text, links: AlignmentFile) -> list[Counterpart | None]:
        inside = within_range(
            links,
            source_lengths=source.lengths,
            target_lengths=target.lengths(text.lines),
            drop=drop_outside,
        )
        translation = AlignedTranslation(text.lines, target.words, inside)
        linked = finder.find(source.pronouns, translation)
        return linked if mark is None else mark(source.pronouns, linked, translation)

    references = [
        counterparts(text, links)
        for text, links in zip(inputs.references, inputs.reference_alignments or (), strict=True)
    ]
    by_pronoun = list(zip(*references, strict=True)) if references else [()] * len(source.pronouns)
    return {
        name: PronounPairs(
            map(
                PronounPair,
                source.pronouns,
                by_pronoun,
                counterparts(text, inputs.candidate_alignments[name]),
            )
        )
        for name, text in inputs.candidates.items()
    }
