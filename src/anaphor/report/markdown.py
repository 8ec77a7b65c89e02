"""A result as Markdown tables."""

from __future__ import annotations

from anaphor.core import Outcome
from anaphor.report.emit import markdown_table
from anaphor.report.escape import shown
from anaphor.report.result_file import StoredResult, StoredScore, StoredSystem
from anaphor.report.text import percent


def result_markdown(result: StoredResult) -> str:
    """Scores of all systems, the six cases and the scores by pronoun; a star marks p < 0.05 after Holm."""
    blocks = [_scores(result), _cases(result), *_by_pronoun(result), _signatures(result)]
    return "\n\n".join(block for block in blocks if block)


def _scores(result: StoredResult) -> str:
    starred = {(c.system, c.metric) for c in result.comparisons if c.p_adjusted < 0.05}
    metrics = [score.metric for score in result.systems[0].scores]
    rows = [
        [
            system.name,
            *(
                _score(score) + ("*" if (system.name, score.metric) in starred else "")
                for score in system.scores
            ),
        ]
        for system in result.systems
    ]
    return markdown_table([["system", *metrics], *rows])


def _score(score: StoredScore) -> str:
    if score.interval is None:
        return percent(score.value)
    low, high = score.interval
    return f"{percent(score.value)} [{percent(low)}, {percent(high)}]"


def _cases(result: StoredResult) -> str:
    rows = [[system.name, *map(str, cases)] for system in result.systems if (cases := _counts(system))]
    heading = ["cases", *(case.name.lower().replace("_", " ") for case in Outcome)]
    return markdown_table([heading, *rows]) if rows else ""


def _counts(system: StoredSystem) -> tuple[int, ...] | None:
    score = system.score("apt")
    return None if score is None else score.cases


def _by_pronoun(result: StoredResult) -> list[str]:
    tables = []
    for score in result.systems[0].scores:
        forms = list(score.by_pronoun)
        if not forms:
            continue
        rows = [[f"{score.metric} by pronoun", *forms]]
        for system in result.systems:
            found = system.score(score.metric)
            values = {} if found is None else found.by_pronoun
            rows.append([system.name, *(percent(values.get(form, float("nan"))) for form in forms)])
        tables.append(markdown_table(rows))
    return tables


def _signatures(result: StoredResult) -> str:
    """What made the numbers, one line a metric, without what is the candidate's own."""
    lines = []
    for score in result.systems[0].scores:
        fields = {key: value for key, value in score.signature.items() if key not in ("name", "cand")}
        line = "|".join([score.metric, *(f"{key}:{value}" for key, value in fields.items())])
        lines.append(f"- `{shown(line).replace('`', chr(39))}`")
    return "\n".join(lines)
