"""Completions of a server with the OpenAI API, cached on disk: the same prompt is never sent twice.

Each answer has its own file, named by a hash of the server's address and the whole request: model, prompt and
decoding options. An interrupted run continues where it stopped, and a repeated one sends nothing. The API key
is sent in the header of a request and occurs nowhere else.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from ipaddress import ip_address
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from anaphor.core import InputError, OptionError, UnknownNameError, UserError
from anaphor.core.deadline import Deadline
from anaphor.files.writing import write_atomically
from anaphor.predict.model_folder import default_cache
from anaphor.predict.options import Options, option

#: The environment variable that allows to send a key over plain http, set to 1.
PLAIN_HTTP = "ANAPHOR_KEY_OVER_HTTP"
ENDPOINTS = {"chat": "/chat/completions", "completions": "/completions"}
#: Too many requests, and errors of servers that are overloaded or start up.
_TEMPORARY = (408, 429, 500, 502, 503, 504)
_LONGEST_WAIT = 60.0
_LARGEST_REPLY = 1 << 22
_KEPT = "; existing answers are cached"
#: What reading a reply of any content may raise.
_FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
#: No tokenizer has so many characters per token on average in a prompt.
_LONGEST_TOKEN = 12
_MORE_CONTEXT = "start the server with a longer context, or send less of the text"
#: How servers say that a prompt is too long.
_TOO_LONG = re.compile(
    r"context_length|context (?:size|length|window)|maximum context|too many tokens", re.IGNORECASE
)
_NO_API = "pass the base URL of a server with the OpenAI API; it usually ends in /v1"


class Query(NamedTuple):
    """A prompt; `choices` is how many numbered answers it offers, for a JSON schema.

    Models without a chat format continue a `raw` prompt unchanged; otherwise `Answer:` is added.
    """

    prompt: str
    choices: int = 0
    raw: bool = False


def _number_schema(choices: int) -> dict[str, Any]:
    """A reply of the form `{"answer": "2"}`, where `?` abstains."""
    answers = [*map(str, range(1, choices + 1)), "?"]
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": answers}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions(Options):
    """A language model behind a server, its prompt and its requests."""

    server: str = option("", "base URL of the server, such as http://localhost:8000/v1 (--server)")
    model: str = option("", "name of the model on the server (--model)")
    endpoint: str = option(
        "chat", "chat, or completions for models without a chat format", choices=(*ENDPOINTS,)
    )
    before: int = option(5, "number of preceding sentences in the prompt", least=0, most=1000)
    after: int = option(1, "number of following sentences", least=0, most=1000)
    seed: int = option(1, "seed for the order of choices", least=0)
    logprobs: int = option(
        0, "number of log-probabilities to request, if the server supports them", least=0, most=20
    )
    temperature: float = option(
        0.0,
        "sampling temperature; the server's default if -1, or if 0 and tokens = 0",
        least=-1,
        most=2,
    )
    tokens: int = option(
        16, "maximum answer length in tokens; 0: no limit, needed for reasoning models", least=0
    )
    key_variable: str = option("ANAPHOR_API_KEY", "environment variable with the API key, sent if it is set")
    cache: str = option("", "folder for cached answers (default ~/.cache/anaphor/answers)")
    json_schema: bool = option(False, "request JSON that matches a schema, if the server supports it")
    timeout: float = option(60.0, "seconds to wait for an answer", least=0.01)
    retries: int = option(3, "further attempts after a timeout or a temporary error", least=0, most=100)
    pause: float = option(1.0, "seconds before the first retry, doubled each time", least=0, most=60)
    rate: float = option(0.0, "maximum requests per minute; 0: no limit", least=0)
    workers: int = option(4, "simultaneous requests", least=1, most=256)

    def __post_init__(self) -> None:
        # Without arguments, `super` does not work in a dataclass with slots.
        Options.__post_init__(self)
        # A password in the address would be written to the model folder.
        if self.server and not re.fullmatch(r"https?://[^@\s/?#]+(/[^@\s?#]*)?", self.server):
            raise OptionError(
                "not a server address",
                where="server",
                fix="pass http:// or https://, host and path, such as http://localhost:8000/v1",
            )
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.key_variable):
            raise OptionError(
                f"not a valid variable name: {self.key_variable}",
                where="key_variable",
                fix="use letters, digits and underscores, such as ANAPHOR_API_KEY",
            )

    @property
    def url(self) -> str:
        return self.server.rstrip("/") + ENDPOINTS[self.endpoint]

    def request(self, query: Query) -> dict[str, Any]:
        """The body of the request for a prompt."""
        prompt = query.prompt
        body: dict[str, Any] = {"model": self.model, "prompt": prompt if query.raw else f"{prompt}\nAnswer:"}
        logprobs: dict[str, Any] = {"logprobs": self.logprobs}
        if self.endpoint == "chat":
            body = {"model": self.model, "messages": [{"role": "user", "content": prompt}]}
            logprobs = {"logprobs": True, "top_logprobs": self.logprobs}
        body |= logprobs if self.logprobs else {}
        if self.json_schema and query.choices:
            body["response_format"] = _number_schema(query.choices)
        # Servers of reasoning models, whose answers have no limit, reject a temperature of 0.
        if self.temperature > 0 or (self.temperature == 0 and self.tokens):
            body["temperature"] = self.temperature
        return body | ({"max_tokens": self.tokens} if self.tokens else {})


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer, and the log-probabilities of its first token if the server returned them.

    `prompt_tokens` and `answer_tokens` are the server's counts, or None. `is_cut` is true if the answer
    reached its maximum length.
    """

    text: str
    first_token: Mapping[str, float]
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    is_cut: bool = False


def _is_loopback(address: str) -> bool:
    """Whether a server is on this machine."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class _NoRedirect(HTTPRedirectHandler):
    """A redirected request would take the API key to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _handlers(deadline: Deadline) -> tuple[HTTPHandler, HTTPSHandler]:
    """Handlers of an opener whose connections are cut at the deadline."""
    plain, secure = deadline.kinds()

    class Handler(HTTPHandler):
        def http_open(self, req: Request) -> HTTPResponse:
            return self.do_open(plain, req)

    class SecureHandler(HTTPSHandler):
        def https_open(self, req: Request) -> HTTPResponse:
            return self.do_open(secure, req)

    return Handler(), SecureHandler()


@dataclass(slots=True, eq=False)
class CompletionClient:
    """Asks one server; may be shared by threads."""

    options: ServerOptions
    _lock: Any = field(default_factory=Lock)
    _next_turn: float = 0.0

    def key(self, query: Query) -> str:
        """The key of a request: a hash of the address and the body."""
        content = [self.options.url, self.options.request(query)]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def _path(self, query: Query) -> Path:
        folder = Path(self.options.cache) if self.options.cache else default_cache("answers")
        return folder / f"{self.key(query)}.json"

    def cached(self, query: Query) -> Completion | None:
        """The cached answer; None if there is none."""
        path = self._path(query)
        try:
            # A pipe in its place would never end.
            content = path.read_bytes() if path.is_file() or not path.exists() else b""
        except FileNotFoundError:
            return None
        except OSError:
            content = b""
        try:
            cached = json.loads(content)
            return _completion(*(cached.get(name.name) for name in fields(Completion)))
        except _FAULTS:
            raise InputError(
                "a cached answer cannot be read", where=str(path), fix="delete the file, and run again"
            ) from None

    def ask(self, query: Query) -> Completion:
        """The server's answer, which is cached."""
        return self.store(query, self._send(self.options.url, self.options.request(query)))

    def store(self, query: Query, reply: bytes) -> Completion:
        """The answer in a server's reply, which is cached."""
        completion, path = self._parse(query, reply), self._path(query)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(
                f"answers cannot be cached here ({error.strerror or error})",
                where=str(path.parent),
                fix="choose a writable folder with --cache",
            ) from error
        content = {
            "url": self.options.url,
            "request": self.options.request(query),
            **asdict(completion),
        }
        write_atomically(path, json.dumps(content, ensure_ascii=False) + "\n")
        return completion

    def _key(self) -> str:
        key = os.environ.get(self.options.key_variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise OptionError(
                "the API key contains invalid characters",
                where=self.options.key_variable,
                fix="set the variable to the key alone, on one line",
            )
        server = self.options.server
        encrypted = server.startswith("https://") or _is_loopback(server)
        if key and not encrypted and os.environ.get(PLAIN_HTTP) != "1":
            raise OptionError(
                "the API key would be sent over plain http, which can be intercepted",
                where="--server",
                fix=f"pass an https:// address, or set {PLAIN_HTTP}=1 if you trust the network",
            )
        return key

    def _send(self, url: str, body: Mapping[str, Any] | None) -> bytes:
        """The reply to a request; temporary errors lead to further attempts. Without a body it is a GET."""
        options, key = self.options, self._key()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(options.retries + 1):
            last = attempt == options.retries
            wait = min(options.pause * 2**attempt, _LONGEST_WAIT)
            self._wait_for_turn()
            request = Request(url, data, headers)  # noqa: S310 - the scheme was checked
            try:
                return self._reply(request)
            except HTTPError as error:
                with error:  # which keeps the connection open
                    if last or error.code not in _TEMPORARY:
                        raise self._refusal(error, asking=body is not None) from None
                    requested = error.headers.get("Retry-After", "")  # seconds; a date counts as not given
                    wait = min(float(requested), _LONGEST_WAIT) if requested.isdecimal() else wait
            except (OSError, HTTPException, ValueError) as error:
                reason = error.reason if isinstance(error, URLError) else error
                if last or not isinstance(reason, TimeoutError | ConnectionResetError | HTTPException):
                    raise self._unreachable(reason) from None
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _reply(self, request: Request) -> bytes:
        """The body of the reply; raise TimeoutError if it has not arrived completely in time."""
        timeout = self.options.timeout
        with Deadline(timeout) as deadline:
            opener = build_opener(_NoRedirect, *_handlers(deadline))
            try:
                with opener.open(request, timeout=timeout) as reply:
                    body = bytes(reply.read(_LARGEST_REPLY))
            except HTTPError as error:  # its body has to be there in time, too
                with error:
                    body = error.read(_LARGEST_REPLY)
                raise HTTPError(error.url, error.code, error.reason, error.headers, BytesIO(body)) from None
            except (OSError, HTTPException, ValueError):
                if not deadline.passed:
                    raise
            # What was read until then looks like a reply that is complete.
            if deadline.passed:
                raise TimeoutError
            return body

    def _wait_for_turn(self) -> None:
        """Sleep until the rate limit allows the next request of any thread."""
        if self.options.rate:
            with self._lock:
                now = time.monotonic()
                turn = max(now, self._next_turn)
                self._next_turn = turn + 60 / self.options.rate
            time.sleep(turn - now)

    def _unreachable(self, reason: object) -> UserError:
        what = f"the server cannot be reached ({reason})"
        fix = "start the server, or check its address"
        if isinstance(reason, TimeoutError):
            what = (
                f"no answer within {self.options.timeout:g} seconds, in {self.options.retries + 1} attempts"
            )
            fix = f"allow it more time (--timeout), or run again later{_KEPT}"
        return UserError(what, where=self.options.url, fix=fix)

    def _refusal(self, error: HTTPError, *, asking: bool) -> UserError:
        options, code = self.options, error.code
        what, key = f"the server rejected the request ({code})", self._key()
        if code in (401, 403):
            what, state = f"the server denied access ({code})", "is set" if key else "is not set"
            fix = f"provide a valid API key in the environment variable {options.key_variable}, which {state}"
        elif code == 429:
            what = "the request limit of the server is exceeded (429)"
            fix = f"limit the requests per minute (--rate), or run again later{_KEPT}"
        elif code >= 500:
            what, fix = f"the server failed ({code})", f"see the log of the server, and run again{_KEPT}"
        elif code in (400, 404) and asking and (models := self._models()) and options.model not in models:
            return UnknownNameError.among(options.model, models, kind="model of the server", where="--model")
        elif code == 404 or code < 400:
            fix = f"{_NO_API}, and the model as the server names it"
        else:
            fix = "change the option that the server rejects: --model, --endpoint, --logprobs, or the recipe"
        try:
            message = " ".join(error.read(_LARGEST_REPLY).decode(errors="replace").split())
        except (OSError, HTTPException):
            message = ""
        # Some servers repeat the key.
        message = message.replace(key, "[key]") if key else message
        if code in (400, 413, 422, 500) and _TOO_LONG.search(message):
            what, fix = "the prompt is too long for the context of the model", f"{_MORE_CONTEXT}{_KEPT}"
        return UserError(f"{what}: {message[:300] or error.reason}", where=options.url, fix=fix)

    def _models(self) -> list[str]:
        """The models listed by the server, if any."""
        try:
            content = json.loads(self._send(self.options.server.rstrip("/") + "/models", None))
            return [str(model["id"]) for model in content["data"]]
        except (UserError, ValueError, KeyError, TypeError, RecursionError):
            return []

    def _parse(self, query: Query, reply: bytes) -> Completion:
        chat, where = self.options.endpoint == "chat", self.options.url
        try:
            content = json.loads(reply)
        except (ValueError, RecursionError):
            begin = " ".join(reply[:80].decode(errors="replace").split())
            raise InputError(f"the server's reply is not JSON: {begin}", where=where, fix=_NO_API) from None
        try:
            choice = content["choices"][0]
            # A model that is cut off while it reasons has no content: an unreadable answer.
            text = (choice["message"]["content"] if chat else choice["text"]) or ""
            usage = content.get("usage") or {}
            completion = _completion(
                text,
                _first_token(choice.get("logprobs") or {}),
                usage.get("prompt_tokens"),
                usage.get("completion_tokens"),
                choice.get("finish_reason") == "length",
            )
            truncated = bool(content.get("truncated") or choice.get("truncated"))
        except _FAULTS:
            raise InputError(
                "the reply of the server has no answer", where=self.options.url, fix=_NO_API
            ) from None
        known = completion.prompt_tokens
        if truncated or (known is not None and known * _LONGEST_TOKEN < len(query.prompt)):
            what = "the server truncated the prompt"
            if known is not None:
                what += f" of {len(query.prompt)} characters to {known} tokens"
            raise InputError(what, where=where, fix=_MORE_CONTEXT)
        return completion


def _first_token(logprobs: Mapping[str, Any]) -> Mapping[str, float]:
    """Log-probabilities of the first token; servers use the layout of chats for completions, too."""
    if rows := logprobs.get("content"):
        return {entry["token"]: entry["logprob"] for entry in rows[0].get("top_logprobs") or ()}
    first: Mapping[str, float] = (logprobs.get("top_logprobs") or [{}])[0] or {}
    return first


def _completion(
    text: Any, first_token: Any, prompt_tokens: Any = None, answer_tokens: Any = None, is_cut: Any = False
) -> Completion:
    """A completion of untrusted values; its exceptions are among `_FAULTS`."""
    if not isinstance(text, str):
        raise TypeError(text)
    values = {str(token): float(value) for token, value in first_token.items()}
    "".join((text, *values)).encode()  # a lone surrogate cannot be written
    return Completion(text, values, _count(prompt_tokens), _count(answer_tokens), bool(is_cut))


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 40 else None
