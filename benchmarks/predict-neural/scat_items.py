"""Items of SCAT: an English pronoun, its French translation, and the words that a translator chose it by.

Texts mark the pronoun `<p>…</p>` and the words `<hon>…<hoff>`. Marks of pronouns were set by matching
letters, so that some stand inside other words (`t<p>elle</p>`); only marks around a whole token count, and an
item must have exactly one on each side.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

from anaphor.core import Alignment, Slot, TaskSegment
from anaphor.languages import Tokenizer, load_language

MARK = re.compile(r"</?p>|</?hon>|</?hoff>")
PRONOUNS = {"source": ("it", "they"), "target": ("il", "elle", "ils", "elles")}
PARTS = ("context.en", "context.fr", "en", "fr")


@dataclass(frozen=True, slots=True)
class Marked:
    """Tokens of a text, which of them are highlighted, and which are a marked pronoun."""

    tokens: tuple[str, ...]
    highlighted: frozenset[int]
    pronouns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """The sentence with its slot behind its context, if there is any, and the highlighted French words.

    `highlighted` has segment (as in `segments`) and place of each word.
    """

    segments: tuple[TaskSegment, ...]
    label: str
    highlighted: frozenset[tuple[int, int]]

    @property
    def last(self) -> int:
        """The number of the segment that has the slot."""
        return len(self.segments) - 1


def read_items(folder: Path, part: str) -> Iterator[Item | str]:
    """Every item of a part, or why it cannot be used."""
    paths = (folder / f"highlighted.{part}.{name}" for name in PARTS)
    columns = [path.read_text(encoding="utf-8").split("\n") for path in paths]
    known = {" ".join(MARK.sub("", line).split()) for line in _train_contexts(folder)}
    english, french = (Tokenizer(load_language(code)) for code in ("en", "fr"))
    for number, (before_en, before_fr, here_en, here_fr) in enumerate(zip(*columns, strict=True)):
        if not here_en and not here_fr:
            continue
        if " ".join(MARK.sub("", before_fr).split()) in known:
            yield "its context is in the training part"
            continue
        sides = [marked(text, english, "source") for text in (before_en, here_en)]
        others = [marked(text, french, "target") for text in (before_fr, here_fr)]
        yield _item(str(number), sides, others)


def _train_contexts(folder: Path) -> list[str]:
    with gzip.open(folder / "highlighted.train.context.fr.gz", "rt", encoding="utf-8") as lines:
        return list(lines)


def marked(text: str, tokenizer: Tokenizer, side: str) -> Marked:
    """A text with marks as tokens."""
    kinds = list(_kinds(text))
    tokens = tuple(tokenizer.words(" ".join(MARK.sub("", text).split())))
    ends = list(accumulate(map(len, tokens), initial=0))
    if ends[-1] != len(kinds):
        raise ValueError(f"tokens are not the text: {text}")
    spans = [kinds[start:end] for start, end in pairwise(ends)]
    wanted = PRONOUNS[side]
    return Marked(
        tokens,
        frozenset(place for place, span in enumerate(spans) if any("hon" in kind for kind in span)),
        tuple(
            place
            for place, (token, span) in enumerate(zip(tokens, spans, strict=True))
            if token.lower() in wanted and all("p" in kind for kind in span)
        ),
    )


def _kinds(text: str) -> Iterator[frozenset[str]]:
    """For every character that is no space, which tokens do not keep, the marks that are open there."""
    inside: frozenset[str] = frozenset()
    end = 0
    for mark in MARK.finditer(text):
        yield from (inside for character in text[end : mark.start()] if not character.isspace())
        name = mark[0].strip("</>")
        inside = inside - {"hon"} if name == "hoff" else inside ^ {name}
        end = mark.end()
    yield from (frozenset[str]() for character in text[end:] if not character.isspace())


def _item(document: str, sources: Sequence[Marked], targets: Sequence[Marked]) -> Item | str:
    (before_en, here_en), (before_fr, here_fr) = sources, targets
    if len(here_en.pronouns) != 1 or len(here_fr.pronouns) != 1:
        return "not one whole pronoun on each side"
    source, target = here_en.pronouns[0], here_fr.pronouns[0]
    word = here_fr.tokens[target]
    hidden = (*here_fr.tokens[:target], f"REPLACE_{source}", *here_fr.tokens[target + 1 :])
    nothing = Alignment((), ())
    slot = Slot(source, target)
    here = TaskSegment(here_en.tokens, hidden, (slot,), nothing, document)
    before = TaskSegment(before_en.tokens, before_fr.tokens, (), nothing, document)
    segments = (before, here) if before.source and before.target else (here,)
    words = {(len(segments) - 1, place) for place in here_fr.highlighted if place != target}
    if len(segments) == 2:
        words |= {(0, place) for place in before_fr.highlighted}
    if not words:
        return "no French word is highlighted but the pronoun"
    return Item(segments, word.lower(), frozenset(words))
