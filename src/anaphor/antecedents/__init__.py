"""Antecedents of pronouns in a source text, and their renderings in a translation."""

from anaphor.antecedents.agreement import TargetDocument
from anaphor.antecedents.mentions import Mention
from anaphor.antecedents.pointing import PointedPronoun, Pointer
from anaphor.antecedents.resolver import (
    Place,
    PronounAntecedents,
    ResolvedDocument,
    Resolver,
    resolver_languages,
)
from anaphor.antecedents.target import (
    GENDER_NAMES,
    Agreement,
    Expectation,
    TargetLanguage,
    has_agreement,
    target_languages,
)

__all__ = [
    "GENDER_NAMES",
    "Agreement",
    "Expectation",
    "Mention",
    "Place",
    "PointedPronoun",
    "Pointer",
    "PronounAntecedents",
    "ResolvedDocument",
    "Resolver",
    "TargetDocument",
    "TargetLanguage",
    "has_agreement",
    "resolver_languages",
    "target_languages",
]
