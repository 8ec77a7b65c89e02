"""Finds pronoun forms inside tokens, however the text was tokenized, and searches whole texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core.array_types import Longs
from anaphor.core.engine import native
from anaphor.core.remembering import Remembered
from anaphor.core.text import Lines
from anaphor.languages.pack import LanguagePack
from anaphor.languages.spelling import fold, unify
from anaphor.languages.tokenizer import Tokenizer, unspaced_stretches

_ASCII_LETTERS = re.compile("[a-z]+")
#: Longer pieces are no words with clitics; a rule of a pack could take very long on them.
_LONGEST_WORD = 100
_KELVIN = "\u212a"  # the one character outside ASCII whose lower case is an ASCII letter
_SPACE, _NEWLINE = ord(" "), ord("\n")
# Separators of tokens that are hardly ever used, so that it pays to search for them first.
_RARE = (b"\t", b"\v", b"\f")


class FormMatcher:
    """Finds listed forms in tokens: `elle` in `qu'elle`, `ils` in `disent-ils`, `me` and `lo` in `dámelo`.

    A token is split by the language's own rules and each piece is looked up, so matcher and tokenizer cannot
    disagree. Results are cached by token, because this is the hot path of scoring.
    """

    def __init__(self, pack: LanguagePack, forms: Iterable[str]) -> None:
        self._listed = frozenset(fold(form) for form in forms)
        # A token of a script without spaces is a word that a library has found, or the user has given: no
        # library is needed to find forms in it.
        self._unspaced = pack.word_breaker is not None
        self._cut = unspaced_stretches if self._unspaced else Tokenizer(pack).words
        # Pieces of words with the listed forms in them; a form that is a word by itself comes first.
        self._pieces: dict[str, tuple[str, ...]] = dict.fromkeys(pack.whole, ())
        for table in (pack.proclitics, pack.enclitics, pack.contractions):
            for piece, inside in table.items():
                self._pieces[piece] = tuple(form for form in inside if form in self._listed)
        self._pieces |= {form: (form,) for form in self._listed}
        self._fused = []
        for rule in pack.fused:
            slots = "".join(f"({'|'.join(map(re.escape, slot))})" for slot in rule.slots)
            self._fused.append(re.compile(rf"\w*(?:{rule.host}){slots}"))
        # The longest run of ASCII letters of every piece that yields a listed form; may be empty.
        clitics = {clitic for rule in pack.fused for slot in rule.slots for clitic in slot}
        yielding = {piece for piece, forms in self._pieces.items() if forms} | (clitics & self._listed)
        longest = (max(_ASCII_LETTERS.findall(piece), key=len, default="") for piece in yielding)
        self._probes = frozenset(longest)
        self._cache = Remembered(self._search)
        #: The listed forms inside a token, folded, in the order they stand there.
        self.forms_in: Callable[[str], tuple[str, ...]] = self._cache.__getitem__

    def scan(self, runs: Runs) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Line, index in the line and forms of every white-space-delimited run that contains a listed form.

        A listed form can only occur where the ASCII letters of its spelling do. These positions are found in
        the bytes of the whole text at once, so most runs are never searched.
        """
        anywhere = "" in self._probes or _KELVIN.encode() in runs.data
        words, kinds, lines, numbers = runs.every() if anywhere else runs.holding(sorted(self._probes))
        forms = [self._cache[word.decode()] for word in words]
        kept = np.array([bool(form) for form in forms], np.bool_)[kinds]
        inside = [forms[kind] for kind in kinds[kept].tolist()]
        return zip(lines[kept].tolist(), numbers[kept].tolist(), inside, strict=True)

    def lines_to_tokenize(self, lines: Sequence[str], runs: Runs) -> Iterable[int]:
        """The numbers of the lines that may have a listed form, in order; `runs` are those of the lines.

        Tokenizing is slow, so the others need not be. Without spaces, a run is a whole sentence.
        """
        if not self._unspaced:
            return dict.fromkeys(line for line, _, _ in self.scan(runs))
        yielding = (piece for piece, forms in self._pieces.items() if forms)
        inside = re.compile("|".join(map(re.escape, yielding))).search
        return [number for number, line in enumerate(lines) if inside(fold(line))]

    def _search(self, token: str) -> tuple[str, ...]:
        folded = fold(token)
        if folded in self._pieces:
            return self._pieces[folded]
        # Case matters for the cut: `end.It` is two sentences without a space, `end.it` a web domain.
        forms: list[str] = []
        for piece in map(fold, self._cut(unify(token))):
            if piece in self._pieces:
                forms += self._pieces[piece]
            elif len(piece) <= _LONGEST_WORD:
                matches = (pattern.fullmatch(piece) for pattern in self._fused)
                clitics = next((match.groups() for match in matches if match), ())
                forms += [clitic for clitic in clitics if clitic in self._listed]
        return tuple(forms)


#: Runs of a text: the distinct ones, then of each its number among these, its line and its number there.
_Found = tuple[list[bytes], Longs, Longs, Longs]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The runs of bytes between separators in a text, every line of which ends with a newline."""

    data: bytes

    @classmethod
    def of(cls, lines: Sequence[str]) -> Runs:
        return cls(lines.data if isinstance(lines, Lines) else "\n".join([*lines, ""]).encode())

    def counts(self) -> Longs:
        """The number of runs per line."""
        if native is not None:
            return native.scan_runs(self.data, [])[-1]
        return np.diff(self._places()[2])

    def every(self) -> _Found:
        """All runs."""
        starts, stops, firsts = self._places()
        return self._found(np.arange(len(starts)), starts, stops, firsts)

    def holding(self, probes: Sequence[str]) -> _Found:
        """The runs that contain one of the probes, lower-case ASCII letters, ignoring case."""
        data = self.data
        if native is not None:
            begins, ends, kinds, lines, numbers, _ = native.scan_runs(data, probes)
            bounds = zip(begins.tolist(), ends.tolist(), strict=True)
            return [data[start:stop] for start, stop in bounds], kinds, lines, numbers
        starts, stops, firsts = self._places()
        octets = np.frombuffer(data.lower(), np.uint8)
        parts = []
        for probe in map(str.encode, probes):
            if len(octets) < len(probe):
                continue
            last = len(octets) - len(probe)
            first = octets[: last + 1] == probe[0]
            if len(probe) > 1:  # two letters side by side are rare enough to go on place by place
                first &= octets[1 : last + 2] == probe[1]
            places = np.flatnonzero(first)
            for offset, letter in enumerate(probe[2:], start=2):
                places = places[octets[places + offset] == letter]
            parts.append(places)
        places = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return self._found(distinct(np.searchsorted(starts, places, side="right") - 1), starts, stops, firsts)

    def _found(
        self,
        chosen: Longs,
        starts: Longs,
        stops: Longs,
        firsts: Longs,
    ) -> _Found:
        bounds = zip(starts[chosen].tolist(), stops[chosen].tolist(), strict=True)
        seen: dict[bytes, int] = {}
        kinds = [seen.setdefault(self.data[start:stop], len(seen)) for start, stop in bounds]
        lines = np.searchsorted(firsts, chosen, side="right") - 1
        return list(seen), np.array(kinds, np.int64), lines, chosen - firsts[lines]

    def _places(self) -> tuple[Longs, Longs, Longs]:
        """The start and end of each run; line k has the runs `firsts[k]` to `firsts[k + 1]` (exclusive)."""
        octets = np.frombuffer(self.data, np.uint8)
        newline = octets == _NEWLINE
        separates = newline | (octets == _SPACE)
        for separator in _RARE:
            if separator in self.data:
                separates |= octets == separator[0]
        stops = np.flatnonzero(separates)
        starts = np.concatenate(([0], stops[:-1] + 1))[: len(stops)]
        ends = np.flatnonzero(newline[stops]) + 1
        filled = starts < stops
        before = np.concatenate(([0], np.cumsum(filled)))
        return starts[filled], stops[filled], before[np.concatenate(([0], ends))]


def distinct(values: Longs) -> Longs:
    """The values in order, each once: sorting is faster than the hashing of np.unique on whole numbers."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]
