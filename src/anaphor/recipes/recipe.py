"""Recipes: every published system, and ours, as a file that describes its components.

`toml/NAME.toml` names a family of predictors (`anaphor.predict.families`) with its features and options, and
documents the system: its idea, the pairs it was submitted for, and the differences here.
docs/systems/recipes.md lists them all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Any

from anaphor.core import InputError, LanguagePair, UnknownNameError, UserError, digest
from anaphor.core.records import Record
from anaphor.core.table import Block, Listing, Paragraph, Styled, Table, percent, text
from anaphor.predict.families import FAMILIES
from anaphor.task.published import PublishedSystem, published_results

SUFFIX = ".toml"
#: What a family reads; everything else is for people.
SETTINGS = ("features", "options", "members", "first", "second")
_TEXTS = ("title", "family", "idea", "paper", "training")
_KEYS = ("name", *_TEXTS, "pairs", "submitted", "differs", "open", *SETTINGS)
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SUBMITTED = re.compile(r"(20[0-9]{2}) (\S+)")
_FOLDER = files("anaphor.recipes") / "toml"


@dataclass(frozen=True, slots=True)
class Submission:
    """A row of the published results (`anaphor.task.published`)."""

    year: int
    system: str


@dataclass(frozen=True, slots=True)
class RecipeDifference:
    """A part of the original system, what replaces it here, and why."""

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
    """One recipe, validated on construction.

    - `pairs`: what it was submitted for, or is meant for; `submitted` has its published results by pair.
    - `settings`: what the family reads: name, family, features, options and the recipes inside.
    - `digest`: of the settings; recipes with the same digest train identical models.
    """

    name: str
    title: str
    family: str
    idea: str
    paper: str
    training: str
    pairs: tuple[str, ...]
    submitted: Mapping[str, Submission]
    differs: tuple[RecipeDifference, ...]
    open_choices: tuple[OpenChoice, ...]
    settings: Mapping[str, Any]
    digest: str

    @property
    def families(self) -> frozenset[str]:
        """The families of the recipe and of its nested recipes."""
        return frozenset(str(settings.get("family")) for _, settings in _with_inner("", self.settings))

    def published(self, pair: str) -> PublishedSystem:
        """The published results of the system for a pair that it was submitted for."""
        submission = self.submitted[pair]
        systems = published_results(LanguagePair.parse(pair), year=submission.year).systems
        return next(system for system in systems if system.name == submission.system)

    def to_dict(self) -> dict[str, Any]:
        content = asdict(self)
        for pair, submission in content["submitted"].items():
            published = self.published(pair)
            submission |= {"macro-recall": published.macro_recall, "accuracy": published.accuracy}
        return content

    def tables(self) -> list[Block]:
        facts = {
            "paper": self.paper,
            "family": self.family,
            "pairs": ", ".join(self.pairs),
            "training": self.training,
            "digest": self.digest,
        }
        blocks: list[Block] = [
            f"{self.name}: {self.title}\n{self.idea}",
            "\n".join(f"{name:<9} {value}" for name, value in facts.items()),
            "\n".join(_setting_lines(self.settings)),
        ]
        blocks += [
            f"differs: {difference.original}\n   here: {difference.here}\n    why: {difference.why}"
            for difference in self.differs
        ]
        blocks += [
            f"open:    {open_choice.question}\n chosen: {open_choice.choice}"
            for open_choice in self.open_choices
        ]
        if self.submitted:
            columns = (*map(text, ("published", "year", "system")), percent("macro-recall", 2))
            rows = []
            for pair, submission in self.submitted.items():
                published = self.published(pair)
                row = (pair, str(submission.year), submission.system)
                rows.append((*row, published.macro_recall, published.accuracy))
            blocks.append(Table((*columns, percent("accuracy", 2)), rows))
        return blocks


def _with_inner(name: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The settings of a recipe, then those of nested recipes, each with a name."""
    yield name, settings
    for key, inner in _inner(settings).items():
        yield from _with_inner(key, inner)


def _inner(settings: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    steps = {key: settings[key] for key in ("first", "second") if key in settings}
    members = enumerate(settings.get("members", ()), start=1)
    return steps | {f"member {number}": member for number, member in members}


def _setting_lines(settings: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """Features and options, one per line; the recipes inside a recipe are indented."""

    def pairs(options: Mapping[str, Any]) -> str:
        return ", ".join(f"{key} = {value}" for key, value in options.items())

    for name, options in settings.get("features", {}).items():
        yield f"{indent}feature   {name} {pairs(options)}".rstrip()
    if settings.get("options"):
        yield f"{indent}options   {pairs(settings['options'])}"
    for key, recipe in _inner(settings).items():
        yield f"{indent}{key}: {recipe.get('family')}"
        yield from _setting_lines(recipe, indent + "  ")


def known_recipes() -> tuple[str, ...]:
    """The names of the shipped recipes, in alphabetical order."""
    names = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def recipes_for(pair: str | None = None) -> tuple[Recipe, ...]:
    """The shipped recipes, or those of them for a pair."""
    recipes = (load_recipe(name) for name in known_recipes())
    return tuple(recipe for recipe in recipes if pair is None or pair in recipe.pairs)


def recipe_list(pair: str | None, models: Sequence[str]) -> Listing:
    """The recipes for a pair, or all, and the names of the shipped models."""
    recipes = recipes_for(pair)
    entries = [
        {"name": recipe.name, "family": recipe.family, "pairs": list(recipe.pairs), "title": recipe.title}
        for recipe in recipes
    ]
    # Lines instead of a table, whose columns would be flush right.
    rows = [("recipe", "family", "pairs", "system")]
    rows += [(recipe.name, recipe.family, " ".join(recipe.pairs), recipe.title) for recipe in recipes]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    heading, *lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    shipped = f"trained models that ship: {', '.join(models) or 'none'}"
    content = {"recipes": entries, "models": list(models)}
    return Listing(content, [Paragraph([[Styled(heading, "bold")], *lines]), shipped])


def load_recipe(name: str) -> Recipe:
    """The recipe with a name, or from the user's own file if the name ends in `.toml`."""
    if name.endswith(SUFFIX):
        try:
            content = Path(name).read_bytes()
        except (OSError, ValueError) as error:  # ValueError: a path with a NUL
            raise InputError(
                f"the recipe cannot be read ({getattr(error, 'strerror', None) or error})",
                where=name,
                fix="check the path; `anaphor predict list` names the recipes that ship",
            ) from error
        return parse_recipe(content, file=name)
    if name not in known_recipes():
        raise UnknownNameError.among(name, known_recipes(), kind="recipe", where="the recipes that ship")
    return parse_recipe((_FOLDER / f"{name}{SUFFIX}").read_bytes(), file=f"{name}{SUFFIX}")


def parse_recipe(content: bytes, *, file: str) -> Recipe:
    """Parse a recipe file; errors name the file and the key."""
    record = Record.from_toml(content, file=file, docs="docs/systems/README.md")
    record.allow(*_KEYS)
    name = _line(record, "name")
    if not _NAME.fullmatch(name):
        record.refuse(
            "name", f"not a name of a recipe: {name}", fix="use lower-case letters, digits and hyphens"
        )
    if name != PurePath(file).name.removesuffix(SUFFIX):
        record.refuse("name", f"the file has another name than {name}", fix=f"call it {name}{SUFFIX}")
    texts = {key: _line(record, key) for key in _TEXTS}
    if texts["family"] not in FAMILIES:
        raise UnknownNameError.among(texts["family"], FAMILIES, kind="family", where=file)
    settings: dict[str, Any] = {"name": name, "family": texts["family"]}
    for key in SETTINGS:
        if key in record:
            # Families check what is inside.
            _ = record.tables(key) if key == "members" else record.table(key)
            settings[key] = record.raw(key)
    pairs = record.texts("pairs")
    if not pairs or len(set(pairs)) < len(pairs):
        record.refuse("pairs", "not a list of different pairs", fix='write one such as ["en-fr", "en-de"]')
    for pair in pairs:
        try:
            LanguagePair.parse(pair)
        except UserError as error:
            record.refuse("pairs", error.what, fix=error.fix)
    submitted = record.table("submitted", {})
    return Recipe(
        name=name,
        **texts,
        pairs=pairs,
        submitted={pair: _submission(submitted, pair, pairs) for pair in submitted},
        differs=tuple(
            RecipeDifference(**row) for row in _rows(record, "differs", ("original", "here", "why"))
        ),
        open_choices=tuple(OpenChoice(**row) for row in _rows(record, "open", ("question", "choice"))),
        settings=settings,
        digest=digest([json.dumps(settings, sort_keys=True, default=str).encode()]),
    )


def _line(record: Record, key: str) -> str:
    """A string with its white space, line breaks included, reduced to single spaces."""
    return " ".join(record.text(key).split())


def _submission(submitted: Record, pair: str, pairs: tuple[str, ...]) -> Submission:
    value = _line(submitted, pair)
    match = _SUBMITTED.fullmatch(value)
    if pair not in pairs or match is None:
        submitted.refuse(
            pair,
            f"not a submission: {value}",
            fix=f'write year and system, such as "2016 UU-Stymne-primary", for one of {", ".join(pairs)}',
        )
    year, system = int(match[1]), match[2]
    try:
        names = [
            published.name for published in published_results(LanguagePair.parse(pair), year=year).systems
        ]
    except UserError as error:
        submitted.refuse(pair, error.what, fix=error.fix)
    if system not in names:
        submitted.refuse(pair, f"unknown system in {year}: {system}", fix=f"write one of {', '.join(names)}")
    return Submission(year, system)


def _rows(record: Record, key: str, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    for row in record.tables(key, []):
        row.allow(*columns)
        yield {column: _line(row, column) for column in columns}
