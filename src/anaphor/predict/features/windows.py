"""Words, lemmas and tags around the pronoun on either side, alone and as n-grams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import HIDDEN, OUTSIDE, Scene, Tokens
from anaphor.predict.settings import check_names, check_range, option

_LAYERS = ("word", "lemma", "tag", "ending")
_SHORT = {"word": "w", "lemma": "l", "tag": "p", "ending": "e"}
_ENDING = 3  # letters
_WIDEST, _LONGEST = 20, 7


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWindow:
    """Source tokens around the pronoun.

    - `s.w-1=but`: the word one place before; `s.l` are lemmas, `s.p` parts of speech, `s.e` the
      last three letters.
    - `s.w-1:+1=but_it_was`: n-grams of neighbouring places, the pronoun among them.
    - `s.b=word`: a word within `bag` places, wherever it stands.
    """

    before: int = option(3, "tokens before the pronoun")
    after: int = option(3, "tokens behind the pronoun")
    layers: tuple[str, ...] = option(("word",), "what is taken of a token: word, lemma, tag, ending")
    longest: int = option(1, "the longest n-gram")
    bag: int = option(0, "places on either side whose words are taken without their place")
    with_pronoun: bool = option(False, "every feature is joined with the source pronoun")

    def __post_init__(self) -> None:
        _check(self.before, self.after, self.longest, self.layers, "features.source-window")

    @property
    def needs(self) -> Needs:
        return Needs(source=not {"lemma", "tag"}.isdisjoint(self.layers))

    def features(self, scene: Scene) -> list[str]:
        source, at = scene.here.source, scene.slot.source
        found = []
        for layer in self.layers:
            items = _padded(_layer(source, layer), at, self.before, self.after)
            spans = _spans("s", layer, self.before, self.after, self.longest)
            found += _ngrams([item[-_ENDING:] for item in items] if layer == "ending" else items, spans)
        found += _bag("s.b=", source.words, at, self.bag)
        return [f"{scene.pronoun}&{name}" for name in found] if self.with_pronoun else found


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetWindow:
    """Target tokens around the placeholder; in n-grams the source pronoun stands for it.

    - `t.w+1=est`: the word one place behind; `t.l` are lemmas, `t.p` parts of speech, `t.e` the last
      three letters, which show agreement. Where a file has lemmas only, words are lemmas.
    - `t.w-1:+1=que_it_est`: n-grams of neighbouring places.
    - `t.b=word`: a word within `bag` places, wherever it stands.
    """

    before: int = option(3, "tokens before the placeholder")
    after: int = option(3, "tokens behind the placeholder")
    layers: tuple[str, ...] = option(("word",), "what is taken of a token: word, lemma, tag, ending")
    longest: int = option(1, "the longest n-gram")
    bag: int = option(0, "places on either side whose words are taken without their place")
    with_pronoun: bool = option(False, "every feature is joined with the source pronoun")

    def __post_init__(self) -> None:
        _check(self.before, self.after, self.longest, self.layers, "features.target-window")

    @property
    def needs(self) -> Needs:
        return Needs(target=not {"lemma", "tag"}.isdisjoint(self.layers))

    def features(self, scene: Scene) -> list[str]:
        target, at = scene.here.target, scene.slot.target
        found = []
        for layer in self.layers:
            items = _padded(_layer(target, layer), at, self.before, self.after)
            if layer == "ending":
                items = [item[-_ENDING:] for item in items]
            items[self.before] = scene.pronoun
            found += _ngrams(items, _spans("t", layer, self.before, self.after, self.longest))
        found += _bag("t.b=", target.words, at, self.bag)
        return [f"{scene.pronoun}&{name}" for name in found] if self.with_pronoun else found


def _ngrams(items: list[str], spans: Sequence[tuple[str, int, int]]) -> list[str]:
    return [name + "_".join(items[start:end]) for name, start, end in spans]


def _check(before: int, after: int, longest: int, layers: tuple[str, ...], where: str) -> None:
    check_range(before, least=0, most=_WIDEST, name="before", where=where)
    check_range(after, least=0, most=_WIDEST, name="after", where=where)
    check_range(longest, least=1, most=_LONGEST, name="longest", where=where)
    check_names(layers, _LAYERS, name="layer", where=where)


def _layer(tokens: Tokens, layer: str) -> Sequence[str]:
    if layer in ("word", "ending"):
        return tokens.words
    return tokens.lemmas if layer == "lemma" else tokens.tags


def _padded(items: Sequence[str], at: int, before: int, after: int) -> list[str]:
    """As many items as asked for on either side, `OUTSIDE` where there are none."""
    start = max(at - before, 0)
    found = [*[OUTSIDE] * (before - (at - start)), *items[start : at + after + 1]]
    return found + [OUTSIDE] * (before + 1 + after - len(found))


@cache
def _spans(side: str, layer: str, before: int, after: int, longest: int) -> tuple[tuple[str, int, int], ...]:
    """Name, start and end of every n-gram of a window; the pronoun alone is none of them."""
    width = before + 1 + after
    found = []
    for length in range(1, longest + 1):
        for start in range(width - length + 1):
            first, last = start - before, start + length - 1 - before
            if first == last == 0:
                continue
            place = f"{first:+d}" if length == 1 else f"{first:+d}:{last:+d}"
            found.append((f"{side}.{_SHORT[layer]}{place}=", start, start + length))
    return tuple(found)


def _bag(prefix: str, words: Sequence[str], at: int, width: int) -> Iterator[str]:
    if not width:
        return
    for word in dict.fromkeys((*words[max(at - width, 0) : at], *words[at + 1 : at + width + 1])):
        if word != HIDDEN:
            yield prefix + word
