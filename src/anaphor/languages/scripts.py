"""The scripts of letters, such as Latin and Cyrillic."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache

#: Scripts that one language mixes are one to a reader; ª and º are FEMININE and MASCULINE ORDINAL INDICATOR.
_SAME_SCRIPT = {
    "HIRAGANA": "CJK",
    "KATAKANA": "CJK",
    "KATAKANA-HIRAGANA": "CJK",
    "IDEOGRAPHIC": "CJK",
    "FULLWIDTH": "LATIN",
    "FEMININE": "LATIN",
    "MASCULINE": "LATIN",
}


@cache
def script_of(letter: str) -> str:
    """The script of a letter: the first word of its Unicode name."""
    name = unicodedata.name(letter, "UNKNOWN").split()[0]
    name = _SAME_SCRIPT.get(name, name)
    return name if name == "CJK" else name.capitalize()


def foreign_letter(word: str, script: str) -> str | None:
    """The first letter of a word that belongs to another script; None if there is none.

    Letters that every script uses, such as the apostrophe U+02BC of Ukrainian, belong to no other.
    """
    return next((c for c in word if c.isalpha() and script_of(c) not in (script, "Modifier")), None)


def main_script(words: str) -> str | None:
    """The script of most letters; None if there are no letters."""
    scripts = Counter(script_of(letter) for letter in words if letter.isalpha())
    return scripts.most_common(1)[0][0] if scripts else None
