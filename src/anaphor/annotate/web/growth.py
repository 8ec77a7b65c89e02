"""The lead's page on which a campaign grows: more examples, systems and items, while annotators go on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from litestar import Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import UploadFile
from litestar.response import Redirect, Response
from sqlalchemy import select

from anaphor.annotate.analysis.more import draw_more
from anaphor.annotate.campaign.facts import campaign_suite
from anaphor.annotate.campaign.grow import GrownCampaign, grow_campaign
from anaphor.annotate.store import schema
from anaphor.annotate.web.rate_limit import HEAVY
from anaphor.annotate.web.security import Visit, Visitor, only_leads
from anaphor.annotate.web.state import AnyRequest
from anaphor.core import InputError, InputWarning, OptionError
from anaphor.corpus import Text
from anaphor.corpus.text import clean, parse_text
from anaphor.files.compression import read_zip
from anaphor.files.folders import file_name
from anaphor.report.escape import shown
from anaphor.suite import EvaluationOptions, LoadedSuite, load_suite

#: More files than a campaign has systems.
_MOST_FILES = 100
#: The folders of a suite are not nested more deeply than this.
_DEPTH = 4
_FIX = "pack the folder of the suite as .zip: suite.toml, items.jsonl and documents"


@dataclass(frozen=True, slots=True)
class GrowthFile:
    """A file that a lead has sent: its name without folders, and its content."""

    name: str
    content: bytes


@get("/lead/growth", sync_to_thread=True)
def growth(visitor: Visitor) -> Response[str]:
    """What a campaign consists of, and the forms to add to it."""
    return _growth(visitor)


@post("/lead/more", sync_to_thread=True, status_code=303)
def more(visitor: Visitor) -> Redirect:
    """Draw as many more examples as the intervals need, and distribute them among the annotators."""
    visitor.limit(HEAVY)
    draw_more(visitor.store, guess=visitor.app_state.config.guess, by=visitor.person.name)
    visitor.app_state.forecast.forget()
    return Redirect("/lead", status_code=303)


@post("/lead/growth", status_code=200)
async def grow(request: AnyRequest, visitor: Visitor) -> Response[str]:
    """Add the systems and items of the files that were sent."""
    visitor.limit(HEAVY)
    form = await request.form()
    candidates = [await _received(file) for file in form.getall("candidates", [])]
    suites = [await _received(file) for file in form.getall("suite", [])]
    tokenized = form.get("tokenized", "") == "1"

    def add() -> Response[str]:
        grown, notes = _grown(visitor, [*filter(None, candidates)], [*filter(None, suites)], tokenized)
        return _growth(visitor, grown=grown, notes=notes)

    return await sync_to_thread(add)


async def _received(file: object) -> GrowthFile | None:
    """A file of a form; None for a field that was left empty."""
    if not isinstance(file, UploadFile) or not file.filename:
        return None
    return GrowthFile(shown(PurePosixPath(file.filename).name[:200]), await file.read())


def _grown(
    visitor: Visit, candidates: list[GrowthFile], suites: list[GrowthFile], tokenized: bool
) -> tuple[GrownCampaign, list[str]]:
    if not candidates and not suites:
        fix = "choose translations of the texts by a new system, or a suite with more items"
        raise OptionError("there is nothing to add", where="the form", fix=fix)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        suite = _suite(suites[0]) if suites else None
        with visitor.store.read() as connection:
            pair = (suite or campaign_suite(connection)).suite.pair
        grown = grow_campaign(
            visitor.store,
            EvaluationOptions.built_in(pair, tokenized=tokenized),
            suite=suite,
            candidates=_systems(candidates),
            guess=visitor.app_state.config.guess,
            by=visitor.person.name,
        )
    visitor.app_state.forecast.forget()
    return grown, [str(one.message) for one in caught if issubclass(one.category, InputWarning)]


def _systems(files: Iterable[GrowthFile]) -> Mapping[str, Text]:
    """The translations by the names of their files without ending, as on the command line."""
    systems: dict[str, Text] = {}
    for file in files:
        name = file.name.partition(".")[0]
        if not name or name in systems or len(systems) == _MOST_FILES:
            raise OptionError(
                f"there are two files for the system {name}" if name in systems else "invalid name of a file",
                where=file.name,
                fix="call each file after its system, such as newest.txt",
            )
        systems[name] = parse_text(clean(file.content, path=file.name), path=file.name)
    return systems


def _suite(archive: GrowthFile) -> LoadedSuite:
    """The suite in a zip archive, whose folder may have any name."""
    with TemporaryDirectory(prefix="anaphor-suite-") as folder:
        for name, content in read_zip(archive.content, where=archive.name).items():
            *parents, last = PurePosixPath(name).parts
            if len(parents) > _DEPTH:
                raise InputError("folders of the archive are nested too deeply", where=archive.name, fix=_FIX)
            # A name that leads elsewhere is none that a file may have, and refused.
            parts = [file_name(part, kind="file", where=archive.name) for part in (*parents, last)]
            path = Path(folder, *parts)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError as error:
                raise InputError("a file of the archive is also a folder", where=name, fix=_FIX) from error
        headers = sorted(Path(folder).rglob("suite.toml"), key=lambda path: len(path.parts))
        if not headers:
            raise InputError("the archive has no suite.toml", where=archive.name, fix=_FIX)
        try:
            return load_suite(headers[0].parent)
        except InputError as error:
            # The folder is ours and gone at once: the reader knows the archive.
            where = str(error.where).replace(folder, archive.name)
            raise InputError(error.what, where=where, fix=error.fix) from error


def _growth(
    visitor: Visit, *, grown: GrownCampaign | None = None, notes: Iterable[str] = ()
) -> Response[str]:
    table = schema.systems
    query = select(table.c.name).where(~table.c.attention).order_by(table.c.place)
    with visitor.store.read() as connection:
        systems = list(connection.execute(query).scalars())
    remaining = visitor.app_state.forecast.remaining(visitor.store, visitor.tally)
    return visitor.page(
        "lead_growth.html", "growth", systems=systems, remaining=remaining, grown=grown, notes=[*notes]
    )


def growth_routes(max_upload: int) -> Router:
    """The routes of this page, of which one takes files, which may be large."""
    return Router(
        "/", route_handlers=[growth, more, grow], guards=[only_leads], request_max_body_size=max_upload
    )
