"""What a pair's pack file may say, and the pack that comes of it."""

from __future__ import annotations

from anaphor.core import LanguagePair
from anaphor.languages.language_file import check_forms
from anaphor.languages.pack import Equivalence, LanguagePack, PairPack
from anaphor.languages.prediction_file import read_prediction
from anaphor.languages.schema import Table

Groups = tuple[tuple[str, ...], ...]


def read_pair(
    table: Table, *, pair: LanguagePair, source: LanguagePack, target: LanguagePack, digest: str
) -> PairPack:
    """A checked pack: every form is in its language's inventory, groups and lists fit each other."""
    lists = ("source_pronouns", "target_pronouns", "object_pronouns")
    table.allow("about", *lists, "identical", "equivalent", "likely", "prediction")
    about = table.table("about")
    about.allow("facts", "licence")
    watched = _forms(table, "source_pronouns", source)
    targets = _forms(table, "target_pronouns", target)
    objects = _objects(table, target, targets)
    identical = _identical(table, (*targets, *objects))
    return PairPack(
        pair=pair,
        source=source,
        target=target,
        facts=about.text("facts"),
        licence=about.text("licence"),
        digest=digest,
        source_pronouns=watched,
        target_pronouns=targets,
        object_pronouns=objects,
        identical=identical,
        equivalent=_equivalent(table, (*targets, *objects), identical),
        likely=_likely(table.table("likely"), watched, target),
        prediction=read_prediction(table.table("prediction"), source) if table.has("prediction") else None,
    )


def _forms(table: Table, key: str, pack: LanguagePack) -> tuple[str, ...]:
    forms = table.forms(key)
    if not forms:
        table.refuse(key, "empty", fix="list at least one form")
    check_forms(table, key, forms, pack.inventory(), where=f"the forms of {pack.code}.toml")
    return forms


def _objects(table: Table, target: LanguagePack, targets: tuple[str, ...]) -> tuple[str, ...]:
    forms = table.forms("object_pronouns")
    check_forms(table, "object_pronouns", forms, target.inventory(), where=f"the forms of {target.code}.toml")
    for form in forms:
        if form in targets:
            table.refuse("object_pronouns", f"{form} is also in target_pronouns", fix="keep one of the two")
    return forms


def _identical(table: Table, listed: tuple[str, ...]) -> Groups:
    groups = table.groups("identical")
    seen: set[str] = set()
    for i, group in enumerate(groups):
        key = f"identical[{i}]"
        check_forms(table, key, group, listed, where="target_pronouns or object_pronouns")
        if len(group) < 2:
            table.refuse(key, "a group of fewer than two forms", fix="add a form or remove the group")
        if twice := seen.intersection(group):
            table.refuse(key, f"{min(twice)} is in an earlier group too", fix="merge the groups")
        seen.update(group)
    return groups


def _equivalent(table: Table, listed: tuple[str, ...], identical: Groups) -> tuple[Equivalence, ...]:
    found: list[Equivalence] = []
    for i, row in enumerate(table.tables("equivalent")):
        entry = _equivalence(row, listed)
        if any(set(entry.forms) <= set(group) for group in identical):
            row.refuse("forms", "these are identical already", fix="remove this entry")
        if any(set(entry.forms) == set(other.forms) for other in found):
            table.refuse(f"equivalent[{i}]", "this pair is listed twice", fix="keep one of the two")
        found.append(entry)
    return tuple(found)


def _equivalence(row: Table, listed: tuple[str, ...]) -> Equivalence:
    row.allow("forms", "probability")
    forms = row.forms("forms")
    if len(forms) != 2:
        row.refuse("forms", f"{len(forms)} forms", fix="list exactly two")
    check_forms(row, "forms", forms, listed, where="target_pronouns or object_pronouns")
    return Equivalence(
        (forms[0], forms[1]), row.probability("probability") if row.has("probability") else None
    )


def _likely(table: Table, watched: tuple[str, ...], target: LanguagePack) -> dict[str, tuple[str, ...]]:
    table.allow(*watched)
    return {form: _forms(table, form, target) for form in watched}
