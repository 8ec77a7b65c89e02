"""The real server as a process that can be killed, and fifty annotators who go on whatever happens to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from anaphor.annotate.campaign.create import CampaignConfig, CreatedCampaign
from anaphor.annotate.campaign.workload import WorkloadConfig
from tests.support.kill import (
    CROWD,
    LAUNCHER,
    SOURCE,
    Annotator,
    Browser,
    Crowd,
    Serving,
    browsers,
)

if TYPE_CHECKING:
    Make = Callable[..., CreatedCampaign]


@pytest.fixture(scope="session")
def launcher() -> Iterator[subprocess.Popen[str]]:
    """The process that forks servers."""
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    yield process
    process.kill()
    process.communicate()


@pytest.fixture(scope="session")
def crowded(make_campaign: Make) -> Callable[[str], None]:
    """Makes a campaign in which fifty people get all items."""
    workload = WorkloadConfig(overlap=1.0, raters=len(CROWD))

    def make(address: str) -> None:
        make_campaign(address, CampaignConfig(annotators=CROWD, workload=workload))

    return make


@pytest.fixture(scope="session")
def crowded_file(crowded: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crowded") / "campaign.db"
    crowded(str(path))
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def crowded_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The campaign of fifty on both databases."""
    if request.param == "sqlite":
        return str(shutil.copy(request.getfixturevalue("crowded_file"), tmp_path / "campaign.db"))
    address: str = request.getfixturevalue("new_database")(None)
    request.getfixturevalue("crowded")(address)
    return address


@pytest.fixture
def serve(tmp_path: Path, launcher: subprocess.Popen[str]) -> Iterator[Callable[[str], Serving]]:
    """Starts servers, which end with the test."""
    started: list[Serving] = []

    def start(address: str) -> Serving:
        serving = Serving(launcher, address, tmp_path / "log")
        started.append(serving)
        serving.start()
        return serving

    yield start
    for serving in started:
        serving.kill()


@pytest.fixture
def sign_in() -> Callable[[str, int], tuple[Browser, ...]]:
    return browsers


@pytest.fixture
def set_to_work() -> Iterator[Callable[..., Crowd]]:
    """Sets annotators to work, who end with the test."""
    crowds: list[Crowd] = []

    def begin(address: str, port: int, *, seed: int) -> Crowd:
        stop = threading.Event()
        members = [
            Annotator(one, seed=f"{seed}-{number}", stop=stop)
            for number, one in enumerate(browsers(address, port))
        ]
        crowds.append(Crowd(tuple(members), stop))
        crowds[-1].start()
        return crowds[-1]

    yield begin
    for crowd in crowds:
        crowd.end()
