"""Doubts from other pronouns: the form may be theirs, or continue theirs."""

from __future__ import annotations

from collections.abc import Mapping

from anaphor.analyse.gender import Readings
from anaphor.check.doubts.suspect import Suspect, folded, rows_before

#: Rows back in which another pronoun may show what is meant.
_REACH = 2
#: English pronouns by what renders them: who is *he* may be *ihm*, and who is *they* may be *elles*.
_PERSONS: Mapping[str, str] = {
    **dict.fromkeys(("he", "him", "himself"), "m"),
    **dict.fromkeys(("she", "her", "herself"), "f"),
    **dict.fromkeys(("they", "them", "themselves"), "p"),
    **dict.fromkeys(("it", "itself"), "s"),
}
#: Words after which *they* may be one person.
_ANYONE = frozenset(
    (
        *("any", "anyone", "anybody", "each", "every", "everyone", "everybody", "someone", "somebody"),
        *("whoever", "nobody", "no-one"),
    )
)


def renders_another(suspect: Suspect) -> bool:
    """Whether the source has another pronoun that this form would render."""
    own = _PERSONS.get(suspect.word, "")
    others = {_PERSONS.get(word, "") for word in suspect.other_words} - {"", own}
    return suspect.pronoun.is_pronoun and any(_renders(suspect.readings, person) for person in others)


def _renders(readings: Readings, person: str) -> bool:
    if person in ("m", "f"):
        return any(reading.gender == person and reading.number == "s" for reading in readings)
    return any(reading.number == person for reading in readings)


def follows_its_form(suspect: Suspect) -> bool:
    """Whether a pronoun before this one, in its row or a preceding one, already has the same marked form."""
    return suspect.pronoun.is_marked and any(
        suspect.form in folded(suspect.block.target(row).tokens)[:end]
        for row, end in rows_before(suspect.block, suspect.pronoun, _REACH)
    )


def is_address(suspect: Suspect) -> bool:
    """Whether a wrong link leads to a *Sie* that addresses the reader. At the start of a sentence it may, if
    it renders a singular and there is another one inside the sentence: *Sie erzielen …, wenn Sie*.
    """
    cased, tokens = suspect.block.experiment.pack.target.cased, suspect.target_tokens
    addressing = {at for at in range(1, len(tokens)) if tokens[at] in cased and tokens[at - 1][-1:].isalnum()}
    plural = suspect.word == "it" and suspect.pronoun.numbers == {"p"}
    starts = plural and any(tokens[at] in cased for at in suspect.places)
    return bool(addressing if starts else addressing.intersection(suspect.places))


def is_anyone(suspect: Suspect) -> bool:
    """Whether a singular renders a *they* for one person: *if anyone breaks this law, they …*."""
    is_they = _PERSONS.get(suspect.word) == "p" and suspect.pronoun.numbers == {"s"}
    return is_they and not _ANYONE.isdisjoint(suspect.source_words[: suspect.at])
