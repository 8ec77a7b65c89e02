"""Context-free readings of nouns: gender and number, in German also case, from lists and endings.

`GenderTable` is what the shipped predictors were trained with and stays as it is. A `NounLexicon` knows many
more nouns and distinguishes the cases of a German form (*Studenten* is not a nominative singular), so the
words around a noun can be compared with it. Sets of readings are integers here, one bit for each reading;
`antecedents.phrases` intersects them. `tools/make_nouns.py` makes the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from anaphor.analyse.gender import GenderReading, GenderTable, Readings, gendered_languages, load_genders
from anaphor.core import UnknownNameError
from anaphor.core.records import shipped_rows
from anaphor.files.compression import decompressed

_FILE = ".lexicon.tsv.gz"
_CASES = "nadg"
#: A German noun that is declined like an adjective: *ein Angestellter, der Angestellte*.
ADJECTIVAL = 1 << 16
#: The shortest noun that ends a compound, and the shortest beginning before it.
_TAIL, _HEAD = 4, 2
#: Up to this length the beginning before it must be known too.
_SHORT_TAIL = 5
#: Short endings that names hardly have.
_SURE = ("ung", "mus", "ion", "tät")
_LINKS = ("", "s", "es", "n", "en", "er", "e")


class Masks:
    """Names and bits of the readings of a language; a German bit has a case, its plurals have no gender."""

    def __init__(self, *, cases: bool) -> None:
        self.cases = cases
        names = [*("m", "f", "n", "p")] if cases else ["ms", "fs", "mp", "fp"]
        self.parts: dict[str, int] = {}
        for number, name in enumerate(names):
            if cases:
                for case, letter in enumerate(_CASES):
                    self.parts[f"{name}.{letter}"] = 1 << (4 * number + case)
            self.parts[name] = 15 << (4 * number) if cases else 1 << number
        self.singular = self.parts["m"] | self.parts["f"] | self.parts["n"] if cases else 3
        self.plural = self.parts["p"] if cases else 12
        self._readings: dict[int, Readings] = {}

    def parse(self, text: str) -> int:
        """From `m.na p` (German) or `ms mp`; `adj` means `ADJECTIVAL`, `-` nothing."""
        mask = 0
        for part in text.split():
            name, _, letters = part.partition(".")
            if part == "adj":
                mask |= ADJECTIVAL
            elif part != "-":
                for code in [f"{name}.{letter}" for letter in letters] or [name]:
                    mask |= self.parts[code]
        return mask

    def format(self, mask: int) -> str:
        """The inverse of `parse`."""
        codes = ["adj"] if mask & ADJECTIVAL else []
        for name in ("m", "f", "n", "p") if self.cases else ("ms", "fs", "mp", "fp"):
            own = mask & self.parts[name]
            if own == self.parts[name]:
                codes.append(name)
            elif own:
                codes.append(
                    f"{name}." + "".join(case for case in _CASES if own & self.parts[f"{name}.{case}"])
                )
        return " ".join(codes) or "-"

    def readings(self, mask: int) -> Readings:
        """Genders and numbers; a German plural can have any gender."""
        mask &= self.singular | self.plural
        if mask not in self._readings:
            if self.cases:
                codes = [g + "s" for g in "mfn" if mask & self.parts[g]]
                codes += ["mp", "fp", "np"] if mask & self.plural else []
            else:
                codes = [name for name in ("ms", "fs", "mp", "fp") if mask & self.parts[name]]
            self._readings[mask] = frozenset(GenderReading(*code) for code in codes)
        return self._readings[mask]


@dataclass(frozen=True, slots=True)
class NounLexicon:
    """Nouns, endings of nouns, and adjectives of a language, all folded, with masks.

    `adjectives` has the forms of French and Spanish adjectives and participles that show gender or number,
    and the stems of German adjectives.
    """

    masks: Masks
    nouns: Mapping[str, int]
    endings: Mapping[str, int]
    adjectives: Mapping[str, int]
    compounds: bool

    def look_up(self, word: str) -> tuple[int, str]:
        """The mask of a case-folded word, and its origin: `word`, `compound`, `ending`, or `guess`.

        Names end like nouns by chance (*Schwarzenegger*), so short endings, and short last parts after an
        unknown first part, are guesses.
        """
        if mask := self.nouns.get(word):
            return mask, "word"
        if "œ" in word:
            return self.look_up(word.replace("œ", "oe"))
        if "-" in word.strip("-"):
            return self._hyphenated(word)
        if self.compounds:
            for start in range(_HEAD, len(word) - _TAIL + 1):
                if mask := self.nouns.get(word[start:]):
                    sure = len(word) - start > _SHORT_TAIL or self._begins(word[:start])
                    return mask, "compound" if sure else "guess"
        return self.by_ending(word)

    def by_ending(self, word: str) -> tuple[int, str]:
        """The mask of the longest listed ending, 0 if there is none; a short German ending is a guess."""
        for start in range(max(0, len(word) - 8), len(word)):
            if (mask := self.endings.get(word[start:])) is not None:
                guess = self.compounds and len(word) - start < _TAIL and not word.endswith(_SURE)
                return mask, "guess" if guess else "ending"
        return 0, "ending"

    def _begins(self, head: str) -> bool:
        """Whether a compound can begin so: with a noun or an adjective, and what links it."""
        for link in _LINKS:
            if head.endswith(link):
                stem = head[: len(head) - len(link)]
                if stem in self.nouns or stem in self.adjectives or f"{stem}e" in self.nouns:
                    return True
        return False

    def _hyphenated(self, word: str) -> tuple[int, str]:
        """In German the last part decides, in French and Spanish the first one that is a noun."""
        parts = [part for part in word.split("-") if part]
        if self.compounds:
            return self.look_up(parts[-1])[0], "compound"
        for part in parts:
            if mask := self.nouns.get(part):
                return mask, "compound"
        return self.by_ending(parts[-1])


@cache
def noun_languages() -> tuple[str, ...]:
    """The languages with a lexicon of nouns."""
    names = (file.name for file in (files("anaphor.analyse") / "genders").iterdir())
    return tuple(sorted(name.removesuffix(_FILE) for name in names if name.endswith(_FILE)))


@cache
def load_nouns(language: str) -> NounLexicon:
    """The lexicon of one of `noun_languages`, loaded once."""
    if language not in noun_languages():
        raise UnknownNameError.among(language, noun_languages(), kind="language", where="nouns")
    packed = (files("anaphor.analyse") / "genders" / f"{language}{_FILE}").read_bytes()
    return read_lexicon(decompressed(packed, where=language).decode("utf-8").splitlines(), language)


@cache
def noun_table(language: str) -> GenderTable:
    """The table of a language, made from its lexicon if there is no other."""
    if language in gendered_languages():
        return load_genders(language)
    lexicon = load_nouns(language)
    words, endings = (
        {word: lexicon.masks.readings(mask) for word, mask in table.items()}
        for table in (lexicon.nouns, lexicon.endings)
    )
    return GenderTable(words, endings)


def read_lexicon(lines: Iterable[str], language: str) -> NounLexicon:
    """Build the lexicon from rows of kind, readings and words."""
    masks = Masks(cases=language == "de")
    tables: dict[str, dict[str, int]] = {"noun": {}, "ending": {}, "adjective": {}}
    for kind, readings, words in shipped_rows(lines):
        tables[kind].update(dict.fromkeys(words.split(" "), masks.parse(readings)))
    return NounLexicon(masks, tables["noun"], tables["ending"], tables["adjective"], masks.cases)
