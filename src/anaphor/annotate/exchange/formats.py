"""All file formats of a campaign in two visible tables; a new one is a line in each that knows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection

from anaphor.annotate.content import answer_content
from anaphor.annotate.exchange.judgements import write_final, write_gaps, write_judgements
from anaphor.annotate.exchange.label_studio import read_label_studio, write_label_studio
from anaphor.annotate.exchange.mtme import read_ratings, write_mtme
from anaphor.annotate.exchange.pearmut import read_pearmut, write_pearmut
from anaphor.annotate.exchange.protest_in import read_protest_answers
from anaphor.annotate.exchange.protest_out import write_protest_tables
from anaphor.annotate.exchange.records import (
    read_csv,
    read_jsonl,
    read_tsv,
    write_csv,
    write_jsonl,
    write_tsv,
)
from anaphor.annotate.journal import journal
from anaphor.annotate.merging import Incoming, MergeReport, MergeRules, merge
from anaphor.annotate.store import Store
from anaphor.core import InputError, UnknownNameError
from anaphor.corpus.protest_db import read_protest, write_protest

#: No file of answers is larger; reading stops there before it fills the memory.
MAX_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A file that a campaign can be written as."""

    name: str
    title: str
    suffix: str
    media_type: str
    write: Callable[[Store], bytes]


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A file that answers can be read from."""

    name: str
    title: str
    read: Callable[[Store, bytes, str], list[Incoming]]


def export_bytes(store: Store, name: str) -> bytes:
    """The campaign in a format; nothing is written anywhere."""
    if name not in EXPORTS:
        raise UnknownNameError.among(name, EXPORTS, kind="format", where="export")
    return EXPORTS[name].write(store)


def import_bytes(
    store: Store,
    name: str,
    data: bytes,
    *,
    by: str,
    path: str = "the file",
    rules: MergeRules | None = None,
    dry_run: bool = False,
) -> MergeReport:
    """Bring the answers of a file in, all or none; without `rules` any conflict stops everything."""
    if name not in IMPORTS:
        raise UnknownNameError.among(name, IMPORTS, kind="format", where="import")
    if len(data) > MAX_BYTES:
        raise InputError(f"the file has {len(data)} bytes", where=path, fix=f"give at most {MAX_BYTES}")
    incoming = IMPORTS[name].read(store, data, path)
    return merge(store, incoming, by=by, kind="import", rules=rules or MergeRules(dry_run=dry_run))


def _within(write: Callable[[Connection], bytes]) -> Callable[[Store], bytes]:
    def run(store: Store) -> bytes:
        with store.read() as connection:
            return write(connection)

    return run


def _journal(store: Store) -> bytes:
    lines = []
    for entry in reversed(journal(store)):
        content = asdict(entry) | {
            "before": None if entry.before is None else answer_content(entry.before),
            "after": answer_content(entry.after),
        }
        lines.append(json.dumps(content, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def _protest(store: Store) -> bytes:
    database = write_protest_tables(store)
    with TemporaryDirectory(prefix="anaphor-protest-") as folder:
        path = Path(folder) / "campaign.protest.db"
        write_protest(path, database)
        return path.read_bytes()


def _read_protest(store: Store, data: bytes, path: str) -> list[Incoming]:
    with TemporaryDirectory(prefix="anaphor-protest-") as folder:
        file = Path(folder) / "batch.db"
        file.write_bytes(data)
        database = read_protest(file)
    with store.read() as connection:
        return read_protest_answers(database, path=path, connection=connection)


_JSON_LINES, _TSV = "application/x-ndjson", "text/tab-separated-values"
EXPORTS: Mapping[str, ExportFormat] = {
    one.name: one
    for one in (
        ExportFormat("judgements", "judgements for anaphor meta", ".tsv", _TSV, _within(write_judgements)),
        ExportFormat("final", "judgements for anaphor estimate", ".tsv", _TSV, _within(write_final)),
        ExportFormat("gaps", "filled gaps for anaphor meta gaps", ".tsv", _TSV, _within(write_gaps)),
        ExportFormat("csv", "all answers as CSV", ".csv", "text/csv", _within(write_csv)),
        ExportFormat("tsv", "all answers as TSV", ".tsv", _TSV, _within(write_tsv)),
        ExportFormat("jsonl", "all answers as JSON lines", ".jsonl", _JSON_LINES, _within(write_jsonl)),
        ExportFormat("journal", "every change as JSON lines", ".jsonl", _JSON_LINES, _journal),
        ExportFormat("protest", "PROTEST database 1.1", ".db", "application/vnd.sqlite3", _protest),
        ExportFormat("mtme", "mt-metrics-eval layout", ".zip", "application/zip", _within(write_mtme)),
        ExportFormat("pearmut", "Pearmut campaign", ".json", "application/json", _within(write_pearmut)),
        ExportFormat(
            "label-studio", "Label Studio tasks", ".json", "application/json", _within(write_label_studio)
        ),
    )
}

Reader = Callable[..., list[Incoming]]


def _flat(read: Reader) -> Callable[[Store, bytes, str], list[Incoming]]:
    return lambda _store, data, path: read(data, path=path)


def _beside(read: Reader) -> Callable[[Store, bytes, str], list[Incoming]]:
    def run(store: Store, data: bytes, path: str) -> list[Incoming]:
        with store.read() as connection:
            return read(data, path=path, connection=connection)

    return run


IMPORTS: Mapping[str, ImportFormat] = {
    one.name: one
    for one in (
        ImportFormat("csv", "answers as CSV", _flat(read_csv)),
        ImportFormat("tsv", "answers as TSV", _flat(read_tsv)),
        ImportFormat("jsonl", "answers as JSON lines", _flat(read_jsonl)),
        ImportFormat("protest", "PROTEST database 1.1", _read_protest),
        ImportFormat("mtme", "a rating file of mt-metrics-eval", _beside(read_ratings)),
        ImportFormat("pearmut", "a campaign or output file of Pearmut", _beside(read_pearmut)),
        ImportFormat("label-studio", "an export of Label Studio", _beside(read_label_studio)),
    )
}
