"""The types of language packs: the pronouns of a language, and their correspondences in a pair."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from anaphor.core import LanguagePair

#: One reading of a word, such as `fs`: a gender, or in English what a noun names, and a number.
READING = re.compile("[mfncga][sp]")
NUMBERS = ("singular", "plural", "any")
GENDERS = ("masculine", "feminine", "neuter", "neutral", "any")
CASES = (
    "nominative",
    "accusative",
    "dative",
    "genitive",
    "oblique",  # any object: English him, French me
    "disjunctive",  # after prepositions and in isolation: French eux, Spanish mí
    "adverbial",  # preposition and pronoun in one: French y, German damit
    "reflexive",
    "any",
)


@dataclass(frozen=True, slots=True)
class PronounForm:
    """One reading of one spelling; `sie` has several. "any" if the language marks nothing.

    `form` is folded, `person` is 1, 2 or 3; the rest comes from `NUMBERS`, `GENDERS` and `CASES`.
    """

    form: str
    person: int
    number: str
    gender: str
    case: str


@dataclass(frozen=True, slots=True)
class FusedRule:
    """Clitics written onto the end of a word without a mark, as in Spanish `dámelo`.

    `host` is a regular expression of letters, `[classes]`, `?`, `*` and `|` that the rest of the word
    must end in, or be if it starts with `^`. One clitic of each slot follows, in order.
    """

    host: str
    slots: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PredicateFacts:
    """Adjectives and participles that verbs such as *be* link to a subject.

    `copulas` are lemmas of these verbs, `copula_forms` what their forms begin with, for those that a tagger
    does not recognize. `adjectival` are copulas that take neither a bare noun nor a finite verb. `between`
    are words before the adjective, `participles` and `gerunds` endings. `objects` are object pronouns without
    gender before a participle that shows it: *l'ho vista*.
    """

    copulas: tuple[str, ...] = ()
    copula_forms: tuple[str, ...] = ()
    adjectival: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    participles: tuple[str, ...] = ()
    gerunds: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementFacts:
    """What agrees with what in a language, and what its pronouns can refer to.

    docs/packs.md describes every key. In the four mappings from words or endings, values are readings: a
    gender and a number, such as `fs`. `verbs` maps words, and endings after a hyphen, to the number of a
    verb in the third person, empty for other forms.
    """

    null_subjects: bool = False
    null_objects: bool = False
    capital_nouns: bool = False
    compounds: bool = False
    event: tuple[str, ...] = ()
    pleonastic: tuple[str, ...] = ()
    genderless: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    demonstrative: tuple[str, ...] = ()
    clausal: tuple[str, ...] = ()
    impersonal: tuple[str, ...] = ()
    fallback: tuple[str, ...] = ()
    overt: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    reflexive: tuple[str, ...] = ()
    relative: tuple[str, ...] = ()
    number_of_verb: tuple[str, ...] = ()
    either_number: tuple[str, ...] = ()
    adverbs: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    openers: tuple[str, ...] = ()
    weights: str | None = None
    determiners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pronouns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nouns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    agreeing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    verbs: Mapping[str, str] = field(default_factory=dict)
    predicates: PredicateFacts = PredicateFacts()

    def verb_number(self, verb: str) -> str:
        """`s` or `p` for a finite verb in the third person; empty for other forms."""
        word, numbers = verb.lower(), self.verbs
        if word in numbers:
            return numbers[word]
        endings = (f"-{word[start:]}" for start in range(len(word) + 1))
        return next((numbers[ending] for ending in endings if ending in numbers), "")


@dataclass(frozen=True, slots=True)
class LanguagePack:
    """All data on one language.

    `script` is the first word of the Unicode names of its letters, such as `Latin`, or `CJK`.
    `proclitics` and `enclitics` are split off the front and the end of a word; `contractions` and `whole` are
    never split. The three mappings give the pronoun forms inside a piece (`'s` of `gib's`: `es`; `qu'`:
    none); a word in `whole` never contains one. `fused` is applied last, and never to a word in one of the
    tables. `cased` are words whose meaning changes with a capital. `particles` are words that never translate
    a pronoun: conjunctions, negation, adverbs of degree, punctuation. `ambiguous` are pronouns spelled like
    an article, a preposition or a conjunction. `agreement` is None for a language without these facts.
    `word_breaker` is the library that finds words in a script without spaces, one of `WORD_BREAKERS`; None if
    spaces separate words.
    """

    code: str
    name: str
    script: str
    facts: str
    licence: str
    digest: str
    forms: tuple[PronounForm, ...]
    abbreviations: tuple[str, ...]
    whole: tuple[str, ...]
    proclitics: Mapping[str, tuple[str, ...]]
    enclitics: Mapping[str, tuple[str, ...]]
    contractions: Mapping[str, tuple[str, ...]]
    fused: tuple[FusedRule, ...]
    cased: tuple[str, ...]
    particles: tuple[str, ...]
    ambiguous: tuple[str, ...] = ()
    agreement: AgreementFacts | None = None
    word_breaker: str | None = None

    def inventory(self) -> frozenset[str]:
        """Every pronoun form of the language, each spelling once."""
        return frozenset(entry.form for entry in self.forms)


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two target forms that can often replace each other.

    `probability` is that of a correct translation if one replaces the other (apt-2017, section 2.5), None if
    unmeasured.
    """

    forms: tuple[str, str]
    probability: float | None


@dataclass(frozen=True, slots=True)
class ClassSet:
    """The pronoun classes of the prediction task as they were in some years, in the scorer's order.

    The catch-all class OTHER is not listed. `members` has the additional words of a class that joins several.
    """

    years: tuple[int, ...]
    labels: tuple[str, ...]
    members: Mapping[str, tuple[str, ...]]

    def words(self) -> dict[str, str]:
        """Every word of the classes, with the label of its class."""
        words = {label: label for label in self.labels}
        return words | {word: label for label, more in self.members.items() for word in more}


@dataclass(frozen=True, slots=True)
class PredictionPack:
    """The prediction task of a pair: which source words are hidden, the classes, the baseline's fillers.

    `null_subjects` says whether verbs without a subject are examples too. `dropped` is the class of a subject
    that the target language drops, None if there is no such class. `fillers` are words of the classes,
    `other_fillers` frequent words outside them, both in the order in which they are tried.
    """

    source_pronouns: tuple[str, ...]
    null_subjects: bool
    class_sets: tuple[ClassSet, ...]
    fillers: tuple[str, ...]
    other_fillers: tuple[str, ...]
    dropped: str | None = None


@dataclass(frozen=True, slots=True)
class PairPack:
    """The data for pronoun evaluation in one language pair.

    `source_pronouns` are the forms that are evaluated, `target_pronouns` is the closed list that metrics
    compare; `source_objects` and `object_pronouns` are what `--objects` adds to them. `likely` has one entry
    for each source pronoun: its usual translations, for the alignment repair. `digest` covers the pair's file
    and those of both languages. `prediction` is None for a pair whose file has no prediction task.
    """

    pair: LanguagePair
    source: LanguagePack
    target: LanguagePack
    facts: str
    licence: str
    digest: str
    source_pronouns: tuple[str, ...]
    source_objects: tuple[str, ...]
    target_pronouns: tuple[str, ...]
    object_pronouns: tuple[str, ...]
    identical: tuple[tuple[str, ...], ...]
    equivalent: tuple[Equivalence, ...]
    likely: Mapping[str, tuple[str, ...]]
    prediction: PredictionPack | None = None
