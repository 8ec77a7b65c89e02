"""The application: every route, every guard, in one place."""

from __future__ import annotations

from litestar import Litestar, Response, get
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException, NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.params import FromPath

from anaphor import __version__
from anaphor.annotate.faults import StoreError
from anaphor.annotate.store import Store
from anaphor.annotate.web import judging, judging_api, lead, lead_decisions, lead_people
from anaphor.annotate.web.desk import AnyRequest, AtDesk, Desk
from anaphor.annotate.web.entry import enter, front, leave, login
from anaphor.annotate.web.lead_files import file_routes
from anaphor.annotate.web.mistakes import (
    explain_failure,
    explain_http_error,
    explain_store_error,
    explain_undecodable,
    explain_user_error,
)
from anaphor.annotate.web.policy import add_headers, check_request
from anaphor.annotate.web.settings import Settings
from anaphor.annotate.web.visitors import Visits, provide_visitor
from anaphor.core import UserError


@get("/static/{name:str}", sync_to_thread=False)
def static(request: AnyRequest, desk: AtDesk, name: FromPath[str]) -> Response[bytes | None]:
    """A file of the application; the browser asks whether it changed, and mostly gets no content."""
    found = desk.assets.get(name)
    if found is None:
        raise NotFoundException("there is no such file")
    headers = {"ETag": found.tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == found.tag:
        return Response(None, status_code=304, headers=headers)
    return Response(found.content, media_type=found.media_type, headers=headers)


@get("/health", sync_to_thread=False)
def health() -> dict[str, str]:
    """Whether the server runs."""
    return {"state": "running"}


def create_app(store: Store, settings: Settings | None = None) -> Litestar:
    """The application over an open campaign. Its state is the database; a restart loses nothing."""
    desk = Desk.of(store, settings or Settings())
    return Litestar(
        route_handlers=[
            front,
            enter,
            login,
            leave,
            static,
            health,
            judging.ROUTES,
            judging_api.ROUTES,
            lead.ROUTES,
            lead_decisions.ROUTES,
            lead_people.ROUTES,
            file_routes(desk.settings.max_upload),
        ],
        middleware=[Visits()],
        before_request=check_request,
        before_send=[add_headers],
        dependencies={
            "desk": Provide(lambda: desk, sync_to_thread=False),
            "visitor": Provide(provide_visitor, sync_to_thread=False),
        },
        exception_handlers={
            StoreError: explain_store_error,
            UserError: explain_user_error,
            HTTPException: explain_http_error,
            UnicodeDecodeError: explain_undecodable,
            Exception: explain_failure,
        },
        state=State({"desk": desk}),
        request_max_body_size=desk.settings.max_body,
        logging_config=None,
        openapi_config=OpenAPIConfig(
            title="anaphor annotate",
            version=__version__,
            use_handler_docstrings=True,
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
        ),
    )
