"""Candidates linked to a suite: tokens of every text, the items among them, and the links of each system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anaphor.annotate.nouns import Highlight, TokenAt
from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError, Where
from anaphor.corpus import AlignmentFile, Text
from anaphor.languages import Tokenizer, known_languages, load_language, split_words
from anaphor.suite import Found, GivenLinks, LoadedSuite, Options
from anaphor.suite.linking import align_candidates, reference_pairs
from anaphor.suite.tokens import ItemTokens, TokenFinder, TokenPlace, Tokens, Words, item_tokens

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Linked:
    """All that links say. `tokens` and `links` go by system; the tokens of the source are `source`."""

    source_lines: tuple[str, ...]
    source: Tokens
    items: tuple[ItemTokens, ...]
    tokens: Mapping[str, Tokens]
    links: Mapping[str, AlignmentFile]

    def highlight(self, system: str, item: ItemTokens) -> Highlight:
        """The words of a system that are linked to an item."""
        return Highlight(
            self._targets(system, item.pronoun),
            tuple(self._targets(system, head) for head in item.heads),
        )

    def found(self, system: str, highlight: Highlight) -> Found:
        """The same as words, for the automatic check."""
        heads = tuple(self.words(system, head) for head in highlight.heads)
        return Found(self.words(system, highlight.pronoun), heads)

    def words(self, system: str, places: Sequence[TokenAt]) -> tuple[str, ...]:
        return tuple(self.tokens[system][at.segment][at.token] for at in places)

    def _targets(self, system: str, place: TokenPlace) -> tuple[TokenAt, ...]:
        links = self.links[system]
        found = {TokenAt(segment, to) for segment, at in place for to in links[segment].targets_of(at)}
        return tuple(sorted(found))


def link_candidates(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: Options,
    *,
    links: GivenLinks | None,
    progress: Progress,
) -> Linked:
    """Find the items in the source and their words in every candidate; without `links` they are aligned."""
    _check(loaded, candidates)
    given = options.tokenised or links is not None
    pair = loaded.suite.pair
    cut_source, cut_target = (
        split_words if given else _tokenizer(code) for code in (pair.source, pair.target)
    )
    lines = loaded.texts.source_lines
    source = [cut_source(line) for line in (lines if links is None else links.source.lines)]
    path = "the source of the suite" if links is None else links.source.path
    finder = TokenFinder(lines, source, path=path)
    items = tuple(item_tokens(loaded.suite, loaded.texts, finder))
    tokens = {name: [cut_target(line) for line in text.lines] for name, text in candidates.items()}
    if links is None:
        progress("aligning")
        pairs = reference_pairs(source, loaded.texts, cut_target)
        alignments = align_candidates(source, tokens, pairs, options.aligner)
    else:
        alignments = _inside(links.alignments, source, tokens)
    return Linked(lines, source, items, tokens, alignments)


def target_words(loaded: LoadedSuite, options: Options, *, links: GivenLinks | None) -> Words:
    """What cuts a line of the target language into tokens, as for the candidates."""
    if options.tokenised or links is not None:
        return split_words
    return _tokenizer(loaded.suite.pair.target)


def _tokenizer(code: str) -> Words:
    if code not in known_languages():
        raise UnknownNameError(
            f"there is no tokeniser for the language {code}",
            where="suite.toml: pair",
            fix=f"tokenise suite and candidates and give --tokenized; known: {', '.join(known_languages())}",
        )
    return Tokenizer(load_language(code)).words


def _check(loaded: LoadedSuite, candidates: Mapping[str, Text]) -> None:
    if not loaded.suite.items:
        raise InputError("the suite has no items", where=loaded.suite.name, fix="add items to items.jsonl")
    if not candidates:
        raise OptionError("no candidate is given", where="--candidate", fix="name at least one file")
    expected = loaded.suite.segments
    for text in candidates.values():
        if len(text) != expected:
            raise MismatchError(
                f"the candidate has {len(text)} lines, the documents of the suite have {expected}",
                where=Where(text.path, min(len(text), expected) + 1),
                fix="translate all documents in their order: what `anaphor suite export --source` writes",
            )
    for text in (*candidates.values(), *loaded.texts.source.values()):
        for number, line in enumerate(text.lines, start=1):
            if "\0" in line:
                raise InputError(
                    "a line has a NUL character, which no database of a campaign can hold",
                    where=Where(text.path, number),
                    fix="remove it from the text",
                )


def _inside(
    alignments: Mapping[str, AlignmentFile], source: Tokens, tokens: Mapping[str, Tokens]
) -> dict[str, AlignmentFile]:
    """The given links, once none of them leads outside its sentence."""
    import numpy as np

    from anaphor.corpus import within_range

    lengths = np.array(list(map(len, source)))
    return {
        name: within_range(
            alignments[name], source_lengths=lengths, target_lengths=np.array(list(map(len, own)))
        )
        for name, own in tokens.items()
    }
