"""Packs and invented pack files that the tests of this room share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.languages import LanguagePack, known_languages, load_language

LANGUAGE = """
forms = [
    { form = "lu", person = 3, number = "singular", gender = "any", case = "nominative" },
    { form = "lus", person = 3, number = "plural", gender = "any", case = "nominative" },
    { form = "la'", person = 3, number = "any", gender = "any", case = "accusative" },
]

[about]
name = "Invented"
script = "Latin"
facts = "made up for a test"
licence = "Apache-2.0"

[tokens]
abbreviations = ["dr."]
whole = ["la'nu"]
cased = ["Ka"]
particles = ["ne"]
ambiguous = ["la'"]

[tokens.proclitics]
"la'" = ["la'"]

[tokens.enclitics]
"-lu" = ["lu"]

[tokens.contractions]
kolu = ["lu"]

[[tokens.fused]]
host = "^ka|[aei]r?"
slots = [["lu", "lus"]]

[agreement]
null_subjects = true
event = ["lu"]
openers = ["ke", "."]
weights = "es"

[agreement.determiners]
"ms ns" = ["ul"]
"-" = ["zo"]

[agreement.verbs]
singular = ["-a", "ista"]
plural = ["-an", "-"]
neither = ["-ta"]

[agreement.predicates]
copulas = ["esti"]
"""

PAIR = """
source_pronouns = ["it"]
target_pronouns = ["lu", "lus"]
object_pronouns = ["la'"]
identical = [["lu", "la'"]]
equivalent = [{ forms = ["lu", "lus"], probability = 0.25 }]

[likely]
it = ["lu", "la'"]

[about]
facts = "made up for a test"
licence = "Apache-2.0"
"""


@pytest.fixture(scope="session")
def languages() -> dict[str, LanguagePack]:
    """The built-in languages by their code."""
    return {code: load_language(code) for code in known_languages()}


@pytest.fixture
def write_packs(tmp_path: Path) -> Callable[..., Path]:
    """Writes `xx.toml` and `en-xx.toml`, each with one passage replaced where asked, to a user's folder."""

    def write(*, language: tuple[str, str] = ("", ""), pair: tuple[str, str] = ("", "")) -> Path:
        for name, text, (old, new) in (("xx.toml", LANGUAGE, language), ("en-xx.toml", PAIR, pair)):
            assert old in text, f"{old!r} is not in the invented {name}"
            (tmp_path / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        return tmp_path

    return write
