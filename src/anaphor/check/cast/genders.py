"""Which gender a word of the translation shows: pronouns, adjectives, participles and nouns for people."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from anaphor.antecedents import TargetLanguage
from anaphor.languages import fold


@dataclass(frozen=True, slots=True)
class Forms:
    """The words of one target language that show the gender of a person."""

    words: Mapping[str, frozenset[str]]
    possessive_m: frozenset[str]
    possessive_f: frozenset[str]

    def __getitem__(self, name: str) -> frozenset[str]:
        return self.words.get(name, frozenset())


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    text = (files("anaphor.check.cast") / "languages.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def english_words(name: str) -> frozenset[str]:
    """A list of words of the source."""
    return frozenset(_tables()["english"][name].split())


@cache
def load_forms(language: str) -> Forms | None:
    """The forms of a target language; None for an unknown one."""
    table = _tables().get(language)
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
    forms = load_forms(language)
    if language not in ("fr", "es") or forms is None or form in forms["one_form"]:
        return ""
    if tag not in ("ADJ", "VERB", "NOUN"):
        return ""
    if language == "fr":
        return _french_gender(form, base, tag, forms)
    # Finite forms of verbs end like participles: *contenía*, *tengo*.
    if tag == "VERB" and not form.endswith(tuple(forms["participles"])):
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


def _french_gender(form: str, base: str, tag: str, forms: Forms) -> str:
    if form == base and form.endswith("er"):  # *fier*, *cher*; no infinitive follows a copula
        return "m"
    if tag == "ADJ" and base.endswith("er") and form == base[:-2] + "ère":  # *fière*
        return "f"
    if tag == "VERB" or base.endswith(("er", "ir", "re", "oir")):
        if form.endswith(tuple(forms["participles_f"])):
            return "f"
        return "m" if form.endswith(tuple(forms["participles_m"])) else ""
    feminines = [ending.split(":") for ending in forms["feminines"]]
    if form != base:
        feminine = any(base.endswith(m) and form == base.removesuffix(m) + f for m, f in feminines)
        return "f" if feminine else ""
    # A lemma that ends in a silent *e* is the same for both: *honnête*, *triste*.
    if form.endswith("e"):
        return "f" if form.endswith(("ée", "euse", "ienne", "trice", "ive")) else ""
    return "m" if form.endswith(tuple(masculine for masculine, _ in feminines)) else ""


def _is_epicene(language: str, word: str) -> bool:
    """Whether a noun has both genders in the lexicon: *scientifique*."""
    if language == "de":
        return False
    readings = TargetLanguage.load(language).noun_readings((word,), 0)
    return {reading.gender for reading in readings if reading.number == "s"} == {"m", "f"}


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
        articles = ((gender, forms[f"articles_{gender}"]) for gender in ("m", "f"))
        return next((gender for gender, words in articles if not words.isdisjoint(before)), "")
    # The feminine ending may contain the masculine one: *Pilotin*.
    endings = ((gender, tuple(forms[f"endings_{gender}"])) for gender in ("f", "m"))
    return next((gender for gender, ends in endings if own.endswith(ends) and len(own) > 5), "")
