"""What every route works with: the open campaign, its settings, pages, assets and rate limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from jinja2 import Environment
from litestar.connection import ASGIConnection, Request
from litestar.di import NamedDependency

from anaphor.annotate.campaign import read_campaign
from anaphor.annotate.nouns import Campaign
from anaphor.annotate.store import Store
from anaphor.annotate.web.assets import Asset, load_assets
from anaphor.annotate.web.pace import Pace
from anaphor.annotate.web.rendering import page_environment
from anaphor.annotate.web.settings import Settings

AnyRequest: TypeAlias = Request[Any, Any, Any]
AnyConnection: TypeAlias = ASGIConnection[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """One campaign that is being served."""

    store: Store
    campaign: Campaign
    settings: Settings
    pages: Environment
    assets: Mapping[str, Asset]
    pace: Pace = field(default_factory=Pace)

    @classmethod
    def of(cls, store: Store, settings: Settings) -> Desk:
        campaign = read_campaign(store)
        return cls(store, campaign, settings, page_environment(campaign), load_assets())

    @property
    def cookie(self) -> str:
        """The name of the session's cookie.

        Browsers send the cookies of a host to all its ports: two campaigns on one machine need two names.
        """
        name = f"anaphor-{self.campaign.id[:12]}"
        return f"__Host-{name}" if self.settings.secure else name


AtDesk: TypeAlias = NamedDependency[Desk]
"""What a route gets as its argument `desk`."""


def desk_of(connection: AnyConnection) -> Desk:
    """The desk of the application that a connection came to."""
    desk: Desk = connection.app.state["desk"]
    return desk
