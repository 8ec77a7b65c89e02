"""Where real data and golden outputs lie, for the tests that need them."""

from __future__ import annotations

import gc
import os
import signal
import tarfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from anaphor.predict.anaphor2.inference import NativeNetwork
from tests.support.api_server import ApiServer, running_server
from tests.support.networks import remembered_scores

# Libraries of linear algebra read this when they are loaded. On several threads, small matrices take up to
# five times the processor time, above all where other tests run beside them.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Thousands of tests are collected, and all of them stay: looking for garbage among them is wasted time.
gc.disable()

# Time limits per example fail on busy machines, not on wrong code. Continuous integration draws the same
# examples every time; a developer's runs go on looking for new ones, `make test-long` in ten times as many.
TIMELESS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("anaphor", TIMELESS, max_examples=30, derandomize=bool(os.environ.get("CI")))
settings.register_profile("long", TIMELESS, max_examples=300)
settings.load_profile("anaphor")

# What a shell starts in the background ignores Ctrl-C, and so would every program that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser come first: they mostly wait, and other processes compute meanwhile."""
    items.sort(key=lambda item: "/browser/" not in item.path.as_posix())


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # so that native objects are freed before the interpreter ends


def _folder(variable: str, default: Path) -> Path:
    folder = Path(os.environ.get(variable, default))
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there; set {variable} to the folder that has it")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests leave the configuration of whoever runs them alone."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
        yield


@pytest.fixture(autouse=True)
def _networks_run_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever scores the demo gets what the networks said of it before, but for their own tests."""
    if "/tests/predict/" not in request.path.as_posix():
        monkeypatch.setattr(NativeNetwork, "scores", remembered_scores)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real data (news, TED, Europarl ...)."""
    return _folder("ANAPHOR_DATA", SHARED / "data")


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """The folder with outputs of the original tools."""
    return _folder("ANAPHOR_GOLDEN", SHARED / "golden")


@pytest.fixture(scope="session")
def unpacked(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Unpacks the one archive of a folder of the real data, once, and gives the folder with its content."""

    @cache
    def unpack(name: str) -> Path:
        (archive,) = (data_dir / name).glob("*.tar.gz")
        target = tmp_path_factory.mktemp(name)
        with tarfile.open(archive) as packed:
            packed.extractall(target, filter="data")
        return target

    return unpack


@pytest.fixture
def server() -> Iterator[ApiServer]:
    """A server that answers like the OpenAI API, on a free port of this machine."""
    with running_server() as state:
        yield state
