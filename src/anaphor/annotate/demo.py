"""A demo campaign: part of a shipped suite, two systems, and three invented annotators who are half done."""

from __future__ import annotations

import random
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
from anaphor.annotate.campaign.people import add_lead, add_link, find_person
from anaphor.annotate.campaign.workload import WorkloadConfig
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.messages import ask_lead, reply
from anaphor.annotate.judging.views import HEAD, AssignmentView, assignment_view
from anaphor.annotate.store import Store, open_store, schema
from anaphor.annotate.types import AnnotatorAnswer, Mark, read_targets
from anaphor.annotate.web import serve
from anaphor.core import LanguagePair
from anaphor.corpus import Text, read_text
from anaphor.suite import EvaluationOptions, ItemOutcome, LoadedSuite, SuiteTexts, load_shipped

PAIR = LanguagePair("en", "fr")
"""The languages of the demo."""
SUITE = f"anaphor-{PAIR}"
DOCUMENTS = ("coffee", "houserules", "choir")
ANNOTATORS = ("Ada", "Bruno", "Celia")
LEAD = "demo"
_SEED = 7
#: How often an invented annotator errs, and how often one cannot judge.
_SLIP, _UNCLEAR = 0.1, 0.04
#: Outcomes of the automatic check with which the pronoun is probably right.
_ACCEPTED = {ItemOutcome.MATCH.value, ItemOutcome.AGREES.value, ItemOutcome.HEAD_DIFFERS.value}


@dataclass(frozen=True, slots=True)
class DemoCampaign:
    """The database of a demo, the tokens of its personal links, and the password of its lead."""

    path: Path
    links: dict[str, str]
    password: str


@contextmanager
def demo_campaign(options: EvaluationOptions) -> Iterator[DemoCampaign]:
    """A campaign in a temporary folder, deleted at the end of the block; `options` are for `PAIR`."""
    loaded = _part(load_shipped(SUITE))
    candidates = _candidates(loaded)
    config = CampaignConfig(
        annotators=ANNOTATORS,
        name="Demo: coffee, a house and a choir",
        attention=2,
        practice=2,
        workload=WorkloadConfig(overlap=0.4, batch_size=20, seed=_SEED),
    )
    with TemporaryDirectory(prefix="anaphor-demo-") as folder:
        path, password = Path(folder) / "demo.db", secrets.token_urlsafe(12)
        create_campaign(path, loaded, candidates, options, config)
        with open_store(path) as store:
            add_lead(store, LEAD, password)
            for name in ANNOTATORS:
                _answer_half(store, name)
            links = {name: add_link(store, name, days=1) for name in ANNOTATORS}
        yield DemoCampaign(path, links, password)


def run_demo(options: EvaluationOptions, *, port: int = 0, open_browser: bool = True) -> None:
    """Serve a demo until it is interrupted, then delete its files."""
    with demo_campaign(options) as demo:

        def welcome(url: str) -> str:
            address = f"{url}enter/{demo.links[ANNOTATORS[0]]}"
            sys.stderr.write(f"as the annotator {ANNOTATORS[0]}: {address}\n")
            sys.stderr.write(f"as the lead: {url}, name {LEAD}, password {demo.password}\n")
            return address

        serve(str(demo.path), port=port, open_browser=open_browser, welcome=welcome)


def _part(loaded: LoadedSuite) -> LoadedSuite:
    """Some documents of a suite as a suite of their own."""
    suite, texts = loaded
    part = replace(
        suite,
        documents=tuple(document for document in suite.documents if document.id in DOCUMENTS),
        items=tuple(item for item in suite.items if item.document in DOCUMENTS),
    )
    sides = {
        name: {document: text for document, text in side.items() if document in DOCUMENTS}
        for name, side in texts.sides()
    }
    return LoadedSuite(part, SuiteTexts(sides.pop("source"), sides))


def _candidates(loaded: LoadedSuite) -> dict[str, Text]:
    """The shipped candidates, cut to the documents of the demo."""
    whole, _ = load_shipped(SUITE)
    wanted = [document.id in DOCUMENTS for document in whole.documents for _ in range(document.segments)]
    folder = files("anaphor") / "suite" / "shipped" / SUITE / "candidates"
    candidates = {}
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        with as_file(entry) as path:
            lines = read_text(path).lines
        name = entry.name.partition(".")[0]
        kept = [line for line, shown in zip(lines, wanted, strict=True) if shown]
        candidates[name] = Text.of(kept, path=name)
    assert all(len(text) == loaded.suite.segments for text in candidates.values())  # noqa: S101 - our own files
    return candidates


def _answer_half(store: Store, name: str) -> None:
    """Answer half of a person's items as a reader might, and ask the lead a question."""
    draw, person = random.Random(f"{_SEED} {name}"), find_person(store, name).id  # noqa: S311 - invented answers
    rows = list_assignments(store, person)
    with store.read() as connection:
        given, unit = schema.assignments, schema.units
        query = select(given.c.id, unit.c.targets, unit.c.expected)
        rows_of = connection.execute(query.join(unit).where(given.c.person == person)).all()
    accepted = {
        row.id: read_targets(row.targets)[0].outcome in _ACCEPTED
        if row.expected is None
        else read_answer(row.expected).pronoun is Mark.YES
        for row in rows_of
    }
    half = rows[: len(rows) // 2]
    for row in half:
        view = assignment_view(store, person, row.id)
        answer = _invented(view, accepted[row.id], draw)
        seconds = round(draw.lognormvariate(2.3, 0.5), 1)
        save_answer(store, person, row.id, answer, version=0, request=f"demo-{row.id}", seconds=seconds)
    last = half[-1].id
    ask_lead(store, person, last, "Does the noun count if it is in the line before?", request=f"ask-{last}")
    if name == ANNOTATORS[0]:
        lead = find_person(store, LEAD).id
        reply(store, lead, last, "Yes: judge the pronoun given that noun.", request=f"reply-{last}")


def _invented(view: AssignmentView, accepted: bool, draw: random.Random) -> AnnotatorAnswer:
    """A plausible answer: usually that of the automatic check, or the known one, with occasional mistakes."""
    if draw.random() < _UNCLEAR:
        return AnnotatorAnswer(pronoun=Mark.UNCLEAR, remark="The sentence can be read in two ways.")
    right = accepted != (draw.random() < _SLIP)
    mark = Mark.YES if right else Mark.NO
    head = Mark.YES if view.asks_antecedent else Mark.UNSET
    words = view.highlighted if right else ()
    if not right and view.asks_antecedent:  # the head alone is right: choose its words
        shown = (token for line in view.lines for slot in line.slots for token in slot.tokens)
        heads = {token.at for token in shown if token.role == HEAD}
        words = tuple(at for at in view.highlighted if at in heads)
    return AnnotatorAnswer(antecedent=head, pronoun=mark, words=words)
