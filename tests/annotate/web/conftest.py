"""Small campaigns that are served in memory: an invented suite, two systems, two annotators and a lead."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from litestar import Litestar

from anaphor.align import AlignerChoice
from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
from anaphor.annotate.campaign.people import add_lead
from anaphor.annotate.campaign.workload import WorkloadConfig
from anaphor.annotate.store.database import open_store
from anaphor.annotate.types import Mode
from anaphor.annotate.web import ServerConfig
from anaphor.core import Alignment
from anaphor.corpus import AlignmentFile, Text
from anaphor.suite import EvaluationOptions, GivenLinks
from tests.support.small_suite import LINKS, SOURCE, SYSTEMS, small_suite
from tests.support.web import PASSWORD, Served, answer

Maker = Callable[..., Served]


def make_campaign(path: Path, *, pair: str, source: tuple[str, ...], config: dict[str, Any]) -> None:
    """The small campaign in a new database; everybody gets all items."""
    loaded = small_suite(pair, source)
    texts = {name: Text.of(lines, path=name) for name, lines in SYSTEMS.items()}
    alignments = [Alignment(tuple(s for s, _ in one), tuple(t for _, t in one)) for one in LINKS]
    files = {name: AlignmentFile.made(alignments, path=f"{name}.align") for name in SYSTEMS}
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair), tokenized=True)
    given = GivenLinks(Text.of(source, path="source"), files)
    workload = WorkloadConfig(overlap=1.0, batch_size=3)
    campaign_config = CampaignConfig(
        annotators=("Ann", "Bob"), name="Small campaign", workload=workload, **config
    )
    create_campaign(path, loaded, texts, options, campaign_config, links=given)


@cache
def fresh_campaign(pair: str, source: tuple[str, ...], config: tuple[tuple[str, Any], ...]) -> bytes:
    """The database of a new campaign with a lead; made once, and copied for every test."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.db"
        make_campaign(path, pair=pair, source=source, config=dict(config))
        store = open_store(path)
        add_lead(store, "Lea", PASSWORD)
        store.close()
        return path.read_bytes()


@pytest.fixture
def serve_small(tmp_path: Path, make_app: Callable[..., Litestar]) -> Iterator[Maker]:
    """Serves a small campaign; keywords are those of `CampaignConfig` and `ServerConfig`."""
    with ExitStack() as stack:

        def serve(
            *,
            settings: ServerConfig | None = None,
            pair: str = "en-fr",
            source: tuple[str, ...] = SOURCE,
            **config: Any,
        ) -> Served:
            path = tmp_path / f"{secrets.token_hex(4)}.db"
            path.write_bytes(fresh_campaign(pair, source, tuple(sorted(config.items()))))
            store = open_store(path)
            stack.callback(store.close)
            return Served(store, make_app(store, settings))

        yield serve


@pytest.fixture
def served(serve_small: Maker) -> Served:
    """The campaign in which pronouns are judged."""
    return serve_small(mode=Mode.JUDGE)


@pytest.fixture
def answered() -> Callable[..., dict[str, Any]]:
    """Makes requests of the page's script."""
    return answer
