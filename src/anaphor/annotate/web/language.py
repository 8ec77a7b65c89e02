"""The languages of the interface: English in the templates and scripts, the others in `words/`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
"""The languages of the interface by code, as each calls itself."""

Translate = Callable[..., str]

_FOLDER = files("anaphor") / "annotate" / "web"
_IN_SCRIPT = re.compile(r'\bt\("((?:[^"\\]|\\.)*)"')
_PLACE = re.compile(r"\{(\w+)\}")


@cache
def translations(language: str) -> Mapping[str, str]:
    """The English words with their translations; empty for English itself."""
    if language == "en":
        return MappingProxyType({})
    return MappingProxyType(tomllib.loads((_FOLDER / "words" / f"{language}.toml").read_text("utf-8")))


@cache
def translator(language: str) -> Translate:
    """A function that translates and puts values in: `_("Item {n}", n=3)`. Unknown words stay English."""
    words = translations(language)

    def translate(text: str, **values: object) -> str:
        # Not `format`: what people wrote may have braces.
        return _PLACE.sub(lambda place: str(values.get(place[1], place[0])), words.get(text, text))

    return translate


@cache
def words_in_scripts() -> tuple[str, ...]:
    """The words displayed by our scripts."""
    scripts = (entry for entry in (_FOLDER / "static").iterdir() if entry.name.endswith(".js"))
    texts = (text for entry in scripts for text in _IN_SCRIPT.findall(entry.read_text("utf-8")))
    return tuple(sorted(set(texts)))


@cache
def script_words(language: str) -> str:
    """The translations that the scripts of a page need, as JSON; empty for English."""
    words = translations(language)
    return json.dumps({text: words[text] for text in words_in_scripts() if text in words}, ensure_ascii=False)


def chosen_language(*wishes: str) -> str:
    """The first supported language among the preferred ones: codes, or a browser's `Accept-Language`."""
    for wish in wishes:
        ranked = []
        for number, part in enumerate(wish[:200].split(",")):
            code, _, parameters = part.strip().partition(";")
            quality = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", parameters)
            code = code.strip().partition("-")[0].lower()
            if code in LANGUAGES:
                ranked.append((-float(quality[1]) if quality else -1.0, number, code))
        if ranked:
            return min(ranked)[2]
    return "en"
