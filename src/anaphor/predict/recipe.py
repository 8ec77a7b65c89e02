"""Recipes: every published system, and ours, as a file that says what it is made of.

`recipes/NAME.toml` names a family of predictors (`families.py`) with its features and options, and tells a
reader what the system was, for which pairs it was submitted and what differs here. docs/systems has a page
for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from anaphor.core import InputError, UnknownNameError

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
    from anaphor.predict.recipe_file import parse_recipe

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
