"""Spelling variants of a form, and the single spelling in which forms are compared."""

from __future__ import annotations

import re
import unicodedata

APOSTROPHES = "'’ʼ‘‛′´`＇"
HYPHENS = "-‐‑"

_FOLDED = str.maketrans({**dict.fromkeys(APOSTROPHES, "'"), **dict.fromkeys(HYPHENS, "-")})
# Primers and dictionaries mark the stress of Cyrillic words, which is no part of the spelling: она́.
_STRESS = "\u0301"
_STRESSED = "аеёиоуыэюяєії"
_STRESSES = re.compile(f"(?<=[{_STRESSED}{_STRESSED.upper()}]){_STRESS}+")
_CLASSES = {"'": f"[{APOSTROPHES}]", "-": f"[{HYPHENS}]"}


def fold(text: str) -> str:
    """The one comparison form: lower case, NFC, every apostrophe `'`, every hyphen `-`, no stress mark."""
    return unify(text.lower())


def unify(text: str) -> str:
    """Like `fold`, but case is kept."""
    if text.isascii():
        return text.replace("`", "'")
    unified = unicodedata.normalize("NFC", text).translate(_FOLDED)
    return _STRESSES.sub("", unified) if _STRESS in unified else unified


def spellings(form: str) -> str:
    """A regular expression for every text that folds to `form`, in any case and Unicode normalization."""
    parts = []
    for character in form:
        decomposed = unicodedata.normalize("NFD", character)
        if character in _CLASSES:
            parts.append(_CLASSES[character])
        elif character in _STRESSED:
            parts.append(f"(?:{character}|{decomposed}){_STRESS}*")
        elif decomposed == character:
            parts.append(re.escape(character))
        else:
            parts.append(f"(?:{re.escape(character)}|{re.escape(decomposed)})")
    return f"(?i:{''.join(parts)})"
