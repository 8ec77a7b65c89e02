"""Which pronoun forms stand inside a token, however the text was tokenised."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from anaphor.languages.pack import FusedRule, LanguagePack
from anaphor.languages.runs import Runs
from anaphor.languages.spelling import fold, unify
from anaphor.languages.tokenizer import Tokenizer

_ASCII_LETTERS = re.compile("[a-z]+")
_KELVIN = "\u212a"  # the one character outside ASCII whose lower case is an ASCII letter


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
        self._probes = self._find_probes(pack)
        self._answers = _Answers(self._search)

    def forms_in(self, token: str) -> tuple[str, ...]:
        """The listed forms inside a token, folded, in the order they stand there."""
        return self._answers[token]

    def scan(self, runs: Runs) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Line, number in the line and forms of every run between white space that holds a listed form.

        A listed form can only stand where the ASCII letters of its spelling do. These places are found in
        the bytes of the whole text at once, so that most runs are never looked into.
        """
        places = self._suspects(runs)
        words = runs.words(places)
        known = {word: self._answers[word.decode()] for word in set(words)}
        hits = np.array([bool(known[word]) for word in words], np.bool_)
        places = places[hits]
        lines = np.searchsorted(runs.firsts, places, side="right") - 1
        numbers = places - runs.firsts[lines]
        forms = [known[word] for word in words if known[word]]
        return zip(lines.tolist(), numbers.tolist(), forms, strict=True)

    def _suspects(self, runs: Runs) -> NDArray[np.int64]:
        if "" in self._probes or _KELVIN.encode() in runs.data:
            return np.arange(len(runs.starts))
        return runs.holding(probe.encode() for probe in self._probes)

    def _search(self, token: str) -> tuple[str, ...]:
        folded = fold(token)
        if folded in self._pieces:
            return self._pieces[folded]
        # Case matters for the cut: `end.It` is two sentences without a space, `end.it` a web domain.
        return tuple(form for piece in self._cut.words(unify(token)) for form in self._forms_of(fold(piece)))

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

    def _find_probes(self, pack: LanguagePack) -> frozenset[str]:
        """The longest run of ASCII letters of every piece that yields a listed form; may be empty."""
        clitics = {clitic for rule in pack.fused for slot in rule.slots for clitic in slot}
        pieces = {piece for piece, forms in self._pieces.items() if forms} | (clitics & self._listed)
        return frozenset(max(_ASCII_LETTERS.findall(piece), key=len, default="") for piece in pieces)


def _fused_pattern(rule: FusedRule) -> re.Pattern[str]:
    slots = "".join(f"({'|'.join(slot)})" for slot in rule.slots)
    return re.compile(rf"\w*(?:{rule.host}){slots}")
