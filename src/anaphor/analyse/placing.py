"""A parse brought onto other tokens of the same text.

Parsers cut *du* into *de* and *le*, or leave *didn't* whole where our tokens are *did* and *n't*. Both sides
spell the same characters, so that each token knows which words it shares characters with: it takes lemma
and tag of the highest of them in the tree (of *dar* and *le* in *darle*, the verb), and is a subject when
one of them is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anaphor.analyse.tree import roles_of
from anaphor.core import Analysis, MismatchError, Tree, Where
from anaphor.corpus.conllu import Contraction, ParsedSentence, Word


def own_tokens(sentence: ParsedSentence, cut: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """The words, but contractions whole unless `cut`, a tokeniser, makes the same words of them.

    *didn't* is *did* and *n't* for most tokenisers, *du* and *darle* are one token for ours.
    """
    whole = {c.start: c for c in sentence.contractions if tuple(cut(c.form)) != _forms(c, sentence.words)}
    return tuple(form for form, _, _ in _stretches(sentence.words, whole))


def placed(sentence: ParsedSentence, tokens: Sequence[str], *, language: str, where: Where) -> Analysis:
    """The analysis of `tokens` that the parse amounts to; a `MismatchError` when they spell another text."""
    words = sentence.words
    groups = _words_of_tokens(_units(sentence), tokens, where)
    highest = [_highest(group, words) for group in groups]
    roles = roles_of(words, language=language)
    return Analysis(
        tuple(words[at].lemma for at in highest),
        tuple(words[at].tag for at in highest),
        _tokens_with(groups, roles.subjects),
        _tokens_with(groups, roles.expletives),
        _tokens_with(groups, roles.null_subjects),
        _tree(words, groups, highest),
    )


def _units(sentence: ParsedSentence) -> list[tuple[str, int, int]]:
    """Stretches of text with the words they stand for (form, first word, end): words where these spell it."""
    words = sentence.words
    return _stretches(
        words, {c.start: c for c in sentence.contractions if "".join(_forms(c, words)) != c.form}
    )


def _stretches(words: Sequence[Word], whole: Mapping[int, Contraction]) -> list[tuple[str, int, int]]:
    units, at = [], 0
    while at < len(words):
        contraction = whole.get(at)
        form = words[at].form if contraction is None else contraction.form
        end = at + 1 if contraction is None else contraction.end
        units.append((form, at, end))
        at = end
    return units


def _forms(contraction: Contraction, words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.form for word in words[contraction.start : contraction.end])


def _words_of_tokens(
    units: Sequence[tuple[str, int, int]], tokens: Sequence[str], where: Where
) -> list[list[int]]:
    """For each token, the words that share a character with it."""
    letters = [(letter, unit) for unit, (form, _, _) in enumerate(units) for letter in form if letter != " "]
    if "".join(letter for letter, _ in letters) != "".join(tokens).replace(" ", ""):
        raise MismatchError(
            f"the parse is of another sentence: {' '.join(form for form, _, _ in units)[:60]}",
            where=where,
            fix="parse the same text, one sentence a line, in the same order",
        )
    groups, at = [], 0
    for token in tokens:
        end = at + len(token.replace(" ", ""))
        shared = sorted({unit for _, unit in letters[at:end]})
        groups.append([word for unit in shared for word in range(*units[unit][1:])])
        at = end
    return groups


def _highest(group: Sequence[int], words: Sequence[Word]) -> int:
    return next(at for at in group if words[at].head not in group)


def _tokens_with(groups: Sequence[Sequence[int]], marked: frozenset[int]) -> frozenset[int]:
    return frozenset(token for token, group in enumerate(groups) if not marked.isdisjoint(group))


def _tree(words: Sequence[Word], groups: Sequence[Sequence[int]], highest: Sequence[int]) -> Tree:
    """The tree over tokens; later parts of one word hang on the first with the relation `goeswith`."""
    token_of: dict[int, int] = {}
    for token, group in enumerate(groups):
        for word in group:
            token_of.setdefault(word, token)
    heads: list[int | None] = []
    relations = []
    for token, at in enumerate(highest):
        first = token_of[at]
        head = words[at].head
        heads.append(first if first != token else None if head is None else token_of[head])
        relations.append("goeswith" if first != token else words[at].relation)
    return Tree(tuple(heads), tuple(relations))
