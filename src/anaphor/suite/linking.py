"""The words that a candidate has for every item: its tokens that are aligned to the item's source tokens."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self

import numpy as np

from anaphor.align import AlignerChoice, SentencePair
from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError, OptionError, Suite
from anaphor.core.progress import Progress
from anaphor.core.table import counted
from anaphor.corpus import AlignmentFile, Text, paths_by_name, read_alignments, read_text, within_range
from anaphor.files.folders import inside
from anaphor.languages import Words
from anaphor.languages.choose_tokenizer import words_of
from anaphor.segment.candidate import SegmentedCandidate, segment_candidate
from anaphor.segment.inputs import check_whole
from anaphor.segment.whole_documents import read_whole_documents
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.outcomes import CandidateWords
from anaphor.suite.texts import SOURCE, ItemTokens, SuiteTexts, TokenizedSide, TokenPlace, Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions:
    """Everything that affects an outcome, except the texts.

    Attributes:
        aligner: The aligner, including the folder of the user's language packs.
        tokenized: Whether the texts are tokenized; their tokens are then kept.
        alternatives: Whether approved translations are accepted as well as the references.
        level: The confidence level of the intervals.
        samples: The number of resamples for the paired tests between candidates; 0 for no tests.
        seed: The random seed of the tests.
    """

    aligner: AlignerChoice
    tokenized: bool = False
    alternatives: bool = True
    level: float = 0.95
    samples: int = 1000
    seed: int = 12345

    @classmethod
    def built_in(cls, pair: LanguagePair, *, tokenized: bool = False) -> Self:
        """Options that use the built-in aligner for a pair.

        Args:
            pair: Source and target language.
            tokenized: Whether the texts are tokenized; their tokens are then kept.

        Returns:
            The options, with defaults for everything else.

        Raises:
            UserError: The built-in aligner does not take one of the options.
        """
        return cls(aligner=AlignerChoice(pair=pair), tokenized=tokenized)


@dataclass(frozen=True, slots=True)
class GivenLinks:
    """Alignments provided by the user, between the tokens of this source and those of each candidate."""

    source: Text
    alignments: Mapping[str, AlignmentFile]


@dataclass(frozen=True, slots=True)
class LinkedTexts:
    """Tokens of the source, the items among them, and tokens and links of each candidate."""

    source: Tokens
    items: tuple[ItemTokens, ...]
    tokens: Mapping[str, Tokens]
    alignments: Mapping[str, AlignmentFile]

    def words(self, system: str) -> list[CandidateWords]:
        """The words of a candidate that are aligned to every item."""
        wanted = [at for item in self.items for place in (item.pronoun, *item.heads) for at in place]
        links = self.alignments[system]
        around = links.around([segment for segment, _ in wanted], [position for _, position in wanted])
        targets = {at: near.linked for at, near in zip(wanted, around, strict=True)}

        def linked(place: TokenPlace) -> tuple[str, ...]:
            places = {(segment, target) for segment, at in place for target in targets[segment, at]}
            return tuple(self.tokens[system][segment][target] for segment, target in sorted(places))

        return [CandidateWords(linked(item.pronoun), tuple(map(linked, item.heads))) for item in self.items]


def read_candidates(suite: Suite, files: Iterable[tuple[str, str]]) -> dict[str, Text]:
    """The candidates by name, from pairs of name and path.

    A path is a file with all documents in order, or a folder with one file `DOCUMENT.txt` per document.
    """
    texts: dict[str, Text] = {}
    for name, path in paths_by_name(files, role="candidate").items():
        folder = Path(path)
        if not folder.is_dir():
            texts[name] = read_text(path)
            continue
        lines: list[str] = []
        for document in suite.documents:
            text = read_text(inside(folder, folder / f"{document.id}.txt"))
            fix = "translate the same document line by line"
            text.require_lines(document.segments, of="its source", fix=fix)
            lines += text.lines
        texts[name] = Text.of(lines, path=str(folder))
    return texts


def read_whole_candidates(
    loaded: LoadedSuite, files: Iterable[tuple[str, str]], whole: Collection[str]
) -> tuple[dict[str, Text], dict[str, SegmentedCandidate]]:
    """The candidates by name, with those in `whole` cut at the segments of the suite, and how they were cut.

    Problems found in them cause warnings.
    """
    named = paths_by_name(files, role="candidate")
    check_whole([*whole], named, aligned=False)
    documents = [document.id for document in loaded.suite.documents for _ in range(document.segments)]
    texts = read_candidates(loaded.suite, [(name, path) for name, path in named.items() if name not in whole])
    segmentations = {}
    for name in (name for name in named if name in whole):
        output = read_whole_documents(named[name], documents)
        segmentations[name] = segment_candidate(
            loaded.texts.source_lines, documents, output, loaded.suite.pair
        )
        for line in segmentations[name].summary():
            warnings.warn(f"candidate {name}: {line}", InputWarning, stacklevel=2)
    texts |= {name: segmentation.text() for name, segmentation in segmentations.items()}
    return {name: texts[name] for name in named}, segmentations


def read_links(
    loaded: LoadedSuite, candidates: Collection[str], files: Sequence[str], *, source: Text | None = None
) -> GivenLinks:
    """Alignments of the candidates, one file each, in order.

    `source` is the tokenized source that they refer to; by default that of the suite.
    """
    if len(files) != len(candidates):
        what = f"{counted(len(files), 'alignment file')} for {counted(len(candidates), 'candidate')}"
        fix = "pass one alignment file per candidate, in the same order"
        raise MismatchError(what, where="--alignment", fix=fix)
    segments = loaded.suite.segments
    if source is None:
        source = Text.of(loaded.texts.source_lines, path=f"{loaded.suite.name} [source]")
    fix = "tokenize the output of `anaphor suite export --source`"
    source.require_lines(segments, of="the source of the suite", fix=fix)
    links = [read_alignments(path, segments=segments) for path in files]
    return GivenLinks(source, dict(zip(candidates, links, strict=True)))


def check_candidates(loaded: LoadedSuite, candidates: Mapping[str, Text]) -> None:
    """Raise unless there are items and candidates, each with one line per segment of the suite."""
    if not loaded.suite.items:
        raise InputError("the suite has no items", where=loaded.suite.name, fix="add items to items.jsonl")
    if not candidates:
        raise OptionError("no candidate is given", where="--candidate", fix="add at least one file")
    fix = "translate all documents in order, as written by `anaphor suite export --source`"
    for text in candidates.values():
        text.require_lines(loaded.suite.segments, of="the source of the suite", fix=fix)


def link_texts(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: EvaluationOptions,
    *,
    links: GivenLinks | None,
    progress: Progress,
) -> LinkedTexts:
    """Tokenize everything, find the items, and align the candidates unless `links` are given.

    A link outside its sentence is an error.
    """
    pair, texts = loaded.suite.pair, loaded.texts
    source_words, target_words = (
        tokenizer_for(code, options, links=links) for code in (pair.source, pair.target)
    )
    progress("finding the items")
    # Given links count the tokens of the source that was aligned, which may be cut in another way.
    side = TokenizedSide(texts, SOURCE, source_words, given=None if links is None else links.source)
    items = tuple(
        ItemTokens(
            side.find(item.document, item.pronoun),
            tuple(side.find(item.document, antecedent.head) for antecedent in item.antecedents),
        )
        for item in loaded.suite.items
    )
    tokens = {
        name: [target_words(line) for line in candidate.lines] for name, candidate in candidates.items()
    }
    if links is None:
        progress("aligning")
        references = reference_pairs(side.tokens, texts, target_words)
        alignments = align_candidates(side.tokens, tokens, references, options.aligner)
    else:
        lengths = np.array(list(map(len, side.tokens)))
        alignments = {
            name: within_range(
                links.alignments[name], source_lengths=lengths, target_lengths=np.array(list(map(len, own)))
            )
            for name, own in tokens.items()
        }
    return LinkedTexts(side.tokens, items, tokens, alignments)


def tokenizer_for(code: str, options: EvaluationOptions, *, links: GivenLinks | None) -> Words:
    """The function that splits a line of a language into tokens."""
    tokenized = options.tokenized or links is not None
    return words_of(code, tokenized=tokenized, packs=options.aligner.packs, where="suite.toml: pair")


def align_candidates(
    source: Tokens,
    candidates: Mapping[str, Tokens],
    references: Iterable[SentencePair],
    choice: AlignerChoice,
) -> dict[str, AlignmentFile]:
    """Alignments of every candidate, trained jointly on all of them and on the references."""
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


def with_reference_words(
    loaded: LoadedSuite, candidate: Text, linked_words: Sequence[CandidateWords]
) -> list[CandidateWords]:
    """The words of every item: those of a reference if its lines are identical, otherwise `linked_words`.

    The suite itself contains the reference's words. An aligner's mistakes would count against a perfect
    translation; this way every reference gets full marks as a candidate.
    """
    suite, texts = loaded
    improved = []
    for item, linked in zip(suite.items, linked_words, strict=True):
        words = [linked.pronoun, *linked.heads]
        sources = [item.pronoun, *(antecedent.head for antecedent in item.antecedents)]
        for pair in reversed(item.references):  # where several are equal, the first reference wins
            locator = texts.locators[pair.reference][item.document]
            for number, place in enumerate((pair.pronoun, *pair.heads)):
                # Both the lines of the source's place and those of the reference's must be equal.
                source = texts.locators[SOURCE][item.document].stretches(sources[number])
                if all(
                    candidate.lines[at.segment] == locator.lines[at.segment - locator.first]
                    for at in (*source, *locator.stretches(place))
                ):
                    words[number] = tuple(locator.text((span,)) for span in place)
        improved.append(CandidateWords(words[0], tuple(words[1:])))
    return improved
