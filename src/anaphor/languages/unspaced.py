"""Words in scripts that are written without spaces, such as Chinese and Japanese.

Third-party libraries find them. A pack names its library under `tokens.word_breaker`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from anaphor.core import OptionError

#: Characters of scripts without spaces between words, as the inside of a class of a regular expression.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\uff66-\uff9f"  # Japanese, with the marks of repetition
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese
)

#: From a stretch of such a script to its words, which together are the stretch.
Breaker = Callable[[str], Sequence[str]]

#: The distributions that each library of the packs consists of. The first has its code.
_DISTRIBUTIONS: Mapping[str, tuple[str, ...]] = {
    "jieba": ("jieba",),
    "sudachi": ("sudachipy", "sudachidict-core"),
}
WORD_BREAKERS = tuple(_DISTRIBUTIONS)
#: Characters that Sudachi is given at once: it takes 49,149 bytes, and a character has up to four.
_MOST_CHARACTERS = 12_000


@cache
def breaker_version(name: str, language: str) -> str:
    """The versions of a library's distributions, such as `sudachipy-0.7.0`.

    Raises:
        OptionError: One of them is not installed.
    """
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and most pairs need none

    try:
        return "+".join(f"{each}-{version(each)}" for each in _DISTRIBUTIONS[name])
    except PackageNotFoundError as error:
        missing = error.name or name
        raise OptionError(
            f"{language} is written without spaces, and the package that finds its words is not installed: "
            f"{missing}",
            where="--pair",
            fix="pip install 'anaphor[cjk]', or separate the words by spaces and add --tokenized",
        ) from error


def word_breaker(name: str, language: str, units: Collection[str]) -> Breaker:
    """The library as a function. Words that together are one of `units` are one word: *彼* and *ら*.

    Raises:
        OptionError: The library is not installed.
    """
    breaker_version(name, language)
    words = _jieba() if name == "jieba" else _sudachi()
    longest = max(map(len, units), default=0)
    return lambda text: list(_joined(words(text), frozenset(units), longest))


def _joined(words: Sequence[str], units: Collection[str], longest: int) -> Iterator[str]:
    """The words, with the longest runs of them that are units joined, from the left."""
    at = 0
    while at < len(words):
        end, text = at + 1, words[at]
        best = end
        while end < len(words) and len(text := text + words[end]) <= longest:
            end += 1
            if text in units:
                best = end
        yield "".join(words[at:best])
        at = best


@cache
def _jieba() -> Breaker:
    """The dictionary of jieba, without its model of unknown words, which joins *没* and *见*."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its source has escapes that newer Pythons warn of
        tokenizer: Any = import_module("jieba").Tokenizer()
    # Its own start writes the dictionary to a file in the temporary folder, and reports to standard error.
    with tokenizer.get_dict_file() as dictionary:
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(dictionary)
    tokenizer.initialized = True
    return lambda text: list(tokenizer.cut(text, HMM=False))


@cache
def _sudachi() -> Breaker:
    """Sudachi's short units, those of the Japanese treebanks."""
    sudachipy = import_module("sudachipy")
    tokenizer: Any = sudachipy.Dictionary(dict="core").tokenizer(mode=sudachipy.SplitMode.A)

    def words(text: str) -> list[str]:
        return [
            morpheme.surface()
            for start in range(0, len(text), _MOST_CHARACTERS)
            for morpheme in tokenizer.tokenize(text[start : start + _MOST_CHARACTERS])
        ]

    return words
