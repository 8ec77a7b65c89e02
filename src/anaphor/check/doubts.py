"""Doubts: reasons why a pronoun that the verdict rejects may be right after all.

The verdict was fitted on machine translations, where one pronoun in five is wrong. People are wrong far less
often, and they know more than the text says, such as what a film shows or where a string of a program
appears. Each doubt is a known cause of false findings; `benchmarks/check/README.md` has the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache

from anaphor.analyse.gender import Readings
from anaphor.antecedents import TargetLanguage
from anaphor.check.cast import Cast
from anaphor.check.linking import LinkedBlock
from anaphor.check.markup_in_text import has_name_placeholder
from anaphor.check.verdicts import Examined
from anaphor.core import Alignment
from anaphor.core.text import NOUNS, VERBS
from anaphor.languages import fold
from anaphor.verdict import RenderingKind

#: Rows back in which another noun, or another pronoun, may show what is meant.
_REACH = 2


class Doubt(Enum):
    """Why a finding may be false."""

    NO_ANTECEDENT = "no antecedent in the text, and the form was chosen"
    NO_NOUN = "the antecedent is linked to no noun"
    OTHER_PRONOUN = "the word may render another pronoun"
    OTHER_NOUN = "another noun nearby agrees with it"
    CHAIN = "a pronoun of the same gender and number is near"
    COMPLEMENT = "the second noun of *a cup of tea* agrees with it"
    BY_SENSE = "a plural for a group"
    PERSON = "the antecedent is a person of the cast"
    NAME = "a name before it has no gender of its own"
    IDIOM = "*es* stands for an infinitive, or belongs to an idiom"
    NO_CONFLICT = "no antecedent contradicts it"
    OTHER_STRING = "the antecedent is in another string of a program"
    LONG = "the unit is so long that links and antecedents go astray"
    FREE_CLITIC = "an object that nothing else explains"
    ADDRESS = "the word addresses the reader"
    PREDICATE = "what the object is called agrees with it"
    IMPERSONAL = "*es* stands for no plural, so the clause was put in another way"
    NOT_ENGLISH = "the word is also one of the target language"
    OBJECT = "as an object, *es* often stands for no noun"
    CAST = "it may render a thing of the cast"
    FREE = "people leave it out by saying it in another way"
    PURPOSE = "what has a purpose is often a fact, not the noun before it"
    OWN_SUBJECT = "the antecedent is the subject of the same verb"
    NEARER_NOUN = "a noun that agrees with it is nearer than the antecedent"
    CLAUSE = "its subject is the clause that follows"
    PLACEHOLDER = "a placeholder before it has no gender of its own"
    SINGULAR_THEY = "*they* may be one person, whoever that is"
    SAME = "the whole text is left as it is"
    BORROWED = "a borrowed word before it has no gender of its own"
    INDEFINITE = "it may be the *something* before it"


#: English pronouns by what renders them: who is *he* may be *ihm*, and who is *they* may be *elles*.
_PERSONS: Mapping[str, str] = {
    **dict.fromkeys(("he", "him", "himself"), "m"),
    **dict.fromkeys(("she", "her", "herself"), "f"),
    **dict.fromkeys(("they", "them", "themselves"), "p"),
    **dict.fromkeys(("it", "itself"), "s"),
}
#: Forms that a translator writes without a noun in mind, and that are the usual fault of machines.
_UNMARKED = frozenset(
    {"es", "das", "il", "le", "l'", "lo", "ils", "les", "los", "ellos", "ce", "c'", "cela", "ça"}
)
#: The least share of likely antecedents that a verb without its subject must contradict, and a default form.
_CONFLICT, _CLEAR = 0.5, 0.65
#: Tokens back in which a name is looked for.
_NAME_REACH = 10
#: Units with more source tokens are texts that were not segmented.
_LONG = 100
#: Verbs whose *es* stands for what follows, or is part of what they mean: *das erlaubt es ihm*, *versuch es*.
_IDIOMS: Mapping[str, tuple[str, ...]] = {
    "de": (
        *("schaff", "versuch", "probier", "ausprobier", "vergess", "vergiss", "erlaub", "ermöglich"),
        *("gestatt", "möglich", "gelingt", "gelang", "gibt", "gab", "eilig"),
        *("spür", "merk", "bemerk", "weiß", "wuss", "wiss", "glaub", "sag", "leist"),
        *("passier", "gescheh", "geschah", "geschieh", "riech", "roch", "stink", "stank", "regn", "schnei"),
        *("wärm", "kält", "dunkl", "dunkel", "heller", "heiß", "still", "beginn", "begann"),
        *("empfohlen", "empfiehlt"),
    ),
    "fr": (
        "vaut",
        "vaudr",
        "faut",
        "faudra",
        "faudrait",
        "suffi",
        "agi",
        "existe",
        "convien",
        "possible",
        "arriv",
        "peut",
        "écrit",
        "question",
    ),
}
#: Set phrases with an inverted subject: *ainsi soit-il*, *qu'est-ce*.
_INVERTED = frozenset({("soit", "-il"), ("est", "-ce")})
#: Formats of texts that are nearly always translated by people, or have to be short.
_FREE = frozenset({"srt", "vtt", "ass", "po"})
#: Words after which *they* may be one person.
_ANYONE = frozenset(
    (
        *("any", "anyone", "anybody", "each", "every", "everyone", "everybody", "someone", "somebody"),
        *("whoever", "nobody", "no-one"),
    )
)
_INDEFINITE = frozenset({"something", "anything", "everything", "nothing"})
#: Verbs before a clause that is their subject: *il est clair que*, *il serait bon de partir*.
_BEFORE_CLAUSES = frozenset({"est", "était", "serait", "sera", "fut", "paraît", "semble", "semblait"})
#: What stands between a French subject and its verb, and verbs in the plural.
_BEFORE_VERBS = frozenset(
    {"ne", "n'", "me", "m'", "te", "t'", "se", "s'", "nous", "vous", "le", "la", "l'", "les", "y", "en"}
)
_PLURAL_VERBS = frozenset(
    (
        *("sont", "ont", "étaient", "avaient", "seront", "auront", "seraient", "auraient", "vont", "font"),
        *("peuvent", "doivent", "veulent", "viennent", "disent", "prennent", "savent", "mettent"),
    )
)
#: Objects that a link may miss.
_CLITICS = {
    "fr": frozenset({"le", "la", "l'", "les", "en", "y", "lui", "leur"}),
    "es": frozenset({"lo", "la", "los", "las", "le", "les"}),
}


@lru_cache(maxsize=64)
def _folded(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(fold, tokens))


def _others(block: LinkedBlock, pronoun: Examined) -> set[str]:
    """The other words of the source."""
    words = _folded(block.source(pronoun.row).tokens)
    return {*words[: pronoun.token], *words[pronoun.token + 1 :]}


def doubts(block: LinkedBlock, pronoun: Examined, cast: Cast) -> Iterator[Doubt]:
    """Every doubt about one rejected pronoun."""
    if _clashes(block, pronoun):
        return
    if _is_person(block, pronoun, cast):
        yield Doubt.PERSON
    if _is_thing(block, pronoun, cast):
        yield Doubt.CAST
    for doubt, holds in _TESTS.items():
        if holds(block, pronoun):
            yield doubt


def _clashes(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether the form clashes with its own verb, which needs no antecedent: *il sont*."""
    rendering = pronoun.evidence.rendering
    if block.pair.target != "fr" or rendering.form not in ("il", "elle") or not rendering.positions:
        return False
    place = max(rendering.positions)
    after = block.target(pronoun.row).tokens[place + 1 : place + 4]
    verb = next((word for token in after if (word := fold(token)) not in _BEFORE_VERBS), "")
    return verb in _PLURAL_VERBS


def _is_person(block: LinkedBlock, pronoun: Examined, cast: Cast) -> bool:
    """Whether *it* would have to refer to a person of the cast."""
    if pronoun.score.antecedent is None:
        return False
    row, position = pronoun.score.antecedent
    word = fold(block.source(row).tokens[position])
    named = [m for m in cast.members if any(word in fold(name).split() for name in m.names)]
    return bool(named) and not any(member.thing or member.pronouns == "it" for member in named)


def _is_thing(block: LinkedBlock, pronoun: Examined, cast: Cast) -> bool:
    """Whether the source has another pronoun, for a thing of the cast that agrees with the form."""
    others = _others(block, pronoun)
    genders = {
        member.gender(block.pair.target)
        for member in cast.members
        if member.thing and member.pronouns in others
    }
    return any(reading.gender in genders for reading in pronoun.evidence.rendering.readings)


def _no_antecedent(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a form is rejected for lack of a noun in the text although the translator knew of one. This is
    assumed for forms other than the default, for a number other than the source's, and at the start of a
    document, which may be an excerpt.
    """
    rendering, signals = pronoun.evidence.rendering, _agreement(pronoun)
    if rendering.kind is not RenderingKind.PRONOUN:
        return False
    first = pronoun.row == 0 or block.rows[pronoun.row - 1].document != block.rows[pronoun.row].document
    if rendering.form in _UNMARKED and not first and not signals.get("number", 0.0):
        return False
    differs = signals.get("noun_differs", 0.0)
    return pronoun.score.antecedent is None or differs <= signals.get("other_differs", 0.0)


def _no_noun(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether no word linked to the antecedent is a noun, since free translations cause wrong links."""
    if pronoun.score.antecedent is None:
        return False
    row, position = pronoun.score.antecedent
    tags = block.target_analysis(row).tags
    targets = block.links(row).targets_of(position)
    return bool(targets) and all(tags[at] not in ("NOUN", "PROPN", "PRON") for at in targets)


def _agreement(pronoun: Examined) -> Mapping[str, float]:
    """The signals of the agreement witness."""
    testimony = pronoun.evidence.testimonies.get("agreement")
    return testimony.signals if testimony else {}


def _other_pronoun(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether the source has another pronoun that this form would render."""
    rendering = pronoun.evidence.rendering
    if rendering.kind is not RenderingKind.PRONOUN:
        return False
    own = _PERSONS.get(fold(block.source(pronoun.row).tokens[pronoun.token]), "")
    others = {_PERSONS.get(word, "") for word in _others(block, pronoun)} - {"", own}
    return any(_renders(rendering.readings, person) for person in others)


def _renders(readings: Readings, person: str) -> bool:
    if person in ("m", "f"):
        return any(reading.gender == person and reading.number == "s" for reading in readings)
    return any(reading.number == person for reading in readings)


def _other_noun(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a noun before the word agrees with a form other than the default."""
    rendering = pronoun.evidence.rendering
    marked = rendering.kind is RenderingKind.PRONOUN and rendering.form not in _UNMARKED
    agreeing = rendering.kind is RenderingKind.NULL_SUBJECT and rendering.agreeing
    if not (marked or agreeing) or not rendering.positions:
        return False
    document = block.rows[pronoun.row].document
    for row in range(max(0, pronoun.row - _REACH), pronoun.row + 1):
        if block.rows[row].document != document:
            continue
        tokens, tags = block.target(row).tokens, block.target_analysis(row).tags
        end = min(rendering.positions) if row == pronoun.row else len(tokens)
        nouns = _nouns_of_one_gender(block.pair.target, tokens, tags)
        if any(at < end and readings & rendering.readings for at, readings in nouns):
            return True
    return False


def _nearer_noun(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a default form agrees with a noun of its unit that is nearer than the antecedent, and which
    the source has too: *these things … they are the arms of some creature. They …*.
    """
    rendering = pronoun.evidence.rendering
    default = rendering.kind is RenderingKind.PRONOUN and rendering.form in _UNMARKED
    if not default or not rendering.positions or pronoun.score.antecedent is None:
        return False
    if _agreement(pronoun).get("number"):
        return False
    sources = block.source_analysis(pronoun.row).tags
    nearer = {at for at in _nearer(pronoun) if sources[at] == "NOUN" and not _is_prepositional(sources, at)}
    back = block.links(pronoun.row).by_target()
    tokens, tags = block.target(pronoun.row).tokens, block.target_analysis(pronoun.row).tags
    return any(
        at < min(rendering.positions)
        and readings & rendering.readings
        and nearer.intersection(back.get(at, ()))
        for at, readings in _nouns_of_one_gender(block.pair.target, tokens, tags)
    )


def explained_by_another_noun(block: LinkedBlock, pronoun: Examined, noun: str) -> bool:
    """Whether a noun of the same or the preceding row agrees with a pronoun, and translates another noun than
    its supposed antecedent.
    """
    rendering = pronoun.evidence.rendering
    for row in range(max(0, pronoun.row - 1), pronoun.row + 1):
        if block.rows[row].document != block.rows[pronoun.row].document or not rendering.positions:
            continue
        sources, words = block.source_analysis(row).tags, _folded(block.source(row).tokens)
        back = block.links(row).by_target()
        tokens, tags = block.target(row).tokens, block.target_analysis(row).tags
        end = min(rendering.positions) if row == pronoun.row else len(tokens)
        for at, readings in _nouns_of_one_gender(block.pair.target, tokens, tags):
            others = [s for s in back.get(at, ()) if sources[s] == "NOUN" and words[s] != noun]
            if at < end and readings & rendering.readings and others:
                return True
    return False


def _is_prepositional(tags: Sequence[str], noun: int) -> bool:
    """Whether a preposition governs a noun, which is then less likely to be what a pronoun refers to."""
    before = next((tag for tag in reversed(tags[:noun]) if tag not in ("DET", "ADJ", "NUM", "NOUN")), "")
    return before == "ADP"


@lru_cache(maxsize=64)
def _nouns_of_one_gender(
    language: str, tokens: tuple[str, ...], tags: tuple[str, ...]
) -> list[tuple[int, Readings]]:
    """The nouns of a row that have only one gender, with their readings."""
    read = TargetLanguage.load(language).noun_readings
    nouns = ((at, read(tokens, at)) for at, tag in enumerate(tags) if tag == "NOUN")
    return [(at, its) for at, its in nouns if len({reading.gender for reading in its}) == 1]


def _chain(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a pronoun before this one, in its row or a preceding one, already has the same marked form."""
    rendering = pronoun.evidence.rendering
    if rendering.kind is not RenderingKind.PRONOUN or rendering.form in _UNMARKED or not rendering.positions:
        return False
    document = block.rows[pronoun.row].document
    for row in range(max(0, pronoun.row - _REACH), pronoun.row + 1):
        if block.rows[row].document != document:
            continue
        tokens = _folded(block.target(row).tokens)
        end = min(rendering.positions) if row == pronoun.row else len(tokens)
        if rendering.form in tokens[:end]:
            return True
    return False


def _by_sense(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether *they* refers to a noun that is singular in the translation: *la gente … ellos*."""
    if pronoun.score.antecedent is None or fold(block.source(pronoun.row).tokens[pronoun.token]) == "it":
        return False
    row, position = pronoun.score.antecedent
    if {reading.number for reading in pronoun.evidence.rendering.readings} != {"p"}:
        return False
    language = TargetLanguage.load(block.pair.target)
    tokens = block.target(row).tokens
    readings = [language.noun_readings(tokens, at) for at in block.links(row).targets_of(position)]
    return any({reading.number for reading in its} == {"s"} for its in readings)


def _complement(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether the antecedent is the first noun of *a cup of tea*, and the second agrees."""
    if pronoun.score.antecedent is None:
        return False
    row, position = pronoun.score.antecedent
    tokens, tags = block.source(row).tokens, block.source_analysis(row).tags
    if [fold(token) for token in tokens[position + 1 : position + 2]] != ["of"]:
        return False
    noun = next(
        (at for at in range(position + 2, min(len(tokens), position + 6)) if tags[at] == "NOUN"), None
    )
    if noun is None:
        return False
    language = TargetLanguage.load(block.pair.target)
    return any(
        language.noun_readings(block.target(row).tokens, target) & pronoun.evidence.rendering.readings
        for target in block.links(row).targets_of(noun)
    )


def _no_conflict(_: LinkedBlock, pronoun: Examined) -> bool:
    """Whether only the detector objects, and the likely antecedents hardly contradict the form."""
    rendering, signals = pronoun.evidence.rendering, _agreement(pronoun)
    differs = signals.get("noun_differs", 0.0)
    if rendering.kind is RenderingKind.NULL_SUBJECT:
        return differs <= max(signals.get("noun_fits", 0.0), _CONFLICT)
    default = rendering.kind is RenderingKind.PRONOUN and rendering.form in _UNMARKED
    return default and differs <= _CLEAR and not signals.get("number", 0.0)


def _other_string(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a string of a program would refer to a noun of another string."""
    row = block.rows[pronoun.row]
    if row.file.format != "po" or row.unit.speaker or pronoun.score.antecedent is None:
        return False
    # Strings of a dialogue may be alternatives: only the string before is likely to have been said.
    reach = 1 if block.is_dialogue(row.file.path) else 0
    return not 0 <= pronoun.row - pronoun.score.antecedent[0] <= reach


def _long(block: LinkedBlock, pronoun: Examined) -> bool:
    return len(block.source(pronoun.row).tokens) > _LONG


def _idiom(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether *es* or *il* is near a verb that takes an expletive subject."""
    stems = _IDIOMS.get(block.pair.target, ())
    if pronoun.evidence.rendering.form not in ("es", "il", "ce"):
        return False
    tokens = _folded(block.target(pronoun.row).tokens)
    places = pronoun.evidence.rendering.positions
    if any(tokens[max(0, place - 1) : place + 1] in _INVERTED for place in places):
        return True
    near = (at for place in places for at in _clause_after(tokens, place, block.pair.target))
    words = (tokens[at] for at in near)
    # A participle has the stem after *ge*: *geschafft*.
    return any(word.startswith(stems) or word.removeprefix("ge").startswith(stems) for word in words)


def _clause_after(tokens: Sequence[str], place: int, language: str) -> Iterator[int]:
    """Where the verb of a pronoun can be: next to it, or at the end of a German clause."""
    if language == "fr":
        yield from range(place + 1, min(place + 4, len(tokens)))
        return
    yield from range(max(0, place - 4), place)
    for at in range(place + 1, min(place + 12, len(tokens))):
        if not tokens[at].isalnum():
            return
        yield at


def _name(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a name, which has no grammatical gender, is right before a default form: *APT … il*."""
    rendering = pronoun.evidence.rendering
    if rendering.form not in _UNMARKED | {"er"} or not rendering.positions:
        return False
    tokens, tags = block.target(pronoun.row).tokens, block.target_analysis(pronoun.row).tags
    place = min(rendering.positions)
    if any(tags[at] == "PROPN" and at > 0 for at in range(max(0, place - _NAME_REACH), place)):
        return True
    if any(map(_is_of_code, tokens[:place])):
        return True
    before = pronoun.row - 1
    follows = before >= 0 and block.rows[before].document == block.rows[pronoun.row].document
    return follows and any(map(_is_of_code, block.target(before).tokens))


def _is_of_code(token: str) -> bool:
    """Whether a word is an acronym or a name from code: *APT*, *MeshInstance3D*, *read_file*."""
    if "`" in token:
        return True
    if not token.isidentifier() or len(token) < 2:
        return False
    return token.isupper() or "_" in token or (token[0].isupper() and any(map(str.isupper, token[2:])))


def _object(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether the form is an object *es*: *ich überlasse es dir*, *wenn du es dir leisten kannst*."""
    rendering = pronoun.evidence.rendering
    subjects = block.target_analysis(pronoun.row).subjects
    return rendering.form == "es" and not subjects & set(rendering.positions)


def _predicate(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether what the object is called agrees with the form: *call it a panel*, *nennen es ein Panel*; or
    whether German *es* says what a thing is, which it can for any gender: *it is something new*.
    """
    tokens, tags = block.source(pronoun.row).tokens, block.source_analysis(pronoun.row).tags
    at = pronoun.token
    if pronoun.evidence.rendering.form == "es" and _is_equation(_folded(tokens[at + 1 : at + 4])):
        return True
    if [fold(token) for token in tokens[at + 1 : at + 2]] not in (["a"], ["an"], ["the"]) or at == 0:
        return False
    noun = next((i for i in range(at + 2, min(len(tokens), at + 7)) if tags[i] in NOUNS), None)
    if tags[at - 1] != "VERB" or noun is None:
        return False
    while noun + 1 < len(tags) and tags[noun + 1] in NOUNS:
        noun += 1
    language = TargetLanguage.load(block.pair.target)
    target = block.target(pronoun.row).tokens
    readings = [language.noun_readings(target, place) for place in block.links(pronoun.row).targets_of(noun)]
    return not all(readings) or any(its & pronoun.evidence.rendering.readings for its in readings)


def _is_equation(following: Sequence[str]) -> bool:
    """Whether a pronoun is followed by *is* and a noun with its article, or *something*."""
    copula, *predicate = [*following, "", ""]
    return copula in ("is", "was", "'s", "be") and not {"a", "an", "something"}.isdisjoint(predicate[:2])


def _impersonal(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether *they* is *es*: no system takes it for a plural, as in *how bad they can get*."""
    word = fold(block.source(pronoun.row).tokens[pronoun.token])
    return pronoun.evidence.rendering.form == "es" and word in ("they", "them")


def _not_english(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether what seems to be left in English shares hardly a word with the source: *Her damit!*"""
    if pronoun.evidence.rendering.kind is not RenderingKind.UNTRANSLATED:
        return False
    source = {fold(token) for token in block.source(pronoun.row).tokens if token.isalpha()}
    target = [fold(token) for token in block.target(pronoun.row).tokens if token.isalpha()]
    return 2 * sum(token in source for token in target) < len(target)


def _is_address(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a wrong link leads to a *Sie* that addresses the reader. At the start of a sentence it may, if
    it renders a singular and there is another one inside the sentence: *Sie erzielen …, wenn Sie*.
    """
    cased = block.experiment.pack.target.cased
    if not cased:
        return False
    tokens = block.target(pronoun.row).tokens
    addressing = {at for at in range(1, len(tokens)) if tokens[at] in cased and tokens[at - 1][-1:].isalnum()}
    own = set(pronoun.evidence.rendering.positions)
    singular = fold(block.source(pronoun.row).tokens[pronoun.token]) == "it"
    plural = {reading.number for reading in pronoun.evidence.rendering.readings} == {"p"}
    starts = singular and plural and any(tokens[at] in cased for at in own)
    return bool(addressing if starts else addressing & own)


def _is_free(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a pronoun is missing in a subtitle, which has to be short, or in a string that somebody
    translated freely.
    """
    missing = pronoun.evidence.rendering.kind is RenderingKind.NOTHING
    return missing and block.rows[pronoun.row].file.format in _FREE


def _purpose(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a default form refers to what somebody did: *it was to protect you*."""
    after = [fold(token) for token in block.source(pronoun.row).tokens[pronoun.token + 1 : pronoun.token + 3]]
    is_purpose = after in (["is", "to"], ["'s", "to"], ["was", "to"])
    return is_purpose and pronoun.evidence.rendering.form in _UNMARKED


def _own_subject(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether an object would have to refer to the subject of its own verb, for which a reflexive is needed:
    *the water would cover it*.
    """
    if pronoun.score.antecedent is None or pronoun.score.antecedent[0] != pronoun.row:
        return False
    noun, at = pronoun.score.antecedent[1], pronoun.token
    analysis, tokens = block.source_analysis(pronoun.row), block.source(pronoun.row).tokens
    verb = at - 1
    if noun >= at or fold(tokens[at]) not in ("it", "them") or at in analysis.subjects:
        return False
    if verb < 0 or analysis.tags[verb] != "VERB":
        return False
    return all(tag in ("AUX", "ADV", "PART") for tag in analysis.tags[noun + 1 : verb])


def _has_clause(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether the subject is a clause: *il est clair que*, *il serait bon de partir*, *puede que*."""
    rendering, language = pronoun.evidence.rendering, block.pair.target
    if not rendering.positions:
        return False
    tokens, tags = _folded(block.target(pronoun.row).tokens), block.target_analysis(pronoun.row).tags
    at = max(rendering.positions) + 1
    if language == "es":
        return rendering.kind is RenderingKind.NULL_SUBJECT and tokens[at : at + 1] == ("que",)
    if language != "fr" or rendering.form != "il":
        return False
    while at < len(tokens) and tokens[at] in _BEFORE_VERBS:
        at += 1
    if tokens[at : at + 1] and tokens[at] in _BEFORE_CLAUSES:
        for after in range(at + 2, min(at + 5, len(tokens) - 1)):
            if tokens[after] in ("que", "qu'"):
                return True
            infinitive = tags[after + 1] == "VERB" or tokens[after + 1] in _BEFORE_VERBS
            if tokens[after] in ("de", "d'") and infinitive:
                return True
    return False


def _placeholder(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether *it* may refer to the value of a placeholder of its unit: *the {name} … it disappears*."""
    unit = block.rows[pronoun.row].unit
    start = block.source(pronoun.row).span(pronoun.token).start
    return has_name_placeholder(unit.source[:start])


def _nearer(pronoun: Examined) -> range:
    """The source tokens of a row between the antecedent and a pronoun; all before it if that is elsewhere."""
    row, antecedent = pronoun.score.antecedent or (-1, -1)
    return range(antecedent + 1 if row == pronoun.row else 0, pronoun.token)


def _borrowed(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a word that is in no lexicon, and is the same in both languages, is nearer than the antecedent:
    *the Node … it*, *der Node … er*.
    """
    rendering, row = pronoun.evidence.rendering, pronoun.row
    if rendering.kind is not RenderingKind.PRONOUN or not rendering.positions:
        return False
    words, tags = _folded(block.source(row).tokens), block.source_analysis(row).tags
    nearer = {words[at] for at in _nearer(pronoun) if tags[at] in NOUNS and len(words[at]) > 2}
    read = TargetLanguage.load(block.pair.target).noun_readings
    return any(
        fold(token) in nearer and not read((token,), 0)
        for token in block.target(row).tokens[: min(rendering.positions)]
    )


def _indefinite(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether *something*, which has no gender, is nearer than the antecedent of a default form."""
    words = _folded(block.source(pronoun.row).tokens)
    nearer = {words[at] for at in _nearer(pronoun)}
    return pronoun.evidence.rendering.form in _UNMARKED and not _INDEFINITE.isdisjoint(nearer)


def _is_same(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a text was left in the source language as a whole: a quotation, or something to type."""
    row = block.rows[pronoun.row]
    return row.source.split() == row.target.split()


def _singular_they(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a singular renders a *they* for one person: *if anyone breaks this law, they …*."""
    words = _folded(block.source(pronoun.row).tokens)
    numbers = {reading.number for reading in pronoun.evidence.rendering.readings}
    is_they = _PERSONS.get(words[pronoun.token]) == "p"
    return is_they and numbers == {"s"} and not _ANYONE.isdisjoint(words[: pronoun.token])


def _has_free_clitic(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a pronoun that seems to be missing may be an object with no other counterpart in the source.
    Links of objects that precede their verb are often wrong: *view it*, *pour la voir*.
    """
    if pronoun.evidence.rendering.kind is not RenderingKind.NOTHING:
        return False
    row = pronoun.row
    tags = block.source_analysis(row).tags, block.target_analysis(row).tags
    return _any_free_clitic(block.target(row).tokens, *tags, block.links(row), block.pair.target)


@lru_cache(maxsize=64)
def _any_free_clitic(
    tokens: tuple[str, ...], sources: tuple[str, ...], tags: tuple[str, ...], links: Alignment, language: str
) -> bool:
    """The same for a row, whatever the pronoun."""
    back = links.by_target()
    clitics = _CLITICS.get(language, frozenset())
    for at, (token, word) in enumerate(zip(tokens, _folded(tokens), strict=True)):
        word = word.removeprefix("-")
        following = tags[at + 1] if at + 1 < len(tags) else ""
        is_object = tags[at] == "PRON" or following in VERBS or token.startswith("-")
        explained = any(sources[source] in ("PRON", "NOUN", "PROPN", "DET") for source in back.get(at, ()))
        if word in clitics and is_object and not explained:
            return True
    return False


_TESTS: Mapping[Doubt, Callable[[LinkedBlock, Examined], bool]] = {
    Doubt.NO_ANTECEDENT: _no_antecedent,
    Doubt.NO_NOUN: _no_noun,
    Doubt.OTHER_PRONOUN: _other_pronoun,
    Doubt.OTHER_NOUN: _other_noun,
    Doubt.CHAIN: _chain,
    Doubt.COMPLEMENT: _complement,
    Doubt.BY_SENSE: _by_sense,
    Doubt.NO_CONFLICT: _no_conflict,
    Doubt.OTHER_STRING: _other_string,
    Doubt.LONG: _long,
    Doubt.NAME: _name,
    Doubt.IDIOM: _idiom,
    Doubt.FREE_CLITIC: _has_free_clitic,
    Doubt.ADDRESS: _is_address,
    Doubt.OBJECT: _object,
    Doubt.PREDICATE: _predicate,
    Doubt.IMPERSONAL: _impersonal,
    Doubt.NOT_ENGLISH: _not_english,
    Doubt.FREE: _is_free,
    Doubt.PURPOSE: _purpose,
    Doubt.OWN_SUBJECT: _own_subject,
    Doubt.NEARER_NOUN: _nearer_noun,
    Doubt.CLAUSE: _has_clause,
    Doubt.PLACEHOLDER: _placeholder,
    Doubt.SINGULAR_THEY: _singular_they,
    Doubt.SAME: _is_same,
    Doubt.BORROWED: _borrowed,
    Doubt.INDEFINITE: _indefinite,
}
