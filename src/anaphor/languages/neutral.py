"""Gender-neutral pronouns, and what *they* may refer to: several people, one person, or either.

Neutral forms (*xier*, *iel*, *elle*, *ze*) have the gender `neutral` in the pack of their language. Forms as
*they*, which refer to several people and may refer to one, are in its `agreement.either_number`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from anaphor.languages.pack import LanguagePack


@dataclass(frozen=True, slots=True)
class NeutralForms:
    """The neutral forms of a language under a policy for *they*, one of `anaphor.core.options.THEY`.

    `always` are neutral under any policy, `either_number` the forms that the policy is for.
    """

    always: frozenset[str]
    either_number: frozenset[str]
    policy: str

    @classmethod
    def of(cls, pack: LanguagePack, policy: str = "default") -> Self:
        either = () if pack.agreement is None else pack.agreement.either_number
        neutral = (form.form for form in pack.forms if form.gender == "neutral")
        return cls(frozenset(neutral), frozenset(either), policy)

    @property
    def personal(self) -> frozenset[str]:
        """The forms that refer to one person of any gender."""
        return self.always | (self.either_number if self.policy in ("singular", "either") else frozenset())

    def decides(self, form: str) -> bool:
        """Whether the policy restricts the number of a form."""
        return form in self.either_number and self.policy in ("plural", "singular")

    def numbers(self, form: str, default: str) -> str:
        """The numbers that a form may have, out of `s` and `p`; `default` if the policy does not say."""
        if form not in self.either_number:
            return default
        return {"plural": "p", "singular": "s", "either": "sp"}.get(self.policy, default)
