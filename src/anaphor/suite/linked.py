"""Candidates beside a suite: tokens of every text, the items among them, and the links of each candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anaphor.align import AlignerChoice
from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError, Where
from anaphor.corpus import AlignmentFile, Text
from anaphor.languages import Tokenizer, known_languages, load_language, split_words
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.linking import align_candidates, reference_pairs
from anaphor.suite.tokens import ItemTokens, TokenFinder, Tokens, Words, item_tokens

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What moves an outcome besides the texts.

    `tokenised` keeps the tokens of the texts as they are. `alternatives` accepts what people approved beside
    the references. `level` is that of the intervals.
    """

    aligner: AlignerChoice
    tokenised: bool = False
    alternatives: bool = True
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class GivenLinks:
    """Links that the user brings: between the tokens of this source and those of each candidate."""

    source: Text
    alignments: Mapping[str, AlignmentFile]


@dataclass(frozen=True, slots=True)
class LinkedTexts:
    """Tokens of the source, the items among them, and for each candidate its tokens and links."""

    source: Tokens
    items: tuple[ItemTokens, ...]
    tokens: Mapping[str, Tokens]
    alignments: Mapping[str, AlignmentFile]


def link_texts(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: Options,
    *,
    links: GivenLinks | None,
    progress: Progress,
) -> LinkedTexts:
    """The items in the source, every candidate in tokens, and its links, made here unless they are given."""
    pair = loaded.suite.pair
    cut_source, cut_target = (words_of(code, options, links=links) for code in (pair.source, pair.target))
    progress("finding the items")
    lines = loaded.texts.source_lines
    written = Text.of(lines, path="the source of the suite") if links is None else links.source
    source = [cut_source(line) for line in written.lines]
    finder = TokenFinder(lines, source, path=written.path)
    items = tuple(item_tokens(loaded.suite, loaded.texts, finder))
    tokens = {name: [cut_target(line) for line in text.lines] for name, text in candidates.items()}
    if links is not None:
        return LinkedTexts(source, items, tokens, dict(links.alignments))
    progress("aligning")
    references = reference_pairs(source, loaded.texts, cut_target)
    return LinkedTexts(source, items, tokens, align_candidates(source, tokens, references, options.aligner))


def words_of(code: str, options: Options, *, links: GivenLinks | None) -> Words:
    """What cuts a line of a language into tokens."""
    if options.tokenised or links is not None:
        return split_words
    if code not in known_languages():
        raise UnknownNameError(
            f"there is no tokeniser for the language {code}",
            where="suite.toml: pair",
            fix=f"tokenise suite and candidates and give --tokenized; known: {', '.join(known_languages())}",
        )
    return Tokenizer(load_language(code)).words


def check_candidates(loaded: LoadedSuite, candidates: Mapping[str, Text]) -> None:
    """An error unless there are items and candidates, each with a line for every segment of the suite."""
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
