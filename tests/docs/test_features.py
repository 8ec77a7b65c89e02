"""The feature table stays true: commands exist, citations exist, and whatever runs has a row."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from anaphor.cli.commands import CommandParser
from anaphor.metrics import METRICS
from tests.support.papers import PAPERS
from tests.support.parser import whole_parser

PAGE = Path(__file__).resolve().parents[2] / "benchmarks" / "papers" / "README.md"
HEADER = ["feature", "paper", "command", "notes"]
NOT_YET = "not yet"
OWN = "own"


# Every submission in the result tables: wmt16-findings Tables 6-9, discomt17-findings Tables 5-8.
SUBMISSIONS = {
    "wmt16-findings": """CUNI-primary CUNI-contrastive Idiap-primary Idiap-contrastive limsi-primary
        limsi-contrastive TurkuNLP-primary TurkuNLP-contrastive uedin-primary uedin-contrastive
        UHELSINKI-primary UKYOTO-primary UUPPSALA-primary UUPPSALA-contrastive UU-Cap-primary
        UU-Hardmeier-primary UU-Hardmeier-contrastive UU-Stymne-primary UU-Stymne-contrastive""",
    "discomt17-findings": """TurkuNLP-primary TurkuNLP-contrastive Uppsala-primary Uppsala-contrastive
        NYU-primary NYU-contrastive UU-Hardmeier-primary UU-Hardmeier-contrastive UU-Stymne16-primary""",
}

LOCATOR = re.compile(r"§(?P<section>[\d.]+)|Tables? (?P<table>\d+)(?:-(?P<last>\d+))?|Figure (?P<figure>\d+)")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the page; a missing or surplus cell is caught when it is read."""

    line: int
    feature: str
    paper: str
    command: str
    notes: str

    @property
    def stems(self) -> tuple[str, ...]:
        return tuple(part.split()[0] for part in self.paper.split("; "))

    @property
    def arguments(self) -> tuple[str, ...]:
        """The command without backticks and program name; empty for `not yet`."""
        return () if self.command == NOT_YET else tuple(shlex.split(self.command.strip("`"))[1:])


def read_rows(text: str) -> Iterator[Row]:
    """The rows below every four-column header of the page."""
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells or cells == HEADER:
            inside = bool(cells)
        elif inside and set(line) - set("|-"):
            assert len(cells) == len(HEADER), f"{PAGE.name}:{number}: {len(cells)} cells"
            yield Row(number, *cells)


ROWS = tuple(read_rows(PAGE.read_text(encoding="utf-8")))
COMMANDS = sorted({row.command for row in ROWS} - {NOT_YET})


def leaves(parser: CommandParser, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every complete verb, such as ("score",) and ("legacy", "apt")."""
    verbs = parser.commands
    if path and not verbs:
        yield path
    for name, (child, _) in verbs.items():
        yield from leaves(child, (*path, name))


def relaxed(parser: CommandParser) -> CommandParser:
    """The same parser with nothing required, because a row shows only the decisive part of a command."""
    for action in parser.actions():
        action.required = False
    for group in parser.exclusive():
        group.required = False
    for child, _ in parser.commands.values():
        relaxed(child)
    return parser


@cache
def relaxed_parser() -> CommandParser:
    return relaxed(whole_parser.__wrapped__())


def options_of(verb: tuple[str, ...]) -> set[str]:
    parser: CommandParser = whole_parser()
    for name in verb:
        parser, _ = parser.commands[name]
    return {option for action in parser.actions() for option in action.option_strings}


def verb_of(arguments: tuple[str, ...]) -> tuple[str, ...]:
    return next((verb for verb in leaves(whole_parser()) if arguments[: len(verb)] == verb), ())


def metrics_in(arguments: tuple[str, ...]) -> set[str]:
    """The names after `--metrics`, up to the next option."""
    if "--metrics" not in arguments:
        return set()
    names: set[str] = set()
    for argument in arguments[arguments.index("--metrics") + 1 :]:
        if argument.startswith("--"):
            break
        names.update(argument.split(","))
    return names


def cited(kind: str) -> dict[str, set[str]]:
    """For each paper the sections, tables or figures that the rows name, ranges spelled out."""
    found: dict[str, set[str]] = {stem: set() for stem in PAPERS}
    for row in ROWS:
        for part in row.paper.split("; "):
            for match in LOCATOR.finditer(part):
                if match[kind]:
                    last = match["last"] if kind == "table" and match["last"] else match[kind]
                    names = [match[kind]] if kind == "section" else range(int(match[kind]), int(last) + 1)
                    found[part.split()[0]].update(map(str, names))
    return found


def is_complete(row: Row) -> bool:
    runs = re.fullmatch(r"`anaphor [^`]+`", row.command) is not None
    return bool(row.feature and row.paper and row.notes) and (runs or row.command == NOT_YET)


def is_citation(paper: str) -> bool:
    """Parts joined by `; `, each a stem and its places joined by `, `; or the word for our own ideas."""
    if paper == OWN:
        return True
    parts = [part.partition(" ") for part in paper.split("; ")]
    return all(
        stem in PAPERS and all(LOCATOR.fullmatch(place) for place in places.split(", "))
        for stem, _, places in parts
    )


def test_every_row_is_complete() -> None:
    assert [row for row in ROWS if not is_complete(row)] == []


def test_every_citation_is_a_known_paper_and_a_list_of_places() -> None:
    assert [row for row in ROWS if not is_citation(row.paper)] == []


@pytest.mark.parametrize("stem", PAPERS)
def test_cited_sections_exist(stem: str) -> None:
    assert cited("section")[stem] <= set(PAPERS[stem].sections.split())


@pytest.mark.parametrize("stem", PAPERS)
def test_every_table_and_figure_is_cited_and_no_other(stem: str) -> None:
    assert cited("table")[stem] == {str(n + 1) for n in range(PAPERS[stem].tables)}
    assert cited("figure")[stem] == {str(n + 1) for n in range(PAPERS[stem].figures)}


@pytest.mark.parametrize("stem", PAPERS)
def test_a_paper_keeps_its_rows(stem: str) -> None:
    assert sum(stem in row.stems for row in ROWS) >= PAPERS[stem].rows


@pytest.mark.parametrize("stem", SUBMISSIONS)
def test_every_submission_has_its_row(stem: str) -> None:
    assert set(SUBMISSIONS[stem].split()) <= {row.feature for row in ROWS if stem in row.stems}


def test_no_feature_is_listed_twice_for_the_same_place() -> None:
    repeated = [key for key, count in Counter((row.feature, row.paper) for row in ROWS).items() if count > 1]
    assert repeated == []


def test_the_real_parser_takes_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    parser = relaxed_parser()
    assert len(COMMANDS) > 200
    for command in COMMANDS:
        try:
            parser.parse_args(shlex.split(command.strip("`"))[1:])
        except SystemExit:
            pytest.fail(f"{command}: {capsys.readouterr().err}")


def test_verb_options_and_metrics_are_known_by_their_full_names() -> None:
    assert COMMANDS
    for command in COMMANDS:
        arguments = tuple(shlex.split(command.strip("`"))[1:])
        verb = verb_of(arguments)
        assert verb, f"{command}: no such verb"
        assert {part for part in arguments if part.startswith("--")} <= options_of(verb), command
        assert metrics_in(arguments) <= set(METRICS), command


def test_every_verb_has_a_row() -> None:
    assert set(leaves(whole_parser())) == {verb_of(row.arguments) for row in ROWS if row.arguments}


def test_every_metric_has_a_row() -> None:
    assert set(METRICS) == set().union(*(metrics_in(row.arguments) for row in ROWS))
