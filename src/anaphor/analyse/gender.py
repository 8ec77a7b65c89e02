"""Gender and number of nouns, from a list of frequent words and from endings extracted from lexicons.

A word whose ending is ambiguous has no known readings; nothing is guessed. `docs/suites/agreement.md`
has the measured precision, and `tools/make_genders.py` learns the endings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple, TypeAlias

from anaphor.core import UnknownNameError
from anaphor.core.records import shipped_rows
from anaphor.languages import LanguagePack

_WORDS, _ENDINGS, _NOUNS = ".words.tsv", ".endings.tsv", ".nouns.tsv"
_GENDERS = {"masculine": "m", "feminine": "f", "neuter": "n"}
#: Cases whose forms show neither gender nor number.
_UNMARKED_CASES = frozenset({"reflexive", "adverbial", "genitive"})


class GenderReading(NamedTuple):
    """One reading of a form: gender `m`, `f` or `n`, number `s` or `p`."""

    gender: str
    number: str


#: All readings of a form; empty if they are not known.
Readings: TypeAlias = frozenset[GenderReading]


@dataclass(frozen=True, slots=True)
class GenderTable:
    """Readings by word and by ending, all folded. A word without readings is not a noun."""

    words: Mapping[str, Readings]
    endings: Mapping[str, Readings]

    @property
    def genders(self) -> frozenset[str]:
        """The genders that nouns of the language have."""
        return frozenset(reading.gender for readings in self.words.values() for reading in readings)

    def readings(self, word: str) -> Readings:
        """The readings of the word itself, or of its longest listed ending; empty if neither is listed."""
        if word in self.words:
            return self.words[word]
        tails = (word[start:] for start in range(len(word)))
        return next((self.endings[tail] for tail in tails if tail in self.endings), frozenset())


def gendered_languages() -> tuple[str, ...]:
    """The languages with known nouns."""
    names = (file.name for file in (files("anaphor.analyse") / "genders").iterdir())
    return tuple(sorted(name.removesuffix(_WORDS) for name in names if name.endswith(_WORDS)))


def load_genders(language: str, *, common_nouns: bool = False) -> GenderTable:
    """The table of one of `gendered_languages`.

    `common_nouns` adds nouns whose ending does not determine their gender, if there is a list of them. The
    shipped predictors were trained without it.
    """
    if language not in gendered_languages():
        raise UnknownNameError.among(language, gendered_languages(), kind="language", where="nouns")

    def table(kind: str) -> dict[str, Readings]:
        file = files("anaphor.analyse") / "genders" / f"{language}{kind}"
        if kind == _NOUNS and not file.is_file():
            return {}
        # Words or endings, and their readings.
        rows = shipped_rows(file.read_text(encoding="utf-8").splitlines())
        return {word: parse_readings(readings) for words, readings in rows for word in words.split()}

    more = table(_NOUNS) if common_nouns else {}
    return GenderTable({**more, **table(_WORDS)}, table(_ENDINGS))


def pronoun_readings(language: LanguagePack, genders: frozenset[str]) -> dict[str, Readings]:
    """The possible referents of each third-person form of a language whose nouns have these genders."""
    readings_of: dict[str, Readings] = {}
    for form in language.forms:
        if form.person != 3 or form.case in _UNMARKED_CASES:
            continue
        # No reading is left for a neuter form where no noun is neuter (*cela*): it refers to no noun.
        own = genders if form.gender == "any" else _genders(form.gender) & genders
        numbers = "sp" if form.number == "any" else form.number[0]
        readings = {GenderReading(gender, number) for gender in own for number in numbers}
        if readings:
            readings_of[form.form] = readings_of.get(form.form, frozenset()) | readings
    return readings_of


def _genders(name: str) -> frozenset[str]:
    """The letters of a gender; neutral forms refer to people, whatever the gender of the noun."""
    return frozenset("cmf" if name == "neutral" else _GENDERS[name])


def parse_readings(text: str) -> Readings:
    """From `ms fs`; `-` means no readings."""
    return frozenset(GenderReading(code[0], code[1]) for code in text.split() if code != "-")


def format_readings(readings: Iterable[GenderReading]) -> str:
    """The inverse of `parse_readings`."""
    return " ".join(sorted("".join(reading) for reading in readings)) or "-"
