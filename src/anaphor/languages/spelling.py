"""The many ways to write one form, and the single form in which they are compared."""

from __future__ import annotations

import re
import unicodedata

APOSTROPHES = "'’ʼ‘‛′´`＇"
HYPHENS = "-‐‑"

_FOLDED = str.maketrans({**dict.fromkeys(APOSTROPHES, "'"), **dict.fromkeys(HYPHENS, "-")})
_CLASSES = {"'": f"[{APOSTROPHES}]", "-": f"[{HYPHENS}]"}


def fold(text: str) -> str:
    """The one comparison form: lower case, NFC, every apostrophe `'`, every hyphen `-`."""
    return unify(text.lower())


def unify(text: str) -> str:
    """The same without a change of case."""
    if text.isascii():
        return text.replace("`", "'")
    return unicodedata.normalize("NFC", text).translate(_FOLDED)


def spellings(form: str) -> str:
    """A regular expression for every text that folds to `form`, in any case and normalisation."""
    return f"(?i:{''.join(_one_character(character) for character in form)})"


def _one_character(character: str) -> str:
    if character in _CLASSES:
        return _CLASSES[character]
    decomposed = unicodedata.normalize("NFD", character)
    if decomposed == character:
        return re.escape(character)
    return f"(?:{re.escape(character)}|{re.escape(decomposed)})"
