"""Attention items: translations whose correct answer is known, mixed with the others.

They are made from the first reference. Half of them show it unchanged, so that pronoun and antecedent are
right. In the other half the pronoun takes another gender than its noun where the language has a form for
that, an error that systems make; elsewhere the source pronoun replaces its translation, which is wrong in
any language.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from anaphor.annotate.campaign.facts import tokens_end
from anaphor.annotate.campaign.pool import PoolItem, PoolSystem, PoolUnit, content_id, unit_id
from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mark, Target, TokenAt
from anaphor.core import LanguagePair, OptionError
from anaphor.languages import Words, fold, known_pairs, load_pair
from anaphor.suite import LoadedSuite
from anaphor.suite.linking import LinkedTexts
from anaphor.suite.texts import TokenizedSide

RIGHT, GENDER, WRONG = "attention: reference", "attention: other gender", "attention: pronoun kept"
"""The systems of attention items."""


_OPPOSITE = {"masculine": "feminine", "feminine": "masculine"}


def attention_units(
    loaded: LoadedSuite,
    linked: LinkedTexts,
    items: Sequence[PoolItem],
    *,
    count: int,
    seed: int,
    words: Words,
    packs: Path | None = None,
) -> tuple[tuple[PoolSystem, ...], tuple[PoolUnit, ...]]:
    """`count` units with a known answer, half of them deliberately wrong, and the texts that they show."""
    if count == 0:
        return (), ()
    reference = next(iter(loaded.texts.references), None)
    if reference is None:
        what = "attention items are made from a reference, but the suite has none"
        raise OptionError(what, where="--attention", fix="omit the option")
    side = TokenizedSide(loaded.texts, reference, words)
    lines, tokens = side.lines, side.tokens
    highlights = _highlights(loaded, reference, items, side)
    usable = [(item, highlights[item.id]) for item in items if item.id in highlights]
    random.Random(f"attention {seed}").shuffle(usable)  # noqa: S311 - a draw that can be repeated
    # Contexts must not touch: otherwise one attention item would show the change of another.
    chosen: list[tuple[PoolItem, Highlight]] = []
    taken: set[int] = set()
    for item, highlight in usable:
        around = set(range(item.first - 1, item.last + 2))
        if len(chosen) < count and not around & taken:
            taken |= around
            chosen.append((item, highlight))
    if len(chosen) < count:
        what = f"only {len(chosen)} items can become attention items: those with one word in the reference"
        raise OptionError(what, where="--attention", fix="ask for fewer attention items")
    half = (count + 1) // 2
    changed = {name: (list(lines), list(tokens)) for name in (RIGHT, GENDER, WRONG)}
    genders = _other_genders(loaded.suite.pair, packs)
    shown_in = [RIGHT] * half
    for item, highlight in chosen[half:]:
        source, (at,) = item.marks.pronoun[0], highlight.pronoun
        other = genders.get(fold(tokens[at.segment][at.token])) if item.antecedent else None
        shown_in.append(WRONG if other is None else GENDER)
        own_lines, own_tokens = changed[shown_in[-1]]
        own_lines[at.segment], own_tokens[at.segment] = replace_token(
            lines[at.segment],
            tokens[at.segment],
            at.token,
            linked.source[source.segment][source.token] if other is None else other,
        )
    systems = {name: _system(name, *changed[name]) for name in changed if name in shown_in}
    texts = {system.id: system.lines for system in systems.values()}
    units = []
    for name, (item, highlight) in zip(shown_in, chosen, strict=True):
        system = systems[name]
        expected = AnnotatorAnswer(
            antecedent=Mark.YES if item.antecedent else Mark.UNSET,
            pronoun=Mark.YES if system.name == RIGHT else Mark.NO,
        )
        targets = (Target(system.id, highlight, "attention"),)
        units.append(PoolUnit(unit_id(item, targets, texts), item, targets, expected))
    return tuple(systems.values()), tuple(units)


def _other_genders(pair: LanguagePair, packs: Path | None) -> dict[str, str]:
    """For pronouns with one gender and number, the form of the other gender in the same case."""
    if str(pair) not in known_pairs(packs):
        return {}
    pack = load_pair(pair, folder=packs)
    listed = {*pack.target_pronouns, *pack.object_pronouns}
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for entry in pack.target.forms:
        if entry.person == 3 and entry.form in listed:
            kinds.setdefault(entry.form, []).append((entry.number, entry.gender, entry.case))
    others = {}
    for form, own in kinds.items():
        number, gender, _ = own[0]
        # A form with several numbers or genders, such as German *sie*, may still be right as another one.
        if gender in _OPPOSITE and all(kind[:2] == (number, gender) for kind in own):
            wanted = {(number, _OPPOSITE[gender], case) for _, _, case in own}
            for other, theirs in kinds.items():
                if form not in others and other != form and wanted & set(theirs):
                    others[form] = other
    return others


def _highlights(
    loaded: LoadedSuite, reference: str, items: Sequence[PoolItem], side: TokenizedSide
) -> dict[str, Highlight]:
    """The words of a reference for every item that can become an attention item.

    The reference must have one word for the pronoun, in the pronoun's own line, and words for all heads.
    """
    of_suite = {item.id: item for item in loaded.suite.items}
    highlights = {}
    for item in items:
        pairs = of_suite[item.suite_item].references if item.suite_item in of_suite else ()
        pair = next((pair for pair in pairs if pair.reference == reference and pair.pronoun), None)
        if pair is not None:
            pronoun, *heads = (
                tuple(TokenAt(*at) for at in side.find(item.document, place))
                for place in (pair.pronoun, *(pair.heads if item.antecedent else ()))
            )
            same_line = {at.segment for at in pronoun} == {at.segment for at in item.marks.pronoun}
            if len(pronoun) == 1 and same_line and all(heads):
                highlights[item.id] = Highlight(pronoun, tuple(heads))
    return highlights


def replace_token(line: str, tokens: Sequence[str], position: int, word: str) -> tuple[str, list[str]]:
    """A line and its tokens with one token replaced; the rest of the line stays as it is written.

    The new word takes over the case of the old one, and is separated from letters that the old one was joined
    to (`l'a` becomes `it a`): spacing or a capital must not tell annotators which items are made up.
    """
    old = tokens[position]
    if word != "I":
        word = (word[:1].upper() if old[:1].isupper() else word[:1].lower()) + word[1:]
    start = tokens_end(line, tokens[:position])
    start += len(line[start:]) - len(line[start:].lstrip())
    before, after = line[:start], line[start + len(old) :]
    before += " " if before[-1:].isalnum() else ""
    after = (" " if after[:1].isalnum() else "") + after
    return before + word + after, [*tokens[:position], word, *tokens[position + 1 :]]


def _system(name: str, lines: Sequence[str], tokens: Sequence[Sequence[str]]) -> PoolSystem:
    key = content_id("system", [name, *lines])
    return PoolSystem(key, name, key[:12], tuple(lines), tokens, ("",) * len(lines), attention=True)
