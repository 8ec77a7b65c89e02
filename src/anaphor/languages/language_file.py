"""What a language's pack file may say, and the pack that comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from anaphor.languages.pack import CASES, GENDERS, NUMBERS, FusedRule, LanguagePack, PronounForm
from anaphor.languages.schema import Table

# Letters, [letters], ? and * after either, ^ in front, | between: always a valid regular expression.
_ITEMS = r"\^?(?:(?:[^\W\d_]|\[[^\W\d_]+\])[?*]?)+"
_HOST = re.compile(rf"{_ITEMS}(?:\|{_ITEMS})*")

_NO_RULES: dict[str, object] = {
    "abbreviations": [],
    "whole": [],
    "proclitics": {},
    "enclitics": {},
    "contractions": {},
    "fused": [],
    "cased": [],
    "particles": [],
}


def read_language(table: Table, *, code: str, digest: str) -> LanguagePack:
    """A checked pack. Everything under `tokens` is optional; a language may have no such rule."""
    table.allow("about", "forms", "tokens")
    about = table.table("about")
    about.allow("name", "facts", "licence")
    forms = _forms(table)
    tokens = table.filled({"tokens": {}}).table("tokens").filled(_NO_RULES)
    tokens.allow(*_NO_RULES)
    inventory = frozenset(entry.form for entry in forms)
    return LanguagePack(
        code=code,
        name=about.text("name"),
        facts=about.text("facts"),
        licence=about.text("licence"),
        digest=digest,
        forms=forms,
        abbreviations=tokens.texts("abbreviations"),
        whole=tokens.forms("whole"),
        proclitics=_clitics(tokens, "proclitics", inventory),
        enclitics=_clitics(tokens, "enclitics", inventory),
        contractions=_pieces(tokens, "contractions", inventory),
        fused=tuple(_fused_rule(row, inventory) for row in tokens.tables("fused")),
        cased=tokens.texts("cased"),
        particles=_particles(tokens, inventory),
    )


def check_forms(table: Table, key: str, forms: Iterable[str], known: Iterable[str], *, where: str) -> None:
    """Refuse forms that are not among the known ones; `where` names what lists those."""
    for form in forms:
        if form not in known:
            table.refuse(key, f"{form} is not in {where}", fix="correct the spelling, or add the form there")


def _forms(table: Table) -> tuple[PronounForm, ...]:
    forms = tuple(_form(row) for row in table.tables("forms"))
    if not forms:
        table.refuse("forms", "empty", fix="list the pronouns of the language")
    for i, entry in enumerate(forms):
        if entry in forms[:i]:
            table.refuse(f"forms[{i}]", f"{entry.form} is listed twice, features and all", fix="keep one")
    return forms


def _form(row: Table) -> PronounForm:
    row.allow("form", "person", "number", "gender", "case")
    return PronounForm(
        form=row.form("form"),
        person=row.integer("person", low=1, high=3),
        number=row.choice("number", NUMBERS),
        gender=row.choice("gender", GENDERS),
        case=row.choice("case", CASES),
    )


def _particles(tokens: Table, inventory: frozenset[str]) -> tuple[str, ...]:
    particles = tokens.forms("particles")
    for form in particles:
        if form in inventory:
            tokens.refuse("particles", f"{form} is a pronoun too", fix="list words that are never pronouns")
    return particles


def _clitics(tokens: Table, key: str, inventory: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Pieces that can be split off because an apostrophe or a hyphen shows where."""
    pieces = _pieces(tokens, key, inventory)
    for piece in pieces:
        if not {"'", "-"}.intersection(piece):
            tokens.refuse(f"{key}.{piece}", "no apostrophe or hyphen", fix="use contractions or fused")
    return pieces


def _pieces(tokens: Table, key: str, inventory: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Pieces of words and the forms of the inventory inside each."""
    pieces = tokens.mapping(key)
    for piece, forms in pieces.items():
        check_forms(tokens, f"{key}.{piece}", forms, inventory, where="the list of forms")
    return pieces


def _fused_rule(row: Table, inventory: frozenset[str]) -> FusedRule:
    row.allow("host", "slots")
    host = row.text("host")
    if not _HOST.fullmatch(host):
        row.refuse("host", f"not a pattern of letters: {host}", fix="use letters, [letters], ? * ^ |")
    slots = row.groups("slots")
    if not slots or not all(slots):
        row.refuse("slots", "empty", fix="list at least one clitic in each slot")
    for slot in slots:
        check_forms(row, "slots", slot, inventory, where="the list of forms")
    return FusedRule(host, slots)
