"""Options of commands that use a language model on a server, and how they combine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from anaphor.cli.commands import OptionGroup

if TYPE_CHECKING:
    from anaphor.predict.server.asking import Meter, Price
    from anaphor.predict.server.client import Query, ServerOptions

#: `ServerOptions` checks the values.
_SERVER: tuple[tuple[str, type, str, str], ...] = (
    ("model", str, "NAME", "name of the model on the server"),
    ("endpoint", str, "KIND", "chat (default) or completions"),
    ("key-variable", str, "NAME", "environment variable with the API key (default ANAPHOR_API_KEY)"),
    ("timeout", float, "S", "seconds to wait for an answer (default 60)"),
    ("rate", float, "N", "maximum requests per minute (default: no limit)"),
    ("workers", int, "N", "simultaneous requests (default 4)"),
    ("tokens", int, "N", "maximum answer length in tokens; 0: no limit, needed for reasoning models"),
    ("cache", str, "FOLDER", "folder for cached answers (default ~/.cache/anaphor/answers)"),
)


def add_server(group: OptionGroup, *, prefix: str = "") -> None:
    """Everything about the server except its address; with a prefix for commands with other options of these
    names."""
    for name, kind, metavar, what in _SERVER:
        if rare := bool(prefix) and name != "model":
            what = f"--{name} of `anaphor translate`"
        group.add_argument(f"--{prefix}{name}", type=kind, metavar=metavar, rare=rare, help=what)


def add_money(group: OptionGroup, *, rare: bool = False) -> None:
    """Options for the cost of a run."""
    group.add_argument(
        "--prices",
        rare=rare,
        metavar="FILE",
        help="prices per million tokens (TOML), to show the cost",
    )
    group.add_argument(
        "--budget",
        rare=rare,
        type=float,
        metavar="AMOUNT",
        help="stop before the cost exceeds this; needs --prices",
    )


def server_of(options: argparse.Namespace, *, prefix: str = "") -> ServerOptions:
    """The server from the options of `add_server` with this prefix."""
    from anaphor.core import OptionError
    from anaphor.predict.server.client import ServerOptions

    given = {}
    for flag, *_ in _SERVER:
        if (value := getattr(options, f"{prefix}{flag}".replace("-", "_"))) is not None:
            given[flag.replace("-", "_")] = value
    if not given.get("model"):
        fix = "use the name of the model on the server"
        raise OptionError("no model is given", where=f"--{prefix}model", fix=fix)
    return ServerOptions(server=options.server, **given)


def price_of(options: argparse.Namespace, model: str) -> Price | None:
    """The price of the model, if a price file was given."""
    from anaphor.predict.server.asking import read_price

    return None if options.prices is None else read_price(options.prices, model)


def meter_of(options: argparse.Namespace, model: str) -> Meter:
    """Counts what a run costs, within its budget."""
    from anaphor.predict.server.asking import Meter

    return Meter(price_of(options, model), options.budget)


def print_plan(
    options: argparse.Namespace,
    server: ServerOptions,
    queries: Iterable[Query],
    meter: Meter,
    *,
    what: str = "to be sent",
) -> None:
    """With prices, print what a run may cost on standard error before anything is sent."""
    from anaphor.predict.server.asking import RequestPlan

    if meter.price is not None and not options.quiet:
        plan = RequestPlan.of(server, queries, price=meter.price)
        if plan.requests:
            print(f"{what}: {plan.summary()}", file=sys.stderr)


def print_cost(options: argparse.Namespace, meter: Meter) -> None:
    """Print requests, tokens and cost on standard error, if anything was sent."""
    from anaphor.report.emit import render

    if (meter.sent or meter.price is not None) and not options.quiet:
        print(render(meter.tables(), "text"), file=sys.stderr)
