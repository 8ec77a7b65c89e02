"""Recipes: every published system, and ours, as a file that says what it is made of.

`recipes/NAME.toml` names a family of predictors (`families.py`) with its features and options, and tells a
reader what the system was, for which pairs it was submitted and what differs here. docs/systems has a page
for each.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from typing import Any, NoReturn

from anaphor.core import InputError, LanguagePair, UnknownNameError, UserError, Where, digest
from anaphor.predict.families import FAMILIES
from anaphor.task.published import published_results

SUFFIX = ".toml"


@dataclass(frozen=True, slots=True)
class Submission:
    """A row of the published results (`anaphor.task.published`)."""

    year: int
    system: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the original had, what stands here for it, and why."""

    original: str
    here: str
    why: str


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """A question that the papers leave open, and how it was decided."""

    question: str
    choice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One recipe, checked.

    - `pairs`: what it was submitted for, or is meant for; `submitted` has its published results by pair.
    - `settings`: what the family reads: name, family, features, options and the recipes inside.
    - `digest`: of the settings; two recipes with the same one learn the same.
    """

    name: str
    title: str
    family: str
    idea: str
    paper: str
    training: str
    pairs: tuple[str, ...]
    submitted: Mapping[str, Submission]
    differs: tuple[Difference, ...]
    open_choices: tuple[OpenChoice, ...]
    settings: Mapping[str, Any]
    digest: str

    @property
    def families(self) -> frozenset[str]:
        """The families of the recipe and of those inside it."""
        return frozenset(_families(self.settings))


def known_recipes() -> tuple[str, ...]:
    """The names of the recipes that ship, in alphabetical order."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def load_recipe(name: str) -> Recipe:
    """The recipe of a name, or of a file of the user where the name ends in `.toml`."""
    # Imported here: the schema knows the families and the published results.
    from anaphor.predict.recipe import parse_recipe

    if name.endswith(SUFFIX):
        return parse_recipe(_content(Path(name)), file=name)
    if name not in known_recipes():
        raise UnknownNameError.among(name, known_recipes(), kind="recipe", where="RECIPE")
    return parse_recipe((_folder() / f"{name}{SUFFIX}").read_bytes(), file=f"{name}{SUFFIX}")


def _families(settings: Mapping[str, Any]) -> Iterator[str]:
    yield str(settings.get("family"))
    inside = [settings[key] for key in ("first", "second") if key in settings]
    for recipe in [*inside, *settings.get("members", ())]:
        yield from _families(recipe)


def _folder() -> Traversable:
    return files("anaphor.predict") / "recipes"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"the recipe cannot be read ({error.strerror})",
            where=str(path),
            fix="check the path; `anaphor predict list` names the recipes that ship",
        ) from error


#: What a family reads; all else is for people.
SETTINGS = ("features", "options", "members", "first", "second")
_TEXTS = ("title", "family", "idea", "paper", "training")
_KNOWN = ("name", *_TEXTS, "pairs", "submitted", "differs", "open", *SETTINGS)
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_SUBMITTED = re.compile(r"(20[0-9]{2}) (\S+)")

Values = Mapping[str, Any]


def parse_recipe(content: bytes, *, file: str) -> Recipe:
    """The recipe in the content of a file; what is wrong raises an error that names file and key."""
    return _Reader(_parsed(content, file), file).recipe()


def _parsed(content: bytes, file: str) -> Values:
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            "the recipe is not UTF-8", where=Where(file, line), fix="save the file as UTF-8"
        ) from error
    except (ValueError, RecursionError) as error:
        place = _PLACE.search(str(error))
        where = Where(file, int(place[1]), int(place[2])) if place else Where(file)
        what = _PLACE.sub("", str(error))
        raise InputError(f"the recipe is not TOML: {what}", where=where, fix="mend this line") from error


class _Reader:
    """The values of one file, asked for by key."""

    def __init__(self, values: Values, file: str) -> None:
        self._values = values
        self._file = file

    def recipe(self) -> Recipe:
        for key in self._values:
            if key not in _KNOWN:
                self._refuse(key, "unknown key", fix=f"remove or rename it; known: {', '.join(_KNOWN)}")
        texts = {key: self._text(self._values, key) for key in _TEXTS}
        settings = {"name": self._name(), "family": self._family(texts["family"]), **self._settings()}
        pairs = self._pairs()
        return Recipe(
            name=settings["name"],
            **texts,
            pairs=pairs,
            submitted=self._submitted(pairs),
            differs=tuple(Difference(**row) for row in self._rows("differs", ("original", "here", "why"))),
            open_choices=tuple(OpenChoice(**row) for row in self._rows("open", ("question", "choice"))),
            settings=settings,
            digest=digest([json.dumps(settings, sort_keys=True, default=str).encode()]),
        )

    def _name(self) -> str:
        name = self._text(self._values, "name")
        if not _NAME.fullmatch(name):
            self._refuse("name", f"no name of a recipe: {name}", fix="use small letters, digits and hyphens")
        if name != PurePath(self._file).name.removesuffix(SUFFIX):
            self._refuse("name", f"the file has another name than {name}", fix=f"call it {name}{SUFFIX}")
        return name

    def _family(self, name: str) -> str:
        if name not in FAMILIES:
            raise UnknownNameError.among(name, FAMILIES, kind="family", where=self._file)
        return name

    def _settings(self) -> dict[str, Any]:
        found = {key: self._values[key] for key in SETTINGS if key in self._values}
        for key, value in found.items():
            kind = list if key == "members" else dict
            if not isinstance(value, kind):
                self._refuse(key, f"not a {'list of tables' if kind is list else 'table'}", fix=_like(key))
        return found

    def _pairs(self) -> tuple[str, ...]:
        pairs = self._values.get("pairs")
        if not isinstance(pairs, list) or not pairs or len(set(map(str, pairs))) < len(pairs):
            self._refuse("pairs", "not a list of different pairs", fix='write one such as ["en-fr", "en-de"]')
        for pair in pairs:
            try:
                LanguagePair.parse(str(pair))
            except UserError as error:
                self._refuse("pairs", error.what, fix=error.fix)
        return tuple(pairs)

    def _submitted(self, pairs: tuple[str, ...]) -> dict[str, Submission]:
        table = self._values.get("submitted", {})
        if not isinstance(table, dict):
            self._refuse(
                "submitted", "not a table", fix='write lines such as en-fr = "2016 UU-Stymne-primary"'
            )
        return {pair: self._submission(pair, self._text(table, pair), pairs) for pair in table}

    def _submission(self, pair: str, text: str, pairs: tuple[str, ...]) -> Submission:
        key = f"submitted.{pair}"
        match = _SUBMITTED.fullmatch(text)
        if pair not in pairs or match is None:
            fix = f'write year and system, such as "2016 UU-Stymne-primary", for one of {", ".join(pairs)}'
            self._refuse(key, f"not a submission: {text}", fix=fix)
        found = Submission(int(match[1]), match[2])
        try:
            table = published_results(LanguagePair.parse(pair), year=found.year)
        except UserError as error:
            self._refuse(key, error.what, fix=error.fix)
        if found.system not in {system.name for system in table.systems}:
            names = ", ".join(system.name for system in table.systems)
            self._refuse(key, f"no such system in {found.year}: {found.system}", fix=f"write one of {names}")
        return found

    def _rows(self, key: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
        rows = self._values.get(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            self._refuse(
                key, "not a list of tables", fix=f"write [[{key}]] and {', '.join(columns)} below it"
            )
        for row in rows:
            if set(row) != set(columns):
                self._refuse(key, f"keys {', '.join(row)}", fix=f"write exactly {', '.join(columns)}")
        return [{column: self._text(row, column) for column in columns} for row in rows]

    def _text(self, table: Values, key: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value.strip():
            what = "missing" if value is None else f"not a text: {value!r}"
            self._refuse(
                key, what, fix="write a string that is not empty; docs/systems/README.md has the keys"
            )
        return " ".join(value.split())

    def _refuse(self, key: str, problem: str, *, fix: str) -> NoReturn:
        raise InputError(f"{key}: {problem}", where=self._file, fix=fix)


def _like(key: str) -> str:
    return "write [[members]] for each" if key == "members" else f"write [{key}] and its keys below it"
