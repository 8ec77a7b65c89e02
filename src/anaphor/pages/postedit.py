"""Proposals for the pronouns of a translation as a page."""

from __future__ import annotations

from anaphor.core.table import Table
from anaphor.evaluation.postediting import PosteditResult
from anaphor.pages.layout import article, page_of
from anaphor.predict.postedit import EditProposal
from anaphor.report.charts import element
from anaphor.report.escape import escaped
from anaphor.report.html.elements import block_table, table


def postedit_page(result: PosteditResult) -> str:
    """The proposals for a translation as an HTML page: a table, and every proposal in its lines."""
    text, proposals = result.text, result.proposals.applied
    tables = [block for block in result.tables() if isinstance(block, Table)]
    overview = "".join(block_table(block, "Proposals") for block in tables)
    cards = "".join(_proposal(result, proposal) for proposal in proposals)
    parts = [
        ("proposals", "Proposals", overview or element("p", "No pronoun reaches the threshold.")),
        *([("lines", "In their lines", cards)] if cards else []),
    ]
    if result.proposals.withheld:
        rows = []
        for held in result.proposals.withheld:
            occurrence = held.prediction.occurrence
            rows.append(
                [
                    str(occurrence.pronoun.segment + 1),
                    escaped(occurrence.word),
                    escaped(held.label),
                    escaped(held.reason),
                ]
            )
        held_back = table("Held back", ["line", "pronoun", "probable", "reason"], rows)
        parts.append(("held", "Held back", held_back))
    parts.append(
        ("about", "How the proposals were computed", element("code", escaped(str(result.signature))))
    )
    size = f"{text.pair}, {len(text.source)} segments, {result.pronouns} pronouns predicted, "
    size += f"{len(proposals)} proposals at {result.threshold:g}"
    return page_of(f"Pronouns of {result.candidate.path}", size, parts)


def _proposal(result: PosteditResult, proposal: EditProposal) -> str:
    """A proposal with the line before, the source pronoun marked, and the candidate before and after."""
    text, here = result.text, proposal.occurrence.pronoun.segment
    lines = []
    if here and text.same_document(here - 1, other=here):
        lines += [("before", escaped(side[here - 1].text)) for side in (text.source, text.candidate)]
    source, (start, end) = text.source[here], text.source[here].span(proposal.occurrence.pronoun.position)
    marked = element("mark", escaped(source.text[start:end]), kind="pronoun")
    lines.append(("source", escaped(source.text[:start]) + marked + escaped(source.text[end:])))
    line, (start, end) = result.candidate.lines[here], proposal.edit.span
    change = element("del", escaped(line[start:end])) + element("ins", escaped(proposal.edit.text))
    lines.append(("candidate", escaped(line[:start]) + change + escaped(line[end:])))
    shares = ", ".join(
        f"{label} {share:.2f}" for label, share in proposal.prediction.probabilities.items() if share >= 0.005
    )
    lines.append(("probabilities", escaped(shares)))
    lines += [("check", escaped(warning)) for warning in proposal.warnings]
    return article(f"Line {here + 1}", lines)
