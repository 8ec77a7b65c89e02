"""The argument slot that a noun or pronoun fills, judged by the words around it: in *it melted*, *it* is the
subject of *melt*.

A slot is written `s:melt` (subject of *melt*), `a:tall` and `b:tower` (is *tall*, is a *tower*), `o:eat`
(object of *eat*), `p:look_at` (after a preposition) or `h:roof` (has a *roof*).
"""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Analysis
from anaphor.core.text import NOUNS

_CLITICS = frozenset({"'s", "’s", "'"})


def place_of(words: Sequence[str], analysis: Analysis, start: int, head: int) -> str:
    """The slot of the phrase from `start` to `head`; empty if it is none of the known ones."""
    tags, lemmas = analysis.tags, analysis.lemmas
    length = len(tags)
    # *the tower's old roof*: the next noun is what it has; *the tower's tall* has a verb there.
    if head + 1 < length and words[head + 1] in _CLITICS and tags[head + 1] != "AUX":
        owned = next((at for at in range(head + 2, min(head + 6, length)) if tags[at] in NOUNS), None)
        return f"h:{lemmas[owned].lower()}" if owned is not None else ""
    if any(at in analysis.subjects for at in range(start, head + 1)):
        return subject_place(words, analysis, head)
    if not start:
        return ""
    before = start - 1
    tag = tags[before]
    if tag == "ADP" or (words[before] == "to" and tag == "PART"):
        word = lemmas[before].lower()
        if word == "of" and before and tags[before - 1] in NOUNS:
            return f"h:{lemmas[before - 1].lower()}"
        governor = (
            lemmas[before - 1].lower() if before and tags[before - 1] in ("VERB", "ADJ", "NOUN") else ""
        )
        return f"p:{governor}_{word}"
    # *give them quickly the key*: adverbs and another object stand between verb and object.
    while before >= 0 and tags[before] in ("ADV", "PRON") and start - before < 3:
        before -= 1
    if before >= 0 and tags[before] == "VERB":
        return f"o:{lemmas[before].lower()}"
    return f"n:{lemmas[before].lower()}" if tags[before] == "AUX" else ""


def subject_place(words: Sequence[str], analysis: Analysis, head: int) -> str:
    """The slot of a subject: its verb, or the predicative adjective or noun after *be*.

    The subject of a passive gets the slot of an object.
    """
    tags, lemmas = analysis.tags, analysis.lemmas
    be = False
    for at in range(head + 1, min(head + 8, len(tags))):
        tag = tags[at]
        following = tags[at + 1] if at + 1 < len(tags) else ""
        if tag == "VERB":
            # *it is eaten* is a passive, *it is eating* is not.
            return f"{'o' if be and not words[at].endswith('ing') else 's'}:{lemmas[at].lower()}"
        if tag == "AUX":
            be = lemmas[at].lower() == "be"
        elif be and tag == "ADJ":
            if following not in NOUNS and following != "ADJ":
                return f"a:{lemmas[at].lower()}"
        elif be and tag in NOUNS:
            if following not in NOUNS:
                return f"b:{lemmas[at].lower()}"
        # Before *be* a phrase may come between (*the tower in the north is*), after it nothing may.
        elif tag not in ("ADV", "PART", "DET", "NUM") and not (tag in ("ADP", "PUNCT") and not be):
            return ""
    return ""
