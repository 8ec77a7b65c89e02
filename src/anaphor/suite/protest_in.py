"""A suite from a PROTEST database: exactly what was exported, or what the tables of PROTEST alone can tell.

A file of ours has the suite in the tables `anaphor_*`, and the others must still say the same. A file of
PROTEST has tokenised lines; the suite made from it has these as its documents. In both, translations that
annotators approved become alternatives of their items.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from anaphor.core import Alternative, Item, MismatchError, Suite
from anaphor.corpus import Text
from anaphor.corpus.protest_db_rows import ProtestDatabase
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.header_file import parse_header
from anaphor.suite.items_file import with_items
from anaphor.suite.protest_approved import approved_translations
from anaphor.suite.protest_out import to_protest
from anaphor.suite.protest_tables import Naming, suite_from_tables
from anaphor.suite.texts import SOURCE, SuiteTexts, check_texts

#: The tables that the suite decides. They may gain rows: systems that people judge.
_DECIDED = (
    *("corpora", "sentences", "documents", "categories"),
    *("pro_candidates", "pro_antecedents", "translations"),
)


def from_protest(database: ProtestDatabase, naming: Naming, *, path: str | Path) -> LoadedSuite:
    """The suite of a database. `naming` says what the tables of PROTEST do not; a file of ours needs none."""
    name = str(path)
    own = bool(database.anaphor_suite)
    loaded = _own(database, name) if own else suite_from_tables(database, naming, path=name)
    references = {row.id for row in database.corpora if row.name in loaded.suite.references()}
    found = approved_translations(database, references=references)
    numbers = {row.example_no for row in database.pro_candidates if row.tgtcorpus in references}
    ordered = range(1, len(loaded.suite.items) + 1) if own else sorted(numbers)
    items = tuple(
        _grown(item, found.get(number, ())) for number, item in zip(ordered, loaded.suite.items, strict=True)
    )
    return loaded._replace(suite=replace(loaded.suite, items=items))


def _grown(item: Item, found: tuple[Alternative, ...]) -> Item:
    """The item with more alternatives, each once."""
    return replace(item, alternatives=tuple(dict.fromkeys((*item.alternatives, *found))))


def _own(database: ProtestDatabase, path: str) -> LoadedSuite:
    header = parse_header(Text.of(database.anaphor_suite[0].header.split("\n"), path=f"{path} [suite.toml]"))
    lines = [row.record for row in sorted(database.anaphor_items)]
    suite = with_items(header.suite, Text.of(lines, path=f"{path} [items.jsonl]"))
    loaded = LoadedSuite(suite, _own_texts(suite, database, path))
    check_texts(suite, loaded.texts, items=f"{path} [items.jsonl]")
    made = to_protest(loaded)
    changed = [name for name in _DECIDED if not set(getattr(made, name)) <= set(getattr(database, name))]
    if changed or header.digest != suite_digest(suite):
        raise MismatchError(
            f"tables were changed since the suite was exported: {', '.join(changed) or 'anaphor_suite'}",
            where=path,
            fix="export the suite again, or change the suite itself and not its database",
        )
    return loaded


def _own_texts(suite: Suite, database: ProtestDatabase, path: str) -> SuiteTexts:
    """The texts that are there, in the order of the suite."""
    rows = {(row.side, row.document): row.content for row in database.anaphor_texts}

    def side(name: str) -> dict[str, Text]:
        return {
            one.id: Text.of(rows[name, one.id].split("\n"), path=f"{path} [{name}/{one.id}]")
            for one in suite.documents
            if (name, one.id) in rows
        }

    return SuiteTexts(side(SOURCE), {name: side(name) for name in suite.references()})
