"""Many prompts: sent concurrently, answered in order, with costs estimated before and counted afterwards.

Prices come from the user's TOML file:

    currency = "USD"

    [models."gpt-4o-mini"]
    prompt = 0.15      # per million tokens
    answer = 0.60

Before anything is sent, tokens are estimated: one for every three bytes of a prompt, which is more than most
tokenizers need, and the longest answer. Afterwards the server's own counts are used. The budget check
includes the estimates of all pending requests, so it is not exceeded.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from anaphor.core import InputError, OptionError, UnknownNameError, Where
from anaphor.core.progress import ShareProgress
from anaphor.core.table import Block, Paragraph, Table, count, number, text
from anaphor.corpus import read_text
from anaphor.corpus.text import read_bytes
from anaphor.files.writing import write_atomically
from anaphor.predict.server.client import ENDPOINTS, Completion, CompletionClient, Query, ServerOptions

_BYTES_PER_TOKEN = 3
#: Where the length of answers has no limit.
_LONG_ANSWER = 2000
_MILLION = 1_000_000
#: Requests that wait for a worker; more would only take memory.
_AHEAD = 4


class Price(NamedTuple):
    """What a million tokens of prompts and of answers cost."""

    prompt: float
    answer: float
    currency: str

    def of(self, prompt_tokens: int, answer_tokens: int) -> float:
        """The cost of some tokens."""
        return (prompt_tokens * self.prompt + answer_tokens * self.answer) / _MILLION


def read_price(path: str | Path, model: str) -> Price:
    """The price of a model in a price file."""
    fix = 'write a table [models."NAME"] with prompt and answer, per million tokens'
    try:
        content = tomllib.loads(read_bytes(path).decode())
        models, currency = content["models"], content.get("currency", "")
        if not isinstance(models, dict):
            raise TypeError(models)
        if model in models:
            price = Price(float(models[model]["prompt"]), float(models[model]["answer"]), str(currency))
            if all(0 <= number < math.inf for number in price[:2]):
                return price
            raise ValueError(price)
        known = list(models)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InputError("not a file of prices", where=str(path), fix=fix) from None
    raise UnknownNameError.among(model, known or ["none"], kind="model", where=str(path))


def estimated_tokens(query: Query, options: ServerOptions) -> tuple[int, int]:
    """The tokens of a prompt and of its longest answer, before anything is sent."""
    return len(query.prompt.encode()) // _BYTES_PER_TOKEN + 1, options.tokens or _LONG_ANSWER


@dataclass(slots=True, eq=False)
class Meter:
    """Counts requests, tokens and cost of one run, and stops it at the budget; shared by threads.

    `estimated` counts requests whose tokens the server did not count.
    """

    price: Price | None = None
    budget: float | None = None
    cached: int = 0
    sent: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    estimated: int = 0
    _reserved: float = 0.0
    _lock: Any = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        if self.budget is not None and self.price is None:
            raise OptionError("a budget requires token prices", where="--budget", fix="add --prices FILE")

    @property
    def cost(self) -> float | None:
        """The cost so far; None without prices."""
        return None if self.price is None else self.price.of(self.prompt_tokens, self.answer_tokens)

    def ask(self, client: CompletionClient, query: Query) -> Completion:
        """The answer from the cache, which costs nothing, or from the server, within the budget."""
        if (known := client.cached(query)) is not None:
            with self._lock:
                self.cached += 1
            return known
        # Requests under way are reserved with their estimate, or several threads together would pass the
        # budget.
        estimate = estimated_tokens(query, client.options)
        share = 0.0 if self.price is None else self.price.of(*estimate)
        with self._lock:
            spent = self.cost or 0.0
            if self.budget is not None and spent + self._reserved + share > self.budget:
                raise OptionError(
                    f"the budget of {self.budget:g} is spent: {spent:.4g} for {self.sent} requests, and the "
                    f"next one may cost {share:.2g}",
                    where="--budget",
                    fix="run again with a higher budget; existing answers are cached and cost nothing",
                )
            self._reserved += share
        completion = None
        try:
            completion = client.ask(query)
        finally:
            with self._lock:
                self._reserved -= share
                if completion is not None:
                    self._count(completion, estimate)
        return completion

    def _count(self, completion: Completion, estimate: tuple[int, int]) -> None:
        self.sent += 1
        counted = completion.prompt_tokens, completion.answer_tokens
        self.estimated += None in counted
        self.prompt_tokens += estimate[0] if counted[0] is None else counted[0]
        self.answer_tokens += estimate[1] if counted[1] is None else counted[1]

    def to_dict(self) -> dict[str, Any]:
        return {
            "requests": self.sent,
            "from_cache": self.cached,
            "prompt_tokens": self.prompt_tokens,
            "answer_tokens": self.answer_tokens,
            "tokens_estimated_for": self.estimated,
            "cost": self.cost,
            "currency": "" if self.price is None else self.price.currency,
        }

    def tables(self) -> list[Block]:
        parts = [
            f"{self.sent} requests, {self.cached} answers from the cache",
            f"{self.prompt_tokens} tokens of prompts, {self.answer_tokens} of answers",
        ]
        if self.estimated:
            parts.append(f"tokens of {self.estimated} requests are estimates")
        if self.cost is not None and self.price is not None:
            parts.append(f"cost {self.cost:.4g} {self.price.currency}".rstrip())
        return [Paragraph(["; ".join(parts)])]


def answers_in_order(
    options: ServerOptions, queries: Iterable[Query], *, meter: Meter | None = None
) -> Generator[tuple[Query, Completion], None, None]:
    """Every query with its answer, in order; several requests run concurrently. Few requests are queued at a
    time, so memory does not grow with their number. After an error nothing more is sent; running requests are
    completed and cached.
    """
    client, meter = CompletionClient(options), meter or Meter()
    running: dict[Query, Future[Completion]] = {}
    waiting: deque[tuple[Query, Future[Completion]]] = deque()
    with ThreadPoolExecutor(options.workers) as threads:
        try:
            for query in queries:
                # Equal prompts that come soon after each other wait for the same answer.
                if query not in running:
                    running[query] = threads.submit(meter.ask, client, query)
                waiting.append((query, running[query]))
                if len(waiting) > options.workers * _AHEAD:
                    oldest, answer = waiting.popleft()
                    running.pop(oldest, None)
                    yield oldest, answer.result()
            while waiting:
                oldest, answer = waiting.popleft()
                yield oldest, answer.result()
        finally:
            for _, answer in waiting:
                answer.cancel()


def complete_all(
    options: ServerOptions,
    prompts: Iterable[str | Query],
    *,
    progress: ShareProgress,
    meter: Meter | None = None,
) -> dict[str, Completion]:
    """The answers by prompt; equal prompts are sent once."""
    queries = [Query(prompt) if isinstance(prompt, str) else prompt for prompt in prompts]
    different = list(dict.fromkeys(queries))
    answers = {}
    for query, completion in answers_in_order(options, different, meter=meter):
        answers[query.prompt] = completion
        progress("asking the server", len(answers) / len(different))
    return answers


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """The requests that a run would send; nothing is sent."""

    first: str
    queries: int
    requests: int
    prompt_tokens: int
    answer_tokens: int
    price: Price | None

    @classmethod
    def of(
        cls, options: ServerOptions, queries: Iterable[Query], *, price: Price | None = None
    ) -> RequestPlan:
        """The plan for some queries; those that the cache answers cost nothing."""
        client, different = CompletionClient(options), list(dict.fromkeys(queries))
        missing = [query for query in different if client.cached(query) is None]
        tokens = [estimated_tokens(query, options) for query in missing]
        first = (missing or different or [Query("")])[0].prompt
        return cls(
            first,
            len(different),
            len(missing),
            sum(prompt for prompt, _ in tokens),
            sum(answer for _, answer in tokens),
            price,
        )

    @property
    def cost(self) -> float | None:
        """The highest cost; None without prices."""
        return None if self.price is None else self.price.of(self.prompt_tokens, self.answer_tokens)

    def summary(self) -> str:
        """The plan in one line."""
        line = f"at most {self.requests} requests, {self.prompt_tokens} tokens of prompts, "
        line += f"{self.answer_tokens} of answers"
        if self.cost is None or self.price is None:
            return line
        return f"{line}; cost at most {self.cost:.4g} {self.price.currency}".rstrip()

    def to_dict(self) -> dict[str, Any]:
        return {
            "first_prompt": self.first,
            "questions": self.queries,
            "requests": self.requests,
            "prompt_tokens": self.prompt_tokens,
            "answer_tokens": self.answer_tokens,
            "cost": self.cost,
            "currency": "" if self.price is None else self.price.currency,
        }

    def tables(self) -> list[Block]:
        cost = [] if self.cost is None or self.price is None else [self.cost]
        columns = [
            text("to be sent"),
            count("questions"),
            count("requests"),
            count("tokens of prompts"),
            count("tokens of answers"),
            *([number(f"cost {self.price.currency}".strip(), digits=4)] if cost and self.price else []),
        ]
        row = ["at most", self.queries, self.requests, self.prompt_tokens, self.answer_tokens, *cost]
        note = (
            "estimates assume one token per three bytes and answers of "
            "maximum length; cached answers are free"
        )
        return [Paragraph(self.first.split("\n")), Table(columns, [row], notes=[note])]


def write_batch(path: str | Path, options: ServerOptions, queries: Iterable[Query]) -> int:
    """Write a file for OpenAI's batch service with the requests missing from the cache; return their
    number."""
    client, lines = CompletionClient(options), []
    for query in dict.fromkeys(queries):
        if client.cached(query) is None:
            line = {
                "custom_id": client.key(query),
                "method": "POST",
                "url": f"/v1{ENDPOINTS[options.endpoint]}",
                "body": options.request(query),
            }
            lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    write_atomically(path, "".join(lines))
    return len(lines)


def read_batch(path: str | Path, options: ServerOptions, queries: Sequence[Query]) -> tuple[int, int]:
    """Put the answers of a batch output into the cache; return how many were stored, and how many failed,
    which includes replies without an answer. It is an error if no line belongs to these queries.
    """
    client = CompletionClient(options)
    wanted = {client.key(query): query for query in queries}
    given = read_text(path)
    stored = failed = 0
    for line_number, line in enumerate(given.lines, start=1):
        try:
            record = json.loads(line)
            name, response = record["custom_id"], record.get("response")
            query = wanted.get(name)
            status = None if response is None else response["status_code"]
            body = None if response is None else json.dumps(response["body"]).encode()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                "not a line of a batch output",
                where=Where(given.path, line_number),
                fix="pass the output file of the batch service",
            ) from None
        if query is None:
            continue
        if status != 200 or body is None:
            failed += 1
            continue
        try:
            client.store(query, body)
            stored += 1
        except InputError:  # one bad reply must not hide the answers after it
            failed += 1
    if given.lines and not stored and not failed:
        raise InputError(
            "no answer in this file belongs to these texts, this model and these options",
            where=given.path,
            fix="use the same options as when the batch was written",
        )
    return stored, failed
