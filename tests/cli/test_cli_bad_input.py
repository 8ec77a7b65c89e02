"""Every mistake gives exit code 1, the three parts on stderr, nothing on stdout and no file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.languages import known_pairs

Command = Callable[..., tuple[int, str, str]]
Mend = tuple[bytes, bytes]

WRITES = ("--output", "result.json", "--items", "items.tsv")
OUTSIDE: Mend = (b"0-0 1-2 2-1 3-3", b"0-0 1-2 2-9 3-3")  # line 5; Mary sees it . has no token 9

# File, passage of it and what to put there; then what the message says and where.
FAULTY_FILES = {
    "a candidate with fewer lines": ("a.fr", (b"Ils rient .\n", b""), "a.fr has 5 lines", "a.fr:6"),
    "a candidate with more lines": (
        "a.fr",
        (b"Ils rient .\n", b"Ils\nrient\n"),
        "a.fr has 7 lines",
        "a.fr:7",
    ),
    "a reference with more lines": ("ref.fr", (b"Elles", b"Elles\n"), "ref.fr has 7 lines", "ref.fr:7"),
    "a byte that is not UTF-8": ("a.fr", (b"Ils rient", b"\xc9 rient"), "byte 0xc9 is not valid", "a.fr:3:1"),
    "UTF-16": ("src.en", (b"They laugh", b"T\0h\0e\0y\0"), "NUL byte", "src.en:3:2"),
    "a link outside the sentence": ("a.align", OUTSIDE, "link 2-9 points outside", "a.align:5:9"),
    "a link outside the reference": ("ref.align", OUTSIDE, "link 2-9 points outside", "ref.align:5:9"),
    "letters as a link": (
        "b.align",
        (b"3-3 5-5", b"3-3 5-x"),
        "not an alignment link: '5-x'",
        "b.align:2:17",
    ),
    "a negative link": (
        "b.align",
        (b"3-3 5-5", b"3-3 -1-5"),
        "not an alignment link: '-1-5'",
        "b.align:2:17",
    ),
    "too few alignments": ("b.align", (b"0-0 1-1 4-3 5-4\n", b""), "alignments for 5 segments", "b.align:6"),
    "too many alignments": ("b.align", (b"4-3 5-4\n", b"4-3 5-4\n0-0\n"), "for 7 segments", "b.align:7"),
    "too many documents": ("docs", (b"party\n", b"party\nparty\n"), "the file has 7 lines", "docs:7"),
    "a blank document": ("docs", (b"party\n", b"\n"), "a document id is blank", "docs:3"),
    "a position that is none": ("positions", (b"1 4", b"one"), "not a position: 'one'", "positions:2"),
    "a position past the end": ("positions", (b"1 4", b"1 8"), "no token 8 in segment 1", "positions:2"),
}


def assert_refused(outcome: tuple[int, str, str], *, what: str, where: str) -> None:
    code, out, err = outcome
    assert code == 1
    assert out == ""
    match = re.fullmatch(r"error: (.+)\nwhere: (.+)\nfix:   (.+)\n", err)
    assert match, err
    assert what in match[1]
    assert match[2] == where
    assert not Path("result.json").exists()
    assert not Path("items.tsv").exists()


@pytest.mark.parametrize(("name", "passage", "what", "where"), FAULTY_FILES.values(), ids=FAULTY_FILES.keys())
def test_a_faulty_file(score: Command, folder: Path, name: str, passage: Mend, what: str, where: str) -> None:
    (folder / "positions").write_bytes(b"0 0\n1 4\n")
    content = (folder / name).read_bytes()
    assert passage[0] in content
    (folder / name).write_bytes(content.replace(*passage, 1))
    extra = ("--positions", "positions") if name == "positions" else ()
    assert_refused(score(*WRITES, "--documents", "docs", *extra), what=what, where=where)


@pytest.mark.parametrize("name", ["src.en", "ref.fr", "a.fr", "docs"])
def test_an_empty_file(score: Command, folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"")
    outcome = score(*WRITES, "--documents", "docs")
    assert_refused(outcome, what="the file has no lines", where=name)


@pytest.mark.parametrize("name", ["a.fr", "src.en", "ref.fr"])
def test_a_file_name_that_is_not_utf_8(score: Command, folder: Path, name: str) -> None:
    """Results have the paths of their inputs: they could not be written, when everything was computed."""
    other = Path(os.fsdecode(os.fsencode(name) + b"\xff"))
    (folder / name).rename(folder / other)
    option = {"a.fr": "--candidate", "src.en": "--source", "ref.fr": "--reference"}[name]
    given = [str(other), *(["b.fr"] if name == "a.fr" else [])]
    assert_refused(score(*WRITES, option, *given), what="not UTF-8", where=f"{name}\\udcff")


def test_an_empty_alignment_file(score: Command, folder: Path) -> None:
    (folder / "a.align").write_bytes(b"")
    assert_refused(score(*WRITES), what="alignments for 0 segments", where="a.align:1")


# Options given on top of good ones; then what the message says and where.
FAULTY_OPTIONS = {
    "a file that is not there": ("--candidate none.fr b.fr", "cannot be read", "none.fr"),
    "a folder for a file": ("--candidate . b.fr", "cannot be read", "."),
    "a pair that is none": ("--pair english", "not a language pair: 'english'", "--pair"),
    "an unknown pair": ("--pair en-fi", "unknown language pair: en-fi", "the built-in packs"),
    "an unknown metric": ("--metrics apt blue", "unknown metric: blue", "--metrics"),
    "NaN weights": ("--weights nan,0.5,0,0,0,0", "not six weights between 0 and 1: nan", "--weights"),
    "infinite weights": ("--weights inf,0.5,0,0,0,0", "not six weights", "--weights"),
    "five weights": ("--weights 1,0.5,0,0,0", "not six weights", "--weights"),
    "a case that is none": ("--discard 7", "cannot discard the cases [7]", "--discard"),
    "all cases discarded": ("--discard 1,2,3,4,5,6", "cannot discard", "--discard"),
    "equal names by path": ("--candidate a.fr ./a.fr", "two candidates are called a", "./a.fr"),
    "equal names by choice": ("--candidate x=a.fr x=b.fr", "two candidates are called x", "b.fr"),
    "too few alignment files": (
        "--alignment-candidate a.align",
        "1 alignment file for 2 candidate texts",
        "--alignment-candidate",
    ),
    "too many alignment files": (
        "--alignment-reference ref.align a.align",
        "2 alignment files for 1 reference text",
        "--alignment-reference",
    ),
    "the standard input twice": ("--source - --documents -", "only be used for one file", "-"),
    "no pronoun in the source": ("--pronouns she", "no pronoun found in 6 segments", "src.en"),
    "positions beside pronouns": (
        "--positions docs --pronouns it",
        "positions select the tokens to evaluate",
        "--positions, --pronouns",
    ),
    "a set beside a source": ("--set set.tsv", "has its own source", "--set"),
    "an unknown symmetrization": ("--symmetrize onion", "unknown symmetrization: onion", "--symmetrize"),
    "posteriors of an aligner that has none": (
        "--aligner eflomal --symmetrize posterior",
        "eflomal gives no posteriors",
        "--symmetrize",
    ),
    "a sensitivity of given alignments": (
        "--alignment-sensitivity",
        "the alignments are given",
        "--alignment-sensitivity",
    ),
    "functions without pronouns": (
        "--functions --metrics bleu",
        "no metric judges pronouns",
        "--functions, --metrics",
    ),
    "packs that are not there": ("--packs none", "folder of packs not found", "none"),
    "few resamples": ("--samples 10", "10 resamples are too few", "--samples"),
    "a paired test without resamples": ("--paired", "a paired test needs resamples", "--paired"),
    "a level of no interval": ("--level 2", "between 0.5 and 1, got 2.0", "--level"),
    "a limit without a number": ("--fail-under apt", "not a limit: apt", "--fail-under"),
    "a limit above 1": ("--fail-under apt=60", "apt=60 is a percentage", "--fail-under"),
    "a limit of NaN": ("--fail-under apt=nan", "not a limit: apt=nan", "--fail-under"),
    "a limit of no metric asked for": (
        "--fail-under bleu=0.2",
        "there is no metric bleu in this run",
        "--fail-under",
    ),
}


@pytest.mark.parametrize(("options", "what", "where"), FAULTY_OPTIONS.values(), ids=FAULTY_OPTIONS.keys())
def test_a_faulty_option(score: Command, options: str, what: str, where: str) -> None:
    assert_refused(score(*WRITES, *options.split()), what=what, where=where)


@pytest.mark.parametrize(
    ("options", "suggestion"),
    [
        (
            "--metrics blue",
            "did you mean bleu? known: accept, apt, autoprf, bleu, chrf, comet, judge, meteor",
        ),
        ("--pair en-fri", f"did you mean en-fr? known: {', '.join(known_pairs())}"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(score: Command, options: str, suggestion: str) -> None:
    assert suggestion in score(*options.split())[2]


@pytest.fixture
def score_unaligned(anaphor: Command) -> Command:
    """Runs `anaphor score` on texts without alignments, which it has to make."""
    files = ("--source", "src.en", "--reference", "ref.fr", "--candidate", "a.fr", *WRITES)
    return lambda *options: anaphor("score", "--pair", "en-fr", *files, *options)


def test_an_unknown_aligner_is_answered_with_the_nearest(score_unaligned: Command) -> None:
    outcome = score_unaligned("--aligner", "eflomall")
    assert_refused(outcome, what="unknown aligner: eflomall", where="--aligner")
    assert "did you mean eflomal? known: anaphor, " in outcome[2]


@pytest.mark.parametrize(
    ("aligner", "program", "install"),
    [
        ("awesome-align", "awesome-align", "pip install awesome-align"),
        ("eflomal", "eflomal-align", "pip install eflomal"),
        ("fast_align", "fast_align", "build github.com/clab/fast_align"),
        ("giza++", "mkcls", "build github.com/moses-smt/giza-pp"),
        ("mgiza", "mkcls", "build github.com/moses-smt/mgiza"),
    ],
)
def test_an_aligner_that_is_not_installed_is_answered_with_its_install_line(
    score_unaligned: Command,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    aligner: str,
    program: str,
    install: str,
) -> None:
    monkeypatch.setenv("PATH", str(folder))  # it holds texts and no programs
    outcome = score_unaligned("--aligner", aligner)
    assert_refused(outcome, what=f"the program {program} is not installed", where="PATH")
    assert f"\nfix:   {install}" in outcome[2]


@pytest.mark.parametrize(
    ("priors", "what"), [("none.prior", "cannot read the prior"), ("src.en", "not a valid prior")]
)
def test_priors_that_cannot_be_read(score_unaligned: Command, priors: str, what: str) -> None:
    assert_refused(score_unaligned("--priors", priors), what=what, where=priors)


@pytest.mark.parametrize(
    ("options", "what", "where"),
    [
        ("--reference ref.fr --candidate a.fr", "source or reference is missing", "--source, --reference"),
        (
            "--source src.en --candidate a.fr --metrics apt autoprf",
            "apt, autoprf cannot score without one",
            "--reference",
        ),
        ("--source src.en --reference ref.fr", "no candidate is given", "--candidate"),
    ],
)
def test_a_text_is_missing(anaphor: Command, options: str, what: str, where: str) -> None:
    assert_refused(anaphor("score", "--pair", "en-fr", *WRITES, *options.split()), what=what, where=where)


@pytest.mark.parametrize("option", ["--output", "--items"])
def test_a_result_that_cannot_be_written(score: Command, option: str) -> None:
    code, out, err = score(option, "none/file")
    assert (code, out) == (1, "")
    assert err.startswith("error: the file cannot be written")
    assert "\nwhere: none/file\n" in err
