"""Text to tokens with their offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from anaphor.core import Sentence, Span
from anaphor.languages.pack import LanguagePack
from anaphor.languages.spelling import APOSTROPHES, HYPHENS, fold, spellings
from anaphor.languages.unspaced import UNSPACED, Breaker, breaker_version, word_breaker

#: The tokens of a line.
Words = Callable[[str], Sequence[str]]

# Python's \w leaves out combining marks, without which decomposed text and many scripts fall apart.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # Latin, Cyrillic
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"  # Hebrew, Arabic
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd"  # Devanagari, Bengali
    "\u00ad\u200c\u200d\ufe0e\ufe0f"  # soft hyphen, joiners, variation selectors
)
_LETTER = r"[^\W\d_]"
_IN_WORD = rf"[\w{_MARKS}]"
_JOINER = f"[{HYPHENS}{APOSTROPHES}]"
_START = f"(?<!{_IN_WORD})"
_END = f"(?!{_IN_WORD}|{_JOINER}{_IN_WORD})"

_PLAIN_WORD = rf"{_LETTER}++(?=[\s,;!?]|\Z)"  # most tokens; no rule below can cut or prolong them
_WEB_ADDRESS = r"(?i:(?:https?|ftp)://|www\.)[^\s<>\"«»“”]*[\w/=&#%-]"
# A bare domain such as example.it holds no pronoun; a full stop without a space (end.It) still ends a word.
_ENDINGS = "com|org|net|edu|gov|info|eu|io|tv|uk|ca|au|it|fr|de|es|ch|nl"
_DOMAIN = rf"(?<![\w.@-])[a-z\d][a-z\d-]*(?:\.[a-z\d-]+)*\.(?:{_ENDINGS})(?![\w-])"
_MAIL_ADDRESS = r"[\w.+-]{1,64}+@[\w-]+(?:\.[\w-]+)+"  # RFC 5321 allows 64 characters before the @
_TAG = r"[#@]\w+"
_ACRONYM = rf"{_START}{_LETTER}(?:\.{_LETTER})+{_END}\.?"
_NUMBER = rf"{_START}\d+(?:[.,:/]\d+)+{_IN_WORD}*"
_PUNCTUATION = rf"\.{{2,}}|-{{2,}}|\S[{_MARKS}]*"

_MOST_ENCLITICS = 4  # no word has more; the bound keeps the search linear in any text
_NOTHING = r"(?!)"

_LETTER_APOSTROPHE = ("ʼ", "’")  # Unicode calls the first a letter, so \w would not end before it

_SEPARATED = re.compile(r"[^ \t\v\f]+")
#: Stretches of one kind: without spaces between words, then anything else.
_STRETCH = re.compile(f"([{UNSPACED}]+)|[^{UNSPACED}]+")


class Tokenizer:
    """Splits raw text by one language's rules; tokens are verbatim slices, only white space is lost.

    A pack may name a library for words that no spaces separate. It is loaded with the first such word.
    """

    def __init__(self, pack: LanguagePack) -> None:
        self._pack = pack

    @property
    def name(self) -> str:
        """Identifies the rules; a library has its version, since it decides about words."""
        own, library = f"anaphor-{self._pack.code}", self._pack.word_breaker
        return own if library is None else f"{own}+{breaker_version(library, self._pack.name)}"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Slow to compile, and never needed for text that is tokenized already.
        return re.compile("|".join(_token_patterns(self._pack)))

    @cached_property
    def _break_words(self) -> Breaker:
        pack = self._pack
        units = {*pack.inventory(), *pack.whole, *pack.contractions}
        return word_breaker(pack.word_breaker or "", pack.name, units)

    def __call__(self, text: str) -> Sentence:
        tokens = []
        starts = []
        for start, end in self._spans(text.replace(*_LETTER_APOSTROPHE)):
            tokens.append(text[start:end])
            starts.append(start)
        return Sentence(text, tuple(tokens), tuple(starts))

    def words(self, text: str) -> Sequence[str]:
        """The tokens without their offsets, faster."""
        if _LETTER_APOSTROPHE[0] in text or self._pack.word_breaker is not None:
            return self(text).tokens
        return self._pattern.findall(text)

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        if self._pack.word_breaker is None:
            yield from (match.span() for match in self._pattern.finditer(text))
            return
        for stretch in _STRETCH.finditer(text):
            start = stretch.start()
            if stretch[1] is None:
                for match in self._pattern.finditer(stretch[0]):
                    yield start + match.start(), start + match.end()
                continue
            for word in self._break_words(stretch[1]):
                yield start, start + len(word)
                start += len(word)


def unspaced_stretches(text: str) -> Sequence[str]:
    """Stretches of scripts without spaces, each whole: the tokens of text that is tokenized already."""
    return [stretch[1] for stretch in _STRETCH.finditer(text) if stretch[1] is not None]


def split_tokens(text: str) -> Sentence:
    """Tokens of text that is already tokenized, as read by word aligners.

    Runs of ASCII space, tab, vertical tab and form feed separate tokens. Nothing else separates tokens: a
    no-break space or U+2028 stays inside its token.
    """
    tokens = text.split(" ")
    if _is_irregular(text, tokens):
        return matched_tokens(_SEPARATED, text)
    starts = accumulate([0, *[len(token) + 1 for token in tokens[:-1]]])
    return Sentence(text, tuple(tokens), tuple(starts))


def split_words(text: str) -> Sequence[str]:
    """The tokens of `split_tokens` without their offsets, several times as fast."""
    tokens = text.split(" ")
    return matched_tokens(_SEPARATED, text).tokens if _is_irregular(text, tokens) else tokens


def token_span(text: str, position: int) -> Span:
    """The position of one token of `split_tokens` in the text, without scanning later tokens."""
    tokens = text.split(" ", position + 1)
    if _is_irregular(text, tokens):
        return split_tokens(text).span(position)
    start = sum(map(len, tokens[:position])) + position
    return Span(start, start + len(tokens[position]))


def _is_irregular(text: str, tokens: list[str]) -> bool:
    return "" in tokens or "\t" in text or "\v" in text or "\f" in text


def matched_tokens(pattern: re.Pattern[str], text: str) -> Sentence:
    """The matches of a pattern as tokens."""
    matches = list(pattern.finditer(text))
    return Sentence(text, tuple(match[0] for match in matches), tuple(match.start() for match in matches))


def _token_patterns(pack: LanguagePack) -> list[str]:
    """One pattern for each kind of token; the first that matches wins."""
    # Kept whole: abbreviations with their full stop, and unsplit words that have more in them than letters.
    exact = {form for short in pack.abbreviations for form in (short, short[0].upper() + short[1:])}
    abbreviations = "|".join(re.escape(form) for form in sorted(exact, key=len, reverse=True))
    words = [word for word in (*pack.whole, *pack.contractions) if not word.isalpha()]
    enclitics = _any_of(pack.enclitics)
    chain = f"(?:{enclitics}){{1,{_MOST_ENCLITICS}}}{_END}"
    inside_words = [enclitic for enclitic in pack.enclitics if enclitic[0].isalpha()]  # n't
    return [
        _PLAIN_WORD,
        _WEB_ADDRESS,
        _DOMAIN,
        _MAIL_ADDRESS,
        _TAG,
        f"{_START}(?:(?:{abbreviations or _NOTHING})|{_any_of(words)}){_END}",
        _ACRONYM,
        _NUMBER,
        f"{_START}{_any_of(pack.proclitics)}",
        f"(?<={_IN_WORD}){enclitics}(?={chain}|{_END})",
        f"{_IN_WORD}+?(?={_any_of(inside_words)}(?:{chain}|{_END}))" if inside_words else _NOTHING,
        f"{_IN_WORD}+(?:(?!{chain}){_JOINER}{_IN_WORD}+)*",
        _PUNCTUATION,
    ]


def _any_of(forms: Iterable[str]) -> str:
    """An alternative for each form, longest first, in every spelling; one that never matches for none."""
    longest_first = sorted({fold(form) for form in forms}, key=lambda form: (-len(form), form))
    return f"(?:{'|'.join(spellings(form) for form in longest_first) or _NOTHING})"
