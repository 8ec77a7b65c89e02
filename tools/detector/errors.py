"""Errors like those of systems, made in good translations, one pronoun at a time.

A form is exchanged for one that systems confuse it with, and verbs, participles and adjectives follow suit.
The new clause is sound in itself and wrong only in its context, so that grammar alone does not give the error
away. Other errors lose the pronoun, its clause or the end of the sentence, leave words in English, or put
another person in place of the pronoun.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anaphor.languages import fold
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering, RenderingKind, source_verbs

_VERBS = ("VERB", "AUX")
#: A form and what it may be exchanged for, with weights. `+` and `-` make the verb plural or singular.
_EXCHANGED: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "de": {
        "er": {"es": 5, "sie": 3, "sie+": 0.5},
        "sie": {"es": 5, "er": 3},
        "sie p": {"es-": 2, "er-": 1, "sie-": 2},
        "es": {"er": 3, "sie": 3, "sie+": 1},
        "das": {"er": 1, "sie": 1, "sie+": 0.3},
        "ihn": {"es": 5, "sie": 3, "er": 0.3},
        "ihm": {"ihr": 3, "ihnen": 1},
        "ihr": {"ihm": 3, "ihnen": 1},
        "ihnen": {"ihm": 2, "ihr": 1, "ihn": 0.3},
        "diese": {"dieser": 2, "dieses": 2},
        "dieser": {"diese": 2, "dieses": 2},
    },
    "fr": {
        "il": {"elle": 4, "cela": 1, "ce": 0.5, "ils+": 0.5},
        "elle": {"il": 6, "cela": 1, "elles+": 0.5},
        "ils": {"elles": 4, "il-": 1, "elle-": 0.5},
        "elles": {"ils": 6, "elle-": 0.5, "il-": 0.5},
        "ce": {"il": 4, "elle": 1, "ils+": 0.2},
        "c'": {"il": 4, "elle": 1},
        "cela": {"il": 4, "elle": 1, "ils+": 0.2},
        "ça": {"il": 4, "elle": 1},
        "le": {"la": 4, "les": 1, "cela": 0.5},
        "la": {"le": 6, "les": 1},
        "les": {"le": 2, "la": 1},
        "lui": {"leur": 1, "elle": 0.3},
        "leur": {"lui": 1},
        "celui-ci": {"celle-ci": 1},
        "celle-ci": {"celui-ci": 1},
        "ceux-ci": {"celles-ci": 1},
        "celles-ci": {"ceux-ci": 1},
    },
    "es": {
        "él": {"ella": 3, "ello": 1, "ellos+": 0.3},
        "ella": {"él": 3, "ello": 1, "ellas+": 0.3},
        "ellos": {"ellas": 3, "ella-": 0.5, "él-": 0.5},
        "ellas": {"ellos": 4, "ella-": 0.5},
        "ello": {"él": 1, "ella": 1},
        "eso": {"ella": 1, "él": 1},
        "esto": {"ella": 1, "él": 1, "este": 1},
        "lo": {"la": 4, "los": 1, "les": 0.3},
        "la": {"lo": 5, "las": 1},
        "los": {"las": 3, "lo": 1},
        "las": {"los": 4, "la": 1},
        "le": {"les": 1, "lo": 0.3},
        "les": {"le": 1, "los": 0.3},
        "este": {"esta": 1},
        "esta": {"este": 1},
        "éste": {"ésta": 1},
        "ésta": {"éste": 1},
        "estos": {"estas": 1},
        "estas": {"estos": 1},
    },
}
_PERSONS = {
    "de": ("ich", "wir", "man", "du", "Sie", "wer", "dort", "was", "jemand"),
    "fr": ("je", "nous", "on", "tu", "vous", "qui", "quelqu'un"),
    "es": ("yo", "nosotros", "usted", "uno", "quien", "alguien", "tú"),
}
_PLURALS = {
    "de": {
        "sind": "ist", "haben": "hat", "werden": "wird", "können": "kann", "müssen": "muss", "wollen": "will",
        "dürfen": "darf", "mögen": "mag", "wissen": "weiß", "waren": "war", "seien": "sei", "kamen": "kam",
        "gingen": "ging", "gaben": "gab", "sahen": "sah", "fanden": "fand", "standen": "stand",
        "ließen": "ließ", "sollen": "soll", "geben": "gibt", "nehmen": "nimmt", "sehen": "sieht",
        "sprechen": "spricht", "lassen": "lässt", "tragen": "trägt", "halten": "hält", "laufen": "läuft",
        "treffen": "trifft", "helfen": "hilft", "fahren": "fährt", "fallen": "fällt", "gelten": "gilt",
    },
    "fr": {
        "sont": "est", "ont": "a", "vont": "va", "font": "fait", "peuvent": "peut", "doivent": "doit",
        "veulent": "veut", "savent": "sait", "viennent": "vient", "tiennent": "tient", "prennent": "prend",
        "disent": "dit", "voient": "voit", "mettent": "met", "furent": "fut", "eurent": "eut",
        "soient": "soit", "aient": "ait", "puissent": "puisse", "fassent": "fasse", "aillent": "aille",
        "deviennent": "devient", "permettent": "permet", "reçoivent": "reçoit", "croient": "croit",
    },
    "es": {
        "son": "es", "han": "ha", "fueron": "fue", "están": "está", "van": "va", "dan": "da", "eran": "era",
    },
}  # fmt: skip
_PLURAL_ENDINGS = {
    "de": (("ten", "te"), ("eten", "ete"), ("en", "t"), ("en", "et"), ("en", "")),
    "fr": (("aient", "ait"), ("ront", "ra"), ("issent", "it"), ("ent", "e"), ("èrent", "a"), ("irent", "it")),
    "es": (("aron", "ó"), ("ieron", "ió"), ("n", "")),
}
#: Masculine and feminine endings of adjectives and participles, longest first.
_GENDERS = {
    "fr": (
        ("é", "ée"), ("és", "ées"), ("if", "ive"), ("ifs", "ives"), ("eux", "euse"), ("er", "ère"),
        ("el", "elle"), ("els", "elles"), ("ien", "ienne"), ("ais", "aise"), ("ant", "ante"), ("ent", "ente"),
        ("ants", "antes"), ("ents", "entes"), ("al", "ale"), ("aux", "ales"), ("is", "ise"), ("it", "ite"),
        ("u", "ue"), ("us", "ues"), ("i", "ie"), ("in", "ine"), ("ain", "aine"), ("ert", "erte"),
        ("ond", "onde"), ("and", "ande"), ("eau", "elle"), ("et", "ète"), ("t", "te"), ("s", "se"),
    ),
    "es": (("o", "a"), ("os", "as"), ("or", "ora"), ("ón", "ona")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edit:
    """Words of a translation that change: new texts by position, empty ones for words that are deleted."""

    what: str
    words: Mapping[int, str]


class Words:
    """What the attested words of a language tell about number and gender of verbs and adjectives."""

    def __init__(self, language: str, attested: Collection[str]) -> None:
        self._attested = attested
        self._singular = dict(_PLURALS[language])
        for word in sorted(attested):
            for plural, singular in _PLURAL_ENDINGS[language]:
                stem = word.removesuffix(plural)
                if stem != word and len(stem) > 2 and stem + singular in attested:
                    self._singular.setdefault(word, stem + singular)
                    break
        self._plural = {singular: plural for plural, singular in reversed(self._singular.items())}
        self._feminine: dict[str, str] = {}
        for masculine, feminine in _GENDERS.get(language, ()):
            for word in sorted(attested):
                stem = word.removesuffix(feminine)
                if stem != word and len(stem) > 2 and stem + masculine in attested:
                    self._feminine.setdefault(stem + masculine, word)
        self._masculine = {feminine: masculine for masculine, feminine in self._feminine.items()}

    def in_number(self, verb: str, number: str) -> str:
        """A finite verb in the other number, empty where none is known."""
        return (self._plural if number == "p" else self._singular).get(verb.lower(), "")

    def in_gender(self, word: str, gender: str) -> str:
        """An adjective or participle in the other gender, empty where none is known."""
        return (self._masculine if gender == "m" else self._feminine).get(word.lower(), "")


_FEMININE = frozenset(
    {"elle", "elles", "la", "ella", "ellas", "las", "celle-ci", "celles-ci", "ésta", "esta"}
)
_MASCULINE = frozenset({"il", "ils", "le", "él", "ellos", "los", "lo", "celui-ci", "ce", "cela", "ello"})


def _follows(case: Case, at: int) -> Iterator[int]:
    """Positions after a subject, up to the end of its clause."""
    for position in range(at + 1, min(at + 9, len(case.target.tokens))):
        if case.target.analysis.tags[position] in ("PUNCT", "SCONJ", "CCONJ"):
            return
        yield position


def _agreeing(case: Case, at: int, gender: str, words: Words) -> dict[int, str]:
    """Participles and adjectives after a copula that change with the gender of the subject."""
    changed: dict[int, str] = {}
    tags, has_copula = case.target.analysis.tags, False
    for position in _follows(case, at):
        word = case.target.tokens[position]
        if tags[position] == "AUX" or fold(word) in ("est", "sont", "était", "étaient", "es", "son", "está"):
            has_copula = True
        elif tags[position] in ("ADJ", "VERB") and has_copula and (new := words.in_gender(word, gender)):
            changed[position] = new
        elif tags[position] in ("NOUN", "PROPN"):
            break
    return changed


def _verb_of(case: Case, at: int) -> int | None:
    """The finite verb beside a subject."""
    tags = case.target.analysis.tags
    for position in (*_follows(case, at), at - 1):
        if 0 <= position < len(tags) and tags[position] in _VERBS:
            return position
    return None


def exchanged(case: Case, rendering: Rendering, words: Words, rng: random.Random) -> Edit | None:
    """Another form in place of the pronoun, with the words that agree with it; None where its verb cannot."""
    language = case.document.language.code
    if len(rendering.positions) != 1:
        return None
    at = rendering.positions[0]
    token, form = case.target.tokens[at], rendering.form
    table = _EXCHANGED[language]
    numbers = {one.number for one in rendering.readings}
    choices = table.get(f"{form} p" if form == "sie" and numbers == {"p"} else form)
    if not choices or (form in ("ce", "c'") and _is_relative(case, at)):
        return None
    if form == "diese" and numbers == {"p"}:
        # The other forms are singular, and the verb would give them away.
        return None
    new = rng.choices(list(choices), list(choices.values()))[0]
    number = {"+": "p", "-": "s"}.get(new[-1], "")
    new = new.rstrip("+-")
    changed: dict[int, str] = {}
    if number:
        verb = _verb_of(case, at)
        if verb is None or not (other := words.in_number(case.target.tokens[verb], number)):
            return None
        changed[verb] = other
    if language != "de" and case.is_subject and (new in _FEMININE) != (form in _FEMININE):
        changed |= _agreeing(case, at, "f" if new in _FEMININE else "m", words)
    if fold(token) != form:
        # A clitic on its verb: *hacerlo*, *prends-le*.
        if not fold(token).endswith(form):
            return None
        changed[at] = token[: len(token) - len(form)] + new
    else:
        changed[at] = new.capitalize() if token[0].isupper() else new
    return Edit("exchanged", changed)


def _is_relative(case: Case, at: int) -> bool:
    """Whether a French *ce* belongs to *ce qui*, *ce que* or *ce dont*, where nothing else fits."""
    following = case.target.tokens[at + 1 : at + 2]
    return bool(following) and fold(following[0]) in ("qui", "que", "qu'", "dont", "à")


_BEFORE_VERBS = frozenset({"no", "se", "lo", "la", "los", "las", "le", "les", "me", "te", "nos", "os"})
_OTHER_PERSONS = {
    "es": "soy", "ha": "he", "está": "estoy", "tiene": "tengo", "puede": "puedo", "va": "voy", "fue": "fui",
    "son": "somos", "han": "hemos", "están": "estamos", "tienen": "tenemos", "pueden": "podemos",
    "van": "vamos", "fueron": "fuimos", "hace": "haces", "hacen": "hacemos", "debe": "debes",
    "deben": "debemos",
    "dice": "dices", "dicen": "dices", "quiere": "quieres", "quieren": "quieres", "parece": "pareces",
}  # fmt: skip


def _in_number(word: str, *, plural: bool) -> str:
    """A Spanish adjective in the other number."""
    if plural:
        return word if word.endswith("s") else word + ("s" if word[-1] in "aeoáéó" else "es")
    return word.removesuffix("es") if word.endswith(("les", "res", "nes")) else word.removesuffix("s")


def verb_changed(case: Case, rendering: Rendering, words: Words, rng: random.Random) -> Edit | None:
    """A null subject whose verb or adjective no longer agrees, or that gets an overt pronoun."""
    verb = rendering.positions[0]
    token = case.target.tokens[verb]
    number = min({one.number for one in rendering.readings}, default="s")
    draw = rng.random()
    if rendering.agreeing and draw < 0.9:
        at = next(
            (
                p
                for p in range(verb + 1, len(case.target.tokens))
                if case.target.tokens[p] == rendering.agreeing
            ),
            None,
        )
        for gender in rng.sample("mf", 2):
            if at is not None and (new := words.in_gender(rendering.agreeing, gender)):
                return Edit("adjective", {at: new})
    draw = rng.random()
    if draw < 0.5 and (new := words.in_number(token, "s" if number == "p" else "p")):
        changed = {verb: new.capitalize() if token[0].isupper() else new}
        for position in _follows(case, verb):
            word = case.target.tokens[position]
            if case.target.analysis.tags[position] == "ADJ" or word == rendering.agreeing:
                changed[position] = _in_number(word, plural=number != "p")
                break
        return Edit("number", changed)
    if draw < 0.75 and (new := _OTHER_PERSONS.get(token.lower(), "")):
        return Edit("person", {verb: new.capitalize() if token[0].isupper() else new})
    pronoun = rng.choice(("ellos", "ellas") if number == "p" else ("él", "ella"))
    start = verb
    while start and fold(case.target.tokens[start - 1]) in _BEFORE_VERBS:
        start -= 1
    first = case.target.tokens[start]
    if first[0].isupper():
        pronoun, first = pronoun.capitalize(), first[0].lower() + first[1:]
    return Edit("overt", {start: f"{pronoun} {first}"})


def dropped(case: Case, rendering: Rendering, _words: Words, _rng: random.Random) -> Edit | None:
    """The pronoun is missing where the language needs it."""
    if case.is_subject and case.document.language.null_subjects:
        return None
    if rendering.kind is not RenderingKind.PRONOUN or any(
        fold(case.target.tokens[position]) != rendering.form for position in rendering.positions
    ):
        return None
    return Edit("dropped", dict.fromkeys(rendering.positions, ""))


def clause_lost(case: Case, rendering: Rendering, _words: Words, _rng: random.Random) -> Edit | None:
    """The clause is missing, from the pronoun to the next comma or full stop of the source."""
    tags, at = case.source.analysis.tags, case.place.position
    end = next((p for p in range(at + 1, len(tags)) if tags[p] in ("PUNCT", "CCONJ")), len(tags))
    inside = {target for p in range(at, end) for target in case.links.get(p, ())} | {*rendering.positions}
    if not 2 <= len(inside) <= 14 or max(inside) - min(inside) > 2 * len(inside):
        return None
    return Edit("lost", dict.fromkeys(range(min(inside), max(inside) + 1), ""))


def cut(case: Case, rendering: Rendering, _words: Words, rng: random.Random) -> Edit | None:
    """The sentence ends before the pronoun, or begins after it."""
    size = len(case.target.tokens)
    found = [*rendering.positions] or [t for verb in source_verbs(case) for t in case.links.get(verb, ())]
    if not found or size < 6:
        return None
    if min(found) > 3:
        return Edit("cut", dict.fromkeys(range(min(found) - rng.randrange(2), size), ""))
    return Edit("cut", dict.fromkeys(range(max(found) + 2), "")) if size - max(found) > 5 else None


def left_in_english(case: Case, rendering: Rendering, _words: Words, rng: random.Random) -> Edit | None:
    """The pronoun, and the words after it, as in the source."""
    if not rendering.positions:
        return None
    at, source = rendering.positions[0], case.place.position
    length = rng.choice((1, 2, 3, 6))
    english = " ".join(case.source.tokens[source : source + length])
    rest = range(at + 1, min(at + length, len(case.target.tokens) - 1))
    return Edit("english", {at: english} | dict.fromkeys(rest, ""))


def other_person(case: Case, rendering: Rendering, _words: Words, rng: random.Random) -> Edit | None:
    """Another pronoun altogether."""
    if rendering.kind is not RenderingKind.PRONOUN or len(rendering.positions) != 1:
        return None
    at = rendering.positions[0]
    if fold(case.target.tokens[at]) != rendering.form:
        return None
    new = rng.choice(_PERSONS[case.document.language.code])
    return Edit("person", {at: new.capitalize() if case.target.tokens[at][0].isupper() else new})


def another_verb(case: Case, rendering: Rendering, _words: Words, rng: random.Random) -> Edit | None:
    """The clause says something else: its verb becomes a word from elsewhere in the sentence."""
    verbs = [t for verb in source_verbs(case) for t in case.links.get(verb, ())]
    others = [
        p
        for p, tag in enumerate(case.target.analysis.tags)
        if tag in ("VERB", "NOUN") and p not in verbs and p not in rendering.positions
    ]
    if not verbs or not others:
        return None
    return Edit("mistranslated", {verbs[0]: case.target.tokens[rng.choice(others)]})


_Error = Callable[[Case, Rendering, Words, random.Random], Edit | None]
_OF_PRONOUNS: Sequence[tuple[_Error, float]] = (
    (exchanged, 10),
    (dropped, 2.5),
    (clause_lost, 0.8),
    (cut, 0.6),
    (left_in_english, 0.5),
    (other_person, 0.4),
    (another_verb, 0.3),
)
_OF_NULL_SUBJECTS: Sequence[tuple[_Error, float]] = (
    (verb_changed, 10),
    (clause_lost, 1),
    (cut, 0.7),
    (left_in_english, 0.5),
    (another_verb, 0.7),
)
_OF_OTHERS: Sequence[tuple[_Error, float]] = (
    (clause_lost, 2),
    (cut, 1),
    (left_in_english, 1),
    (another_verb, 0.7),
)


def damaged(case: Case, rendering: Rendering, words: Words, rng: random.Random) -> Edit | None:
    """One error in the rendering of a pronoun; None where three draws found none that fits."""
    errors = _OF_OTHERS
    if rendering.kind is RenderingKind.PRONOUN:
        errors = _OF_PRONOUNS
    elif rendering.kind is RenderingKind.NULL_SUBJECT:
        errors = _OF_NULL_SUBJECTS
    for _ in range(3):
        chosen = rng.choices([one for one, _ in errors], [weight for _, weight in errors])[0]
        if (edit := chosen(case, rendering, words, rng)) is not None:
            return edit
    return None
