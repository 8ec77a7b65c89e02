"""The cast: its members, their names and pronouns, and how they address each other.

[[member]]
name = "Mira Voss"
aliases = ["Mira", "the captain"]
pronouns = "she"

[[member]]
name = "Albatross"
thing = true
pronouns = "she"
gender = { de = "feminine", fr = "masculine" }

[[member]]
name = "Robin"
pronouns = "they"
forms = { de = ["dey", "dem"], fr = ["iel"] }

[[address]]
from = "Mira"
to = "Jon"
form = "familiar"
mutual = true
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anaphor.check.units import Content
from anaphor.core import LanguagePair, UnknownNameError
from anaphor.core.records import Record
from anaphor.languages import fold

_DOCS = "docs/howto/check.md"
_GENDERS = {"masculine": "m", "feminine": "f", "neuter": "n", "any": ""}
#: The genders of target words that fit a pronoun of English.
_OF_PRONOUN = {"he": "m", "she": "f"}


@dataclass(frozen=True, slots=True)
class Member:
    """A person, or a thing with grammatical genders.

    `pronouns` is `he`, `she`, `they` or `it`. `genders` has the grammatical gender by target language, and
    `forms` the words used for the member there, unless they are the usual pronouns.
    """

    name: str
    aliases: tuple[str, ...]
    pronouns: str
    thing: bool = False
    genders: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    def gender(self, language: str) -> str | None:
        """`m`, `f` or `n` in a target language; `-` for a person who has none of them; None if unknown."""
        if language in self.genders:
            return self.genders[language] or None
        if self.thing:
            return None
        return "-" if self.pronouns == "they" else _OF_PRONOUN.get(self.pronouns)

    def described(self, language: str) -> str:
        """The name with its description in the cast."""
        gender = {"m": "masculine", "f": "feminine", "n": "neuter"}.get(self.gender(language) or "", "")
        return f"{self.name} ({self.pronouns}{f', {gender}' if self.thing and gender else ''})"


@dataclass(frozen=True, slots=True)
class Address:
    """How one member addresses another: `formal` or `familiar`."""

    speaker: str
    listener: str
    form: str


@dataclass(frozen=True, slots=True)
class Cast:
    """All members, and how they address each other."""

    members: tuple[Member, ...] = ()
    address: tuple[Address, ...] = ()

    def called(self, name: str) -> tuple[Member, ...]:
        """The members with a full name or alias; several may share one."""
        folded = fold(name.strip())
        own = tuple(member for member in self.members if fold(member.name) == folded)
        return own or tuple(
            member for member in self.members if folded in {fold(alias) for alias in member.aliases}
        )

    def address_of(self, speaker: Member, listener: Member) -> str:
        """How a speaker addresses a listener; empty if the cast does not say."""
        return next(
            (
                entry.form
                for entry in self.address
                if entry.speaker == speaker.name and entry.listener == listener.name
            ),
            "",
        )


def read_cast(path: str, *, pair: LanguagePair | None = None) -> Cast:
    """Read a cast file; every mistake in it is an `InputError` with its key."""
    del pair  # a cast may have other languages than those that are checked
    record = Record.from_toml(Content.read(path).text.removeprefix("\ufeff"), file=path, docs=_DOCS)
    return cast_of(record, path=path)


def cast_of(record: Record, *, path: str) -> Cast:
    """The cast in a record."""
    record.allow("member", "address")
    members: list[Member] = []
    taken: set[str] = set()
    for entry in record.tables("member", default=()):
        entry.allow("name", "aliases", "pronouns", "thing", "gender", "forms")
        name = entry.text("name", one_line=True)
        if fold(name) in taken:
            entry.refuse(
                "name", f"two members are called {name}", fix="use one of them a longer name, and aliases"
            )
        taken.add(fold(name))
        members.append(
            Member(
                name,
                tuple(entry.texts("aliases", default=())),
                entry.choice("pronouns", ("he", "she", "they", "it")),
                entry.flag("thing", default=False),
                _genders(entry),
                _forms(entry),
            )
        )
    names = {fold(alias): member.name for member in reversed(members) for alias in reversed(member.names)}
    address: list[Address] = []
    for entry in record.tables("address", default=()):
        entry.allow("from", "to", "form", "mutual")
        ends = []
        for key in ("from", "to"):
            name = entry.text(key)
            if fold(name) not in names:
                raise UnknownNameError.among(name, names.values(), kind="member", where=path)
            ends.append(names[fold(name)])
        form = entry.choice("form", ("formal", "familiar"))
        address.append(Address(ends[0], ends[1], form))
        if entry.flag("mutual", default=False):
            address.append(Address(ends[1], ends[0], form))
    return Cast(tuple(members), tuple(address))


def _genders(entry: Record) -> dict[str, str]:
    if "gender" not in entry:
        return {}
    table = entry.table("gender")
    return {language: _GENDERS[table.choice(language, _GENDERS)] for language in table}


def _forms(entry: Record) -> dict[str, tuple[str, ...]]:
    if "forms" not in entry:
        return {}
    table = entry.table("forms")
    return {language: tuple(fold(form) for form in table.texts(language)) for language in table}
