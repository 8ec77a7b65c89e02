"""Which pronoun forms stand inside a token, however the text was tokenised."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from anaphor.languages.pack import FusedRule, LanguagePack
from anaphor.languages.spelling import fold
from anaphor.languages.tokenizer import Tokenizer

#: Lines looked at together: enough to share words, few enough to stay in the cache.
_BLOCK = 1024


class _Answers(dict[str, tuple[str, ...]]):
    """What is known of each distinct token; a new one is looked into once."""

    def __init__(self, search: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._search = search

    def __missing__(self, token: str) -> tuple[str, ...]:
        found = self[token] = self._search(token)
        return found


class FormMatcher:
    """Finds listed forms in tokens: `elle` in `qu'elle`, `ils` in `disent-ils`, `me` and `lo` in `dámelo`.

    A token is cut by the language's own rules and each piece is looked up, so that matcher and
    tokeniser cannot disagree. Answers are kept for each distinct token: this is the hot path of scoring.
    """

    def __init__(self, pack: LanguagePack, forms: Iterable[str]) -> None:
        self._listed = frozenset(fold(form) for form in forms)
        self._cut = Tokenizer(pack)
        self._pieces = self._known_pieces(pack)
        self._fused = tuple(_fused_pattern(rule) for rule in pack.fused)
        self._answers = _Answers(self._search)

    def forms_in(self, token: str) -> tuple[str, ...]:
        """The listed forms inside a token, folded, in the order they stand there."""
        return self._answers[token]

    def scan(self, lines: Iterable[Sequence[str]]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Line, position and forms of every token that holds a listed form, for many lines at once.

        Each distinct token is looked into once; lines without a hit are passed over by a set operation.
        """
        hits: set[str] = set()
        numbered = enumerate(lines)
        while block := list(islice(numbered, _BLOCK)):
            words: set[str] = set().union(*(tokens for _, tokens in block))
            hits.update(word for word in words if self._answers[word])
            for line, tokens in block:
                if not hits.isdisjoint(tokens):
                    for position, token in enumerate(tokens):
                        if token in hits:
                            yield line, position, self._answers[token]

    def _search(self, token: str) -> tuple[str, ...]:
        token = fold(token)
        if token in self._pieces:
            return self._pieces[token]
        return tuple(form for piece in self._cut.words(token) for form in self._forms_of(piece))

    def _forms_of(self, piece: str) -> tuple[str, ...]:
        if piece in self._pieces:
            return self._pieces[piece]
        matches = (pattern.fullmatch(piece) for pattern in self._fused)
        clitics = next((match.groups() for match in matches if match), ())
        return tuple(clitic for clitic in clitics if clitic in self._listed)

    def _known_pieces(self, pack: LanguagePack) -> dict[str, tuple[str, ...]]:
        """Pieces of words with the listed forms in them; a form that is a word by itself comes first."""
        pieces: dict[str, tuple[str, ...]] = dict.fromkeys(pack.whole, ())
        for table in (pack.proclitics, pack.enclitics, pack.contractions):
            for piece, forms in table.items():
                pieces[piece] = tuple(form for form in forms if form in self._listed)
        return pieces | {form: (form,) for form in self._listed}


def _fused_pattern(rule: FusedRule) -> re.Pattern[str]:
    slots = "".join(f"({'|'.join(slot)})" for slot in rule.slots)
    return re.compile(rf"\w*(?:{rule.host}){slots}")
