"""Questions about many pronouns to a server: consent, rate limit, budget, and a maximum number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from anaphor.core import OptionError
from anaphor.judge.inquiry import Inquiry
from anaphor.predict.server.asking import Meter, answers_in_order
from anaphor.predict.server.client import Completion, CompletionClient, ServerOptions
from anaphor.predict.server.consent import check_confirmed, confirm, confirmed_for


def name_server(server: str, **options: Any) -> None:
    """Allow the judge to send texts to a server from this machine; only a user should call this.

    Args:
        server: Its base URL.
        options: `key_variable` and `cache`, if they differ from the defaults and from the last ones used.
    """
    if not options and confirmed_for(server):
        return
    confirm(ServerOptions(server=server, **options))


def confirmed_server(server: str, **options: Any) -> ServerOptions:
    """Options for a server that the user has named, with its key and cache as last specified."""
    return ServerOptions(server=server, **{**options, **confirmed_for(server)})


@dataclass(slots=True, eq=False)
class Interview:
    """Puts inquiries to one server.

    `limit` is the maximum number of pronouns to ask about, in order; later ones are only read from the cache.
    """

    options: ServerOptions
    meter: Meter = field(default_factory=Meter)
    limit: int | None = None

    def __post_init__(self) -> None:
        for name in ("server", "model"):
            if not getattr(self.options, name):
                raise OptionError(
                    f"no {name} is given for the judge",
                    where=f"--judge-{name}",
                    fix="add --judge-server URL and --judge-model NAME",
                )
        check_confirmed(self.options)

    def answers(self, inquiries: Sequence[Inquiry]) -> Iterator[Sequence[Completion] | None]:
        """The answers to every inquiry, in order; None for those beyond the limit."""
        client, asked = CompletionClient(self.options), []
        for inquiry in inquiries:
            allowed = self.limit is None or self.limit > 0
            if not allowed:
                allowed = all(client.cached(query) is not None for query in inquiry.queries)
            elif self.limit is not None and inquiry.queries:
                self.limit -= 1
            asked.append(allowed)
        queries = (
            query
            for inquiry, allowed in zip(inquiries, asked, strict=True)
            if allowed
            for query in inquiry.queries
        )
        answers = answers_in_order(self.options, queries, meter=self.meter)
        for inquiry, allowed in zip(inquiries, asked, strict=True):
            yield [next(answers)[1] for _ in inquiry.queries] if allowed else None
