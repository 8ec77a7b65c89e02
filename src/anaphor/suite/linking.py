"""Candidates beside a suite: tokens of every text, the items among them, and the links of each candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from anaphor.align import AlignerChoice, SentencePair
from anaphor.core import InputError, Item, MismatchError, OptionError, Place, Suite, UnknownNameError, Where
from anaphor.corpus import AlignmentFile, Text, within_range
from anaphor.languages import Tokenizer, known_languages, load_language, split_words
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.outcomes import CandidateWords
from anaphor.suite.texts import (
    SOURCE,
    ItemTokens,
    Locator,
    SuiteTexts,
    TokenFinder,
    TokenPlace,
    Tokens,
    Words,
    item_tokens,
)

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions:
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
    options: EvaluationOptions,
    *,
    links: GivenLinks | None,
    progress: Progress,
) -> LinkedTexts:
    """The items in the source, every candidate in tokens, and its links, made here unless they are given."""
    pair = loaded.suite.pair
    cut_source, cut_target = (
        tokenizer_for(code, options, links=links) for code in (pair.source, pair.target)
    )
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


def tokenizer_for(code: str, options: EvaluationOptions, *, links: GivenLinks | None) -> Words:
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


def align_candidates(
    source: Tokens,
    candidates: Mapping[str, Tokens],
    references: Iterable[SentencePair],
    choice: AlignerChoice,
) -> dict[str, AlignmentFile]:
    """Links for every candidate, learned from all of them and from the references at once."""
    pairs = [pair for tokens in candidates.values() for pair in zip(source, tokens, strict=True)]
    links = iter(choice.build().align([*pairs, *references]))
    return {
        name: AlignmentFile.made(islice(links, len(source)), path=f"{name} [aligned by {choice.name}]")
        for name in candidates
    }


def reference_pairs(source: Tokens, texts: SuiteTexts, words: Words) -> Iterator[SentencePair]:
    """The segments of every reference with those of the source."""
    for name in texts.references:
        for tokens, line in zip(source, texts.lines(name), strict=True):
            if line is not None:
                yield tokens, words(line)


def find_words(
    items: Sequence[ItemTokens], links: AlignmentFile, *, source: Tokens, candidate: Tokens
) -> list[CandidateWords]:
    """The linked words of every item. A link outside its sentence is an error."""
    inside = within_range(
        links,
        source_lengths=np.array(list(map(len, source))),
        target_lengths=np.array(list(map(len, candidate))),
    )
    wanted = [at for item in items for place in (item.pronoun, *item.heads) for at in place]
    around = inside.around([segment for segment, _ in wanted], [position for _, position in wanted])
    targets = {at: found.linked for at, found in zip(wanted, around, strict=True)}

    def linked(place: TokenPlace) -> tuple[str, ...]:
        found = dict.fromkeys((segment, target) for segment, at in place for target in targets[segment, at])
        return tuple(candidate[segment][target] for segment, target in sorted(found))

    return [CandidateWords(linked(item.pronoun), tuple(map(linked, item.heads))) for item in items]


class ExactMatcher:
    """Compares the lines of candidates with those of the references at the places of items."""

    def __init__(self, suite: Suite, texts: SuiteTexts) -> None:
        self._suite = suite
        self._source = texts.locators(SOURCE)
        self._references = {name: texts.locators(name) for name in texts.references}

    def improve(self, candidate: Text, found: Sequence[CandidateWords]) -> list[CandidateWords]:
        """The words of every item, taken from a reference wherever its lines are the candidate's."""
        return [
            self._item(item, candidate, linked) for item, linked in zip(self._suite.items, found, strict=True)
        ]

    def _item(self, item: Item, candidate: Text, linked: CandidateWords) -> CandidateWords:
        pronoun, heads = linked.pronoun, list(linked.heads)
        sources = [item.pronoun, *(one.head for one in item.antecedents)]
        for pair in reversed(item.references):  # the first reference has the last word
            locator = self._references[pair.reference][item.document]
            for number, place in enumerate((pair.pronoun, *pair.heads)):
                if self._same(item, sources[number], locator, place, candidate):
                    words = tuple(locator.text((span,)) for span in place)
                    if number:
                        heads[number - 1] = words
                    else:
                        pronoun = words
        return CandidateWords(pronoun, tuple(heads))

    def _same(self, item: Item, source: Place, locator: Locator, place: Place, candidate: Text) -> bool:
        """Whether the candidate has the reference's line where the source stands and where its words do."""
        stretches = (*self._source[item.document].stretches(source), *locator.stretches(place))
        return all(
            candidate.lines[at.segment] == locator.lines[at.segment - locator.first] for at in stretches
        )
