"""Questions about many pronouns to a server: consent, rate limit, budget, and a maximum number."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from anaphor.core import InputError, OptionError, PronounScore
from anaphor.judge.inquiry import UNREADABLE, Inquiry
from anaphor.predict.server.asking import Meter, answers_in_order
from anaphor.predict.server.client import Completion, CompletionClient, ServerOptions
from anaphor.predict.server.consent import check_confirmed, confirm, confirmed_for

#: After so many pronouns it is checked whether most of the judge's answers can be read.
_TRIAL = 20


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
    With `keep_going`, the run continues even if most of the first answers are unreadable.
    """

    options: ServerOptions
    meter: Meter = field(default_factory=Meter)
    limit: int | None = None
    keep_going: bool = False
    _judged: int = 0
    _unreadable: int = 0

    def __post_init__(self) -> None:
        for name in ("server", "model"):
            if not getattr(self.options, name):
                raise OptionError(
                    f"no {name} is given for the judge",
                    where=f"--judge-{name}",
                    fix="add --judge-server URL and --judge-model NAME",
                )
        check_confirmed(self.options)

    def verdicts(self, inquiries: Sequence[Inquiry]) -> Iterator[PronounScore | None]:
        """The verdict of every inquiry, in order; None for those beyond the limit."""
        with closing(self.answers(inquiries)) as answers:
            for inquiry, given in zip(inquiries, answers, strict=True):
                score = None if given is None else inquiry.verdict(given)
                if score is not None and given:
                    self._check_readable(score, given[-1].text)
                yield score

    def answers(self, inquiries: Sequence[Inquiry]) -> Generator[Sequence[Completion] | None, None, None]:
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
        # Closed here: a collected generator would be closed by any thread, also by one that it waits for.
        with closing(answers_in_order(self.options, queries, meter=self.meter)) as answers:
            for inquiry, allowed in zip(inquiries, asked, strict=True):
                yield [next(answers)[1] for _ in inquiry.queries] if allowed else None

    def _check_readable(self, score: PronounScore, reply: str) -> None:
        """Raise if most of the first verdicts are missing, since the rest would be a waste of money; answers
        that are all cached cost nothing and never stop a run."""
        self._judged += 1
        self._unreadable += score.reason == UNREADABLE
        too_many = self._judged == _TRIAL and self._unreadable * 2 > _TRIAL
        if too_many and self.meter.sent and not self.keep_going:
            shown = " ".join(reply.split())[:80]
            raise InputError(
                f"answers about {self._unreadable} of the first {_TRIAL} pronouns cannot be read, such as "
                f"{shown!r}",
                where=self.options.model,
                fix="choose a chat model, allow longer answers for one that reasons (--judge-tokens 0), or "
                "let `anaphor judge run` continue with --keep-going; existing answers are cached",
            )
