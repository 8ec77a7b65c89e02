"""What every doubt looks at: a rejected pronoun in its row, and the rows before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from anaphor.analyse.gender import Readings
from anaphor.antecedents import TargetLanguage
from anaphor.check.cast import Cast
from anaphor.check.linking import LinkedBlock
from anaphor.check.verdicts import Examined
from anaphor.languages import fold


@lru_cache(maxsize=64)
def folded(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """All tokens in the form in which they are compared."""
    return tuple(map(fold, tokens))


@dataclass(frozen=True)
class Suspect:
    """A pronoun that the verdict rejects: `at` is its source token, and `places` are those of its rendering.

    Sources and targets are those of its row.
    """

    block: LinkedBlock
    pronoun: Examined
    cast: Cast

    @property
    def language(self) -> str:
        """The code of the target language."""
        return self.block.pair.target

    @property
    def at(self) -> int:
        return self.pronoun.token

    @property
    def form(self) -> str:
        return self.pronoun.evidence.rendering.form

    @property
    def readings(self) -> Readings:
        return self.pronoun.evidence.rendering.readings

    @property
    def places(self) -> tuple[int, ...]:
        return self.pronoun.evidence.rendering.positions

    @cached_property
    def source_words(self) -> tuple[str, ...]:
        return folded(self.block.source(self.pronoun.row).tokens)

    @cached_property
    def source_tags(self) -> tuple[str, ...]:
        return self.block.source_analysis(self.pronoun.row).tags

    @cached_property
    def target_tokens(self) -> tuple[str, ...]:
        return self.block.target(self.pronoun.row).tokens

    @property
    def target_words(self) -> tuple[str, ...]:
        return folded(self.target_tokens)

    @cached_property
    def target_tags(self) -> tuple[str, ...]:
        return self.block.target_analysis(self.pronoun.row).tags

    @property
    def word(self) -> str:
        """The source pronoun."""
        return self.source_words[self.at]

    @property
    def other_words(self) -> set[str]:
        """The other words of the source."""
        return {*self.source_words[: self.at], *self.source_words[self.at + 1 :]}

    @property
    def nearer(self) -> range:
        """The source tokens between the antecedent and the pronoun; all before it if that is elsewhere."""
        row, antecedent = self.pronoun.score.antecedent or (-1, -1)
        return range(antecedent + 1 if row == self.pronoun.row else 0, self.at)

    def noun_readings(self, row: int, source: int) -> list[Readings]:
        """The readings, as nouns, of all words that translate a source token."""
        read, tokens = TargetLanguage.load(self.language).noun_readings, self.block.target(row).tokens
        return [read(tokens, target) for target in self.block.links(row).targets_of(source)]


def rows_before(block: LinkedBlock, pronoun: Examined, reach: int) -> Iterator[tuple[int, int]]:
    """The rows of the document from `reach` rows before a pronoun to its own, each with the number of target
    tokens before its rendering; none if the pronoun is not rendered.
    """
    places = pronoun.evidence.rendering.positions
    document = block.rows[pronoun.row].document
    for row in range(max(0, pronoun.row - reach), pronoun.row + 1) if places else ():
        if block.rows[row].document == document:
            yield row, min(places) if row == pronoun.row else len(block.target(row).tokens)
