"""Number and gender of the pronouns of a language, from its pack."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.languages import LanguagePack

_GENDERS = {"masculine": "m", "feminine": "f"}
_PLURAL_SOURCES = frozenset(["they"])


@dataclass(frozen=True, slots=True)
class Features:
    """What a pronoun asks of words that agree with it; its gender is `m`, `f` or `n`.

    `plural` is None for a pronoun of either number: c'est, ce sont.
    """

    plural: bool | None
    gender: str


def features_of(label: str, pack: LanguagePack, *, source: str) -> Features:
    """Those of a class; where a form is both (`sie`), the source pronoun tells the number."""
    readings = [form for form in pack.forms if form.form == label and form.person == 3]
    readings = [form for form in readings if form.case in ("nominative", "any")] or readings
    numbers = {form.number for form in readings}
    if numbers == {"any"}:
        return Features(None, "n")
    plural = "plural" in numbers and (numbers == {"plural"} or source in _PLURAL_SOURCES)
    genders = {form.gender for form in readings if (form.number == "plural") == plural}
    return Features(plural, _GENDERS.get("".join(genders), "n"))


def only_subjects(label: str, pack: LanguagePack) -> bool:
    """Whether a class is always a subject; elle follows prepositions too, and es can be an object."""
    return {form.case for form in pack.forms if form.form == label} == {"nominative"}
