"""Campaigns that are served to a real browser; the server can go away and come back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("litestar", reason='the page needs pip install "anaphor[annotate]"')

import uvicorn

from anaphor.align import AlignerChoice
from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
from anaphor.annotate.campaign.people import add_lead, add_link
from anaphor.annotate.campaign.practice import PracticeExample
from anaphor.annotate.campaign.workload import WorkloadConfig
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.annotate.web import ServerConfig, create_app
from anaphor.annotate.web.site import CampaignSite
from anaphor.core import LanguagePair
from anaphor.corpus import Text
from anaphor.suite import EvaluationOptions, LoadedSuite, load_shipped, plain_suite
from anaphor.suite.linking import LinkedTexts
from tests.support.pages import go_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PASSWORD = "a long enough password"  # noqa: S105 - of a lead in these tests
PEOPLE = ("Ann", "Bob", "Cem")
LAMPS = [f"The lamp {n} fell. It broke, and they left it." for n in range(6)]
LAMPES = [f"La lampe {n} tomba. Elle cassa, et ils la laissèrent." for n in range(6)]


@cache
def fresh_campaign(mode: Mode) -> bytes:
    """The database of a new campaign about the first items of a shipped suite."""
    loaded = load_shipped("anaphor-en-fr")
    reference = next(iter(loaded.texts.references))
    lines = [line or "" for line in loaded.texts.lines(reference)]
    texts = {name: Text.of(_slipped(lines, name), path=name) for name in ("alpha", "beta")}
    config = CampaignConfig(
        annotators=PEOPLE,
        mode=mode,
        name="Lighthouse",
        workload=WorkloadConfig(overlap=1.0, batch_size=4),
        mismatches_only=mode is not Mode.COMPARE,
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.db"
        create_campaign(
            path, loaded, texts, EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair)), config
        )
        store = open_store(path)
        add_lead(store, "Lea", PASSWORD)
        store.close()
        return path.read_bytes()


def _slipped(lines: list[str], system: str) -> list[str]:
    """The reference with some pronouns of its first lines turned into others."""
    swaps = (("Elle ", "Il "), (" elle ", " il "))
    if system == "beta":
        swaps = (("Il ", "Elle "), (" il ", " elle "))
    found = []
    for number, line in enumerate(lines):
        for before, after in swaps if number < 30 else ():
            line = line.replace(before, after)
        found.append(line)
    return found


@dataclass
class Server:
    """A server that can go away and come back on the same port."""

    store: Store
    port: int = 0
    running: Any = None
    thread: threading.Thread | None = None

    def start(self) -> None:
        config = uvicorn.Config(
            create_app(self.store), port=self.port, log_level="critical", timeout_graceful_shutdown=2
        )
        self.running = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.running.run)
        self.thread.start()
        while not self.running.started:
            assert self.thread.is_alive(), "the server did not start"
            time.sleep(0.02)
        self.port = self.running.servers[0].sockets[0].getsockname()[1]

    def stop(self) -> None:
        if self.thread is not None and self.running is not None:
            self.running.should_exit = True
            self.thread.join()
            self.thread = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def link(self, name: str) -> str:
        return f"{self.url}/enter/{add_link(self.store, name, by='test')}"

    def enter(self, page: Page, name: str) -> None:
        """Open the personal link of somebody, and wait until the script listens to keys."""
        page.goto(self.link(name))
        go_in(page)
        page.wait_for_selector("html[data-ready] #item")


Serve = Callable[[Mode], Server]


@contextmanager
def served(folder: Path, mode: Mode) -> Iterator[Server]:
    path = folder / f"{mode.value}.db"
    path.write_bytes(fresh_campaign(mode))
    store = open_store(path)
    server = Server(store)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        store.close()


@pytest.fixture(scope="session")
def open_server() -> Callable[[Path, Mode], AbstractContextManager[Server]]:
    """Serves a fresh campaign from a folder while a block lasts."""
    return served


@pytest.fixture
def serve_campaign(tmp_path: Path) -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda mode: stack.enter_context(served(tmp_path, mode))


@pytest.fixture
def server(serve_campaign: Serve) -> Server:
    return serve_campaign(Mode.JUDGE)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Two campaigns about the same text: one that is adaptive and grows, one with practice for a crowd."""
    pair = LanguagePair("en", "fr")
    loaded = plain_suite(Text.of(LAMPS, path="lamps.en"), pair)
    texts = {"gold": Text.of(LAMPES, path="gold.fr")}
    options = EvaluationOptions(aligner=AlignerChoice(pair=pair))
    first = PracticeExample("0:5", "gold", AnnotatorAnswer(pronoun=Mark.YES), "The lamp is feminine: elle.")
    whole = WorkloadConfig(overlap=0)
    configs = {
        "/crowd": CampaignConfig(
            annotators=("Ann",),
            name="Crowd",
            practice=(first,),
            budget=4,
            study_people=2,
            completion_code="C1A2",
            completion_url="http://127.0.0.1:9/complete?cc=C1A2",
            workload=whole,
        ),
        "/lamps": CampaignConfig(annotators=("Ann",), name="Lamps", budget=8, adaptive=True, workload=whole),
    }
    stores = {}
    for path, config in configs.items():
        file = tmp_path / f"{path[1:]}.db"
        create_campaign(file, loaded, texts, options, config)
        stores[path] = open_store(file)
        add_lead(stores[path], "Lea", PASSWORD)
    app: Any = CampaignSite(stores, ServerConfig())
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.02)
    yield {"url": f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", **stores}
    server.should_exit = True
    thread.join()
    for store in stores.values():
        store.close()


def reject_everything(
    _: LoadedSuite, candidates: Mapping[str, Text], linked: LinkedTexts
) -> dict[tuple[str, str], str]:
    """A verdict according to which no pronoun of any candidate is right."""
    places = [(line, word) for line, words in enumerate(linked.source) for word in range(len(words))]
    return {(system, f"{line}:{word}"): "no" for system in candidates for line, word in places}


@pytest.fixture
def strict_server(tmp_path: Path) -> Iterator[Server]:
    """A sample with a consent text, practice that has to be right, and suggestions."""
    pair = LanguagePair("en", "fr")
    loaded = plain_suite(Text.of(LAMPS, path="lamps.en"), pair)
    first = PracticeExample("0:5", "gold", AnnotatorAnswer(pronoun=Mark.YES), "The lamp is feminine: elle.")
    config = CampaignConfig(
        annotators=("Ann", "Bob"),
        name="Lamps",
        consent="# Your data\n\nAnswers are stored under a *number*.",
        practice=(first,),
        practice_required=1.0,
        suggestions="before",
        budget=16,
        workload=WorkloadConfig(overlap=1),
    )
    create_campaign(
        tmp_path / "strict.db",
        loaded,
        {"gold": Text.of(LAMPES, path="gold.fr")},
        EvaluationOptions(aligner=AlignerChoice(pair=pair)),
        config,
        guess=reject_everything,
    )
    with open_store(tmp_path / "strict.db") as store:
        add_lead(store, "Lea", PASSWORD)
        server = Server(store)
        server.start()
        yield server
        server.stop()


OpenWindow = Callable[..., AbstractContextManager[tuple["Page", list[str]]]]


@pytest.fixture
def window(browser: Browser) -> OpenWindow:
    """Opens a page of a server in a browser of its own, and notes what it says and what it asks of others."""

    @contextmanager
    def opened(server: Server, **options: Any) -> Iterator[tuple[Page, list[str]]]:
        context = browser.new_context(**options)
        page = context.new_page()
        messages: list[str] = []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: _note(request.url, server.url, messages))
        yield page, messages
        context.close()

    return opened


def _note(address: str, own: str, messages: list[str]) -> None:
    if not address.startswith(own):
        messages.append(f"request to {address}")
