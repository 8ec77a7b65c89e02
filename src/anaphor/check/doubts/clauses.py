"""Doubts from the clause of the form: idioms, impersonal verbs, clauses as subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anaphor.check.doubts.suspect import Suspect
from anaphor.verdict import RenderingKind

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
        *("vaut", "vaudr", "faut", "faudra", "faudrait", "suffi", "agi", "existe", "convien", "possible"),
        *("arriv", "peut", "écrit", "question"),
    ),
}
#: Set phrases with an inverted subject: *ainsi soit-il*, *qu'est-ce*.
_INVERTED = frozenset({("soit", "-il"), ("est", "-ce")})
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


def clashes_with_verb(suspect: Suspect) -> bool:
    """Whether the form clashes with its own verb, which needs no antecedent: *il sont*."""
    if suspect.language != "fr" or suspect.form not in ("il", "elle") or not suspect.places:
        return False
    place = max(suspect.places)
    after = suspect.target_words[place + 1 : place + 4]
    return next((word for word in after if word not in _BEFORE_VERBS), "") in _PLURAL_VERBS


def is_idiom(suspect: Suspect) -> bool:
    """Whether *es* or *il* is near a verb that takes an expletive subject."""
    if suspect.form not in ("es", "il", "ce"):
        return False
    stems, words = _IDIOMS.get(suspect.language, ()), suspect.target_words
    if any(words[max(0, place - 1) : place + 1] in _INVERTED for place in suspect.places):
        return True
    near = (words[at] for place in suspect.places for at in _clause_after(words, place, suspect.language))
    # A participle has the stem after *ge*: *geschafft*.
    return any(word.startswith(stems) or word.removeprefix("ge").startswith(stems) for word in near)


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


def is_object(suspect: Suspect) -> bool:
    """Whether the form is an object *es*: *ich überlasse es dir*, *wenn du es dir leisten kannst*."""
    subjects = suspect.block.target_analysis(suspect.pronoun.row).subjects
    return suspect.form == "es" and subjects.isdisjoint(suspect.places)


def is_impersonal(suspect: Suspect) -> bool:
    """Whether *they* is *es*: no system takes it for a plural, as in *how bad they can get*."""
    return suspect.form == "es" and suspect.word in ("they", "them")


def has_purpose(suspect: Suspect) -> bool:
    """Whether a default form refers to what somebody did: *it was to protect you*."""
    after = suspect.source_words[suspect.at + 1 : suspect.at + 3]
    return after in (("is", "to"), ("'s", "to"), ("was", "to")) and suspect.pronoun.has_default_form


def has_clause(suspect: Suspect) -> bool:
    """Whether the subject is a clause: *il est clair que*, *il serait bon de partir*, *puede que*."""
    if not suspect.places:
        return False
    tokens, tags = suspect.target_words, suspect.target_tags
    at = max(suspect.places) + 1
    if suspect.language == "es":
        null = suspect.pronoun.evidence.rendering.kind is RenderingKind.NULL_SUBJECT
        return null and tokens[at : at + 1] == ("que",)
    if suspect.language != "fr" or suspect.form != "il":
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
