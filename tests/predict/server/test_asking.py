"""Cost before and after sending, budgets, batches, the cache at size, and servers that fail in every way."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, OptionError, UnknownNameError, UserError
from anaphor.predict.server.asking import (
    Meter,
    Price,
    RequestPlan,
    answers_in_order,
    complete_all,
    read_batch,
    read_price,
    write_batch,
)
from anaphor.predict.server.client import CompletionClient, Query, ServerOptions
from tests.support.api_server import ApiServer, Reply
from tests.support.counting import calls

PRICE = Price(1.0, 10.0, "EUR")  # per million


def options_of(server: ApiServer, cache: Path, **changes: Any) -> ServerOptions:
    given = {"server": server.url, "model": "tiny", "cache": str(cache), "pause": 0.01, "workers": 1}
    return ServerOptions(**{**given, **changes})


def ok(text: str = "1", prompt_tokens: int = 100, answer_tokens: int = 2, **more: Any) -> Reply:
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": answer_tokens}
    return 200, {"choices": [{"message": {"content": text}, **more}], "usage": usage}, {}


def quiet(_what: str, _share: float) -> None:
    pass


def ask(options: ServerOptions, count: int, meter: Meter) -> list[str]:
    prompts = [f"question {number}" for number in range(count)]
    return [answer.text for answer in complete_all(options, prompts, progress=quiet, meter=meter).values()]


def test_the_cost_is_that_of_the_servers_own_counts(server: ApiServer, tmp_path: Path) -> None:
    server.replies = [ok(prompt_tokens=100, answer_tokens=2), ok(prompt_tokens=50, answer_tokens=3)]
    meter = Meter(PRICE)
    assert ask(options_of(server, tmp_path), 2, meter) == ["1", "1"]
    assert (meter.sent, meter.cached, meter.estimated) == (2, 0, 0)
    assert (meter.prompt_tokens, meter.answer_tokens) == (150, 5)
    assert meter.cost == pytest.approx((150 * 1 + 5 * 10) / 1e6)
    again = Meter(PRICE)
    ask(options_of(server, tmp_path), 2, again)
    assert (again.sent, again.cached, again.cost) == (0, 2, 0)


def test_the_budget_stops_the_run_before_it_is_exceeded(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda _: "1"
    options, budget = options_of(server, tmp_path), 0.0005
    meter = Meter(PRICE, budget)
    with pytest.raises(OptionError, match="budget") as error:
        ask(options, 100, meter)
    assert "--budget" in error.value.message
    assert 0 < meter.sent == len(server.prompts) < 100
    assert meter.cost is not None
    assert meter.cost <= budget
    more = Meter(PRICE, 1.0)
    assert len(ask(options, 100, more)) == 100
    assert (more.cached, more.sent) == (meter.sent, 100 - meter.sent)


def test_what_an_answer_could_have_cost_is_free_again_when_it_is_there(
    server: ApiServer, tmp_path: Path
) -> None:
    """A prompt may cost 5 thousandths of a cent at most, and costs a fifth of that."""
    server.replies = [ok(prompt_tokens=1, answer_tokens=1) for _ in range(20)]
    options = options_of(server, tmp_path, tokens=5)
    meter = Meter(PRICE, 20 * 11e-6 + 60e-6)
    assert len(ask(options, 20, meter)) == 20


def test_a_request_is_estimated_where_either_count_is_missing(server: ApiServer, tmp_path: Path) -> None:
    reply = ok(prompt_tokens=7)
    del reply[1]["usage"]["completion_tokens"]
    server.replies = [reply]
    meter = Meter(PRICE)
    ask(options_of(server, tmp_path, tokens=5), 1, meter)
    assert (meter.estimated, meter.prompt_tokens, meter.answer_tokens) == (1, 7, 5)


def test_a_failed_request_of_a_batch_is_not_stored(tmp_path: Path) -> None:
    options, query = ServerOptions(server="http://localhost/v1", model="m", cache=str(tmp_path)), Query("x")
    response = {"status_code": 500, "body": ok()[1]}
    line = {"custom_id": CompletionClient(options).key(query), "response": response}
    (tmp_path / "output").write_text(json.dumps(line))
    assert read_batch(tmp_path / "output", options, [query]) == (0, 1)
    assert CompletionClient(options).cached(query) is None


def test_a_budget_without_prices_is_refused() -> None:
    with pytest.raises(OptionError, match="token prices"):
        Meter(None, 1.0)


def test_a_server_that_fails_in_every_way_loses_nothing(server: ApiServer, tmp_path: Path) -> None:
    """Temporary failures are tried again, lasting ones end the run; the next run sends what is missing."""
    options = options_of(server, tmp_path, retries=2, timeout=120)
    busy: Reply = (429, {"error": "busy"}, {"Retry-After": "0"})
    server.replies = [
        busy,
        ok("first"),
        (500, b"oops", {}),
        (503, b"", {}),
        ok("second"),
        (200, b"<html", {}),
    ]
    meter = Meter(PRICE)
    with pytest.raises(InputError, match="not JSON"):
        ask(options, 6, meter)
    assert (meter.sent, meter.prompt_tokens) == (2, 200)  # failures cost nothing
    server.replies = [
        ok("third"),
        (200, {"choices": [{"message": {"content": None, "refusal": "I cannot help"}}]}, {}),
        (200, {"nothing": []}, {}),
    ]
    meter = Meter(PRICE)
    with pytest.raises(InputError, match="no answer"):
        ask(options, 6, meter)
    assert (meter.cached, meter.sent, meter.estimated) == (2, 2, 1)
    server.replies = [ok("fifth"), ok("sixth")]
    meter = Meter(PRICE)
    assert ask(options, 6, meter) == ["first", "second", "third", "", "fifth", "sixth"]
    assert (meter.cached, meter.sent) == (4, 2)


def test_a_slow_server_keeps_what_came_in_time(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda _: "1"
    options = options_of(server, tmp_path, retries=0)
    ask(options, 1, Meter())
    server.slow = 0.3
    with pytest.raises(UserError, match="no answer within"):
        ask(options_of(server, tmp_path, retries=0, timeout=0.05), 2, Meter())
    server.slow = 0.0
    meter = Meter()
    ask(options, 2, meter)
    assert (meter.cached, meter.sent) == (1, 1)


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        ((400, {"error": {"code": "context_length_exceeded"}}, {}), "too long for the context"),
        ((500, {"error": {"message": "the request exceeds the available context size"}}, {}), "too long"),
        ((200, {"choices": [{"message": {"content": "1"}}], "truncated": True}, {}), "truncated the prompt"),
        (ok(prompt_tokens=10), "truncated the prompt of 4000 characters to 10 tokens"),
    ],
)
def test_a_prompt_that_does_not_fit_is_named(
    server: ApiServer, tmp_path: Path, reply: Reply, what: str
) -> None:
    server.replies = [reply]
    with pytest.raises(UserError, match=what) as error:
        CompletionClient(options_of(server, tmp_path, retries=0)).ask(Query("x" * 4000))
    assert "longer context" in str(error.value)


def test_a_plan_counts_what_the_cache_lacks(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda _: "1"
    options = options_of(server, tmp_path)
    ask(options, 2, Meter())
    plan = RequestPlan.of(options, [Query(f"question {number}") for number in range(5)], price=PRICE)
    assert (plan.queries, plan.requests, plan.first) == (5, 3, "question 2")
    assert plan.answer_tokens == 3 * options.tokens
    assert plan.cost == pytest.approx((plan.prompt_tokens + 10 * plan.answer_tokens) / 1e6)
    assert len(server.prompts) == 2


def test_prices_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('currency = "USD"\n[models."small"]\nprompt = 0.15\nanswer = 0.6\n')
    assert read_price(path, "small") == Price(0.15, 0.6, "USD")
    with pytest.raises(UnknownNameError, match="smal"):
        read_price(path, "smal")
    for wrong in (
        "",
        "models = 3",
        "models = [1]",
        'models = "small"',
        '[models."small"]\nprompt = 1\nanswer = nan',
        '[models."small"]\nprompt = inf\nanswer = 1',
        '[models."small"]\nprompt = 1',
        '[models."small"]\nprompt = -1\nanswer = 1',
        '[models."small"]\nprompt = 1\nanswer = -1',
        f'[models."small"]\nprompt = 1{"0" * 400}\nanswer = 1',
        "models = " + "[" * 60_000,
    ):
        path.write_text(wrong)
        with pytest.raises(InputError, match="prices"):
            read_price(path, "small")


def test_batches_take_the_place_of_a_connection(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda _: "0"
    options = options_of(server, tmp_path / "cache")
    queries = [Query(f"question {number}") for number in range(4)]
    CompletionClient(options).ask(queries[0])
    assert write_batch(tmp_path / "batch.jsonl", options, queries) == 3
    lines = [json.loads(line) for line in (tmp_path / "batch.jsonl").read_text().splitlines()]
    assert [line["body"]["messages"][0]["content"] for line in lines] == [q.prompt for q in queries[1:]]
    assert {line["url"] for line in lines} == {"/v1/chat/completions"}
    done = [
        {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": ok(str(number))[1]}}
        for number, line in enumerate(lines[:2], start=1)
    ]
    failed = {"custom_id": lines[2]["custom_id"], "response": None, "error": {"code": "batch_expired"}}
    other = {"custom_id": "../../etc", "response": {"status_code": 200, "body": ok("9")[1]}}
    output = tmp_path / "output.jsonl"
    output.write_text("".join(json.dumps(line) + "\n" for line in [*done[::-1], failed, other]))
    assert read_batch(output, options, queries) == (2, 1)
    wrong = {**failed, "response": {"status_code": 200, "body": {"error": "overloaded"}}}
    (tmp_path / "wrong.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [wrong, *done]))
    assert read_batch(tmp_path / "wrong.jsonl", options, queries) == (2, 1)  # those after it are kept
    server.answer = lambda _: "3"
    answers = [answer.text for _, answer in answers_in_order(options, queries)]
    assert answers == ["0", "1", "2", "3"]
    assert len(server.prompts) == 2  # the first, and the one that failed
    output.write_text(json.dumps(other) + "\n")
    with pytest.raises(InputError, match="belongs to"):
        read_batch(output, options, queries)
    output.write_text("no JSON\n")
    with pytest.raises(InputError, match="batch output"):
        read_batch(output, options, queries)


def test_a_schema_is_sent_where_it_is_wanted(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda _: '{"answer": "2"}'
    options = options_of(server, tmp_path, json_schema=True)
    CompletionClient(options).ask(Query("Which?", choices=2))
    schema = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == ["1", "2", "?"]
    CompletionClient(options).ask(Query("Translate."))
    assert "response_format" not in server.bodies[1]


def test_log_probabilities_of_completions_in_the_layout_of_chats(server: ApiServer, tmp_path: Path) -> None:
    row = {"token": " Elle", "top_logprobs": [{"token": " Elle", "logprob": -0.5}]}
    server.replies = [(200, {"choices": [{"text": " Elle", "logprobs": {"content": [row]}}]}, {})]
    options = options_of(server, tmp_path, endpoint="completions", logprobs=5)
    assert CompletionClient(options).ask(Query("x")).first_token == {" Elle": -0.5}


@pytest.mark.parametrize("asked", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_questions_from_the_cache(server: ApiServer, tmp_path: Path, asked: int) -> None:
    options = options_of(server, tmp_path, workers=4)
    client, reply = CompletionClient(options), json.dumps(ok()[1]).encode()
    for number in range(asked):
        client.store(Query(f"question {number}"), reply)

    def questions(count: int) -> None:
        queries = (Query(f"question {number}") for number in range(count))
        assert sum(answer.text == "1" for _, answer in answers_in_order(options, queries)) == count

    assert calls(lambda: questions(asked)) < 100 * asked, "thirty are usual"
    tracemalloc.start()
    peaks = []
    for count in (500, 2000):
        tracemalloc.reset_peak()
        questions(count)
        peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5
    assert not server.prompts
