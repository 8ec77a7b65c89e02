"""Context-free features of a word form: its spelling, and its lemma."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Names of the features of a word, in the order in which `features_of` gives them.
FEATURES = ("word", "ending 2", "ending 3", "ending 4", "beginning 3", "shape")


def plain(form: str) -> str:
    """The form in lower case, with a straight apostrophe and without the hyphen of inversion (*-il*)."""
    folded = form.lower().replace("’", "'").replace("ʼ", "'")
    return folded.lstrip("-") or folded


def features_of(form: str) -> tuple[str, ...]:
    """One string for each of `FEATURES`; equal strings share a row of weights."""
    word = plain(form)
    return (
        f"w:{word}",
        f"2:{word[-2:]}",
        f"3:{word[-3:]}",
        f"4:{word[-4:]}",
        f"<:{word[:3]}",
        f"s:{shape(form)}",
    )


def shape(form: str) -> str:
    """The shape of a form: case, digits, hyphens and apostrophes."""
    if form.isalpha():  # most are: a fast path
        return _case(form)
    if not any(letter.isalnum() for letter in form):
        return "punctuation"
    if any(letter.isdigit() for letter in form):
        return "number" if not any(letter.isalpha() for letter in form) else "digits"
    case = _case(form)
    if form.startswith("-"):
        return f"inverted {case}"
    if form.endswith(("'", "’")):
        return f"elided {case}"
    return f"joined {case}" if "-" in form else case


def _case(form: str) -> str:
    if form.islower() or not any(letter.isupper() for letter in form):
        return "lower"
    if form.isupper():
        return "letter" if len(form) == 1 else "upper"
    return "title" if form[0].isupper() and form[1:].islower() else "mixed"


#: The longest ending that a rule looks at.
LONGEST = 6
#: Tags whose words are their own lemmas.
UNCHANGED = frozenset({"PROPN", "PUNCT", "SYM", "X", "NUM"})


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Remove the first `drop` of a word (German *ge*), cut letters off its end, append others."""

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
        lemma = self.exceptions.get((tag, word))
        if lemma is None:
            # The longest ending that has a rule; the empty ending is the last.
            endings = (word[start:] for start in range(max(len(word) - LONGEST, 0), len(word) + 1))
            rule = next((self.rules[tag, ending] for ending in endings if (tag, ending) in self.rules), None)
            lemma = (rule.apply(word) if rule else "") or word
        return lemma[:1].upper() + lemma[1:] if tag in self.titled else lemma
