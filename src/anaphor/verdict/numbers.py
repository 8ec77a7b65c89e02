"""The number of source pronouns, from the pack of their language."""

from __future__ import annotations

from collections.abc import Mapping

from anaphor.antecedents import TargetLanguage


def numbers_of(source: TargetLanguage | None) -> Mapping[str, str]:
    """`s` or `p` for each pronoun that has only one number: German *sie* can be either.

    *they* is a plural here; what else it may be is decided by the policy (`NeutralRule.number`).
    """
    if source is None:
        return {}
    numbers: dict[str, set[str]] = {}
    for row in source.pack.forms:
        numbers.setdefault(row.form, set()).add(row.number)
    single = {form: next(iter(own))[0] for form, own in numbers.items() if len(own) == 1 and "any" not in own}
    return single | dict.fromkeys(source.facts.either_number, "p")
