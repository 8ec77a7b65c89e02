"""Shared state of all routes: the open campaign, its configuration, templates, assets and rate limits."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from litestar.connection import ASGIConnection, Request
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.enums import MediaType
from litestar.response import Response
from markupsafe import Markup

from anaphor.annotate.analysis.adaptive import AdaptiveOrder
from anaphor.annotate.analysis.status import Forecast
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.answer_json import answer_json
from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.campaign.pool import Guesser
from anaphor.annotate.rules import TAG_HELP
from anaphor.annotate.store import Store
from anaphor.annotate.types import Campaign
from anaphor.annotate.web import context
from anaphor.annotate.web.guidance import pictures, standard_guidelines, tag_example
from anaphor.annotate.web.language import chosen_language, script_words, translator
from anaphor.annotate.web.markdown import markdown
from anaphor.annotate.web.rate_limit import RateLimiter
from anaphor.core import UserError
from anaphor.report.charts import asset as report_asset
from anaphor.report.escape import shown

AnyRequest: TypeAlias = Request[Any, Any, Any]
AnyConnection: TypeAlias = ASGIConnection[Any, Any, Any, Any]

#: Host names of a server that only this machine can reach. Any other name is refused: a foreign page could
#: otherwise reach the server through a name of its own that resolves to 127.0.0.1 (DNS rebinding).
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

#: ISO 639 codes of languages that are written from right to left.
_RIGHT_TO_LEFT = frozenset(("ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi"))

#: An address of our own in a template.
_ADDRESS = re.compile(r'\b(href|src|action|formaction|data-url)="/(?!/)')

_MEDIA_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """Configuration of the application. `hosts` are the accepted host names, None for any.

    - `base`: the path under which the campaign is served, such as `/pilot`; empty for the root.
    - `secure`: the server is reached over TLS, so cookies are marked Secure and HSTS is sent.
    - `session_hours`: lifetime of a session opened by a link; `lead_hours` that of a lead.
    - `guess`: the automatic verdict, for campaigns with suggestions that grow.
    - `max_body`: maximum request size in bytes; `max_upload`: maximum size of a file uploaded by a lead.
    """

    hosts: frozenset[str] | None = LOOPBACK
    base: str = ""
    secure: bool = False
    session_hours: float = 72.0
    lead_hours: float = 12.0
    guess: Guesser | None = None
    max_body: int = 64 * 1024
    max_upload: int = 32 * 1024 * 1024


class Asset(NamedTuple):
    """A static file; `tag` is its ETag, which changes with the content."""

    content: bytes
    media_type: str
    tag: str


@dataclass(frozen=True, slots=True, eq=False)
class AppState:
    """The state of one served campaign."""

    store: Store
    campaign: Campaign
    config: ServerConfig
    templates: Environment
    assets: Mapping[str, Asset]
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
    tally: CampaignTally = field(default_factory=CampaignTally)
    forecast: Forecast = field(default_factory=Forecast)
    adaptive: AdaptiveOrder = field(default_factory=AdaptiveOrder)

    @classmethod
    def of(cls, store: Store, config: ServerConfig) -> AppState:
        campaign = read_campaign(store)
        return cls(store, campaign, config, _templates(campaign, config.base), load_assets())

    @property
    def cookie(self) -> str:
        """The name of the session cookie.

        Browsers send a host's cookies to all its ports, so two campaigns on one machine need different names.
        """
        name = f"anaphor-{self.campaign.id[:12]}"
        return f"__Host-{name}" if self.config.secure else name

    @property
    def language_cookie(self) -> str:
        """The name of the cookie that stores the chosen language."""
        return f"{self.cookie}-language"

    def counted(self) -> CampaignTally:
        """All labels, counted up to now."""
        return self.tally.refresh(self.store)

    def warm_up(self) -> None:
        """Count all labels in the background, so the first page of a lead does not have to wait."""

        def count() -> None:
            with suppress(UserError):  # whoever needs the database next is told what is wrong with it
                self.counted()

        threading.Thread(target=count, daemon=True).start()

    def render(self, template: str, *, language: str = "en", **context: object) -> str:
        """A template as text: a whole page, or a fragment of one, in a language of the interface."""
        words: dict[str, object] = {
            "_": translator(language),
            "language": language,
            "script_words": script_words(language),
        }
        words |= {"languages": {}} | context
        return self.templates.get_template(template).render(words)

    def page(
        self,
        template: str,
        *,
        status: int = 200,
        language: str = "en",
        cookies: Sequence[Cookie] = (),
        **context: Any,
    ) -> Response[str]:
        """A template as a response."""
        html = self.render(template, language=language, **context)
        return Response(html, status_code=status, media_type=MediaType.HTML, cookies=list(cookies))


InjectedState: TypeAlias = NamedDependency[AppState]
"""The type of a route's argument `app_state`."""


def app_state_of(connection: AnyConnection) -> AppState:
    """The state of the application that a connection belongs to."""
    state: AppState = connection.app.state["app_state"]
    return state


def language_of(connection: AnyConnection) -> str:
    """The language of the interface: what the user chose, else that of the campaign, else of the browser."""
    state = app_state_of(connection)
    chosen = connection.cookies.get(state.language_cookie, "")
    return chosen_language(chosen, state.campaign.language, connection.headers.get("accept-language", ""))


def path_of(connection: AnyConnection) -> str:
    """The path of a request within the campaign."""
    return str(connection.scope["path"]).removeprefix(connection.scope.get("root_path", ""))


def load_assets() -> Mapping[str, Asset]:
    """All static files by name, held in memory so that no path can lead elsewhere."""
    assets = {
        entry.name: entry.read_bytes()
        for entry in (files("anaphor") / "annotate" / "web" / "static").iterdir()
        if entry.name.rpartition(".")[2] in _MEDIA_TYPES
    }
    assets["palette.css"] = report_asset("palette.css").encode("utf-8")
    return {
        name: Asset(data, _MEDIA_TYPES[name.rpartition(".")[2]], f'"{hashlib.sha256(data).hexdigest()[:20]}"')
        for name, data in sorted(assets.items())
    }


class _Addresses(Extension):
    """Prefixes all internal addresses in templates with the campaign's path."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        return _ADDRESS.sub(r'\1="{{ base }}/', source)


def _templates(campaign: Campaign, base: str) -> Environment:
    """The templates; values are escaped, and unknown names raise errors."""
    environment = Environment(
        loader=PackageLoader("anaphor.annotate.web", "pages"),
        auto_reload=False,  # else every page asks the file system for each of its templates
        autoescape=True,
        undefined=StrictUndefined,
        extensions=[_Addresses],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    functions = (
        *(context.source_words, context.target_words, context.line_marked, context.verdict, direction),
        *(context.coefficient, context.answer_words, context.duration, answer_json),
        context.expected_words,
    )
    target = campaign.target_language
    environment.globals.update(
        pictures=partial(pictures, target),
        tag_example=partial(tag_example, target),
        standard_guidelines=standard_guidelines,
        markdown=markdown,
    )
    environment.globals.update(
        {function.__name__: function for function in functions},
        campaign=campaign,
        base=base,
        tag_help=TAG_HELP,
    )
    environment.filters.update(shown=shown, moment=moment, spelled=spelled)
    return environment


def direction(language: str) -> str:
    """The value of `dir`: known for right-to-left languages, otherwise determined by the first strong
    character.
    """
    return "rtl" if language in _RIGHT_TO_LEFT else "auto"


def moment(time: str | None) -> Markup:
    """A stored time to the minute, such as 2024-05-23 14:05 UTC; scripts show it in the local zone."""
    if time is None:
        return Markup("–")
    return Markup('<time datetime="{}">{} UTC</time>').format(time, time[:16].replace("T", " "))


def spelled(name: str) -> str:
    """The name of a category or tag as words."""
    return name.replace("_", " ")
