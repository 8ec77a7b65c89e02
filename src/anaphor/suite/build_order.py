"""What a build is asked for, and what it works with."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from anaphor.align import AlignerChoice
from anaphor.analyse import Analyser
from anaphor.core import LanguagePair, MismatchError, OptionError
from anaphor.languages import PairPack
from anaphor.suite.build_analysed import Cut
from anaphor.suite.categories import CategoryPack

_GUESSED = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTools:
    """What the builder works with: cutters, analysers (none for a language without), an aligner, lists."""

    pack: PairPack
    cut_source: Cut
    cut_target: Cut
    analyser: Analyser
    target_analyser: Analyser | None
    aligner: AlignerChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOrder:
    """What is wanted: categories and how many of each; `automatic` fills what people did not annotate."""

    categories: CategoryPack
    plan: Mapping[str, int]
    name: str
    licence: str
    automatic: bool = True
    seed: int = 12345

    def planned(self, features: Mapping[str, str]) -> tuple[str, ...]:
        """The categories of the plan that take a pronoun with these features."""
        return tuple(name for name in self.categories.categories_of(features) if name in self.plan)

    def counts_antecedent(self, categories: Collection[str]) -> bool:
        """Whether one of these categories asks for the antecedent."""
        return any(one.antecedent and one.name in categories for one in self.categories.categories)


def check_order(order: BuildOrder, pair: LanguagePair) -> None:
    """Raise if the order cannot be met for this pair."""
    if order.categories.source != pair.source:
        raise MismatchError(
            f"the categories are for {order.categories.source}, the pair is {pair}",
            where="--categories, --pair",
            fix="give a pack of categories for the source language",
        )
    if order.automatic and pair.source != _GUESSED:
        raise OptionError(
            "the rules that guess what people did not annotate are for English",
            where="--annotated-only",
            fix="give --annotated-only",
        )
