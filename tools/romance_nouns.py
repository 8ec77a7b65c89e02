"""Italian and Portuguese nouns and adjectives with gender and number, from free dictionaries.

Italian ones are from the packages italian-words-dict, italian-adjectives-dict and italian-verbs-dict (made
from Morph-it), which list plurals. Portuguese ones are from the sources of portuguese-pos-dict, which lists
plurals only where no rule tells them.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from anaphor.languages import fold


class Form(NamedTuple):
    """A form with its lemma, genders (`m`, `f` or both) and numbers (`s`, `p` or both)."""

    form: str
    lemma: str
    genders: str
    numbers: str


_ENTRY = re.compile(r"(?P<words>[^=\[]+)(?:\[pl\. (?P<plural>[^\]]+)\])?[^=]*=(?P<tag>[A-Z]+)\b")
#: Vowels with an accent: the word is not stressed at its end.
_ACUTE = re.compile("[áéíóúâêô]")
_WITHOUT_ACCENT = str.maketrans("áéíóúâêô", "aeiouaeo")


def italian_nouns(lexicons: Path) -> Iterator[Form]:
    """Nouns in both numbers."""
    for lemma, entry in _json(lexicons / "italian-words-dict" / "words.json").items():
        genders = entry.get("G", "MF").lower()
        yield from _simple(Form(lemma, lemma, genders, "s"))
        if entry.get("P"):
            yield from _simple(Form(entry["P"], lemma, genders, "p"))


def italian_adjectives(lexicons: Path) -> Iterator[Form]:
    """Adjectives and participles; a form that the dictionary lacks is that of the masculine."""
    for lemma, entry in _json(lexicons / "italian-adjectives-dict" / "adjectives.json").items():
        yield from _simple(Form(lemma, lemma, "m" if "FS" in entry else "mf", "s"))
        for label, form in entry.items():
            if form:
                yield from _simple(Form(form, lemma, label[0].lower(), label[1].lower()))
    for lemma, entry in _json(lexicons / "italian-verbs-dict" / "verbs.json").items():
        for label, form in entry.get("part", {}).get("past", {}).items():
            # S and P are the masculine, SF and PF the feminine.
            yield from _simple(Form(form, lemma, "f" if "F" in label else "m", label[0].lower()))


def portuguese_nouns(lexicons: Path) -> Iterator[Form]:
    """Nouns in both numbers."""
    for words, plural, tag in _entries(lexicons / "portuguese-pos-dict" / "nouns-fdic.txt"):
        genders = "".join(letter.lower() for letter in "MF" if letter in tag) or "mf"
        lemma, *feminine = words
        own = "m" if feminine else genders
        if "I" in tag or tag.endswith("P"):
            yield from _simple(Form(lemma, lemma, own, "p" if "I" not in tag else "sp"))
            continue
        yield from _simple(Form(lemma, lemma, own, "s"))
        for form in feminine:
            yield from _simple(Form(form, lemma, "f", "s"))
            yield from _simple(Form(portuguese_plural(form), lemma, "f", "p"))
        if not tag.endswith("S"):
            yield from _simple(Form(plural or portuguese_plural(lemma), lemma, own, "p"))


def portuguese_adjectives(lexicons: Path) -> Iterator[Form]:
    """Adjectives, many of which are participles."""
    for words, plural, tag in _entries(lexicons / "portuguese-pos-dict" / "adjectives-fdic.txt"):
        masculine, *feminine = words
        own = "m" if feminine else "mf"
        if "I" in tag:
            yield from _simple(Form(masculine, masculine, own, "sp"))
            continue
        yield from _simple(Form(masculine, masculine, own, "s"))
        yield from _simple(Form(plural or portuguese_plural(masculine), masculine, own, "p"))
        for form in feminine:
            yield from _simple(Form(form, masculine, "f", "s"))
            yield from _simple(Form(portuguese_plural(form), masculine, "f", "p"))


def portuguese_plural(word: str) -> str:
    """The regular plural: *casas*, *homens*, *flores*, *canais*, *túneis*, *portugueses*, *leões*."""
    for ending, plural in (("ão", "ões"), ("m", "ns"), ("al", "ais"), ("ul", "uis"), ("x", "x")):
        if word.endswith(ending):
            return word.removesuffix(ending) + plural
    unstressed = bool(_ACUTE.search(word[:-2]))
    for vowel, accented in (("e", "éis"), ("o", "óis")):
        if word.endswith(f"{vowel}l"):
            return word[:-2] + (f"{vowel}is" if unstressed else accented)
    if word.endswith("il"):
        return word[:-2] + ("eis" if unstressed else "is")
    if word.endswith(("r", "z")):
        return f"{word}es"
    if word.endswith("s"):
        if word[-2:-1] in "áéíóúâêô":
            return word[:-2] + word[-2].translate(_WITHOUT_ACCENT) + "ses"
        return word if unstressed else f"{word}es"
    return word.translate(_WITHOUT_ACCENT) + "s" if word.endswith("n") else f"{word}s"


def joined(forms: Iterator[Form]) -> dict[str, set[tuple[str, str]]]:
    """The genders and numbers of each form, whatever its lemma."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for form, _, genders, numbers in forms:
        found[form] |= {(gender, number) for gender in genders for number in numbers}
    return dict(found)


NOUNS = {"it": italian_nouns, "pt": portuguese_nouns}
ADJECTIVES = {"it": italian_adjectives, "pt": portuguese_adjectives}


def _simple(form: Form) -> Iterator[Form]:
    """The form, folded, if it is a single word."""
    word = fold(form.form)
    if word.replace("-", "").isalpha() and len(word) > 1:
        yield form._replace(form=word)


def _json(path: Path) -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def _entries(path: Path) -> Iterator[tuple[list[str], str, str]]:
    """Masculine and feminine, the plural of the masculine where it is listed, the tag."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#") and (match := _ENTRY.match(line)):
            yield match["words"].split(), (match["plural"] or "").strip(), match["tag"]
