"""The source pronouns of an experiment: found by their forms, or given by their positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core import InputError, Pronoun, Sentence, Settings, Where
from anaphor.core.array_types import Longs
from anaphor.corpus import Inputs, Text
from anaphor.languages import (
    FormMatcher,
    NeutralForms,
    PairPack,
    Runs,
    Tokenizer,
    Words,
    fold,
    split_tokens,
    split_words,
)


@dataclass(frozen=True, slots=True)
class Splitter:
    """How a text is split into tokens: at white space, or by the tokenizer for its language."""

    name: str
    given: bool
    sentence: Callable[[str], Sentence]
    words: Words

    @classmethod
    def of(cls, tokenizer: Tokenizer, *, tokenized: bool) -> Splitter:
        if tokenized:
            return cls("given", True, split_tokens, split_words)
        return cls(tokenizer.name, False, tokenizer, tokenizer.words)

    def lengths(self, lines: Sequence[str]) -> Longs:
        """How many tokens each line has."""
        if self.given:
            return Runs.of(lines).counts()
        return np.array([len(self.words(line)) for line in lines], np.int64)


@dataclass(frozen=True, slots=True)
class EvaluatedForms:
    """Which source forms are evaluated and which target forms are compared, from pack and settings."""

    pronouns: tuple[str, ...]
    forms: tuple[str, ...]

    @classmethod
    def of(cls, pack: PairPack, settings: Settings) -> EvaluatedForms:
        pronouns, forms = pack.source_pronouns, pack.target_pronouns
        if settings.objects:
            pronouns, forms = pronouns + pack.source_objects, forms + pack.object_pronouns
        forms += tuple(sorted(NeutralForms.of(pack.target).always - {*forms}))
        return cls(tuple(map(fold, settings.pronouns)) or pronouns, forms)


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedPronouns:
    """The evaluated pronouns in the order of the text, and the number of tokens of each source line."""

    pronouns: tuple[Pronoun, ...]
    lengths: Longs


def find_pronouns(
    inputs: Inputs, evaluated: EvaluatedForms, splitter: Splitter, pack: PairPack
) -> EvaluatedPronouns:
    """Find them by position or by form; none at all is an error."""
    lines = inputs.source.lines
    runs = Runs.of(lines)
    lengths = runs.counts() if splitter.given else splitter.lengths(lines)
    if inputs.positions is not None:
        return EvaluatedPronouns(read_positions(inputs.positions, lines, words=splitter.words), lengths)
    matcher = FormMatcher(pack.source, evaluated.pronouns)
    words = None if splitter.given else splitter.words
    pronouns = find_by_form(lines, runs, matcher, words=words)
    if not pronouns:
        raise InputError(
            f"no pronoun found in {inputs.segments} segments (looked for {', '.join(evaluated.pronouns)})",
            where=inputs.source.path,
            fix="check that this is the source text and that --pair is right, or use --pronouns",
        )
    return EvaluatedPronouns(pronouns, lengths)


def find_by_form(
    lines: Sequence[str], runs: Runs, evaluated: FormMatcher, *, words: Words | None
) -> tuple[Pronoun, ...]:
    """Every evaluated form, in the order of the text; a token that holds two forms gives two pronouns.

    `runs` are those of the lines. `words` splits a line into tokens; None if they are already separated by
    white space.
    """
    if words is None:
        matches = evaluated.scan(runs)
    else:
        matches = (
            (number, position, evaluated.forms_in(token))
            for number in evaluated.lines_to_tokenize(lines, runs)
            for position, token in enumerate(words(lines[number]))
        )
    rows = [(segment, position, form) for segment, position, forms in matches for form in forms]
    return tuple(Pronoun(*row) for row in rows)


def read_positions(listing: Text, lines: Sequence[str], *, words: Words) -> tuple[Pronoun, ...]:
    """The tokens named by lines of `segment<space>token`, both 0-based; they need not be listed forms.

    guillou-hardmeier-2018 restricted APT to the 250 pronouns of a test suite this way.
    """
    positions = set()
    for number, line in enumerate(listing.lines, start=1):
        where = Where(listing.path, number)
        parts = line.split()
        if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
            raise InputError(
                f"not a position: {line!r}",
                where=where,
                fix="write two numbers per line: segment and token, both counted from 0",
            )
        segment, position = map(int, parts)
        tokens = words(lines[segment]) if segment < len(lines) else ()
        if position >= len(tokens):
            raise InputError(
                f"no token {position} in segment {segment}",
                where=where,
                fix="count segments and tokens from 0, in the tokenization that is scored",
            )
        positions.add(Pronoun(segment, position, fold(tokens[position])))
    return tuple(sorted(positions, key=lambda pronoun: (pronoun.segment, pronoun.position)))
