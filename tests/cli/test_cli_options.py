"""What holds for the options of all commands: lists add up, letters, suggestions, a usage that fits."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from anaphor.cli.commands import SHORT, CommandParser
from anaphor.cli.main import build_parser, main

Command = Callable[..., tuple[int, str, str]]


def commands(parser: CommandParser) -> Iterator[CommandParser]:
    """The parsers of all jobs, such as `anaphor align run`, but not of the words above them."""
    for child, _ in parser.commands.values():
        yield from commands(child)
    if not parser.commands:
        yield parser


@cache
def all_commands() -> list[CommandParser]:
    parser = build_parser()
    parser.load_all()
    return list(commands(parser))


def options() -> Iterator[tuple[CommandParser, argparse.Action]]:
    for parser in all_commands():
        yield from ((parser, action) for action in parser.actions() if action.option_strings)


def is_list(action: argparse.Action) -> bool:
    return action.nargs == "+" or isinstance(action.default, tuple)


def given(action: argparse.Action, *words: str) -> Any:
    """The value of an option after these words, parsed by a parser that has this option alone."""
    parser = CommandParser(prog="one")
    kind: dict[str, Any] = {"nargs": action.nargs, "type": action.type, "choices": action.choices}
    parser.add_argument(*action.option_strings, dest=action.dest, default=action.default, **kind)
    return getattr(parser.parse_args(words), action.dest)


LISTS = [
    pytest.param(action, id=f"{parser.prog} {action.option_strings[-1]}")
    for parser, action in options()
    if is_list(action)
]


def test_there_are_many_list_options() -> None:
    assert len(LISTS) > 30


@pytest.mark.parametrize("action", LISTS)
def test_a_list_option_that_is_repeated_adds_up(action: argparse.Action) -> None:
    numbers = action.type is int or isinstance(action.default, tuple)
    values = [*(action.choices or ())][:2] or (["1", "2"] if numbers else ["a=1", "b=2"])
    name = action.option_strings[-1]
    apart, alone = given(action, name, values[0], name, values[1]), given(action, name, values[1])
    assert len(alone) == 1
    assert apart == type(apart)([*given(action, name, values[0]), *alone])
    if action.nargs == "+":
        assert apart == given(action, name, *values)
    assert given(action) == action.default, "a value that is given changes the default of the next parse"


def test_repeated_gates_and_candidates_all_count(score: Command) -> None:
    _, _, err = score("--fail-under", "apt=0.99", "--fail-under", "autoprf=0.98")
    assert "0.99" in err
    assert "0.98" in err
    _, out, _ = score(
        "--candidate", "a.fr", "--candidate", "b.fr", "--metrics", "apt", "--metrics", "bleu", "--json"
    )
    found = json.loads(out)
    assert [system["system"] for system in found["systems"]] == ["a", "b"]
    assert [one["name"] for one in found["systems"][0]["metrics"]] == ["apt", "bleu"]


@pytest.mark.parametrize(("name", "letter"), SHORT.items())
def test_an_option_with_a_letter_has_it_in_every_command(name: str, letter: str) -> None:
    found = [action for _, action in options() if name in action.option_strings]
    assert found
    assert [action.option_strings for action in found if letter not in action.option_strings] == []


def test_the_letters_do_what_the_words_do(score: Command, anaphor: Command) -> None:
    links = ("--alignment-reference", "ref.align", "--alignment-candidate", "a.align", "b.align")
    short = ("-p", "en-fr", "-s", "src.en", "-r", "ref.fr", "-c", "a.fr", "-c", "b.fr", "-m", "apt")
    assert anaphor("score", "--samples", "0", *short, *links)[1] == score("--metrics", "apt")[1]
    assert anaphor("score", "--samples", "0", *short, *links, "-o", "r.json")[0] == 0
    assert Path("r.json").is_file()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("scroe", "unknown 'scroe'; did you mean score?"),
        ("align rnu", "unknown 'rnu'; did you mean run?"),
        ("score -p en-fr --candiates a.fr", "unknown option: --candiates; did you mean --candidate?"),
        ("score -p en-fr --metrcs=apt", "unknown option: --metrcs; did you mean --metrics?"),
        ("score -p en-fr --by cases", "unknown 'cases'; did you mean case?"),
        ("predict list --jsn", "unknown option: --jsn; did you mean --json?"),
        ("score -p en-fr extra", "unknown argument: extra\n"),
        ("score", "the following arguments are required: -p/--pair"),
        ("bench", "choose one: list, check, make"),
    ],
)
def test_a_typing_mistake_gets_a_suggestion_and_a_short_usage(
    words: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    err = capsys.readouterr().err
    assert caught.value.code == 2
    assert what in err
    assert len(err.splitlines()) <= 8
    assert "--help` lists the options" in err


@pytest.mark.parametrize("parser", all_commands(), ids=lambda parser: parser.prog)
def test_a_default_is_accepted_by_its_own_option(parser: CommandParser) -> None:
    """argparse converts defaults that are text, so that one of no choice made its command unusable."""
    for action in parser.actions():
        if isinstance(action.default, str) and callable(action.type):
            action.type(action.default)


@pytest.mark.parametrize("parser", all_commands(), ids=lambda parser: parser.prog)
def test_the_usage_fits_a_screen(parser: argparse.ArgumentParser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert len(parser.format_usage().splitlines()) <= 8


def test_the_demo_writes_its_files(anaphor: Command, folder: Path) -> None:
    code, out, err = anaphor("demo", "--output", "demo")
    assert (code, err) == (0, "")
    assert out.startswith("demo: README.md, baldur.align")
    texts = ("-s", "demo/source.en", "-r", "demo/reference.fr", "-c", "demo/baldur.fr")
    links = ("--alignment-reference", "demo/reference.align", "--alignment-candidate", "demo/baldur.align")
    code, out, err = anaphor("score", "-p", "en-fr", *texts, *links, "--documents", "demo/documents")
    assert (code, err) == (0, "")
    assert "baldur    69.0" in out or "baldur  69.0" in out
    code, _, err = anaphor("demo", "-o", "demo")
    assert code == 1
    assert err.startswith("error: the folder cannot be written (it exists already)\nwhere: demo\n")


@pytest.mark.parametrize("words", [("-q", "score"), ("score", "--quiet")])
def test_quiet_hides_notes_which_the_result_keeps(
    anaphor: Command, folder: Path, words: tuple[str, ...]
) -> None:
    (folder / "a.fr").write_bytes((folder / "a.fr").read_bytes().replace(b"\n", b"\r\n"))
    files = ("-p", "en-fr", "-s", "src.en", "-r", "ref.fr", "-c", "a.fr", "--samples", "0", "-o", "r.json")
    code, out, err = anaphor("score", *files)
    assert (code, err) == (0, "note: a.fr: read Windows line ends (CRLF)\n")
    assert anaphor(*words, *files) == (0, out, "")
    assert "Windows line ends" in json.loads((folder / "r.json").read_text(encoding="utf-8"))["notes"][0]


@pytest.mark.parametrize("parser", all_commands(), ids=lambda parser: parser.prog)
def test_every_job_has_examples_that_the_parser_accepts(parser: argparse.ArgumentParser) -> None:
    assert parser.epilog is not None
    assert parser.epilog.startswith("examples:\n")
    own = [
        re.split(r"  +\(", line)[0].strip()
        for line in parser.epilog.replace("\\\n", "").splitlines()
        if f"{line.strip()} ".startswith(f"{parser.prog} ")
    ]
    assert own or parser.prog == "anaphor completion"
    for line in own:
        if "..." not in line:  # which stands for the options of the example before it
            words = shlex.split(re.split(r" [|>] ", line)[0])
            assert build_parser().parse_args(words[1:]).run, line


def test_common_options_come_first_in_a_help_text(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["score", "--help"])
    out = capsys.readouterr().out
    common, _, rest = out.partition("less common options:")
    assert all(
        f"--{name} " in common for name in ("source", "reference", "candidate", "pair", "metrics", "output")
    )
    assert all(f"--{name} " in rest for name in ("seed", "level", "weights", "outside-links"))
    assert len(common.splitlines()) < 85


def test_a_wide_table_is_broken_and_keeps_its_first_column(score: Command) -> None:
    wide, narrow = score()[1], score("--width", "50")[1]
    tables = [line for line in narrow.splitlines() if line.startswith(("a ", "b ", "case", "system"))]
    assert max(map(len, tables)) <= 50
    assert sorted(re.split(r"  +", wide)) != sorted(re.split(r"  +", narrow))
    assert len([line for line in tables if line.startswith("case")]) > 1
    # No cell is lost: those of the wide table are all there.
    assert {cell for line in wide.splitlines() for cell in line.split()} == set(narrow.split())
    assert score("--width", "0")[1] == wide


def test_a_table_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from anaphor.cli.terminal import paint

    monkeypatch.setenv("COLUMNS", "72")
    assert paint(argparse.Namespace(width=None)).width is None
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert paint(argparse.Namespace(width=None)).width == 72
    assert paint(argparse.Namespace(width=40)).width == 40
    assert paint(argparse.Namespace(width=0)).width is None
