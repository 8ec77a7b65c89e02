"""The automatic evaluation: candidates in, an outcome for every item out (protest-2016, section 5.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anaphor import __version__
from anaphor.align import AlignerChoice
from anaphor.core import (
    InputError,
    MismatchError,
    OptionError,
    Signature,
    UnknownNameError,
    Where,
    collector_paused,
)
from anaphor.corpus import AlignmentFile, Text
from anaphor.languages import Tokenizer, known_languages, load_language, split_words
from anaphor.suite.changes import Changes, changes
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.judging import Judge
from anaphor.suite.linking import align_candidates, find_words, reference_pairs
from anaphor.suite.outcomes import Found, Judged
from anaphor.suite.recognise import Recogniser
from anaphor.suite.tally import Tally, tallies
from anaphor.suite.tokens import TokenFinder, Words, item_tokens

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
class SystemReport:
    """What one candidate does with every item, and its matches by category, the total last.

    `digest` is that of the candidate; `links` that of the links that were given, None if they were made here.
    """

    system: str
    digest: str
    links: str | None
    judged: tuple[Judged, ...]
    tallies: tuple[Tally, ...]


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """All systems, what they changed beside the first one, and what made the figures."""

    systems: tuple[SystemReport, ...]
    changes: tuple[Changes, ...]
    signature: Signature


@collector_paused()
def evaluate_suite(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: Options,
    *,
    links: GivenLinks | None = None,
    progress: Progress = lambda _: None,
) -> SuiteReport:
    """Judge every item for every candidate. Without `links` the aligner makes them."""
    _check_lengths(loaded, candidates)
    found = found_words(loaded, candidates, options, links=links, progress=progress)
    if links is None:
        recogniser = Recogniser(loaded.suite, loaded.texts)
        found = {name: recogniser.improve(candidates[name], words) for name, words in found.items()}
    judge = Judge(loaded, alternatives=options.alternatives)
    judged = {name: judge.judge(words) for name, words in found.items()}
    systems = tuple(
        SystemReport(
            name,
            candidates[name].digest,
            None if links is None else links.alignments[name].digest,
            rows,
            tallies(loaded.suite, rows, level=options.level),
        )
        for name, rows in judged.items()
    )
    return SuiteReport(systems, changes(judged), _signature(loaded, options, links))


def found_words(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: Options,
    *,
    links: GivenLinks | None = None,
    progress: Progress = lambda _: None,
) -> dict[str, list[Found]]:
    """What is linked to every item in each candidate."""
    given = options.tokenised or links is not None
    cut_source, cut_target = (
        split_words if given else _tokenizer(code)
        for code in (loaded.suite.pair.source, loaded.suite.pair.target)
    )
    progress("finding the items")
    lines = loaded.texts.source_lines
    written = Text.of(lines, path="the source of the suite") if links is None else links.source
    source = [cut_source(line) for line in written.lines]
    items = item_tokens(loaded.suite, loaded.texts, TokenFinder(lines, source, path=written.path))
    tokens = {name: [cut_target(line) for line in text.lines] for name, text in candidates.items()}
    if links is None:
        progress("aligning")
        references = reference_pairs(source, loaded.texts, cut_target)
        alignments = align_candidates(source, tokens, references, options.aligner)
    else:
        alignments = dict(links.alignments)
    progress("comparing")
    return {
        name: find_words(items, alignments[name], source=source, candidate=tokens[name])
        for name in candidates
    }


def _tokenizer(code: str) -> Words:
    if code not in known_languages():
        raise UnknownNameError(
            f"there is no tokeniser for the language {code}",
            where="suite.toml: pair",
            fix=f"tokenise suite and candidates and give --tokenized; known: {', '.join(known_languages())}",
        )
    return Tokenizer(load_language(code)).words


def _check_lengths(loaded: LoadedSuite, candidates: Mapping[str, Text]) -> None:
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


def _signature(loaded: LoadedSuite, options: Options, links: GivenLinks | None) -> Signature:
    accepted = any(item.alternatives for item in loaded.suite.items) and options.alternatives
    fields = (
        ("suite", f"{loaded.suite.name}-{loaded.suite.version}"),
        ("hash", suite_digest(loaded.suite)),
        ("accepted", "references+approved" if accepted else "references"),
        ("tokens", "given" if options.tokenised or links is not None else "anaphor"),
        ("links", "given" if links is not None else options.aligner.signature()),
    )
    return Signature("protest", fields, __version__)
