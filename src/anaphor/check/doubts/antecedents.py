"""Doubts about the antecedent: there is none in the text, it was not translated, or it is far away."""

from __future__ import annotations

from anaphor.check.doubts.suspect import Suspect
from anaphor.verdict import RenderingKind

#: The least share of likely antecedents that a verb without its subject must contradict, and a default form.
_CONFLICT, _CLEAR = 0.5, 0.65
#: Units with more source tokens are texts that were not segmented.
_LONG = 100


def is_unknown(suspect: Suspect) -> bool:
    """Whether a form is rejected for lack of a noun in the text although the translator knew of one. This is
    assumed for forms other than the default, for a number other than the source's, and at the start of a
    document, which may be an excerpt.
    """
    pronoun, rows, signals = suspect.pronoun, suspect.block.rows, suspect.pronoun.agreement
    first = pronoun.row == 0 or rows[pronoun.row - 1].document != rows[pronoun.row].document
    if not (pronoun.is_marked or (pronoun.is_default and (first or signals.get("number", 0.0)))):
        return False
    differs = signals.get("noun_differs", 0.0)
    return pronoun.score.antecedent is None or differs <= signals.get("other_differs", 0.0)


def hardly_differ(suspect: Suspect) -> bool:
    """Whether only the detector objects, and the likely antecedents hardly contradict the form."""
    pronoun, signals = suspect.pronoun, suspect.pronoun.agreement
    differs = signals.get("noun_differs", 0.0)
    if pronoun.evidence.rendering.kind is RenderingKind.NULL_SUBJECT:
        return differs <= max(signals.get("noun_fits", 0.0), _CONFLICT)
    return pronoun.is_default and differs <= _CLEAR and not signals.get("number", 0.0)


def is_no_noun(suspect: Suspect) -> bool:
    """Whether no word linked to the antecedent is a noun, since free translations cause wrong links."""
    if suspect.pronoun.score.antecedent is None:
        return False
    row, position = suspect.pronoun.score.antecedent
    tags = suspect.block.target_analysis(row).tags
    targets = suspect.block.links(row).targets_of(position)
    return bool(targets) and all(tags[at] not in ("NOUN", "PROPN", "PRON") for at in targets)


def is_group(suspect: Suspect) -> bool:
    """Whether *they* refers to a noun that is singular in the translation: *la gente … ellos*."""
    if suspect.pronoun.score.antecedent is None or suspect.word == "it" or suspect.pronoun.numbers != {"p"}:
        return False
    readings = suspect.noun_readings(*suspect.pronoun.score.antecedent)
    return any({reading.number for reading in its} == {"s"} for its in readings)


def is_in_another_string(suspect: Suspect) -> bool:
    """Whether a string of a program would refer to a noun of another string."""
    pronoun, row = suspect.pronoun, suspect.block.rows[suspect.pronoun.row]
    if row.file.format != "po" or row.unit.speaker or pronoun.score.antecedent is None:
        return False
    # Strings of a dialogue may be alternatives: only the string before is likely to have been said.
    reach = 1 if suspect.block.is_dialogue(row.file.path) else 0
    return not 0 <= pronoun.row - pronoun.score.antecedent[0] <= reach


def is_in_long_unit(suspect: Suspect) -> bool:
    """Whether the unit was never segmented."""
    return len(suspect.source_words) > _LONG


def is_own_subject(suspect: Suspect) -> bool:
    """Whether an object would have to refer to the subject of its own verb, for which a reflexive is needed:
    *the water would cover it*.
    """
    row, noun = suspect.pronoun.score.antecedent or (-1, -1)
    at, tags = suspect.at, suspect.source_tags
    subjects = suspect.block.source_analysis(suspect.pronoun.row).subjects
    if row != suspect.pronoun.row or noun >= at or suspect.word not in ("it", "them") or at in subjects:
        return False
    return tags[at - 1] == "VERB" and all(tag in ("AUX", "ADV", "PART") for tag in tags[noun + 1 : at - 1])
