"""What joins reports with annotations, suites, benches and predictors: judgements on cards, and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anaphor.bench.result import BenchResult, item_lines
from anaphor.core import InputError, MismatchError, Span
from anaphor.core.records import whole_number
from anaphor.core.table import Table
from anaphor.meta.judgements import read_judgements
from anaphor.postediting import PosteditResult
from anaphor.predict.postedit import EditProposal
from anaphor.report.charts import element
from anaphor.report.escape import escaped
from anaphor.report.gates import Gate
from anaphor.report.html.data import Annotation, AntecedentMention, HumanAnnotations
from anaphor.report.html.page import document, section
from anaphor.report.html.sections import block_table, table
from anaphor.report.result_file import StoredResult
from anaphor.suite import SuiteReport, load_suite

#: The most items that the page of a bench shows one by one.
_BENCH_EXAMPLES = 100


def read_annotations(
    results: Sequence[StoredResult], *, judgements: str | None = None, suite: str | None = None
) -> HumanAnnotations:
    """Judgements from a file and items of a suite; those of other systems or texts are errors."""
    by_pronoun: dict[tuple[str, int, int], list[str]] = {}
    categories: dict[tuple[int, int], str] = {}
    if judgements:
        known = {
            (name, f"{pronoun.segment}:{pronoun.token}")
            for stored in results
            if stored.cards is not None
            for name in stored.cards.judged
            for pronoun in stored.cards.pronouns
        }
        strange = []
        for one in read_judgements(judgements):
            segment, token = (whole_number(part) for part in one.id.partition(":")[::2])
            if segment is None or token is None:
                what = f"{one.id} names no pronoun of a result"
                fix = "give the columns segment and token, or ids such as 12:3"
                raise InputError(what, where=judgements, fix=fix)
            if (one.system, one.id) not in known:
                strange.append(one)
            reason = "" if one.reason is None else f" (reason {one.reason.value})"
            annotator = f" by {one.annotator}" if one.annotator else ""
            judgement = f"{one.judgement.value}{reason}{annotator}"
            by_pronoun.setdefault((one.system, segment, token), []).append(judgement)
            if one.category:
                categories[segment, token] = one.category
        if strange:
            raise MismatchError(
                f"{len(strange)} judgements belong to no card, first {strange[0].id} of {strange[0].system}",
                where=judgements,
                fix="give judgements of these systems, and score with --cards",
            )
    items, source = _suite_items(suite, results) if suite else ({}, {})
    return HumanAnnotations(by_pronoun, categories, items, source)


def _suite_items(
    folder: str, results: Sequence[StoredResult]
) -> tuple[Mapping[tuple[int, int], Annotation], Mapping[int, str]]:
    """Category and antecedents of the items of a suite, and its lines, which must be those of the results."""
    loaded = load_suite(folder)
    lines = loaded.texts.source_lines
    for stored in results:
        for segment, line in ({} if stored.cards is None else stored.cards.source).items():
            if segment >= len(lines) or lines[segment] != line:
                what = f"line {segment + 1} of the source is not that of the suite"
                fix = "score candidates on the source of the suite, all documents in their order"
                raise MismatchError(what, where=f"{stored.path}, {folder}", fix=fix)
    locators = loaded.texts.locators["source"]
    found = {}
    for item in loaded.suite.items:
        locator = locators[item.document]
        pronoun = locator.stretches(item.pronoun)[0]
        mentions = []
        for antecedent in item.antecedents:
            at = locator.stretches(antecedent.span)[0]
            words = locator.text(antecedent.span)
            mentions.append(AntecedentMention(at.segment, Span(at.start, at.end), words))
        found[pronoun.segment, pronoun.start] = Annotation(item.category, tuple(mentions))
    return found, dict(enumerate(lines))


def suite_page(
    report: SuiteReport, mismatches: Iterable[Mapping[str, str]], gates: Sequence[Gate] = ()
) -> str:
    """The evaluation of a suite as an HTML page: scores, changes, gates, and every mismatch by category.

    `mismatches` are the rows of `anaphor.suite.work_list`.
    """
    suite = report.suite
    scores, *changes = [block for block in report.tables() if isinstance(block, Table)]
    parts = [("scores", "Matches by category", block_table(scores, "Matches, and percent of the items"))]
    tables = "".join(block_table(block, block.columns[0].heading) for block in changes)
    parts += [("changes", "Changes", tables)] if changes else []
    if gates:
        rows = [[escaped(gate.system), escaped(gate.message), gate.status] for gate in gates]
        parts.append(("gates", "Gates", table("Gates", ["system", "measured", "status"], rows)))
    items: dict[str, dict[str, list[Mapping[str, str]]]] = {one.name: {} for one in suite.categories}
    for row in mismatches:
        items[row["category"]].setdefault(row["item"], []).append(row)
    found = "".join(
        f"<details><summary>{escaped(name)}: {len(by_item)} items</summary>"
        + "".join(_mismatch(rows) for rows in by_item.values())
        + "</details>"
        for name, by_item in items.items()
        if by_item
    )
    parts.append(("mismatches", "Mismatches", found or element("p", "Every item matches.")))
    parts.append(("about", "What made the numbers", element("code", escaped(str(report.signature)))))
    title = f"Test suite {suite.name} {suite.version}"
    size = f"{suite.pair}, {len(suite.items)} items, {len(suite.documents)} documents, "
    size += f"{len(report.systems)} system{'s' * (len(report.systems) != 1)}"
    return _page(title, size, parts)


def bench_page(result: BenchResult) -> str:
    """The result of a bench as an HTML page: its tables, and items with what every system did with them."""
    bench, rule = result.bench, result.rules[-1]
    tables = [block for block in result.tables() if isinstance(block, Table)]
    parts = [("scores", "Accuracy", block_table(tables[0], "Accuracy, and items by outcome"))]
    rest = "".join(block_table(block, block.columns[0].heading) for block in tables[1:])
    parts += [("parts", "Parts and comparisons", rest)] if rest else []
    notes = "".join(element("p", escaped(note)) for note in result.notes)
    parts += [("notes", "Notes", notes)] if notes else []
    items = []
    for at in result.example_items(_BENCH_EXAMPLES):
        item = bench.items[at]
        lines = [(name, escaped(content)) for name, content in item_lines(item)]
        for system in result.systems:
            outcome = element("span", escaped(system.outcomes[rule][at].value), kind="outcome")
            said = f"{escaped(system.said[at])} " if system.said else ""
            lines.append((system.system, said + outcome))
        body = "".join(f"<dt>{escaped(name)}</dt><dd>{content}</dd>" for name, content in lines)
        items.append(element("article", element("h3", escaped(item.id)) + element("dl", body)))
    parts.append(("examples", "Examples", "".join(items) or element("p", "Every item is right.")))
    signatures = "".join(
        element("p", element("code", escaped(str(one)))) for one in result.signatures.values()
    )
    parts.append(("about", "What made the numbers", signatures))
    size = f"{bench.pair}, {len(bench.items)} items, {result.mode}"
    return _page(f"Bench {bench.name}", size, parts)


def postedit_page(result: PosteditResult) -> str:
    """The proposals for a translation as an HTML page: a table, and every proposal in its lines."""
    text, made = result.text, result.proposals.made
    tables = [block for block in result.tables() if isinstance(block, Table)]
    overview = "".join(block_table(block, "Proposals") for block in tables)
    cards = "".join(_proposal(result, one) for one in made)
    parts = [
        ("proposals", "Proposals", overview or element("p", "No pronoun reaches the threshold.")),
        *([("lines", "In their lines", cards)] if cards else []),
    ]
    if result.proposals.held:
        rows = []
        for held in result.proposals.held:
            one = held.prediction.occurrence
            rows.append(
                [str(one.pronoun.segment + 1), escaped(one.word), escaped(held.label), escaped(held.reason)]
            )
        held_back = table("Held back", ["line", "pronoun", "probable", "reason"], rows)
        parts.append(("held", "Held back", held_back))
    parts.append(("about", "What made the proposals", element("code", escaped(str(result.signature)))))
    size = f"{text.pair}, {len(text.source)} segments, {result.pronouns} pronouns asked about, "
    size += f"{len(made)} proposals at {result.threshold:g}"
    return _page(f"Pronouns of {result.candidate.path}", size, parts)


def _proposal(result: PosteditResult, one: EditProposal) -> str:
    """A proposal with the line before, the source pronoun marked, and the candidate before and after."""
    text, here = result.text, one.occurrence.pronoun.segment
    lines = []
    if here and text.same_document(here - 1, other=here):
        lines += [("before", escaped(side[here - 1].text)) for side in (text.source, text.candidate)]
    source, (start, end) = text.source[here], text.source[here].span(one.occurrence.pronoun.position)
    marked = element("mark", escaped(source.text[start:end]), kind="pronoun")
    lines.append(("source", escaped(source.text[:start]) + marked + escaped(source.text[end:])))
    line, (start, end) = result.candidate.lines[here], one.edit.span
    change = element("del", escaped(line[start:end])) + element("ins", escaped(one.edit.text))
    lines.append(("candidate", escaped(line[:start]) + change + escaped(line[end:])))
    shares = ", ".join(
        f"{label} {share:.2f}" for label, share in one.prediction.probabilities.items() if share >= 0.005
    )
    lines.append(("probabilities", escaped(shares)))
    lines += [("check", escaped(warning)) for warning in one.warnings]
    body = "".join(f"<dt>{escaped(name)}</dt><dd>{content}</dd>" for name, content in lines)
    return element("article", element("h3", f"Line {here + 1}") + element("dl", body))


def _page(title: str, size: str, parts: Sequence[tuple[str, str, str]]) -> str:
    """A page with a title, links to its sections, and the sections: name, heading, content."""
    links = "".join(f'<li><a href="#{name}">{escaped(heading)}</a></li>' for name, heading, _ in parts)
    return document(
        title,
        f"<header><h1>{escaped(title)}</h1>{element('p', escaped(size), kind='faint')}"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>'
        f'<main id="main">{"".join(section(*part) for part in parts)}</main>',
    )


def _mismatch(rows: Sequence[Mapping[str, str]]) -> str:
    """One item, and what every system that does not match has for it."""
    first = rows[0]
    pronoun = escaped(first["source_pronoun"])
    source = escaped(first["source"]).replace(f"[{pronoun}]", element("mark", pronoun, kind="pronoun"))
    lines = [("source", source), ("accepted", escaped(first["references"]))]
    for row in rows:
        words = ", ".join(filter(None, (row["pronoun"] or "-", row["heads"])))
        lines.append((row["system"], escaped(row["candidate"])))
        lines.append(("", f"{escaped(words)}: {element('span', escaped(row['outcome']), kind='outcome')}"))
    body = "".join(f"<dt>{escaped(name)}</dt><dd>{content}</dd>" for name, content in lines)
    return element("article", element("h3", escaped(first["item"])) + element("dl", body))
