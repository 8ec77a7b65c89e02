"""Files that leave the campaign, and answers from elsewhere that come back: merged, never overwriting."""

from __future__ import annotations

from dataclasses import dataclass

from litestar import Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import UploadFile
from litestar.params import MultipartBody
from litestar.response import Response

from anaphor.annotate.access import Session
from anaphor.annotate.audit import note
from anaphor.annotate.exchange import EXPORTS, IMPORTS, export_bytes, import_bytes
from anaphor.annotate.merging import MergeReport
from anaphor.annotate.web.desk import AnyRequest, AtDesk, Desk
from anaphor.annotate.web.entry import address_of
from anaphor.annotate.web.item_view import answer_words
from anaphor.annotate.web.judging import Id, page
from anaphor.annotate.web.pace import HEAVY
from anaphor.annotate.web.visitors import Visitor, only_leads
from anaphor.report.escape import shown


@dataclass(frozen=True, slots=True)
class ImportForm:
    """A file with answers, what it is, and whether to look only."""

    format: str
    file: UploadFile
    look_only: str = ""
    csrf: str = ""


@get("/lead/files", sync_to_thread=True)
def listed(desk: AtDesk, visitor: Visitor) -> Response[str]:
    """Every format for taking the answers elsewhere, and the form for bringing some back."""
    return _files(desk, visitor)


@get("/lead/files/{name:str}", sync_to_thread=True)
def download(request: AnyRequest, desk: AtDesk, visitor: Visitor, name: Id) -> Response[bytes]:
    """All answers in one format."""
    desk.pace.require(HEAVY, visitor.person.id)
    content = export_bytes(desk.store, name)
    note(
        desk.store,
        actor=visitor.person.name,
        action="exported",
        detail={"format": name},
        address=address_of(request),
    )
    form = EXPORTS[name]
    headers = {"Content-Disposition": f'attachment; filename="campaign-{name}{form.suffix}"'}
    return Response(content, media_type=form.media_type, headers=headers)


@post("/lead/files", status_code=200)
async def upload(
    desk: AtDesk,
    visitor: Visitor,
    data: MultipartBody[ImportForm],
) -> Response[str]:
    """Merge answers that were given elsewhere; all conflicts are shown, and nothing is overwritten."""
    desk.pace.require(HEAVY, visitor.person.id)
    content = await data.file.read()
    report = await sync_to_thread(_import, desk, visitor, data, content)
    return await sync_to_thread(_files, desk, visitor, report=report)


def _import(desk: Desk, visitor: Session, data: ImportForm, content: bytes) -> MergeReport:
    return import_bytes(
        desk.store,
        data.format,
        content,
        by=visitor.person.name,
        path=shown(data.file.filename[:100]),
        dry_run=bool(data.look_only),
    )


def _files(desk: Desk, visitor: Session, *, report: MergeReport | None = None) -> Response[str]:
    return page(
        desk,
        "lead_files.html",
        session=visitor,
        here="files",
        exports=EXPORTS,
        imports=IMPORTS,
        report=report,
        answer_words=answer_words,
    )


def file_routes(max_upload: int) -> Router:
    """The routes of files; only here a request may be large."""
    return Router(
        "/",
        route_handlers=[listed, download, upload],
        guards=[only_leads],
        request_max_body_size=max_upload,
    )
