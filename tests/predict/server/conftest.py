"""Models of a server that answers on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import LanguagePair
from anaphor.predict.server.model import ServerModel
from anaphor.predict.shipped import find_model
from anaphor.recipes.connection import connect
from anaphor.task import task_classes
from tests.support.api_server import ApiServer


@pytest.fixture
def model_of(server: ApiServer, tmp_path: Path) -> Callable[..., ServerModel]:
    """Connects to the server and loads the model again, as a user does."""

    def make(pair: str = "en-fr", **options: Any) -> ServerModel:
        given = {
            "server": server.url,
            "model": "tiny",
            "cache": str(tmp_path / "kept"),
            "pause": 0.01,
            **options,
        }
        connect(tmp_path / "model", classes=task_classes(LanguagePair.parse(pair)), **given)
        model = find_model(str(tmp_path / "model"))
        assert isinstance(model, ServerModel)
        return model

    return make
