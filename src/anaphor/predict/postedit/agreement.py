"""Agreement of a new pronoun: its number and gender, the words that may have to follow, a noun that fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anaphor.analyse.gender import GenderTable, Readings
from anaphor.antecedents import TargetLanguage
from anaphor.core import Analysis
from anaphor.core.text import VERBS
from anaphor.languages import LanguagePack, fold
from anaphor.predict.postedit.spelling import ETRE, word_set
from anaphor.predict.postedit.types import AgreeingNoun, Analyse, LinkedText, Occurrence

_GENDERS = {"masculine": "m", "feminine": "f"}
_PLURAL_SOURCES = frozenset(["they"])
_PREDICATIVE = frozenset(["ADJ", "VERB"])
#: Tags that may stand between a copula and its predicate.
_BETWEEN = frozenset(["ADV", "PRON", "PART"])
#: How many words after a pronoun are searched for its verb, and after the verb for its predicate.
_FARTHEST = 4
#: How many preceding segments are searched for a noun.
_SEGMENTS_BACK = 3
_PLURAL_ETRE = word_set("sont, étaient, seront, seraient, furent, soient")
#: Verbs whose adjective agrees with the subject: être and its like.
_COPULAS = ETRE | word_set(
    "être, été",
    "semble, semblent, semblait, semblaient, paraît, paraissent, devient, deviennent",
    "reste, restent, restait, restaient",
)
#: Masculine and feminine endings of adjectives and participles, longest first; others add an e.
_FEMININE = (("eux", "euse"), ("if", "ive"), ("er", "ère"), ("el", "elle"), ("en", "enne"), ("on", "onne"))


@dataclass(frozen=True, slots=True)
class AgreementFeatures:
    """Number and gender that a pronoun demands of agreeing words; `gender` is `m`, `f` or `n`.

    `plural` is None for a pronoun of either number: c'est, ce sont; and for none at all.
    """

    plural: bool | None
    gender: str


def features_of(label: str, pack: LanguagePack, *, source: str) -> AgreementFeatures:
    """The features of a class; the source pronoun decides the number of an ambiguous form (`sie`)."""
    readings = [form for form in pack.forms if form.form == label and form.person == 3]
    readings = [form for form in readings if form.case in ("nominative", "any")] or readings
    numbers = {form.number for form in readings}
    if not numbers or numbers == {"any"}:
        return AgreementFeatures(None, "n")
    plural = "plural" in numbers and (numbers == {"plural"} or source in _PLURAL_SOURCES)
    genders = {form.gender for form in readings if (form.number == "plural") == plural}
    return AgreementFeatures(plural, _GENDERS.get("".join(genders), "n"))


def cases_of(label: str, pack: LanguagePack) -> set[str]:
    """The cases of a class; elle also follows prepositions, and es can be an object."""
    return {form.case for form in pack.forms if form.form == label}


def agreement_warnings(
    occurrence: Occurrence,
    old: AgreementFeatures,
    new: AgreementFeatures,
    analysis: Analysis,
    *,
    language: str,
) -> tuple[str, ...]:
    """What a reader should check: the verb if the number changes; in French also adjectives."""
    token = occurrence.token
    verb: int | None
    if occurrence.word.startswith("-"):
        verb = token - 1  # inversion: the pronoun is attached to its verb
    else:
        behind = range(token + 1, min(token + 1 + _FARTHEST, len(analysis.tags)))
        verbs = (place for place in behind if analysis.tags[place] in VERBS)
        # Without a tag to tell, the next word is the most likely verb.
        verb = next(verbs, behind[0] if behind else None)
    word = "the verb" if verb is None else occurrence.sentence.tokens[verb]
    # The verb shows the number of a pronoun that is the same in both: c'est, ce sont.
    was_plural = fold(word) in _PLURAL_ETRE if old.plural is None else old.plural
    warnings = []
    if new.plural is not None and new.plural != was_plural:
        warnings.append(f"the number changes to {'plural' if new.plural else 'singular'}: {word}?")
    # An adjective shows number, and whether it is feminine.
    changed = (bool(old.plural), old.gender == "f") != (bool(new.plural), new.gender == "f")
    if language == "fr" and verb is not None and changed:
        warnings += _predicate_warnings(occurrence, verb, analysis, new)
    return tuple(warnings)


def _predicate_warnings(
    occurrence: Occurrence, verb: int, analysis: Analysis, new: AgreementFeatures
) -> Iterator[str]:
    """The first adjective or participle after a copula if it would be inflected differently."""
    words = occurrence.sentence.tokens
    places = [
        place for place in range(verb, min(verb + _FARTHEST + 1, len(words))) if place != occurrence.token
    ]
    if not any(fold(words[place]) in _COPULAS for place in places[:3]):
        return
    for place in places[1:]:
        tag, folded = analysis.tags[place], fold(words[place])
        if tag in _PREDICATIVE and folded not in _COPULAS:
            if (better := inflected(folded, new)) != folded:
                yield f"agreement: {words[place]} -> {better}?"
            return
        if tag not in _BETWEEN and folded not in _COPULAS:
            return


def inflected(word: str, new: AgreementFeatures) -> str:
    """The likely form of a French adjective or participle that agrees; good enough for a question."""
    stem = word[:-1] if word.endswith("s") and not word.endswith(("is", "os", "us")) else word
    for masculine, feminine in _FEMININE:
        old, wanted = (masculine, feminine) if new.gender == "f" else (feminine, masculine)
        if stem.endswith(old):
            stem = stem.removesuffix(old) + wanted
            break
    else:
        if new.gender == "f":
            stem = stem if stem.endswith("e") else f"{stem}e"
        elif stem.endswith(("ée", "ie", "ue", "ite", "rte", "nte", "nde")):
            stem = stem.removesuffix("e")
    return f"{stem}s" if new.plural and not stem.endswith(("s", "x")) else stem


def noun_readings(label: str, language: TargetLanguage, new: AgreementFeatures) -> Readings:
    """The readings of nouns that a class agrees with, in the number that it has here.

    German plural pronouns show no gender. English ones refer to people and things, and *they* also to a group
    (*the team*); for one person (*somebody*) it is possible, but hardly a reason.
    """
    readings = language.pronouns.get(label, frozenset())
    plural = label in ("they", "these") if language.code == "en" else new.plural
    return frozenset(
        reading
        for reading in readings
        if reading.number == ("p" if plural else "s") or (plural and reading.gender == "g")
    )


def agreeing_noun(
    occurrence: Occurrence, text: LinkedText, fits: Readings, *, nouns: GenderTable, analyse: Analyse
) -> AgreeingNoun | None:
    """The nearest preceding noun all of whose known readings agree with the new pronoun, or None.

    It is what supports the new pronoun, not necessarily what the predictor relied on.
    """

    def agrees(word: str) -> bool:
        readings = nouns.readings(fold(word))
        return bool(readings) and readings <= fits

    here = occurrence.pronoun.segment
    for segment in range(here, max(-1, here - _SEGMENTS_BACK - 1), -1):
        if not text.same_document(segment, other=here):
            return None
        words = text.candidate[segment].tokens
        end = occurrence.position if segment == here else len(words)
        tags = analyse(words).tags
        for place in range(end - 1, -1, -1):
            if tags[place] == "NOUN" and agrees(words[place]):
                return AgreeingNoun(segment, words[place])
    return None
