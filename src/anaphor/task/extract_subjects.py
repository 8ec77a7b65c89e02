"""Which source pronouns are examples: the forms of the task, subjects alone if so wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from anaphor.core import Analysis
from anaphor.languages import LanguagePack
from anaphor.task.classes import TaskClasses
from anaphor.task.extract import Place

_OBJECT_CASES = frozenset(["accusative", "dative", "oblique", "any"])


@dataclass(frozen=True, slots=True)
class Watched:
    """The source tokens of a sub-task: its forms in small letters, capitalised and in capitals.

    Forms that the tokeniser cuts off a verb (`-il`) belong to them. `ambiguous` are those that can be objects
    too (it, es, sie).
    """

    tokens: frozenset[str]
    ambiguous: frozenset[str]

    @classmethod
    def of(cls, classes: TaskClasses, pack: LanguagePack) -> Watched:
        """From the sub-task and the forms of its source language.

        French elle and elles also follow prepositions; the papers took them for subjects all the same
        (wmt16-findings, section 3.3.3), and so they are not ambiguous here.
        """
        forms = {form: form for form in classes.source_pronouns}
        forms |= {token: form for token, form in enclitics_of(pack).items() if form in forms}
        objects = {entry.form for entry in pack.forms if entry.case in _OBJECT_CASES}
        return cls(_spelled(forms), _spelled(token for token, form in forms.items() if form in objects))

    def positions(self, tokens: Sequence[str]) -> list[int]:
        """Where a watched token stands; most sentences have none, and are looked through as a whole."""
        if self.tokens.isdisjoint(tokens):
            return []
        return [position for position, token in enumerate(tokens) if token in self.tokens]

    def need_analysis(self, tokens: Sequence[str], positions: Sequence[int]) -> bool:
        """Whether one of the positions may be no subject."""
        return any(tokens[position] in self.ambiguous for position in positions)


def _spelled(forms: Iterable[str]) -> frozenset[str]:
    return frozenset(spell(form) for form in forms for spell in (str, str.capitalize, str.upper))


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which of the watched pronouns are kept.

    - `subjects`: only subjects, among the forms that can be objects (wmt16-findings, section 3.3.3); in
      2015 all were kept.
    - `expletives`: keep those that stand for nothing. The papers lost them by the label of their parser,
      and found that a mistake (wmt16-findings, section 3.3.3; discomt17-findings, footnote 6).
    """

    subjects: bool = True
    expletives: bool = True

    @property
    def passes_all(self) -> bool:
        return not self.subjects and self.expletives

    def keeps(self, place: Place, token: str, watched: Watched, analysis: Analysis | None) -> bool:
        """Whether this pronoun stays an example; an analysis is there where the token is ambiguous."""
        if analysis is None or token not in watched.ambiguous:
            return True
        if not self.expletives and place.source in analysis.expletives:
            return False
        return not self.subjects or place.source in analysis.subjects


def enclitics_of(pack: LanguagePack) -> dict[str, str]:
    """Tokens that the tokeniser cuts off a verb, `-ils` and `-t-il`, and the pronoun that each of them is."""
    return {token: forms[0] for token, forms in pack.enclitics.items() if len(forms) == 1}


def with_enclitics(classes: TaskClasses, pack: LanguagePack) -> TaskClasses:
    """The same sub-task with a class for tokens such as `-ils`."""
    found = {
        token: classes.members[form] for token, form in enclitics_of(pack).items() if form in classes.members
    }
    return replace(classes, members={**found, **classes.members})
