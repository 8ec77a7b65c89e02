"""Neutral pronouns and *they* in verdicts: what a rendering agrees with under a policy for *they*."""

from __future__ import annotations

from dataclasses import replace

from anaphor.antecedents import TargetLanguage
from anaphor.languages import NeutralForms
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering

_NOTHING = NeutralForms(frozenset(), frozenset(), "default")


class NeutralRule:
    """Applies a policy to renderings; `source` is the source language under it, if its forms are known."""

    def __init__(self, source: TargetLanguage | None = None) -> None:
        self._sources = _NOTHING if source is None else source.neutral
        #: Pronouns of the source that refer to no person: English *it*, but not German *es* (*das Kind*).
        self._things: frozenset[str] = frozenset()
        if source is not None and source.names_people:
            self._things = frozenset(
                form
                for form, readings in source.pronouns.items()
                if readings and not any(reading.gender in "cmf" for reading in readings)
            )

    def number(self, case: Case, rendering: Rendering, usual: str) -> str:
        """The numbers that a rendering may show, out of `s` and `p`; empty for any.

        `usual` is the number of the source pronoun. A neutral form can only render a *they* for one person,
        unless the policy says that there is none.
        """
        form = case.pair.source.form
        is_they = form in self._sources.either_number and self._sources.policy != "plural"
        if is_they and _is_neutral(case, rendering):
            return ""
        return self._sources.numbers(form, usual)

    def restricted(self, case: Case, rendering: Rendering) -> Rendering:
        """The rendering without the readings that it cannot have for this source pronoun."""
        form = case.pair.source.form
        if self._is_for_things(case, rendering):
            return replace(rendering, readings=frozenset())
        if not self._sources.decides(form):
            return rendering
        allowed = self._sources.numbers(form, "sp")
        readings = frozenset(reading for reading in rendering.readings if reading.number in allowed)
        return replace(rendering, readings=readings)

    def clauses(self, case: Case, rendering: Rendering, accepts: str, rejects: str) -> tuple[str, str]:
        """The clauses for and against a rendering, with what follows from its being neutral."""
        if self._is_for_things(case, rendering):
            form = case.pair.source.form
            return "", f"{rendering.shown} is neutral and for people, and *{form}* is for things"
        if _is_neutral(case, rendering) and not accepts:
            accepts = f"{rendering.shown} is neutral and can refer to any person"
        return accepts, rejects

    def _is_for_things(self, case: Case, rendering: Rendering) -> bool:
        return case.pair.source.form in self._things and _is_neutral(case, rendering)


def _is_neutral(case: Case, rendering: Rendering) -> bool:
    return rendering.form in case.document.language.neutral.always
