"""The pronouns that tell systems apart, shown in their sentences."""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Counterpart, Outcome, Result, Sentence, Verdict
from anaphor.corpus import Inputs
from anaphor.metrics import ScoringSetup
from anaphor.report.table import Paint


def telling_examples(result: Result, inputs: Inputs, *, count: int, paint: Paint) -> list[str]:
    """Blocks of text for the pronouns with the most different outcomes, spread over the documents."""
    setup = ScoringSetup.of(result.settings)
    rows = list(zip(*(system.verdicts for system in result.systems), strict=True))
    chosen = _spread(sorted(rows, key=_interest), result.documents)[:count]
    names = [system.name for system in result.systems]
    width = max(map(len, ("reference", *names)))

    def show(verdicts: Sequence[Verdict]) -> str:
        pair = verdicts[0].pair
        segment = pair.source.segment
        place = "" if result.documents is None else f"{result.documents[segment]}, "
        lines = [paint.dim(f"{place}line {segment + 1}: {pair.source.form}")]
        source = _marked(setup.source.sentence(inputs.source.lines[segment]), (pair.source.position,), paint)
        lines.append(f"{'source':{width}}  {source}")
        reference = verdicts[0].reference
        sentence = setup.target.sentence(inputs.references[reference].lines[segment])
        positions = _positions(pair.references[reference])
        lines.append(f"{'reference':{width}}  {_marked(sentence, positions, paint)}")
        for name, verdict in zip(names, verdicts, strict=True):
            sentence = setup.target.sentence(inputs.candidates[name].lines[segment])
            shown = _marked(sentence, _positions(verdict.pair.candidate), paint)
            lines.append(f"{name:{width}}  {shown}  {_outcome(verdict.outcome, paint)}")
        return "\n".join(lines)

    return [show(verdicts) for verdicts in chosen]


def _interest(verdicts: Sequence[Verdict]) -> tuple[int, int]:
    """Small for what a reader wants to see first: many outcomes, some of them right."""
    outcomes = {verdict.outcome for verdict in verdicts}
    return -len(outcomes), 0 if Outcome.IDENTICAL in outcomes else 1


def _spread(
    rows: Sequence[tuple[Verdict, ...]], documents: tuple[str, ...] | None
) -> list[tuple[Verdict, ...]]:
    """The same rows, the first of each document before the second of any."""
    seen: dict[str | None, int] = {}
    ranked = []
    for order, row in enumerate(rows):
        document = None if documents is None else documents[row[0].pair.source.segment]
        seen[document] = seen.get(document, 0) + 1
        ranked.append((seen[document], order, row))
    return [row for _, _, row in sorted(ranked, key=lambda entry: entry[:2])]


def _positions(counterpart: Counterpart | None) -> tuple[int, ...]:
    return () if counterpart is None else counterpart.positions


def _marked(sentence: Sentence, positions: tuple[int, ...], paint: Paint) -> str:
    """The sentence with some tokens marked; in brackets where there is no colour."""
    pieces, end = [], 0
    for position in sorted(positions):
        span = sentence.span(position)
        word = sentence.text[span.start : span.end]
        pieces += [sentence.text[end : span.start], paint.mark(word) if paint.enabled else f"[{word}]"]
        end = span.end
    return "".join([*pieces, sentence.text[end:]])


def _outcome(outcome: Outcome, paint: Paint) -> str:
    name = outcome.name.lower().replace("_", " ")
    return paint.good(name) if outcome is Outcome.IDENTICAL else paint.bad(name)
