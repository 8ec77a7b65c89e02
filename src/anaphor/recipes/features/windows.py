"""Words, lemmas and tags around the pronoun on either side, alone and as n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from anaphor.predict.options import option
from anaphor.recipes.features.context import Requirements, SlotContext
from anaphor.recipes.features.groups import (
    FeatureBlock,
    FeatureGroup,
    NgramBlock,
    NgramTemplate,
    StringColumn,
    columns_around,
    prefixed,
)
from anaphor.recipes.features.tokens import HIDDEN, AnnotatedTokens

_LAYERS = {"word": "w", "lemma": "l", "tag": "p", "ending": "e"}
_ENDING = 3  # letters
_WIDEST, _LONGEST = 20, 7
#: Tags whose words are so few that each word may stand for itself.
_CLOSED = frozenset({"ADP", "AUX", "CCONJ", "CONJ", "DET", "PART", "PRON", "PRT", "SCONJ", "PUNCT", "."})

Places = Sequence[tuple[AnnotatedTokens, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window(FeatureGroup):
    """Tokens around a position."""

    before: int = option(3, "number of tokens before the pronoun or placeholder", least=0, most=_WIDEST)
    after: int = option(3, "number of tokens after it", least=0, most=_WIDEST)
    layers: tuple[str, ...] = option(
        ("word",), "layers of a token to use: word, lemma, tag, ending", choices=tuple(_LAYERS)
    )
    longest: int = option(1, "length of the longest n-gram", least=1, most=_LONGEST)
    bag: int = option(0, "number of tokens on each side to use regardless of their position")
    with_pronoun: bool = option(False, "combine every feature with the source pronoun")

    @property
    def analysed(self) -> bool:
        """Whether the tokens must be analysed."""
        return not {"lemma", "tag"}.isdisjoint(self.layers)

    def extract(
        self,
        side: str,
        places: Places,
        contexts: Sequence[SlotContext],
        middle: StringColumn | None = None,
    ) -> list[FeatureBlock]:
        """The n-grams of each layer, then the bag of words; `middle` replaces the content of the gap."""
        prefixes = [f"{context.pronoun}&" for context in contexts] if self.with_pronoun else None
        columns_of: dict[str, list[StringColumn]] = {}
        for layer in dict.fromkeys("word" if layer == "ending" else layer for layer in self.layers):
            columns_of[layer] = [*columns_around(places, layer, before=self.before, after=self.after)]
        if "ending" in self.layers:
            columns_of["ending"] = [[item[-_ENDING:] for item in column] for column in columns_of["word"]]
        blocks: list[FeatureBlock] = []
        for layer in self.layers:
            columns = columns_of[layer]
            if middle is not None:
                columns[self.before] = middle
            templates = _window_templates(side, layer, self.before, self.after, self.longest)
            blocks.append(NgramBlock(columns, templates, prefixes))
        if self.bag:
            bags = [_bag(f"{side}.b=", tokens, at, self.bag) for tokens, at in places]
            blocks.append([*bags] if prefixes is None else [*prefixed(prefixes, bags)])
        return blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWindow(_Window):
    """Source tokens around the pronoun.

    - `s.w-1=but`: the preceding word; `s.l` are lemmas, `s.p` parts of speech, and `s.e` the last three
      letters.
    - `s.w-1:+1=but_it_was`: n-grams of adjacent tokens, including the pronoun.
    - `s.b=word`: a word at most `bag` tokens away, on either side.
    """

    @property
    def requirements(self) -> Requirements:
        return Requirements(source=self.analysed)

    def extract_batch(self, contexts: Sequence[SlotContext]) -> list[FeatureBlock]:
        return self.extract(
            "s", [(context.here.source, context.slot.source) for context in contexts], contexts
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetWindow(_Window):
    """Target tokens around the placeholder. In n-grams, the source pronoun replaces the placeholder.

    - `t.w+1=est`: the following word; `t.l` are lemmas, `t.p` parts of speech, and `t.e` the last
      three letters, which show agreement. If a file has only lemmas, these are used as words.
    - `t.w-1:+1=que_it_est`: n-grams of adjacent tokens.
    - `t.b=word`: a word at most `bag` tokens away, on either side.
    """

    @property
    def requirements(self) -> Requirements:
        return Requirements(target=self.analysed)

    def extract_batch(self, contexts: Sequence[SlotContext]) -> list[FeatureBlock]:
        places = [(context.here.target, context.slot.target) for context in contexts]
        return self.extract("t", places, contexts, middle=[context.pronoun for context in contexts])


@cache
def _window_templates(
    side: str, layer: str, before: int, after: int, longest: int
) -> tuple[NgramTemplate, ...]:
    """Every n-gram of a window except for the pronoun alone."""
    width = before + 1 + after
    templates = []
    for length in range(1, longest + 1):
        for start in range(width - length + 1):
            first, last = start - before, start + length - 1 - before
            if first == last == 0:
                continue
            place = f"{first:+d}" if length == 1 else f"{first:+d}:{last:+d}"
            templates.append(NgramTemplate(f"{side}.{_LAYERS[layer]}{place}=", start, start + length))
    return tuple(templates)


def _bag(prefix: str, tokens: AnnotatedTokens, at: int, width: int) -> list[str]:
    """The distinct words within a distance of a position."""
    before, after = (max(at - width, 0), at), (at + 1, at + width + 1)
    near = dict.fromkeys(tokens.cut("word", *before) + tokens.cut("word", *after))
    return [prefix + word for word in near if word != HIDDEN]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTags(FeatureGroup):
    """N-grams of target tags adjacent to the placeholder.

    - `tt.u-2:-1=VERB_SCONJ`: universal tags, from the file if it has them.
    - `tt.f+1:+2=être_ADJ`: a finer set, in which words of closed classes are their own tags.
    """

    sets: tuple[str, ...] = option(
        ("universal", "fine"), "tag sets to use: universal, fine", choices=("universal", "fine")
    )
    longest: int = option(3, "length of the longest n-gram on one side", least=1, most=6)

    @property
    def requirements(self) -> Requirements:
        return Requirements(target=True)

    def extract_batch(self, contexts: Sequence[SlotContext]) -> list[FeatureBlock]:
        reach = max(self.longest, 2)
        sides = [(context.here.target, context.slot.target) for context in contexts]
        tags = columns_around(sides, "tag", before=reach, after=reach)
        lemmas = columns_around(sides, "lemma", before=reach, after=reach)
        fine = [
            [lemma if tag in _CLOSED else tag for lemma, tag in zip(*column, strict=True)]
            for column in zip(lemmas, tags, strict=True)
        ]
        sets: dict[str, list[StringColumn]] = {"universal": [*tags], "fine": [*fine]}
        pronouns = [context.pronoun for context in contexts]
        for columns in sets.values():
            columns[reach] = pronouns
        return [NgramBlock(sets[name], _tag_templates(name[0], self.longest)) for name in self.sets]


@cache
def _tag_templates(name: str, longest: int) -> tuple[NgramTemplate, ...]:
    """N-grams of tags on either side, then those around the placeholder, represented by the pronoun."""
    middle = max(longest, 2)
    templates = []
    for length in range(1, longest + 1):
        templates.append(NgramTemplate(f"tt.{name}-{length}:-1=", middle - length, middle))
        templates.append(NgramTemplate(f"tt.{name}+1:+{length}=", middle + 1, middle + 1 + length))
    templates += [NgramTemplate(f"tt.{name}-{n}:+{n}=", middle - n, middle + n + 1) for n in (1, 2)]
    return tuple(templates)
