"""Doubts about pronouns that seem to be missing, or to be left in English."""

from __future__ import annotations

from functools import lru_cache

from anaphor.check.doubts.suspect import Suspect
from anaphor.core import Alignment
from anaphor.core.text import NOUNS, VERBS
from anaphor.verdict import RenderingKind

#: Formats of texts that are nearly always translated by people, or have to be short.
_FREE = frozenset({"srt", "vtt", "ass", "po"})
#: Objects that a link may miss.
_CLITICS = {
    "fr": frozenset({"le", "la", "l'", "les", "en", "y", "lui", "leur"}),
    "es": frozenset({"lo", "la", "los", "las", "le", "les"}),
}
_EXPLAINING = NOUNS | {"PRON", "DET"}


def is_free(suspect: Suspect) -> bool:
    """Whether a pronoun is missing in a subtitle, which has to be short, or in a string that somebody
    translated freely.
    """
    missing = suspect.pronoun.evidence.rendering.kind is RenderingKind.NOTHING
    return missing and suspect.block.rows[suspect.pronoun.row].file.format in _FREE


def is_not_english(suspect: Suspect) -> bool:
    """Whether what seems to be left in English shares hardly a word with the source: *Her damit!*"""
    if suspect.pronoun.evidence.rendering.kind is not RenderingKind.UNTRANSLATED:
        return False
    target = [word for word in suspect.target_words if word.isalpha()]
    return 2 * sum(word in suspect.source_words for word in target) < len(target)


def is_untouched(suspect: Suspect) -> bool:
    """Whether a text was left in the source language as a whole: a quotation, or something to type."""
    row = suspect.block.rows[suspect.pronoun.row]
    return row.source.split() == row.target.split()


def has_free_clitic(suspect: Suspect) -> bool:
    """Whether a pronoun that seems to be missing may be an object with no other counterpart in the source.
    Links of objects that precede their verb are often wrong: *view it*, *pour la voir*.
    """
    if suspect.pronoun.evidence.rendering.kind is not RenderingKind.NOTHING:
        return False
    links = suspect.block.links(suspect.pronoun.row)
    return _any_free_clitic(
        suspect.language, suspect.target_words, suspect.target_tags, suspect.source_tags, links
    )


@lru_cache(maxsize=64)
def _any_free_clitic(
    language: str, words: tuple[str, ...], tags: tuple[str, ...], sources: tuple[str, ...], links: Alignment
) -> bool:
    """The same for a row, whatever the pronoun."""
    clitics, back = _CLITICS.get(language, frozenset()), links.by_target()
    for at, word in enumerate(words):
        is_object = tags[at] == "PRON" or word.startswith("-") or (*tags[at + 1 : at + 2], "")[0] in VERBS
        explained = any(sources[source] in _EXPLAINING for source in back.get(at, ()))
        if word.removeprefix("-") in clitics and is_object and not explained:
            return True
    return False
