"""The application: all routes and guards in one place."""

from __future__ import annotations

from litestar import Litestar, Response, get
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException, NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.params import FromPath

from anaphor import __version__
from anaphor.annotate.store import Store
from anaphor.annotate.web import growth, inbox, items, lead
from anaphor.annotate.web.errors import explain
from anaphor.annotate.web.forms import provide_form
from anaphor.annotate.web.security import SessionMiddleware, add_headers, check_request, provide_visitor
from anaphor.annotate.web.sign_in import api_session, choose_language, enter, front, landing, leave, login
from anaphor.annotate.web.state import AnyRequest, AppState, InjectedState, ServerConfig


@get("/static/{name:str}", sync_to_thread=False)
def static(request: AnyRequest, app_state: InjectedState, name: FromPath[str]) -> Response[bytes | None]:
    """A static file; the browser revalidates it, usually with a 304 response."""
    asset = app_state.assets.get(name)
    if asset is None:
        raise NotFoundException("file not found")
    headers = {"ETag": asset.tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(None, status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)


@get("/health", sync_to_thread=False)
def health() -> dict[str, str]:
    """Whether the server is running."""
    return {"state": "running"}


def create_app(store: Store, config: ServerConfig | None = None) -> Litestar:
    """The application for an open campaign. All its state is in the database, so a restart loses nothing."""
    app_state = AppState.of(store, config or ServerConfig())
    return Litestar(
        route_handlers=[
            *(front, choose_language, landing, enter, api_session, login, leave, static, health),
            *(items.FIRST, items.PAGES, items.API, items.DIALOGS),
            *(inbox.ANNOTATORS, inbox.LEADS),
            *(lead.PAGES, lead.PEOPLE, lead.file_routes(app_state.config.max_upload)),
            growth.growth_routes(app_state.config.max_upload),
        ],
        middleware=[SessionMiddleware()],
        before_request=check_request,
        before_send=[add_headers],
        dependencies={
            "app_state": Provide(lambda: app_state, sync_to_thread=False),
            "visitor": Provide(provide_visitor, sync_to_thread=False),
            "sent": Provide(provide_form),
        },
        exception_handlers={HTTPException: explain, Exception: explain},
        state=State({"app_state": app_state}),
        request_max_body_size=app_state.config.max_body,
        logging_config=None,
        openapi_config=OpenAPIConfig(
            title="anaphor annotate",
            version=__version__,
            use_handler_docstrings=True,
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
        ),
    )
