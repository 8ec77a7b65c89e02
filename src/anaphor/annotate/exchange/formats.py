"""All file formats of a campaign, in two tables; a new format is one entry in each table that applies."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.json import encode
from sqlalchemy import Connection, func, select

from anaphor.annotate.campaign.facts import read_campaign, require_mode
from anaphor.annotate.exchange import records
from anaphor.annotate.exchange.label_studio import read_label_studio, write_label_studio
from anaphor.annotate.exchange.merge import IncomingAnswer, MergeReport, MergeRules, merge_files
from anaphor.annotate.exchange.mtme import read_ratings, write_mtme
from anaphor.annotate.exchange.pearmut import read_pearmut, write_pearmut
from anaphor.annotate.exchange.protest import read_protest_answers, write_protest
from anaphor.annotate.judging.answers import journal_entries
from anaphor.annotate.judging.suggestions import suggestion_rows
from anaphor.annotate.store import Store, schema
from anaphor.annotate.types import Mode
from anaphor.core import InputError, UnknownNameError, UserError
from anaphor.files.writing import atomic_path
from anaphor.suite.protest.database import read_protest

#: The largest file that is read into memory.
MAX_BYTES = 256 * 2**20

SNAPSHOT = "snapshot"
"""The format with all others in it."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """An export format; only for campaigns of one `mode`, if given."""

    name: str
    title: str
    suffix: str
    media_type: str
    write: Callable[[Connection], Iterable[bytes]]
    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """An import format: `read(data, path=..., connection=...)`."""

    name: str
    title: str
    read: Callable[..., list[IncomingAnswer]]


def export_parts(store: Store, name: str) -> Iterator[bytes]:
    """The campaign in a format, generated as parts of a file."""
    if name not in EXPORTS:
        raise UnknownNameError.among(name, EXPORTS, kind="format", where="export")

    # One transaction for all parts: the file shows the campaign at one moment, however long it is read.
    def parts() -> Iterator[bytes]:
        form = EXPORTS[name]
        with store.read() as connection:
            if form.mode is not None:
                require_mode(connection, form.mode)
            yield from form.write(connection)

    return parts()


def export_bytes(store: Store, name: str) -> bytes:
    """The campaign in a format, as the content of a file."""
    return b"".join(export_parts(store, name))


def export_file(store: Store, name: str, path: str | Path) -> int:
    """Write the campaign to a file in a format; return its size in bytes."""
    fix = "choose a file in an existing folder, on a disk with enough space"
    with atomic_path(Path(path), what="export", fix=fix) as part, part.open("wb") as file:
        return sum(file.write(part) for part in export_parts(store, name))


def import_bytes(
    store: Store, name: str, data: bytes, *, by: str, path: str = "the file", rules: MergeRules | None = None
) -> MergeReport:
    """Import the answers from a file; without `rules`, any conflict prevents the import."""
    if name not in IMPORTS:
        raise UnknownNameError.among(name, IMPORTS, kind="format", where="import")
    if len(data) > MAX_BYTES:
        raise InputError(f"the file has {len(data)} bytes", where=path, fix=f"the limit is {MAX_BYTES}")
    with store.read() as connection:
        incoming = IMPORTS[name].read(data, path=path, connection=connection)
    return merge_files(store, [("", incoming)], by=by, kind="import", rules=rules or MergeRules())[0]


def _write_journal(connection: Connection) -> Iterator[bytes]:
    return records.joined(encode(entry) + b"\n" for entry in journal_entries(connection))


def _write_suggestions(connection: Connection) -> Iterator[bytes]:
    return records.joined(encode(row) + b"\n" for row in suggestion_rows(connection))


def _from_file(write: Callable[[Path, Connection], None]) -> Callable[[Connection], Iterator[bytes]]:
    """Export through a temporary file, for formats whose parts are not written in byte order."""

    def parts(connection: Connection) -> Iterator[bytes]:
        with TemporaryDirectory(prefix="anaphor-export-") as folder:
            path = Path(folder) / "export"
            write(path, connection)
            with path.open("rb") as file:
                yield from iter(lambda: file.read(2**16), b"")

    return parts


def _write_snapshot(path: Path, connection: Connection) -> None:
    """Every format of the campaign in one transaction, so that all files show the same moment."""
    campaign = read_campaign(connection)
    left_out: dict[str, str] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, form in EXPORTS.items():
            if name == SNAPSHOT or form.mode not in (None, campaign.mode):
                continue
            try:
                parts = iter(form.write(connection))
                first = next(parts, b"")  # what cannot be exported is refused before anything is written
            except UserError as error:
                left_out[name] = error.what
                continue
            # The time in the archive is fixed, so that equal content makes equal files.
            info = zipfile.ZipInfo(f"{name}{form.suffix}")
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as file:
                file.write(first)
                for part in parts:
                    file.write(part)
        last = connection.execute(select(func.max(schema.journal.c.seq))).scalar() or 0
        answers = connection.execute(select(func.count()).select_from(schema.answers)).scalar_one()
        facts = {"campaign": campaign.name, "id": campaign.id, "last_change": last, "answers": answers}
        archive.writestr(
            zipfile.ZipInfo("snapshot.json"), json.dumps(facts | {"left_out": left_out}, indent=1) + "\n"
        )


def _read_protest(data: bytes, *, path: str, connection: Connection) -> list[IncomingAnswer]:
    with TemporaryDirectory(prefix="anaphor-protest-") as folder:
        # SQLite opens files, not bytes.
        file = Path(folder) / "batch.db"
        file.write_bytes(data)
        database = read_protest(file)
    return read_protest_answers(database, path=path, connection=connection)


_GAPS, _JUDGE = Mode.GAPS, Mode.JUDGE
_JSON_LINES, _TSV, _JSON = "application/x-ndjson", "text/tab-separated-values", "application/json"
EXPORTS: Mapping[str, ExportFormat] = {
    export.name: export
    for export in (
        ExportFormat(
            "judgements", "judgements for anaphor meta", ".tsv", _TSV, records.write_judgements, _JUDGE
        ),
        ExportFormat("final", "judgements for anaphor estimate", ".tsv", _TSV, records.write_final, _JUDGE),
        ExportFormat(
            "pronoun-links",
            "words for pronouns, as gold for anaphor align evaluate",
            ".jsonl",
            _JSON_LINES,
            records.write_pronoun_links,
            _JUDGE,
        ),
        ExportFormat(
            "suggestions",
            "suggestions and what was answered with and without them",
            ".jsonl",
            _JSON_LINES,
            _write_suggestions,
            _JUDGE,
        ),
        ExportFormat("gaps", "filled gaps for anaphor meta gaps", ".tsv", _TSV, records.write_gaps, _GAPS),
        ExportFormat("csv", "all answers as CSV", ".csv", "text/csv", records.write_csv),
        ExportFormat(
            "template", "CSV to fill in, without answers so far", ".csv", "text/csv", records.write_template
        ),
        ExportFormat("tsv", "all answers as TSV", ".tsv", _TSV, records.write_tsv),
        ExportFormat("jsonl", "all answers as JSON lines", ".jsonl", _JSON_LINES, records.write_jsonl),
        ExportFormat("journal", "every change as JSON lines", ".jsonl", _JSON_LINES, _write_journal),
        ExportFormat(
            "protest",
            "PROTEST database 1.1",
            ".db",
            "application/vnd.sqlite3",
            _from_file(write_protest),
            _JUDGE,
        ),
        ExportFormat(
            "mtme", "mt-metrics-eval layout", ".zip", "application/zip", _from_file(write_mtme), _JUDGE
        ),
        ExportFormat("pearmut", "Pearmut campaign", ".json", _JSON, write_pearmut, _JUDGE),
        ExportFormat("label-studio", "Label Studio tasks", ".json", _JSON, write_label_studio, _JUDGE),
        ExportFormat(
            SNAPSHOT, "all formats of one moment", ".zip", "application/zip", _from_file(_write_snapshot)
        ),
    )
}

IMPORTS: Mapping[str, ImportFormat] = {
    reader.name: reader
    for reader in (
        ImportFormat("csv", "answers as CSV", lambda data, path, **_: records.read_csv(data, path=path)),
        ImportFormat("tsv", "answers as TSV", lambda data, path, **_: records.read_tsv(data, path=path)),
        ImportFormat(
            "jsonl", "answers as JSON lines", lambda data, path, **_: records.read_jsonl(data, path=path)
        ),
        ImportFormat("protest", "PROTEST database 1.1", _read_protest),
        ImportFormat("mtme", "a rating file of mt-metrics-eval", read_ratings),
        ImportFormat("pearmut", "a campaign or output file of Pearmut", read_pearmut),
        ImportFormat("label-studio", "an export of Label Studio", read_label_studio),
    )
}
