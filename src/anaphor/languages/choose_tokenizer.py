"""Choice of the tokenizer for a text: that of its language, or a generic one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from anaphor.core import Sentence, UnknownNameError
from anaphor.languages.pack_file import known_languages, load_language
from anaphor.languages.tokenizer import Tokenizer, Words, matched_tokens, split_words
from anaphor.languages.unspaced import UNSPACED

# In scripts without spaces between words every character is a token, and none is part of a longer one.
_UNSPACED_SEARCH = re.compile(f"[{UNSPACED}]").search
_GENERIC = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+|[^\w\s]")


def generic_tokens(text: str) -> Sentence:
    """Words and single characters, without language-specific rules."""
    return matched_tokens(_GENERIC, text)


def is_unspaced(text: str) -> bool:
    """Whether there is a character of a script without spaces, for which packs have no words."""
    return not text.isascii() and _UNSPACED_SEARCH(text) is not None


def tokenizer_of(language: str, packs: Path | None = None) -> Callable[[str], Sentence]:
    """The tokenizer for a language if it has a pack, otherwise the generic one."""
    if language not in known_languages(packs):
        return generic_tokens
    return Tokenizer(load_language(language, folder=packs))


def is_broken_into_words(language: str, packs: Path | None = None) -> bool:
    """Whether a library finds the words of a language that is written without spaces."""
    if language not in known_languages(packs):
        return False
    return load_language(language, folder=packs).word_breaker is not None


def words_or_split(language: str, packs: Path | None = None) -> Words:
    """The tokens of a line, split by the language's tokenizer if it has a pack, otherwise at spaces."""
    if language not in known_languages(packs):
        return split_words
    return Tokenizer(load_language(language, folder=packs)).words


def words_of(language: str, *, tokenized: bool, packs: Path | None = None, where: str = "--pair") -> Words:
    """The tokens of a line: the given ones, or those of the tokenizer, which must exist."""
    if tokenized:
        return split_words
    if language not in (known := known_languages(packs)):
        raise UnknownNameError(
            f"there is no tokenizer for the language {language}",
            where=where,
            fix=f"tokenize the texts and add --tokenized, or supply a pack with --packs; known: "
            f"{', '.join(known)}",
        )
    return Tokenizer(load_language(language, folder=packs)).words
