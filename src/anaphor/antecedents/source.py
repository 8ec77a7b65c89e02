"""Source languages of the resolver: their pronouns, and words that distinguish antecedents.

The words are in `words.<language>.toml`. All pronouns but English ones agree with their antecedents in gender
and number; `target.py` handles agreement.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from anaphor.analyse.gender import Readings
from anaphor.antecedents.target import TargetLanguage
from anaphor.core.text import VERBS

#: Behind these a sentence can begin, where a capital does not mean the polite form.
_OPENING = frozenset("\"'„“”»«‚‘’([-–—:.!?…")


@dataclass(frozen=True, slots=True)
class SourceLanguage:
    """`resolved` are the pronouns to resolve, each with the class whose statistics it uses.

    `referring` are all pronouns that may be antecedents themselves; of these, `neutral` ones name a thing or
    an event. `polite` are spellings that mean *you* within a sentence, such as German *Sie*. `genders` is
    None if nouns have no grammatical gender. `quantities` are nouns before another one that is meant, as in
    *a lot of ice*. The remaining attributes are only set for English; `indefinite` are
    pronouns that act as nouns, such as *everybody*.
    """

    code: str
    resolved: Mapping[str, str]
    referring: frozenset[str]
    demonstrative: frozenset[str]
    neutral: frozenset[str]
    plural: frozenset[str]
    possessive: frozenset[str]
    of: frozenset[str]
    people: frozenset[str]
    times: frozenset[str]
    vague: frozenset[str]
    determiners: frozenset[str]
    clause_boundaries: frozenset[str]
    genders: TargetLanguage | None
    indefinite: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    sentence_starts: frozenset[str] = frozenset()
    quantities: frozenset[str] = frozenset()
    polite: frozenset[str] = frozenset()

    @classmethod
    def load(cls, code: str) -> SourceLanguage:
        """The shipped words for a language."""
        return _load(code)

    def is_resolved(self, tokens: Sequence[str], position: int) -> bool:
        """Whether the token is a pronoun to resolve; polite *Sie* and *Lei* are not."""
        if tokens[position].lower() not in self.resolved:
            return False
        inside = position > 0 and tokens[position - 1][-1:] not in _OPENING
        return not (inside and tokens[position] in self.polite)

    def pronoun_readings(self, tokens: Sequence[str], tags: Sequence[str], position: int) -> Readings:
        """Possible referents of the pronoun at a position; for German *sie*, the verb tells the number."""
        if self.genders is None:
            return frozenset()
        word = tokens[position].lower()
        readings = self.genders.pronouns.get(word, frozenset())
        if self.code == "de" and word == "sie":
            beside = (at for at in (position + 1, position - 1) if 0 <= at < len(tags))
            verb = next((tokens[at].lower() for at in beside if tags[at] in VERBS), "")
            if verb:
                # *sie gehen* is they, *sie geht* is she.
                number = "p" if verb.endswith("n") or verb == "sind" else "s"
                readings = frozenset(reading for reading in readings if reading.number == number)
        return readings


@cache
def weights_by_language() -> Mapping[str, str]:
    """The languages with words, and the language whose weights each uses: mostly its own."""
    names = (file.name for file in files("anaphor.antecedents").iterdir())
    codes = sorted(name.split(".")[1] for name in names if name.startswith("words."))
    return {code: str(_table(code).get("weights", code)) for code in codes}


def _table(code: str) -> dict[str, Any]:
    return tomllib.loads((files("anaphor.antecedents") / f"words.{code}.toml").read_text(encoding="utf-8"))


@cache
def _load(code: str) -> SourceLanguage:
    table = _table(code)
    table.pop("weights", None)
    resolved = {form: name for name, forms in table.pop("resolved").items() for form in forms.split()}
    words = {name: frozenset(forms.split()) for name, forms in (table.pop("pronouns") | table).items()}
    genders = None if code == "en" else TargetLanguage.load(code)
    return SourceLanguage(code=code, resolved=resolved, genders=genders, **words)
