"""From the texts of an experiment to source pronouns and their counterparts in every translation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Counterpart, InputError, OptionError, Pronoun, PronounPair, Sentence, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text, within_range
from anaphor.languages import FormMatcher, PairPack, Runs, Tokenizer, fold, split_tokens, split_words
from anaphor.pronouns.counterparts import CounterpartFinder, Side
from anaphor.pronouns.find import Words, find_by_form, read_positions


@dataclass(frozen=True, slots=True)
class Splitter:
    """How a text becomes tokens: given as they are, or by the language's tokeniser."""

    name: str
    given: bool
    sentence: Callable[[str], Sentence]
    words: Words

    @classmethod
    def of(cls, tokenizer: Tokenizer, *, tokenized: bool) -> Splitter:
        if tokenized:
            return cls("given", True, split_tokens, split_words)
        return cls(tokenizer.name, False, tokenizer, tokenizer.words)

    def lengths(self, lines: Sequence[str]) -> NDArray[np.int64]:
        """How many tokens each line has."""
        if self.given:
            return Runs.of(lines).counts()
        return np.array([len(self.words(line)) for line in lines], np.int64)


@dataclass(frozen=True, slots=True)
class Watch:
    """Which source forms are watched and which target forms are compared, from pack and settings."""

    pronouns: tuple[str, ...]
    forms: tuple[str, ...]

    @classmethod
    def of(cls, pack: PairPack, settings: Settings) -> Watch:
        extra = pack.object_pronouns if settings.objects else ()
        forms = tuple(dict.fromkeys((*pack.target_pronouns, *extra)))
        return cls(tuple(map(fold, settings.pronouns)) or pack.source_pronouns, forms)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The source pronouns to judge, in the order of the text, and how many tokens each source line has."""

    pronouns: tuple[Pronoun, ...]
    lengths: NDArray[np.int64]


def find_pronouns(inputs: Inputs, watch: Watch, splitter: Splitter, pack: PairPack) -> Found:
    """Find them by position or by form; none at all is an error."""
    lines = inputs.source.lines
    runs = Runs.of(lines)
    lengths = runs.counts() if splitter.given else splitter.lengths(lines)
    if inputs.positions is not None:
        return Found(read_positions(inputs.positions, lines, words=splitter.words), lengths)
    matcher = FormMatcher(pack.source, watch.pronouns)
    words = None if splitter.given else splitter.words
    found = tuple(find_by_form(lines, runs, matcher, words=words))
    if not found:
        raise InputError(
            f"no pronoun found in {inputs.segments} segments (looked for {', '.join(watch.pronouns)})",
            where=inputs.source.path,
            fix="check that this is the source text and --pair is right, or name others with --pronouns",
        )
    return Found(found, lengths)


def pair_up(
    inputs: Inputs,
    found: Found,
    finder: CounterpartFinder,
    *,
    target: Splitter,
    drop_outside: bool,
) -> dict[str, list[PronounPair]]:
    """The pronoun pairs of every candidate. References are looked at once, whatever the candidates.

    A link that leads outside its sentence is an error, or left out with `drop_outside`.
    """
    if inputs.reference_alignments is None or inputs.candidate_alignments is None:
        raise OptionError(
            "pronoun metrics need word alignments",
            where="alignments",
            fix="give files, or make them with `with_alignments`",
        )

    def look(text: Text, links: AlignmentFile) -> list[Counterpart | None]:
        inside = within_range(
            links, source_lengths=found.lengths, target_lengths=target.lengths(text.lines), drop=drop_outside
        )
        return finder.find(found.pronouns, Side(text.lines, target.words, inside))

    references = [look(*sides) for sides in zip(inputs.references, inputs.reference_alignments, strict=True)]
    by_pronoun = list(zip(*references, strict=True))
    return {
        name: [
            PronounPair(pronoun, wanted, given)
            for pronoun, wanted, given in zip(
                found.pronouns, by_pronoun, look(text, inputs.candidate_alignments[name]), strict=True
            )
        ]
        for name, text in inputs.candidates.items()
    }
