"""The automatic evaluation: candidates in, an outcome for every item out (protest-2016, section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anaphor import __version__
from anaphor.core import Signature, collector_paused
from anaphor.corpus import Text
from anaphor.suite.changes import Changes, changes
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.judging import Judge
from anaphor.suite.linked import GivenLinks, Options, Progress, check_candidates, link_texts
from anaphor.suite.linking import find_words
from anaphor.suite.outcomes import Found, Judged
from anaphor.suite.recognise import Recogniser
from anaphor.suite.tally import Tally, tallies


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
    check_candidates(loaded, candidates)
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
    linked = link_texts(loaded, candidates, options, links=links, progress=progress)
    progress("comparing")
    return {
        name: find_words(linked.items, linked.alignments[name], source=linked.source, candidate=tokens)
        for name, tokens in linked.tokens.items()
    }


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
