"""Doubts from what has no gender in the text: the cast, names, code, placeholders, borrowed words."""

from __future__ import annotations

from anaphor.antecedents import TargetLanguage
from anaphor.check.doubts.suspect import Suspect, rows_before
from anaphor.check.markup_in_text import has_name_placeholder
from anaphor.core.text import NOUNS
from anaphor.languages import fold

#: Tokens back in which a name is looked for.
_NAME_REACH = 10
_INDEFINITE = frozenset({"something", "anything", "everything", "nothing"})


def is_person(suspect: Suspect) -> bool:
    """Whether *it* would have to refer to a person of the cast."""
    if suspect.pronoun.score.antecedent is None:
        return False
    row, position = suspect.pronoun.score.antecedent
    word = fold(suspect.block.source(row).tokens[position])
    named = [m for m in suspect.cast.members if any(word in fold(name).split() for name in m.names)]
    return bool(named) and not any(member.thing or member.pronouns == "it" for member in named)


def is_thing(suspect: Suspect) -> bool:
    """Whether the source has another pronoun, for a thing of the cast that agrees with the form."""
    genders = {
        member.gender(suspect.language)
        for member in suspect.cast.members
        if member.thing and member.pronouns in suspect.other_words
    }
    return any(reading.gender in genders for reading in suspect.readings)


def follows_name(suspect: Suspect) -> bool:
    """Whether a name, which has no grammatical gender, is right before a default form: *APT … il*."""
    if not (suspect.pronoun.has_default_form or suspect.form == "er") or not suspect.places:
        return False
    place = min(suspect.places)
    if "PROPN" in suspect.target_tags[max(1, place - _NAME_REACH) : place]:
        return True
    return any(
        any(map(_is_of_code, suspect.block.target(row).tokens[:end]))
        for row, end in rows_before(suspect.block, suspect.pronoun, 1)
    )


def _is_of_code(token: str) -> bool:
    """Whether a word is an acronym or a name from code: *APT*, *MeshInstance3D*, *read_file*."""
    if "`" in token:
        return True
    if not token.isidentifier() or len(token) < 2:
        return False
    return token.isupper() or "_" in token or (token[0].isupper() and any(map(str.isupper, token[2:])))


def follows_placeholder(suspect: Suspect) -> bool:
    """Whether *it* may refer to the value of a placeholder of its unit: *the {name} … it disappears*."""
    row = suspect.pronoun.row
    start = suspect.block.source(row).span(suspect.at).start
    return has_name_placeholder(suspect.block.rows[row].unit.source[:start])


def follows_borrowed_word(suspect: Suspect) -> bool:
    """Whether a word that is in no lexicon, and is the same in both languages, is nearer than the antecedent:
    *the Node … it*, *der Node … er*.
    """
    if not suspect.pronoun.is_pronoun or not suspect.places:
        return False
    words, tags = suspect.source_words, suspect.source_tags
    nearer = {words[at] for at in suspect.nearer if tags[at] in NOUNS and len(words[at]) > 2}
    read = TargetLanguage.load(suspect.language).noun_readings
    before = suspect.target_tokens[: min(suspect.places)]
    return any(fold(token) in nearer and not read((token,), 0) for token in before)


def follows_indefinite(suspect: Suspect) -> bool:
    """Whether *something*, which has no gender, is nearer than the antecedent of a default form."""
    nearer = {suspect.source_words[at] for at in suspect.nearer}
    return suspect.pronoun.has_default_form and not _INDEFINITE.isdisjoint(nearer)
