"""Find the source pronouns to be judged: by a list of forms, or at explicit positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from anaphor.core import InputError, Pronoun, Where
from anaphor.corpus import Text
from anaphor.languages import FormMatcher, Runs, fold

#: The tokens of a line.
Words = Callable[[str], Sequence[str]]


def find_by_form(
    lines: Sequence[str], runs: Runs, watched: FormMatcher, *, words: Words | None
) -> Iterator[Pronoun]:
    """Every watched form, in the order of the text; a token that holds two forms gives two pronouns.

    `runs` are those of the lines. `words` splits a line into tokens; None where white space separates
    them already.
    """
    found = watched.scan(runs)
    if words is not None:
        found = _in_tokens(dict.fromkeys(line for line, _, _ in found), lines, watched, words)
    for segment, position, forms in found:
        for form in forms:
            yield Pronoun(segment, position, form)


def _in_tokens(
    numbers: Iterable[int], lines: Sequence[str], watched: FormMatcher, words: Words
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    for number in numbers:
        for position, token in enumerate(words(lines[number])):
            yield number, position, watched.forms_in(token)


def read_positions(listing: Text, lines: Sequence[str], *, words: Words) -> tuple[Pronoun, ...]:
    """The tokens named by lines of `segment<space>token`, both counted from 0, whatever the tokens are.

    guillou-hardmeier-2018 restricted APT to the 250 pronouns of a test suite this way.
    """
    found = set()
    for number, line in enumerate(listing.lines, start=1):
        segment, position = _two_numbers(line, Where(listing.path, number))
        tokens = words(lines[segment]) if segment < len(lines) else ()
        if position >= len(tokens):
            raise InputError(
                f"no token {position} in segment {segment}",
                where=Where(listing.path, number),
                fix="count segments and tokens from 0, in the tokenisation that is scored",
            )
        found.add(Pronoun(segment, position, fold(tokens[position])))
    return tuple(sorted(found, key=lambda pronoun: (pronoun.segment, pronoun.position)))


def _two_numbers(line: str, where: Where) -> tuple[int, int]:
    parts = line.split()
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise InputError(
            f"not a position: {line!r}",
            where=where,
            fix="write two numbers a line: segment and token, both counted from 0",
        )
    return int(parts[0]), int(parts[1])
