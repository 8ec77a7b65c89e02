"""Which gender a word of the translation shows: pronouns, adjectives, participles and nouns for people."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from anaphor.antecedents import TargetLanguage
from anaphor.languages import fold

#: Feminine endings by the masculine ones; longer ones first. Endings that both genders share are not there.
_PAIRS = {
    "fr": (
        *(
            ("teur", "trice"),
            ("eur", "euse"),
            ("eux", "euse"),
            ("ien", "ienne"),
            ("éen", "éenne"),
            ("on", "onne"),
        ),
        *(("ier", "ière"), ("er", "ère"), ("if", "ive"), ("el", "elle"), ("et", "ette"), ("et", "ète")),
        *(
            ("eau", "elle"),
            ("ou", "olle"),
            ("f", "ve"),
            ("c", "che"),
            ("x", "sse"),
            ("x", "ce"),
            ("s", "sse"),
        ),
        *(
            ("é", "ée"),
            ("i", "ie"),
            ("u", "ue"),
            ("t", "te"),
            ("d", "de"),
            ("s", "se"),
            ("n", "ne"),
            ("l", "le"),
        ),
        *(("r", "re"), ("is", "ise"), ("ain", "aine"), ("in", "ine"), ("an", "anne"), ("ng", "ngue")),
    ),
    "es": (
        *(
            ("o", "a"),
            ("or", "ora"),
            ("és", "esa"),
            ("ón", "ona"),
            ("ín", "ina"),
            ("án", "ana"),
            ("or", "triz"),
        ),
    ),
}
#: Words with one form for both genders whose ending says otherwise, or that are no adjectives.
_SAME = {
    "fr": frozenset(
        (
            *(
                "chic",
                "bien",
                "mal",
                "debout",
                "ensemble",
                "là",
                "ici",
                "loin",
                "près",
                "tard",
                "tôt",
                "marron",
            ),
            *(
                "super",
                "sympa",
                "cool",
                "snob",
                "été",
                "eu",
                "fait",
                "dit",
                "partout",
                "trop",
                "tout",
                "plus",
            ),
            *("en", "au", "dans", "pas", "moins", "très", "aussi", "toujours", "jamais", "encore", "enfin"),
        )
    ),
    "es": frozenset(
        (
            *("solo", "sólo", "como", "ahora", "nada", "nunca", "fuera", "cerca", "para", "hasta", "cuanto"),
            *(
                "todavía",
                "demasiado",
                "mucho",
                "poco",
                "tanto",
                "algo",
                "cosa",
                "casa",
                "hora",
                "eso",
                "esto",
            ),
            *("ya", "acá", "allá", "medio", "acuerdo", "camino", "pronto", "lejos", "idiota", "cada", "otra"),
        )
    ),
}
_ARTICLES = {
    "de": {"m": frozenset({"einen", "der", "den", "dem"}), "f": frozenset({"eine", "die"})},
    "fr": {
        "m": frozenset({"un", "le", "du", "au", "ce", "cet", "mon", "ton"}),
        "f": frozenset({"une", "la", "cette"}),
    },
    "es": {
        "m": frozenset({"un", "el", "del", "al", "este", "ese"}),
        "f": frozenset({"una", "la", "esta", "esa"}),
    },
}


@dataclass(frozen=True, slots=True)
class Forms:
    """The words of one target language that show the gender of a person."""

    words: Mapping[str, frozenset[str]]
    possessive_m: frozenset[str]
    possessive_f: frozenset[str]

    def __getitem__(self, name: str) -> frozenset[str]:
        return self.words.get(name, frozenset())


@cache
def load_forms(language: str) -> Forms | None:
    """The forms of a target language; None for an unknown one."""
    text = (files("anaphor.check.cast") / "languages.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text).get(language)
    if table is None:
        return None
    words = {
        name: frozenset(value.split() if name.endswith("_cased") else fold(value).split())
        for name, value in table.items()
    }
    return Forms(words, words.pop("possessive_m", frozenset()), words.pop("possessive_f", frozenset()))


def adjective_gender(language: str, word: str, lemma: str, tag: str) -> str:
    """`m` or `f` for a singular adjective or participle; empty if its form is ambiguous."""
    form, base = fold(word), fold(lemma)
    if language not in _PAIRS or form in _SAME[language] or tag not in ("ADJ", "VERB", "NOUN"):
        return ""
    if language == "fr":
        return _french_gender(form, base, tag)
    # Finite forms of verbs end like participles: *contenía*, *tengo*.
    if tag == "VERB" and not form.endswith(_SPANISH_PARTICIPLES):
        return ""
    if form.endswith(("la", "lo")) and form[:-2].endswith(("ándo", "éndo", "ar", "er", "ir")):
        return ""  # an object at the end of a gerund or an infinitive: *mirándola*
    if form.endswith("a") and (len(form) <= 5 or not form.endswith(("ista", "cida", "crata", "iota"))):
        return "f"
    if form.endswith(("ando", "iendo", "yendo")):  # gerunds agree with nobody
        return ""
    if form.endswith("o"):
        return "m"
    # *encantador*, *francés*, *dormilón* have a feminine; *mejor*, *feliz*, *joven* have none.
    return "m" if form.endswith(("dor", "tor", "és", "ón", "ín")) and form not in ("mejor",) else ""


_PARTICIPLES_M = ("é", "i", "u", "is", "it", "ert", "int", "ut", "ous")
_PARTICIPLES_F = ("ée", "ie", "ue", "ise", "ite", "erte", "inte", "oute")


_SPANISH_PARTICIPLES = ("ado", "ada", "ido", "ida", "ído", "ída", "cho", "cha", "to", "ta", "so", "sa")


def _french_gender(form: str, base: str, tag: str) -> str:
    if form == base and form.endswith("er"):  # *fier*, *cher*; no infinitive follows a copula
        return "m"
    if tag == "ADJ" and base.endswith("er") and form == base[:-2] + "ère":  # *fière*
        return "f"
    if tag == "VERB" or base.endswith(("er", "ir", "re", "oir")):
        if form.endswith(_PARTICIPLES_F):
            return "f"
        return "m" if form.endswith(_PARTICIPLES_M) else ""
    if form != base:
        feminine = any(base.endswith(m) and form == base[: len(base) - len(m)] + f for m, f in _PAIRS["fr"])
        return "f" if feminine else ""
    # A lemma that ends in a silent *e* is the same for both: *honnête*, *triste*.
    if form.endswith("e"):
        return "f" if form.endswith(("ée", "euse", "ienne", "trice", "ive")) else ""
    return "m" if form.endswith(tuple(masculine for masculine, _ in _PAIRS["fr"])) else ""


def _is_epicene(language: str, word: str) -> bool:
    """Whether a noun has both genders in the lexicon: *scientifique*."""
    if language == "de":
        return False
    readings = TargetLanguage.load(language).noun_readings((word,), 0)
    return {reading.gender for reading in readings if reading.number == "s"} == {"m", "f"}


_PERSON_SUFFIXES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "de": {
        "f": (
            "erin",
            "orin",
            "istin",
            "entin",
            "antin",
            "änin",
            "eurin",
            "otin",
            "ogin",
            "ierin",
            "atin",
            "ktin",
        ),
        "m": ("er", "or", "ist", "ent", "ant", "än", "eur", "ot", "oge", "at", "kt", "ar"),
    },
    "fr": {
        "f": ("trice", "euse", "ienne", "ière", "eure", "ante", "ente", "onne", "ère"),
        "m": ("teur", "eur", "ien", "ier", "ant", "ent", "on", "er"),
    },
    "es": {
        "f": ("ora", "era", "ina", "ana", "esa", "ica", "ada", "enta", "osa", "ida", "iva"),
        "m": ("or", "ero", "ín", "án", "ico", "ado", "oso", "ido", "ivo"),
    },
}


def person_noun_gender(language: str, tokens: Sequence[str], position: int) -> str:
    """`m` or `f` for a noun for people that has a form or an article for each: *Pilotin*, *le capitaine*."""
    forms = load_forms(language)
    word = tokens[position]
    own = fold(word)
    if forms is None or own in forms["inherent"] or (language == "de" and not word[:1].isupper()):
        return ""
    for gender in ("m", "f"):
        if own in forms[f"persons_{gender}"]:
            return gender
    if (
        own in forms["epicene"]
        or (len(own) > 5 and own.endswith(("iste", "ista")))
        or _is_epicene(language, word)
    ):
        before = [fold(token) for token in tokens[max(0, position - 2) : position]]
        return next(
            (gender for gender, words in _ARTICLES[language].items() for token in before if token in words),
            "",
        )
    for gender, suffixes in _PERSON_SUFFIXES[language].items():
        if own.endswith(suffixes) and len(own) > 5:
            return gender
    return ""
