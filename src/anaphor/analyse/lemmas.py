"""Dictionary forms: by ending and tag, with the exceptions that no ending explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anaphor.analyse.wordtypes import plain

#: The longest ending that a rule looks at.
LONGEST = 6
#: What these tags mark has no other form than its own.
UNCHANGED = frozenset({"PROPN", "PUNCT", "SYM", "X", "NUM"})


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Leave out the first `drop` of a word (German *ge*), cut letters off its end, add others."""

    drop: str
    cut: int
    add: str

    def apply(self, word: str) -> str:
        shorter = word.replace(self.drop, "", 1) if self.drop else word
        return shorter[: len(shorter) - self.cut] + self.add


@dataclass(frozen=True, slots=True, eq=False)
class Lemmas:
    """`rules` by (tag, ending), `exceptions` by (tag, word); lemmas of the tags `titled` have a capital."""

    rules: Mapping[tuple[str, str], Rewriting]
    exceptions: Mapping[tuple[str, str], str]
    titled: frozenset[str]

    def lemma(self, form: str, tag: str) -> str:
        """The lemma of a form with a universal tag; never empty unless the form is."""
        if tag in UNCHANGED:
            return form
        word = plain(form)
        known = self.exceptions.get((tag, word))
        lemma = self._by_ending(word, tag) if known is None else known
        return lemma[:1].upper() + lemma[1:] if tag in self.titled else lemma

    def _by_ending(self, word: str, tag: str) -> str:
        for length in range(min(LONGEST, len(word)), -1, -1):
            rule = self.rules.get((tag, word[len(word) - length :]))
            if rule is not None:
                return rule.apply(word) or word
        return word
