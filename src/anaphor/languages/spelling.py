"""Spelling variants of a form, and the single spelling in which forms are compared."""

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
    """Like `fold`, but case is kept."""
    if text.isascii():
        return text.replace("`", "'")
    return unicodedata.normalize("NFC", text).translate(_FOLDED)


def spellings(form: str) -> str:
    """A regular expression for every text that folds to `form`, in any case and Unicode normalization."""
    parts = []
    for character in form:
        decomposed = unicodedata.normalize("NFD", character)
        if character in _CLASSES:
            parts.append(_CLASSES[character])
        elif decomposed == character:
            parts.append(re.escape(character))
        else:
            parts.append(f"(?:{re.escape(character)}|{re.escape(decomposed)})")
    return f"(?i:{''.join(parts)})"
