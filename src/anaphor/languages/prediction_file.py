"""What a pair's pack file may say about the prediction task, and the part of the pack that comes of it."""

from __future__ import annotations

from anaphor.languages.language_file import check_forms
from anaphor.languages.pack import ClassSet, LanguagePack, PredictionPack
from anaphor.languages.schema import Table

FIRST_YEAR, LAST_YEAR = 2015, 2017
_DEFAULTS: dict[str, object] = {"null_subjects": False, "fillers": [], "other_fillers": []}


def read_prediction(table: Table, source: LanguagePack) -> PredictionPack:
    """A checked section: every year has one class set, every word one class, every filler a class."""
    table.allow("source_pronouns", "classes", *_DEFAULTS)
    table = table.filled(_DEFAULTS)
    pronouns = table.forms("source_pronouns")
    check_forms(
        table, "source_pronouns", pronouns, source.inventory(), where=f"the forms of {source.code}.toml"
    )
    null_subjects = table.flag("null_subjects")
    if not pronouns and not null_subjects:
        table.refuse("source_pronouns", "empty", fix="list at least one form, or set null_subjects")
    class_sets = _class_sets(table)
    return PredictionPack(
        source_pronouns=pronouns,
        null_subjects=null_subjects,
        class_sets=class_sets,
        fillers=_fillers(table, class_sets),
        other_fillers=_other_fillers(table),
    )


def _class_sets(table: Table) -> tuple[ClassSet, ...]:
    found = tuple(_class_set(row) for row in table.tables("classes"))
    if not found:
        table.refuse("classes", "empty", fix="describe the classes of at least one year")
    years = [year for class_set in found for year in class_set.years]
    if len(set(years)) < len(years):
        table.refuse("classes", "a year has two sets of classes", fix="name each year once")
    return found


def _class_set(row: Table) -> ClassSet:
    row.allow("years", "labels", "members")
    labels = row.forms("labels")
    if not labels:
        row.refuse("labels", "empty", fix="list the classes besides OTHER")
    members = row.filled({"members": {}}).mapping("members")
    check_forms(row, "members", members, labels, where="labels")
    _refuse_double(row, labels, members)
    years = row.integers("years", low=FIRST_YEAR, high=LAST_YEAR)
    if not years:
        row.refuse("years", "empty", fix=f"list years from {FIRST_YEAR} to {LAST_YEAR}")
    return ClassSet(years=years, labels=labels, members=members)


def _refuse_double(row: Table, labels: tuple[str, ...], members: dict[str, tuple[str, ...]]) -> None:
    seen = set(labels)
    for label, words in members.items():
        for word in words:
            if word in seen:
                row.refuse(f"members.{label}", f"{word} is in two classes", fix="keep it in one of them")
            seen.add(word)


def _fillers(table: Table, class_sets: tuple[ClassSet, ...]) -> tuple[str, ...]:
    fillers = table.forms("fillers")
    for class_set in class_sets:
        check_forms(table, "fillers", fillers, class_set.words(), where="the words of every set of classes")
    return fillers


def _other_fillers(table: Table) -> tuple[str, ...]:
    fillers = table.texts("other_fillers")
    for word in table.texts("fillers"):
        if word in fillers:
            table.refuse("other_fillers", f"{word} is also in fillers", fix="keep one of the two")
    return fillers
