"""Words, lemmas and tags around the pronoun on either side, alone and as n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from anaphor.predict.features.context import HIDDEN, Needs, Scene, Tokens
from anaphor.predict.features.groups import (
    Column,
    Feature,
    Grams,
    Said,
    Span,
    begun,
    columns_around,
    said_of_one,
)
from anaphor.predict.options import check_names, check_range, option

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

    def features(self, scene: Scene) -> list[Feature]:
        return said_of_one(self, scene)

    def say(self, scenes: Sequence[Scene]) -> list[Said]:
        places = [(scene.here.source, scene.slot.source) for scene in scenes]
        beginnings = _beginnings(scenes) if self.with_pronoun else None
        found: list[Said] = []
        columns_of = _columns(places, self.layers, self.before, self.after)
        for layer in self.layers:
            columns = columns_of[layer]
            spans = _spans("s", layer, self.before, self.after, self.longest)
            found.append(Grams(columns, spans, beginnings))
        return [*found, *_bags("s.b=", places, self.bag, beginnings)]


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

    def features(self, scene: Scene) -> list[Feature]:
        return said_of_one(self, scene)

    def say(self, scenes: Sequence[Scene]) -> list[Said]:
        places = [(scene.here.target, scene.slot.target) for scene in scenes]
        pronouns = [scene.pronoun for scene in scenes]
        beginnings = _beginnings(scenes) if self.with_pronoun else None
        found: list[Said] = []
        columns_of = _columns(places, self.layers, self.before, self.after)
        for layer in self.layers:
            columns = columns_of[layer]
            columns[self.before] = pronouns
            spans = _spans("t", layer, self.before, self.after, self.longest)
            found.append(Grams(columns, spans, beginnings))
        return [*found, *_bags("t.b=", places, self.bag, beginnings)]


def _check(before: int, after: int, longest: int, layers: tuple[str, ...], where: str) -> None:
    check_range(before, least=0, most=_WIDEST, name="before", where=where)
    check_range(after, least=0, most=_WIDEST, name="after", where=where)
    check_range(longest, least=1, most=_LONGEST, name="longest", where=where)
    check_names(layers, _LAYERS, name="layer", where=where)


def _columns(
    places: Sequence[tuple[Tokens, int]], layers: Sequence[str], before: int, after: int
) -> dict[str, list[Column]]:
    """The columns of each layer; endings are those of the words."""
    found: dict[str, list[Column]] = {}
    for layer in dict.fromkeys("word" if layer == "ending" else layer for layer in layers):
        found[layer] = [*columns_around(places, layer, before=before, after=after)]
    if "ending" in layers:
        found["ending"] = [[item[-_ENDING:] for item in column] for column in found["word"]]
    return found


def _beginnings(scenes: Sequence[Scene]) -> list[str]:
    return [f"{scene.pronoun}&" for scene in scenes]


@cache
def _spans(side: str, layer: str, before: int, after: int, longest: int) -> tuple[Span, ...]:
    """Every n-gram of a window; the pronoun alone is none of them."""
    width = before + 1 + after
    found = []
    for length in range(1, longest + 1):
        for start in range(width - length + 1):
            first, last = start - before, start + length - 1 - before
            if first == last == 0:
                continue
            place = f"{first:+d}" if length == 1 else f"{first:+d}:{last:+d}"
            found.append(Span(f"{side}.{_SHORT[layer]}{place}=", start, start + length))
    return tuple(found)


def _bags(
    prefix: str, places: Sequence[tuple[Tokens, int]], width: int, beginnings: Column | None
) -> list[Said]:
    """The words near each place, each once; none at all without a width."""
    if not width:
        return []
    bags = [_bag(prefix, tokens, at, width) for tokens, at in places]
    return [[*bags] if beginnings is None else [*begun(beginnings, bags)]]


def _bag(prefix: str, tokens: Tokens, at: int, width: int) -> list[str]:
    before, behind = (max(at - width, 0), at), (at + 1, at + width + 1)
    near = dict.fromkeys(tokens.cut("word", *before) + tokens.cut("word", *behind))
    return [prefix + word for word in near if word != HIDDEN]


#: Tags whose words are so few that each may stand for itself.
_CLOSED = frozenset({"ADP", "AUX", "CCONJ", "CONJ", "DET", "PART", "PRON", "PRT", "SCONJ", "PUNCT", "."})


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTags:
    """N-grams of target tags that touch the placeholder.

    - `tt.u-2:-1=VERB_SCONJ`: universal tags, those of the file where it has them.
    - `tt.f+1:+2=être_ADJ`: a finer set, in which closed classes are told apart by their words.
    """

    sets: tuple[str, ...] = option(("universal", "fine"), "tag sets: universal, fine")
    longest: int = option(3, "the longest n-gram on one side")

    def __post_init__(self) -> None:
        check_names(self.sets, ("universal", "fine"), name="tag set", where="features.target-tags")
        check_range(self.longest, least=1, most=6, name="longest", where="features.target-tags")

    @property
    def needs(self) -> Needs:
        return Needs(target=True)

    def features(self, scene: Scene) -> list[Feature]:
        return said_of_one(self, scene)

    def say(self, scenes: Sequence[Scene]) -> list[Said]:
        reach = max(self.longest, 2)
        sides = [(scene.here.target, scene.slot.target) for scene in scenes]
        tags = columns_around(sides, "tag", before=reach, after=reach)
        lemmas = columns_around(sides, "lemma", before=reach, after=reach)
        sets: dict[str, list[Column]] = {"universal": [*tags], "fine": [*map(_fine, lemmas, tags)]}
        pronouns = [scene.pronoun for scene in scenes]
        for columns in sets.values():
            columns[reach] = pronouns
        return [Grams(sets[name], _tag_spans(name[0], self.longest)) for name in self.sets]


def _fine(lemmas: Column, tags: Column) -> Column:
    return [lemma if tag in _CLOSED else tag for lemma, tag in zip(lemmas, tags, strict=True)]


@cache
def _tag_spans(name: str, longest: int) -> tuple[Span, ...]:
    """N-grams of tags on either side, then those around the placeholder, for which the pronoun stands."""
    middle = max(longest, 2)
    found = []
    for length in range(1, longest + 1):
        found.append(Span(f"tt.{name}-{length}:-1=", middle - length, middle))
        found.append(Span(f"tt.{name}+1:+{length}=", middle + 1, middle + 1 + length))
    found += [Span(f"tt.{name}-{n}:+{n}=", middle - n, middle + n + 1) for n in (1, 2)]
    return tuple(found)
