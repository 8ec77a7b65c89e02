"""Categories as data: which annotated pronouns belong together, and how many of each a plan takes.

A pack is a TOML file. A category is a condition over features of a pronoun, so that another language pair
defines its own without code (protest-2016, section 8.1). `docs/suites/categories.md` describes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from anaphor.core import Category, UnknownNameError, digest
from anaphor.corpus import Text, read_text
from anaphor.suite.fields import Fields, parse_toml

Condition = Mapping[str, tuple[str, ...]]
Features = Mapping[str, str]

#: What can be said of a pronoun. `form` takes any word; the others take these values.
FEATURES: Mapping[str, tuple[str, ...]] = {
    "function": (
        *("anaphoric", "cataphoric", "event", "pleonastic", "extra-textual", "speaker", "addressee"),
        "other",
    ),
    "form": (),
    "antecedent": ("noun", "clause", "pronoun", "later", "implied", "none"),
    "distance": ("intra", "inter"),
    "position": ("subject", "non-subject"),
    "number": ("singular", "plural"),
    "kind": ("personal", "possessive", "demonstrative", "reflexive", "relative"),
    "referent": ("entity", "event", "generic"),
    "group": ("yes", "no"),
    "audience": ("generic", "deictic"),
}


@dataclass(frozen=True, slots=True)
class CategoryRule:
    """A category and its members: pronouns with one of the values `when` lists, and none of `unless`."""

    category: Category
    when: Condition
    unless: Condition

    def takes(self, features: Features) -> bool:
        """Whether a pronoun with these features belongs here; a feature that is absent has no value."""
        return all(features.get(name) in values for name, values in self.when.items()) and not any(
            features.get(name) in values for name, values in self.unless.items()
        )


@dataclass(frozen=True, slots=True)
class CategoryPack:
    """The categories for one source language, and plans: how many items of every category to take."""

    name: str
    source: str
    facts: str
    licence: str
    digest: str
    rules: tuple[CategoryRule, ...]
    plans: Mapping[str, Mapping[str, int]]

    @property
    def categories(self) -> tuple[Category, ...]:
        return tuple(rule.category for rule in self.rules)

    def categories_of(self, features: Features) -> tuple[str, ...]:
        """All categories that take a pronoun, in their order: a group noun's *it* is also anaphoric."""
        return tuple(rule.category.name for rule in self.rules if rule.takes(features))

    def plan(self, name: str) -> Mapping[str, int]:
        if name not in self.plans:
            raise UnknownNameError.among(name, self.plans, kind="plan", where=self.name)
        return self.plans[name]


def known_packs() -> tuple[str, ...]:
    """The names of the built-in packs of categories."""
    names = (file.name for file in (files("anaphor.suite") / "packs").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_categories(name: str) -> CategoryPack:
    """A built-in pack by its name, or a file that ends in `.toml`."""
    if name.endswith(".toml"):
        return parse_categories(read_text(name))
    if name not in known_packs():
        raise UnknownNameError.among(name, known_packs(), kind="pack of categories", where="--categories")
    with as_file(files("anaphor.suite") / "packs" / f"{name}.toml") as path:
        return parse_categories(read_text(Path(path)))


def parse_categories(text: Text) -> CategoryPack:
    fields = parse_toml(text)
    fields.allow("name", "source", "facts", "licence", "category", "plan")
    rules = tuple(map(_rule, fields.tables("category")))
    names = [rule.category.name for rule in rules]
    if not names or len(set(names)) < len(names):
        fields.refuse("category", "none, or two of one name", fix="give every category its own name")
    plans = fields.table("plan")
    return CategoryPack(
        fields.text("name"),
        fields.text("source"),
        fields.text("facts"),
        fields.text("licence"),
        digest(["\n".join(text.lines).encode()]),
        rules,
        {name: _plan(plans.table(name), names) for name in plans},
    )


def _rule(fields: Fields) -> CategoryRule:
    fields.allow("name", "antecedent", "description", "when", "unless")
    category = Category(fields.text("name"), fields.flag("antecedent"), fields.text("description"))
    return CategoryRule(category, _condition(fields.table("when")), _condition(fields.table("unless")))


def _condition(fields: Fields) -> Condition:
    fields.allow(*FEATURES)
    found = {name: fields.texts(name) for name in fields}
    for name, values in found.items():
        for value in values:
            if FEATURES[name] and value not in FEATURES[name]:
                fields.refuse(
                    name, f"unknown value: {value}", fix=f"write some of {', '.join(FEATURES[name])}"
                )
    return found


def _plan(fields: Fields, names: list[str]) -> dict[str, int]:
    for name in fields:
        if name not in names:
            fields.refuse(name, "unknown category", fix=f"name one of {', '.join(names)}")
    return {name: fields.count(name) for name in fields}
