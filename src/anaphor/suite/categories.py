"""Categories as data: which annotated pronouns belong together, and how many items of each a plan has.

A pack is a TOML file. A category is a condition on features of a pronoun, so another language pair can define
its own without code (protest-2016, section 8.1). `docs/suites/categories.md` describes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from anaphor.core import Category, UnknownNameError, digest
from anaphor.core.records import Record
from anaphor.corpus import Text, read_text

Condition = Mapping[str, tuple[str, ...]]
Features = Mapping[str, str]

#: The features of a pronoun. `form` takes any word, the others these values.
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
    """A category and its condition: one of the values listed in `when`, and none of those in `unless`."""

    category: Category
    when: Condition
    unless: Condition

    def takes(self, features: Features) -> bool:
        """Whether a pronoun with these features belongs to the category; an absent feature has no value."""
        return all(features.get(name) in values for name, values in self.when.items()) and not any(
            features.get(name) in values for name, values in self.unless.items()
        )


@dataclass(frozen=True, slots=True)
class CategoryPack:
    """The categories for one source language, and plans: the number of items of every category."""

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
        """All categories that accept a pronoun, in order: *it* for a group noun is also anaphoric."""
        return tuple(rule.category.name for rule in self.rules if rule.takes(features))

    def plan(self, name: str) -> Mapping[str, int]:
        if name not in self.plans:
            raise UnknownNameError.among(name, self.plans, kind="plan", where=self.name)
        return self.plans[name]


def known_packs() -> tuple[str, ...]:
    """The names of the built-in category packs."""
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
    record = Record.from_toml("\n".join(text.lines), file=text.path, docs="docs/suites/categories.md")
    record.allow("name", "source", "facts", "licence", "category", "plan")
    rules = []
    for entry in record.tables("category", []):
        entry.allow("name", "antecedent", "description", "when", "unless")
        category = Category(entry.text("name"), entry.flag("antecedent"), entry.text("description"))
        rules.append(
            CategoryRule(category, _condition(entry.table("when", {})), _condition(entry.table("unless", {})))
        )
    names = [rule.category.name for rule in rules]
    if not names or len(set(names)) < len(names):
        record.refuse("category", "none, or two with the same name", fix="give every category its own name")
    plans = {}
    table = record.table("plan", {})
    for name in table:
        plan = table.table(name)
        plan.allow(*names)
        plans[name] = {category: plan.integer(category, low=1) for category in plan}
    return CategoryPack(
        record.text("name"),
        record.text("source"),
        record.text("facts"),
        record.text("licence"),
        digest(["\n".join(text.lines).encode()]),
        tuple(rules),
        plans,
    )


def _condition(record: Record) -> Condition:
    record.allow(*FEATURES)
    values_of = {name: record.texts(name) for name in record}
    for name, values in values_of.items():
        for value in values:
            if FEATURES[name] and value not in FEATURES[name]:
                record.refuse(
                    name, f"unknown value: {value}", fix=f"write some of {', '.join(FEATURES[name])}"
                )
    return values_of
