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
from anaphor.core import (
    Alignment,
    Antecedent,
    Category,
    Item,
    LanguagePair,
    ReferencePair,
    Span,
    Suite,
    SuiteDocument,
)
from anaphor.corpus import AlignmentFile, Text
from anaphor.suite import EvaluationOptions, GivenLinks, LoadedSuite, SuiteTexts
from tests.support.web import PASSWORD, Served, answer

SOURCE = ("I bought a lamp .", "It is bright .", "Today it rains .", "We left .")
REFERENCE = ("J'ai acheté une lampe .", "Elle est vive .", "Aujourd'hui il pleut .", "Nous partîmes .")
SYSTEMS = {
    "secret-alpha": ("J'ai acheté une lampe .", "Elle est vive .", "Aujourd'hui il pleut .", "On partit ."),
    "secret-beta": ("J'ai acheté un lampadaire .", "Elle brille .", "Aujourd'hui ça pleut .", "On partit ."),
}
LINKS = (((0, 0), (1, 1), (3, 3)), ((0, 0), (1, 1), (2, 2)), ((0, 0), (1, 1), (2, 2)), ((0, 0), (1, 1)))


def small_suite(pair: str = "en-fr", source: tuple[str, ...] = SOURCE) -> LoadedSuite:
    """One document with an anaphoric and a pleonastic *it*; other text must have the same shape."""
    text, reference = Text.of(source, path="source"), Text.of(REFERENCE, path="human")
    starts = [sum(len(line) + 1 for line in source[:number]) for number in range(len(source))]
    human = [sum(len(line) + 1 for line in REFERENCE[:number]) for number in range(len(REFERENCE))]

    def word(line: int, number: int, *, lines: tuple[str, ...], offsets: list[int]) -> tuple[Span, ...]:
        tokens = lines[line].split(" ")
        start = offsets[line] + sum(len(token) + 1 for token in tokens[:number])
        return (Span(start, start + len(tokens[number])),)

    def here(line: int, number: int) -> tuple[Span, ...]:
        return word(line, number, lines=source, offsets=starts)

    def there(line: int, number: int) -> tuple[Span, ...]:
        return word(line, number, lines=REFERENCE, offsets=human)

    lamp = Item(
        "lamp",
        "home",
        "anaphoric_it",
        here(1, 0),
        (Antecedent(here(0, 3), here(0, 3)),),
        (ReferencePair("human", there(1, 0), (there(0, 3),)),),
    )
    rain = Item("rain", "home", "pleonastic_it", here(2, 1), (), (ReferencePair("human", there(2, 1)),))
    categories = (
        Category("anaphoric_it", True, "it for a thing"),
        Category("pleonastic_it", False, "it for nothing"),
    )
    document = SuiteDocument("home", len(source), text.digest, {"human": reference.digest})
    suite = Suite(
        "small", "1", LanguagePair.parse(pair), "Apache-2.0", "", categories, (document,), (lamp, rain)
    )
    return LoadedSuite(suite, SuiteTexts({"home": text}, {"human": {"home": reference}}))


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
