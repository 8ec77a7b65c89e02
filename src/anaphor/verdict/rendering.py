"""How a pronoun is rendered: by a pronoun, a verb that contains its subject, a noun, an adverb, or nothing.

A translation need not have a pronoun wherever the source has one. Spanish drops subjects, German turns *with
it* into *damit*, any language may repeat the noun. But a pronoun may also be missing although the language
needs one, be lost with its clause, or be left in English. These are distinguished by whether the surrounding
words were translated, and whether the pronoun's verb is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from anaphor.analyse.gender import GenderReading, Readings
from anaphor.core.text import NOUNS, VERBS
from anaphor.languages import fold
from anaphor.pronouns import subject_verb, tagged_verb, verbs_of_subject
from anaphor.verdict.document import Case

_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
#: Words on either side of a pronoun that must have a translation, so that its clause has one.
_REACH = 5
#: How far from the pronoun its verb is looked for.
_VERB_REACH = 6


class RenderingKind(Enum):
    """How the pronoun is rendered."""

    PRONOUN = "pronoun"
    NULL_SUBJECT = "null subject"
    NOUN = "noun"
    ADVERB = "adverb"
    OTHER = "other"
    NOTHING = "nothing"
    UNTRANSLATED = "untranslated"


@dataclass(frozen=True, slots=True)
class Rendering:
    """The kind of rendering, the normalized form, and the genders and numbers it shows.

    For a null subject the form is the verb. `agreeing` is an adjective or participle that shows the gender of
    a null subject or of an elided object (*l'ho vista*), if there is one. `positions` are those of the form's
    words in the translation.
    """

    kind: RenderingKind
    form: str = ""
    readings: Readings = frozenset()
    agreeing: str = ""
    positions: tuple[int, ...] = ()

    @property
    def shown(self) -> str:
        """The words to quote in a reason."""
        if self.agreeing:
            return f"*{self.form} … {self.agreeing}*"
        return f"{'the verb ' if self.kind is RenderingKind.NULL_SUBJECT else ''}*{self.form}*"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """How well the words around the pronoun were translated; all values are from 0 to 1.

    `unlinked` is the share of nearby content words without a link, `cut` how much shorter the segment is than
    a translation of its source should be, `english` the share of words left in the source language,
    `repeated` the share of the segment that repeats itself, `after` the share of unlinked words after the
    pronoun.
    """

    unlinked: float
    cut: float
    english: float
    repeated: float
    after: float


def rendering_of(case: Case) -> Rendering:
    """How the candidate renders the pronoun."""
    language = case.document.language
    counterpart = case.pair.candidate
    if counterpart is not None:
        # After its verb a French pronoun is a token with a hyphen: *mets* *-le*.
        words = [fold(word).lstrip("-") for word in counterpart.words if word not in counterpart.articles]
        if language.null_subjects and not case.is_subject:
            words += [form for word in counterpart.words if (form := language.attached(fold(word)))]
        forms = [
            form
            for form in (*counterpart.forms, *words)
            if language.knows(form) and not _is_other(case, counterpart.positions, form)
        ]
        if forms:
            return _pronoun(case, forms[0], counterpart.positions)
        if case.pair.source.form in words and language.code != "en":
            return Rendering(
                RenderingKind.UNTRANSLATED, case.pair.source.form, positions=counterpart.positions
            )
    if (clitic := _clitic(case)) is not None:
        return clitic
    if language.null_subjects and case.is_subject and (verb := _null_subject(case)) is not None:
        return verb
    # A link to a punctuation mark renders nothing.
    if counterpart is None or not any(char.isalnum() for word in counterpart.words for char in word):
        return Rendering(RenderingKind.NOTHING)
    tags = case.target.analysis.tags
    for position in counterpart.positions:
        word = fold(case.target.tokens[position])
        if word in language.adverbs:
            return Rendering(RenderingKind.ADVERB, word, positions=(position,))
        if tags[position] in NOUNS:
            return Rendering(RenderingKind.NOUN, case.target.tokens[position], positions=(position,))
    return Rendering(RenderingKind.OTHER, " ".join(counterpart.words), positions=counterpart.positions)


def _is_other(case: Case, positions: Sequence[int], form: str) -> bool:
    """Whether a form has another function: *lo que*, reflexive *se*, *lo hacen* (*they do this*)."""
    language = case.document.language
    facts = language.facts
    if form in facts.reflexive or (language.null_subjects and case.is_subject and form in facts.objects):
        return True
    tokens = case.target.tokens
    at = [position for position in positions if fold(tokens[position]) == form]
    # *esta dando* without its accent is a verb.
    after = [
        here + 1 for here in at if here + 1 < len(tokens) and case.target.analysis.tags[here + 1] == "VERB"
    ]
    if any(fold(tokens[here]).endswith(facts.predicates.gerunds) for here in after):
        return True
    return any(position + 1 < len(tokens) and fold(tokens[position + 1]) in facts.relative for position in at)


def _pronoun(case: Case, form: str, positions: Sequence[int]) -> Rendering:
    """A pronoun rendering with its features; for a German subject *sie*, the verb gives the number."""
    language = case.document.language
    readings = language.pronouns.get(form, frozenset())
    if form in language.facts.number_of_verb and positions and case.is_subject:
        number = _number_of_verb(case, positions[0])
        readings = (
            frozenset(reading for reading in readings if reading.number == number) if number else readings
        )
    own = tuple(position for position in positions if fold(case.target.tokens[position]).lstrip("-") == form)
    return _with_participle(
        case, Rendering(RenderingKind.PRONOUN, form, readings, positions=own or tuple(positions))
    )


def _with_participle(case: Case, rendering: Rendering) -> Rendering:
    """An object pronoun without gender, with the participle after it that shows one: *l'ho vista*."""
    language, tags = case.document.language, case.target.analysis.tags
    facts = language.facts.predicates
    if rendering.form not in facts.objects or not rendering.positions:
        return rendering
    at = rendering.positions[-1] + 1
    while at + 1 < len(tags) and tags[at] in ("AUX", "ADV"):
        at += 1
    if at >= len(tags) or tags[at - 1] not in ("AUX", "ADV") or tags[at] not in ("VERB", "ADJ"):
        return rendering
    word = case.target.tokens[at]
    shown = rendering.readings & language.agreeing(word)
    if not word.lower().endswith(facts.participles) or not shown:
        return rendering
    return replace(rendering, readings=shown, agreeing=word)


def _number_of_verb(case: Case, position: int) -> str:
    """Singular or plural according to the finite verb near a subject, empty if none is in reach."""
    tokens, tags = case.target.tokens, case.target.analysis.tags
    # A verb before its subject is finite; one after it may be an infinitive: *wird sie kommen*.
    beside = [position - 1, position + 1]
    # In a German subordinate clause the verb comes last: *weil sie keine Zeit hatten*.
    for at in range(position + 1, len(tokens)):
        if not tokens[at][:1].isalpha():
            beside.append(at - 1)
            break
    for at in beside:
        if 0 <= at < len(tokens) and at != position and tags[at] in VERBS:
            return case.document.language.verb_number(tokens[at])
    return ""


def source_verbs(case: Case) -> Iterator[int]:
    """The positions of the verb group of a subject pronoun, nearest first."""
    yield from verbs_of_subject(case.source.analysis.tags, case.place.position)


def lacks_subject(case: Case) -> bool:
    """Whether the verb of an unrendered subject lacks a subject after a conjunction such as *que*, *dass*,
    *if*.

    After *and* or a comma, a subject may be shared with the preceding clause: *elle se lève et sort*.
    """
    tags, tokens = case.target.analysis.tags, case.target.tokens
    openers = case.document.language.openers
    for verb in source_verbs(case):
        for position in case.links.get(verb, ()):
            if tags[position] not in VERBS or tokens[position].lower().endswith(_INFINITIVES):
                continue
            before = position - 1
            while (
                before >= 0 and tags[before] in ("ADV", "PART", "AUX", "PRON") and before not in case.subjects
            ):
                before -= 1
            return before < 0 or tags[before] == "SCONJ" or fold(tokens[before]) in openers
    return False


_INFINITIVES = ("er", "ir", "re", "oir", "ant")


def _null_subject(case: Case) -> Rendering | None:
    """The finite verb that implies the subject, and what agrees with it."""
    tokens, tags, language = case.target.tokens, case.target.analysis.tags, case.document.language
    own = () if case.pair.candidate is None else case.pair.candidate.positions
    verb = subject_verb(
        case.source.analysis.tags,
        case.place.position,
        case.links,
        own,
        lambda at: tagged_verb(tokens, tags, language.facts, at),
    )
    if verb is None:
        return None
    numbers = "sp" if _tells_the_time(case, verb.position) else verb.number
    readings = frozenset(GenderReading(gender, number) for gender in "mf" for number in numbers)
    agreeing = _agreeing(case, verb.position)
    if agreeing:
        shown = language.agreeing(agreeing)
        readings = (readings & shown) or shown
    return Rendering(RenderingKind.NULL_SUBJECT, tokens[verb.position], readings, agreeing, (verb.position,))


def _is_copula(case: Case, position: int) -> bool:
    """Whether a verb links an adjective to its subject."""
    facts = case.document.language.facts.predicates
    lemma, word = case.target.analysis.lemmas[position].lower(), fold(case.target.tokens[position])
    return lemma in facts.copulas or word.startswith(facts.copula_forms)


def _tells_the_time(case: Case, verb: int) -> bool:
    """Whether a number follows a copula, which agrees with it: *son las nueve* is *it is nine o'clock*."""
    tags = case.target.analysis.tags
    following = next((tag for tag in tags[verb + 1 : verb + 4] if tag not in ("ADV", "DET")), "")
    return following == "NUM" and _is_copula(case, verb)


def _agreeing(case: Case, verb: int) -> str:
    """The adjective or participle that a verb links to its subject: *está lista*, *debe ser revisada*."""
    tokens, analysis = case.target.tokens, case.target.analysis
    language = case.document.language
    facts = language.facts.predicates
    if not _is_copula(case, verb):
        # The infinitive of a copula may follow a modal verb.
        rest = range(verb + 1, min(verb + 3, len(tokens)))
        verbs = (at for at in rest if analysis.tags[at] != "ADV")
        verb = next(verbs, verb)
        if analysis.lemmas[verb].lower() not in facts.copulas or fold(tokens[verb]) not in facts.copulas:
            return ""
    lemma = analysis.lemmas[verb].lower()
    for position in range(verb + 1, min(verb + 5, len(tokens))):
        tag, word = analysis.tags[position], tokens[position].lower()
        if word in facts.between or tag in ("ADV", "AUX"):
            continue
        # What looks like a verb after a copula is an adjective or a participle: *sono complete*.
        is_adjective = tag == "ADJ" or (tag == "VERB" and not word.endswith(facts.gerunds))
        # *estar* takes neither a bare noun nor a finite verb, whatever the tagger says: *está rota*.
        if lemma in facts.adjectival and tag in ("NOUN", "VERB") and not word.endswith(facts.gerunds):
            is_adjective = len({reading.gender for reading in language.agreeing(word)}) == 1
        following = analysis.tags[position + 1] if position + 1 < len(tokens) else ""
        if is_adjective and following not in NOUNS and language.agreeing(word):
            return tokens[position]
        return ""
    return ""


def governor(case: Case) -> tuple[str, int | None]:
    """What governs an object pronoun: `verb` or `preposition`, and the position of its verb."""
    tags = case.source.analysis.tags
    at = case.place.position
    direct = "other"
    for position in range(at - 1, max(-1, at - 1 - _VERB_REACH), -1):
        if tags[position] in VERBS:
            return ("verb" if direct == "other" else direct), position
        if position == at - 1 and tags[position] == "ADP":
            direct = "preposition"
        elif tags[position] == "PUNCT":
            break
    return direct, None


def _clitic(case: Case) -> Rendering | None:
    """An unlinked object pronoun on or before its verb: *hacerlo*, *je l'ai vu*, *mets-le*."""
    language = case.document.language
    forms = language.facts.objects
    if not forms or case.is_subject:
        return None
    _, verb = governor(case)
    if verb is None:
        return None
    tokens, tags = case.target.tokens, case.target.analysis.tags
    # Links of auxiliaries and adverbs often stray to the object; a noun or another pronoun keeps its own.
    source_tags = case.source.analysis.tags
    taken = {
        position
        for source, targets in case.links.items()
        if source_tags[source] in (*NOUNS, "PRON") and source != case.place.position
        for position in targets
    }
    for position in case.links.get(verb, ()):
        if form := language.attached(fold(tokens[position])):
            readings = language.pronouns.get(form, frozenset())
            return Rendering(RenderingKind.PRONOUN, form, readings, positions=(position,))
        # *je ne l'ai pas vu*: auxiliaries and adverbs may stand between the object and the verb.
        for before in range(position - 1, max(-1, position - 5), -1):
            form = fold(tokens[before])
            following = "" if before + 1 == position else tags[before + 1]
            if form in forms and following not in ("NOUN", "ADJ", "PROPN") and before not in taken:
                readings = language.pronouns.get(form, frozenset())
                clitic = Rendering(RenderingKind.PRONOUN, form, readings, positions=(before,))
                return _with_participle(case, clitic)
            if tags[before] not in ("AUX", "VERB", "ADV", "PART", "PRON"):
                break
    return None


def surroundings_of(case: Case) -> Surroundings:
    """How well the words around the pronoun were translated."""
    tokens, tags = case.source.tokens, case.source.analysis.tags
    at = case.place.position
    near = range(max(0, at - _REACH), min(len(tokens), at + _REACH + 1))
    content = [p for p in near if p != at and tags[p] in _CONTENT]
    unlinked = sum(p not in case.links for p in content)
    following = [p for p in range(at + 1, len(tokens)) if tags[p] in _CONTENT]
    lost = sum(p not in case.links for p in following)
    target = case.target.tokens
    short = 1 - len(target) / max(1.0, 0.8 * len(tokens))
    foreign = _english(target) if case.document.language.code != "en" else 0
    return Surroundings(
        unlinked / max(1, len(content)),
        min(1.0, max(0.0, short)),
        foreign / max(1, len(target)),
        _repeated(target, tokens),
        lost / max(1, len(following)),
    )


#: Frequent English words that no word of the target languages is spelled like.
_ENGLISH = frozenset(
    (
        *("the", "and", "of", "to", "is", "are", "it", "they", "that", "this", "with", "for", "from", "have"),
        *("has", "were", "been", "you", "your", "he", "she", "his", "her", "would", "could", "should"),
        *("which", "when", "where", "what", "who", "there", "their", "them", "these", "those", "not"),
    )
)


# A long line may have hundreds of pronouns: what describes it as a whole is counted once.


@lru_cache(maxsize=64)
def _english(words: tuple[str, ...]) -> int:
    return sum(word.lower() in _ENGLISH for word in words)


@lru_cache(maxsize=64)
def _repeated(target: tuple[str, ...], source: tuple[str, ...]) -> float:
    """How much more the target repeats itself than the source does, to detect looping output."""

    def share(tokens: Sequence[str]) -> float:
        grams = [tuple(tokens[i : i + 3]) for i in range(len(tokens) - 2)]
        return 1 - len(set(grams)) / len(grams) if grams else 0.0

    return max(0.0, share(target) - share(source))
