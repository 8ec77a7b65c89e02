"""Formal and familiar address: *du* and *Sie*, *tu* and *vous*, *tú* and *usted*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from anaphor.check.cast.genders import Forms

SENTENCE_STARTS = frozenset(
    {".", "!", "?", ":", "„", "“", "”", "»", "«", '"', "…", "–", "—", "-", "‚", "‘", "...", "('", "("}
)
#: Words of a source that addresses several people, who are addressed in another way than one.
_SEVERAL = frozenset(
    (
        *("both", "everyone", "everybody", "all", "yourselves", "guys", "folks", "gentlemen", "ladies"),
        *("men", "women", "people", "boys", "girls", "lads", "friends", "brothers", "comrades", "soldiers"),
        *("warriors", "troops", "children", "kids"),
    )
)
#: After *you*: *you two*, *you lot*.
_COUNTS = frozenset({"two", "three", "four", "five", "lot"})
_YOU = frozenset({"you", "your", "yours", "yourself"})


def address_forms(
    tokens: Sequence[str], folded: Sequence[str], forms: Forms, source: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """The positions of forms of address, each `formal` or `familiar`.

    Yields nothing if the source addresses nobody or several people.
    """
    lower = [token.lower() for token in source]
    words = set(lower)
    counted = any(word == "you" and after in _COUNTS for word, after in pairwise(lower))
    if not words & _YOU or words & _SEVERAL or counted:
        return
    third = bool(words & {"she", "her", "they", "them", "their", "hers"})
    for at, word in enumerate(folded):
        if word.lstrip("-") in {form.lstrip("-") for form in forms["familiar"]}:
            # *te* and *tu* are also parts of other words' spellings only in capitals, which fold away.
            yield at, "familiar"
        elif word in forms["formal"]:
            yield at, "formal"
        elif tokens[at] in forms["formal_cased"]:
            starts = at == 0 or tokens[at - 1] in SENTENCE_STARTS
            if not starts or not third:
                yield at, "formal"
