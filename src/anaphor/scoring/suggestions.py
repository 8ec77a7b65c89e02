"""What the metric `accept` says about the examples of a campaign, as a suggestion to annotators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from anaphor.corpus import Text
from anaphor.scoring.score_report import evaluate
from anaphor.suite import LoadedSuite
from anaphor.suite.linking import LinkedTexts
from anaphor.verdict import VERDICTS


def accept_guesser(
    packs: Path | None = None,
) -> Callable[[LoadedSuite, Mapping[str, Text], LinkedTexts], dict[tuple[str, str], str]]:
    """A function that judges the candidates of a suite: `yes` or `no` by system and source pronoun.

    Pronouns are named SEGMENT:TOKEN; those that the metric leaves open are not in the result. `packs` is a
    folder with the user's language packs.
    """

    def guess(
        loaded: LoadedSuite, candidates: Mapping[str, Text], linked: LinkedTexts
    ) -> dict[tuple[str, str], str]:
        source = list(loaded.texts.source_lines)
        report = evaluate(
            source=source,
            systems={name: list(text.lines) for name, text in candidates.items()},
            pair=str(loaded.suite.pair),
            metrics=["accept"],
            documents=[document.id for document in loaded.suite.documents for _ in range(document.segments)],
            system_alignments={name: linked.alignments[name] for name in candidates},
            samples=0,
            # Text that is its tokens with spaces between them was tokenized, and must keep these tokens.
            tokenized=[line.split(" ") for line in source] == [list(tokens) for tokens in linked.source],
            packs=packs,
        )
        accepted, rejected, _ = VERDICTS
        words = {accepted: "yes", rejected: "no"}
        guesses = {}
        for system in report.result.systems:
            for verdict, score in zip(system.verdicts, system.pronoun_scores["accept"], strict=True):
                pronoun = verdict.pair.source
                if score.verdict in words:
                    guesses[system.name, f"{pronoun.segment}:{pronoun.position}"] = words[score.verdict]
        return guesses

    return guess
