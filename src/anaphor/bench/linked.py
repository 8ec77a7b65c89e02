"""The rule "linked": the form is searched for where it should be.

The tested source word is found in the source, and through word alignment its counterpart in the translation.
The reference determines which of several source words is meant: the one linked to its expected form. The form
found there decides whether the outcome is right or wrong. If nothing comparable is linked, the rest of the
sentence is searched, except words that translate other pronouns (*Sie* in *Sie mag dich* is *she*) or
determiners (*los* in *los niños* is *the*).

The tokenizer of the language separates words, so *qu'il*, *donne-le* and *a-t-elle* are found, and an elided
form counts for either gender: *l'* is correct if *la* is expected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice

from anaphor.align import AlignerChoice
from anaphor.antecedents import TargetLanguage, target_languages
from anaphor.bench.items import Bench, BenchItem, BenchOutcome
from anaphor.bench.zero_pronouns import restored_sentences
from anaphor.core import Alignment, OptionError, Sentence
from anaphor.languages import (
    FormMatcher,
    NeutralForms,
    fold,
    known_languages,
    known_pairs,
    load_language,
    load_pair,
)
from anaphor.languages.choose_tokenizer import tokenizer_of

#: Tokens a sentence of the output may end with. An apostrophe after letters elides a vowel: *n'*.
_SENTENCE_END = re.compile(r".*[.?!…\"»“”)]|[^\w]*['’]")
#: How many links must speak for a cut before a capital letter where none of these signs stands before it.
_NO_SIGN = 4
_VOWELS = "aeiou"
#: English ones show neither gender nor number, so that the facts on agreement omit them.
_ARTICLES = ("the",)
_RELATIVES = ("que", "qui", "cual", "cuales")
_GENDERS = {"male": "m", "female": "f", "neutral": "n"}


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A source sentence, a translation and the links between them."""

    source: Sentence
    target: Sentence
    links: Alignment

    def linked(self, sources: Collection[int]) -> set[int]:
        """The target positions of some source positions."""
        by_source = self.links.by_source()
        return {target for source in sources for target in by_source.get(source, ())}

    def sources_of(self, targets: Collection[int]) -> set[int]:
        by_target = self.links.by_target()
        return {source for target in targets for source in by_target.get(target, ())}


class LinkedRule:
    """Judges translations of one bench; the aligner is trained on references and translations together."""

    def __init__(self, bench: Bench, aligner: AlignerChoice | None = None, *, they: str = "default") -> None:
        self._bench = bench
        code = bench.pair.target
        self._neutral, self._neuter = frozenset[str](), frozenset[str]()
        if _known(code):
            target_pack = load_language(code)
            self._neutral = NeutralForms.of(target_pack, they).personal
            self._neuter = frozenset(form.form for form in target_pack.forms if form.gender == "neuter")
        self._neutral_readings = _Readings(code, self._neutral)
        self._aligner = aligner or AlignerChoice(pair=bench.pair)
        self._source, self._target = (tokenizer_of(code) for code in (bench.pair.source, bench.pair.target))
        code = bench.pair.source
        pronouns = frozenset(form.form for form in load_language(code).forms) if _known(code) else frozenset()
        determiners = TargetLanguage.load(code).determiners if code in target_languages() else ()
        # Source words whose translations can look like a tested form.
        self._closed = pronouns.union(determiners, _ARTICLES)
        pack = load_pair(bench.pair) if str(bench.pair) in known_pairs() else None
        self._evaluated = frozenset(map(fold, pack.source_pronouns if pack else ())) or pronouns
        # Spellings of one pronoun are right, or wrong, together: Russian *её* is also written *ее*.
        self._spellings = {form: group for group in (pack.identical if pack else ()) for form in group}
        tested = (form for item in bench.items for form in (*item.expected, *item.wrong))
        self._readings = _Readings(bench.pair.target, self._spelled(tested))
        target = bench.pair.target
        self._nouns = TargetLanguage.load(target) if target in target_languages() else None
        self._tested = restored_sentences(bench, self._source)

    def judge(self, lines: Sequence[str]) -> tuple[BenchOutcome, ...]:
        """The outcome of every item, from one translated sentence each."""
        items = self._bench.items
        if self._bench.kind == "winomt":
            return self._judge_genders(lines)
        targets = [self._target(line) for line in lines]
        references = [self._target(item.variants[0]) if item.variants else None for item in items]
        pairs = [
            *zip(self._tested, targets, strict=True),
            *((source, own) for source, own in zip(self._tested, references, strict=True) if own is not None),
        ]
        links = iter(self._align(pairs))
        sentences = [
            LinkedSentence(source, target, link)
            for (source, target), link in zip(pairs, islice(links, len(lines)), strict=False)
        ]
        own_links = (
            None if own is None else LinkedSentence(source, own, next(links))
            for source, own in zip(self._tested, references, strict=True)
        )
        return tuple(
            self._outcome(item, sentence, reference)
            for item, sentence, reference in zip(items, sentences, own_links, strict=True)
        )

    def last_sentences(self, lines: Sequence[str]) -> list[str]:
        """The translation of the tested sentence, cut from the translation of the whole source.

        The source sentences are aligned with the whole line, and the line is cut at the sentence end crossed
        by the fewest links; ties are broken by length. The mark that the source has there also ends a
        sentence, and many links may support a cut before a capital letter.
        """
        words = [[self._source(sentence).tokens for sentence in item.source] for item in self._bench.items]
        sources = [
            Sentence(" ".join(item.source), tuple(chain.from_iterable(own)), ())
            for item, own in zip(self._bench.items, words, strict=True)
        ]
        targets = [self._target(line) for line in lines]
        links = self._align(list(zip(sources, targets, strict=True)))
        return [
            _tail(LinkedSentence(source, target, link), len(source.tokens) - len(own[-1]))
            for source, target, link, own in zip(sources, targets, links, words, strict=True)
        ]

    def _align(self, pairs: Sequence[tuple[Sentence, Sentence]]) -> Iterable[Alignment]:
        return self._aligner.build().align([(source.tokens, target.tokens) for source, target in pairs])

    def _outcome(
        self, item: BenchItem, sentence: LinkedSentence, reference: LinkedSentence | None
    ) -> BenchOutcome:
        places = set(range(len(sentence.target.tokens)))
        right_at, wrong_at = self._forms(item, sentence.target)
        neutral_at = self._neutral_forms(item, sentence.target)
        wrong_at -= neutral_at
        if right_at and wrong_at and reference is not None:
            # Wrong forms that the reference has as well are no errors: *es* in *wie sie es verdient*.
            own = self._forms(item, reference.target)[1]
            if _words(sentence.target, wrong_at) <= _words(reference.target, own):
                wrong_at = set()
        slot = self._slot(item, sentence.source, reference)
        linked = sentence.linked(slot)
        others = {
            at
            for at, token in enumerate(sentence.source.tokens)
            if at not in slot and fold(token) in self._closed
        }
        unlinked = places.difference(sentence.links.targets)
        # The surest places first: what is linked, what nothing is linked to, then the rest but for other
        # pronouns.
        for zone in (linked, unlinked, places - linked - sentence.linked(others)):
            right, bad = right_at & zone, wrong_at & zone
            if right and bad:
                right, bad = (
                    {at for at in side if not self._is_article(sentence.target.tokens, at)}
                    for side in (right, bad)
                )
                return BenchOutcome.RIGHT if right and not bad else BenchOutcome.TIE
            if right or bad:
                return BenchOutcome.RIGHT if right else BenchOutcome.WRONG
            if neutral_at & zone:
                return BenchOutcome.NEUTRAL
        # A set may name only what is wrong: then its absence is right.
        return BenchOutcome.ABSENT if item.expected else BenchOutcome.RIGHT

    def _forms(self, item: BenchItem, sentence: Sentence) -> tuple[set[int], set[int]]:
        """The positions of correct forms, and of wrong ones."""
        expected, wrong = set(item.expected), set(item.wrong)
        expected |= self._spelled(expected) - wrong
        wrong |= self._spelled(wrong) - expected
        places = range(len(sentence.tokens))
        right = {at for at in places if self._readings.has(sentence, at, expected)}
        return right, {at for at in places if self._readings.has(sentence, at, wrong, surely=True)} - right

    def _spelled(self, forms: Iterable[str]) -> set[str]:
        """The forms in all of their spellings."""
        return {spelling for form in forms for spelling in self._spellings.get(form, (form,))}

    def _is_article(self, tokens: Sequence[str], at: int) -> bool:
        """Whether a form is before a noun that it agrees with or a relative: *los regalos*, *lo que*."""
        if self._nouns is None or at + 1 == len(tokens):
            return False
        if fold(tokens[at + 1]) in _RELATIVES:
            return True
        allowed = self._nouns.determiners.get(fold(tokens[at]), frozenset())
        return not allowed.isdisjoint(self._nouns.nouns.readings(fold(tokens[at + 1])))

    def _neutral_forms(self, item: BenchItem, sentence: Sentence) -> set[int]:
        """The positions of neutral pronouns, which are for people, where the item expects another form."""
        neutral = self._neutral.difference(item.expected)
        if not item.expected or not neutral or item.expected[0] in self._neuter:
            return set()
        return {
            at for at in range(len(sentence.tokens)) if self._neutral_readings.has(sentence, at, set(neutral))
        }

    def _slot(self, item: BenchItem, source: Sentence, reference: LinkedSentence | None) -> set[int]:
        """The positions of the tested source word."""
        places = range(len(source.tokens))
        if item.slot is not None:
            slot = {
                at
                for at in places
                if source.starts[at] < item.slot.end and item.slot.start < source.span(at).end
            }
        else:
            wanted = {fold(item.pronoun)} if item.pronoun else self._evaluated
            slot = {at for at in places if fold(source.tokens[at]) in wanted}
        if reference is None or item.restored:
            return slot
        target, expected = reference.target, set(item.expected[:1])
        own = {at for at in range(len(target.tokens)) if self._readings.has(target, at, expected)}
        meant = reference.sources_of(own)
        # The reference's links decide among several equal words; without any, all are meant.
        return (slot & meant) or meant or slot

    def _judge_genders(self, lines: Sequence[str]) -> tuple[BenchOutcome, ...]:
        """WinoMT has no references: the gender of the noun that the entity is linked to, by its article."""
        if (language := self._nouns) is None:
            what = f"the genders of nouns are not known for the language {self._bench.pair.target}"
            fix = f"use a target language among {', '.join(target_languages())}"
            raise OptionError(what, where="--rule linked", fix=fix)
        outcomes = []
        pairs = [(source, self._target(line)) for source, line in zip(self._tested, lines, strict=True)]
        for item, (source, target), links in zip(self._bench.items, pairs, self._align(pairs), strict=True):
            words = target.tokens
            places = sorted(LinkedSentence(source, target, links).linked(self._slot(item, source, None)))
            # The last linked word is the noun: the article stands before it in these languages.
            nouns = [at for at in places if words[at][:1].isupper()] if language.capital_nouns else places
            readings = language.listed_readings(words, (nouns or places)[-1]) if places else frozenset()
            genders = {
                reading.gender for reading in readings if reading.number == "s"
            }  # all entities are one person
            if len(genders) != 1:
                outcomes.append(BenchOutcome.ABSENT)
            else:
                right = _GENDERS[item.category] in genders
                outcomes.append(BenchOutcome.RIGHT if right else BenchOutcome.WRONG)
        return tuple(outcomes)


class _Readings:
    """The forms of a bench that a token can be: itself, those inside it, and those it elides."""

    def __init__(self, language: str, forms: Collection[str]) -> None:
        self._index: dict[str, set[str]] = {}
        self._elided: dict[str, set[str]] = {}
        for form in forms:
            spellings = [form]
            if form[-1:] in _VOWELS:
                self._elided.setdefault(f"{form[:-1]}'", set()).add(form)
            elif form.endswith("'"):
                spellings += [form[:-1] + vowel for vowel in _VOWELS]
            for spelling in spellings:
                self._index.setdefault(spelling, set()).add(form)
        spelled = {*self._index, *self._elided}
        self._matcher = FormMatcher(load_language(language), spelled) if _known(language) else None
        words = tokenizer_of(language)
        several = {form: tuple(map(fold, words(form).tokens)) for form in forms}
        self._several = {form: words for form, words in several.items() if len(words) > 1}
        self._cache: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def has(self, sentence: Sentence, at: int, forms: set[str], *, surely: bool = False) -> bool:
        """Whether one of the forms is at, or begins at, a position.

        An elided form may represent several, as *l'* represents *le* or *la*; `surely` requires all of them.
        """
        whole, elided = self._of(sentence.tokens[at])
        if not whole.isdisjoint(forms) or (not elided.isdisjoint(forms) and (not surely or elided <= forms)):
            return True
        return any(
            tuple(map(fold, sentence.tokens[at : at + len(words)])) == words
            for form, words in self._several.items()
            if form in forms
        )

    def _of(self, token: str) -> tuple[frozenset[str], frozenset[str]]:
        """The forms in a token, and those that it may elide."""
        if token not in self._cache:
            inside = (fold(token), *(self._matcher.forms_in(token) if self._matcher else ()))
            whole, elided = (
                frozenset().union(*(known.get(form, ()) for form in inside))
                for known in (self._index, self._elided)
            )
            self._cache[token] = whole, elided
        return self._cache[token]


def _tail(sentence: LinkedSentence, context: int) -> str:
    """The text after the best cut; `context` is the number of source tokens before the tested sentence."""
    tokens = sentence.target.tokens
    if not tokens or not context:
        return sentence.target.text
    own, before = [0] * len(tokens), [0] * len(tokens)
    for source, target in zip(sentence.links.sources, sentence.links.targets, strict=True):
        (own if source >= context else before)[target] += 1
    lost, kept = [0, *accumulate(own)], [0, *accumulate(before)]
    share = len(tokens) * context / len(sentence.source.tokens)
    ending = sentence.source.tokens[context - 1]
    # A cut costs the links that it crosses, in either direction.
    costs = {0: kept[-1]}
    for cut in range(1, len(tokens)):
        ends = _SENTENCE_END.fullmatch(tokens[cut - 1]) or tokens[cut - 1] == ending
        if ends or tokens[cut][0].isupper():
            costs[cut] = lost[cut] + kept[-1] - kept[cut] + (0 if ends else _NO_SIGN)
    best = min(costs, key=lambda cut: (costs[cut], abs(cut - share)))
    return sentence.target.text[sentence.target.starts[best] :]


def _words(sentence: Sentence, places: Iterable[int]) -> Counter[str]:
    return Counter(fold(sentence.tokens[at]) for at in places)


def _known(language: str) -> bool:
    return language in known_languages()
