"""Starts the server on a free port of this machine."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from anaphor.core import LanguagePair
from anaphor.predict.server.model import ServerModel
from anaphor.predict.shipped import find_model
from anaphor.recipes.connection import connect
from anaphor.task import task_classes
from tests.support.api_server import ApiServer


@pytest.fixture
def server() -> Iterator[ApiServer]:
    state = ApiServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            time.sleep(state.slow)
            size = int(self.headers.get("Content-Length") or 0)
            code, body, headers = state.reply(self.path, dict(self.headers), self.rfile.read(size))
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            try:
                self.send_response(code)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                pass  # the client did not wait

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{listening.server_port}/v1"
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    listening.shutdown()
    thread.join()
    listening.server_close()


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
