"""A server that answers like the OpenAI API, on a free port of this machine, and texts to send to it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from tests.support.slots import segment

TEXT = (
    segment("I bought a lamp .", "J' ai acheté une lampe ."),
    segment("It works and it is red .", "REPLACE_0 marche et REPLACE_3 est rouge ."),
    segment("Good .", "Bien ."),
)
FILE = (
    "\t\tI bought a lamp .\tJ' ai acheté une lampe .\t0-0\n"
    "elle il\telle il\tIt works and it is red .\tREPLACE_0 marche et REPLACE_3 est rouge .\t0-0 3-3\n"
    "OTHER\tle\tI see it .\tJe REPLACE_2 vois .\t0-0\n"
)

#: What a server does with a request: status, body (JSON unless bytes), headers.
Reply = tuple[int, Any, dict[str, str]]


def number_of(prompt: str, choice: str) -> str:
    """The number that a prompt gives to a choice."""
    match = re.search(rf"^(\d+)\) {re.escape(choice)}(?: \(|$)", prompt, re.MULTILINE)
    assert match is not None, prompt
    return match[1]


@dataclass
class ApiServer:
    """Counts what it is sent. `answer` maps a prompt to an answer; `replies` come first, one per request."""

    answer: Callable[[str], str] = lambda prompt: number_of(prompt, "elle")
    logprobs: Callable[[str], dict[str, float]] | None = None
    replies: list[Reply] = field(default_factory=list)
    slow: float = 0.0
    models: tuple[str, ...] = ("tiny", "large")
    prompts: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    url: str = ""
    lock: Any = field(default_factory=Lock)

    def reply(self, path: str, headers: dict[str, str], body: bytes) -> Reply:
        if path == "/v1/models":
            return 200, {"data": [{"id": name} for name in self.models]}, {}
        request = json.loads(body)
        chat = path == "/v1/chat/completions"
        if not chat and path != "/v1/completions":
            return 404, b"<html>nothing here</html>", {}
        prompt = request["messages"][0]["content"] if chat else request["prompt"]
        with self.lock:
            self.headers.append(headers)
            self.bodies.append(request)
            self.prompts.append(prompt)
            self.times.append(time.monotonic())
            if self.replies:
                return self.replies.pop(0)
        if request["model"] not in self.models:
            return 404, {"error": {"message": f"The model {request['model']} does not exist"}}, {}
        text = self.answer(prompt)
        choice: dict[str, Any] = (
            {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        )
        if self.logprobs is not None and request.get("logprobs"):
            tokens = self.logprobs(prompt)
            rows = [{"token": token, "logprob": value} for token, value in tokens.items()]
            choice["logprobs"] = {"content": [{"top_logprobs": rows}]} if chat else {"top_logprobs": [tokens]}
        return 200, {"choices": [choice]}, {}


@contextmanager
def running_server() -> Iterator[ApiServer]:
    """A server on a free port, as long as the context lasts."""
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
    try:
        yield state
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()
