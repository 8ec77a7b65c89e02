"""Sentence pairs to align: read from text files, cut into tokens, and not too long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.core import InputError, LanguagePair, Where
from anaphor.corpus import Inputs, Text, read_text
from anaphor.languages import Words

if TYPE_CHECKING:
    from anaphor.align.programs import SentencePair

#: Sentences of more tokens are not aligned: memory grows with the longest one.
MOST_TOKENS = 10_000
#: The paths of a source text and of its translation, line by line.
TextFiles = tuple[str, str]


def tokenizers(
    pair: LanguagePair, *, tokenized: bool = False, packs: Path | None = None
) -> tuple[Words, Words]:
    """The tokenizers of source and target; tokenized text is split at spaces."""
    from anaphor.languages.choose_tokenizer import words_of  # its patterns are slow to compile

    source, target = (words_of(code, tokenized=tokenized, packs=packs) for code in (pair.source, pair.target))
    return source, target


def read_pairs(files: TextFiles, words: tuple[Words, Words]) -> Iterator[SentencePair]:
    """Read the tokens of two files line by line; files of unequal length are an error.

    This is an iterator because the tokens of a large text would not fit into memory.
    """
    texts = Inputs(read_text(files[0]), (read_text(files[1]),), {})
    sides = zip((texts.source, texts.references[0]), words, strict=True)
    return zip(*(sentences_to_align(text, tokens) for text, tokens in sides), strict=True)


def sentences_to_align(text: Text, tokenize: Callable[[str], Sequence[str]]) -> Iterator[Sequence[str]]:
    """The tokens of every line; a line with more than MOST_TOKENS is an `InputError` with its number."""
    for number, line in enumerate(text.lines, start=1):
        yield checked_length(tokenize(line), Where(text.path, number))


def checked_length(tokens: Sequence[str], where: Where) -> Sequence[str]:
    """Check that a sentence is not too long to align, and return its tokens.

    Every token of a long sentence is compared with hundreds on the other side: a line of a million would need
    gigabytes and get no links.
    """
    if len(tokens) > MOST_TOKENS:
        raise InputError(
            f"the line has {len(tokens):,} tokens, and the aligner takes at most {MOST_TOKENS:,}",
            where=where,
            fix="write one segment per line, or supply an alignment",
        )
    return tokens
