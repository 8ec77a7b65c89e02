"""Formal and familiar address: *du* and *Sie*, *tu* and *vous*, *tú* and *usted*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from anaphor.check.cast.genders import Forms, english_words
from anaphor.core.text import VERBS
from anaphor.languages import fold

SENTENCE_STARTS = frozenset(
    {".", "!", "?", ":", "„", "“", "”", "»", "«", '"', "…", "–", "—", "-", "‚", "‘", "...", "('", "("}
)
#: Words of a source that addresses several people, who are addressed in another way than one.
_SEVERAL = english_words("several")
#: After *you*: *you two*, *you lot*.
_COUNTS = english_words("counts")
#: German finite verbs of the singular that end in *n*, as all others in the third person plural do.
SINGULAR_IN_N = frozenset(
    {"bin", "kann", "begann", "gewann", "rann", "sann", "spann", "schien", "entrann", "ersann"}
)
_YOU = frozenset({"you", "your", "yours", "yourself"})


def address_forms(
    tokens: Sequence[str], tags: Sequence[str], forms: Forms, source: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """The positions of forms of address, each `formal` or `familiar`.

    Yields nothing if the source addresses several people, and only imperatives if it addresses nobody.
    """
    lower = [token.lower() for token in source]
    words = set(lower)
    counted = any(word == "you" and after in _COUNTS for word, after in pairwise(lower))
    if words & _SEVERAL or counted:
        return
    yield from _imperatives(tokens, forms, tags)
    if not words & _YOU:
        return
    for at, word in enumerate(map(fold, tokens)):
        if "`" in tokens[at]:  # code, not *t'*
            continue
        if word.lstrip("-") in {form.lstrip("-") for form in forms["familiar"]}:
            # *te* and *tu* are also parts of other words' spellings only in capitals, which fold away.
            yield at, "familiar"
        elif word in forms["formal"]:
            yield at, "formal"
        elif tokens[at] in forms["formal_cased"]:
            starts = at == 0 or tokens[at - 1] in SENTENCE_STARTS
            if not starts or not _may_be_third(tokens, at, words, tags):
                yield at, "formal"


def _may_be_third(tokens: Sequence[str], at: int, words: set[str], tags: Sequence[str]) -> bool:
    """Whether *Sie* at the start of a sentence may be *she* or *they*: before a plural verb only *they*."""
    verb = at + 1 < len(tags) and tags[at + 1] in VERBS
    if (
        verb
        and tokens[at] == "Sie"
        and tokens[at + 1].endswith(("n", "nd"))
        and tokens[at + 1] not in SINGULAR_IN_N
    ):
        return "they" in words
    return bool(words & {"she", "her", "they", "them", "their", "hers"})


def _imperatives(tokens: Sequence[str], forms: Forms, tags: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Formal imperatives at the start of a sentence: *Kommen Sie!*, *Descendez !*"""
    for at, tag in enumerate(tags):
        starts = at == 0 or tokens[at - 1] in SENTENCE_STARTS
        question = "?" in tokens[at:]
        if not starts or question:
            continue
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        is_verb = tag in VERBS
        if following == "Sie" and "Sie" in forms["formal_cased"] and tokens[at].endswith("n"):
            yield at + 1, "formal"
        elif (
            is_verb
            and "vous" in forms["formal"]
            and tokens[at].endswith("ez")
            and following not in ("vous", "-vous")
        ):
            yield at, "formal"
