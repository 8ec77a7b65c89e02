"""Every mistake in `anaphor align`: exit code 1, three parts on stderr, no output and no file."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import anaphor as package
from anaphor.align.modelfile import KIND, VERSION
from anaphor.align.priors import VERSION as PRIOR_VERSION
from anaphor.align.priors import built_in_prior, write_prior
from anaphor.core import LanguagePair
from anaphor.files.arrays import write_arrays
from tests.cli.on_terminal import run_on_terminal

Command = Callable[..., tuple[int, str, str]]

FILES = ("--pair", "en-fr", "--source", "src.en", "--target", "ref.fr")
RUN = ("align", "run", *FILES, "--priors", "none", "--output", "links", "--scores", "scores")
TRAIN = ("align", "train", *FILES, "--priors", "none", "--save", "model")
SCORE = ("score", "--pair", "en-fr", "--source", "src.en", "--reference", "ref.fr", "--candidate", "a.fr")
ANAPHOR = (sys.executable, "-m", "anaphor.cli.main")
#: The same where SIGINT is ignored, as in everything that a shell starts in the background.
INTERRUPTIBLE = (
    sys.executable,
    "-c",
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from anaphor.cli.main import main; sys.exit(main(sys.argv[1:]))",
)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])}


def assert_refused(outcome: tuple[int, str, str], *, what: str, where: str, fix: str = "") -> None:
    code, out, err = outcome
    assert (code, out) == (1, "")
    match = re.fullmatch(r"error: (.+)\nwhere: (.+)\nfix:   (.+)\n", err, re.DOTALL)
    assert match, err
    assert what in match[1]
    assert match[2] == where
    assert fix in match[3]
    written = {"links", "scores", "model"}
    assert not [path for path in Path().iterdir() if path.name in written or path.name.startswith(".")]


# Options on top of good ones; then what the message says, where, and how to fix it.
FAULTY_OPTIONS = {
    "a pair that is none": ("--pair english", "not a language pair", "--pair", "en-fr"),
    "a language without a pack": (
        "--pair en-sk",
        "no tokenizer for the language sk",
        "--pair",
        "--tokenized",
    ),
    "a text that is not there": ("--source none.en", "cannot be read", "none.en", "check the path"),
    "texts of unequal length": (
        "--source two",
        "has 6 lines, the source two has 2",
        "ref.fr:3",
        "surplus lines",
    ),
    "an empty text": ("--target empty", "the file has no lines", "empty", "one segment per line"),
    "two texts on one input": ("--source - --target -", "can only be used for one file", "-", "to files"),
    "more text on the same input": ("--source - --train - ref.fr", "used for one file", "-", "to files"),
    "more text of unequal length": ("--train src.en two", "two has 2 lines", "two:3", "surplus lines"),
    "more text that is not there": ("--train src.en none.fr", "cannot be read", "none.fr", "check the path"),
    "an unknown method": ("--method hm", "anaphor has no model hm", "--method", "use hmm or ibm1"),
    "a prior that is not there": ("--priors none.prior", "cannot read the prior", "none.prior", "check"),
    "a prior that is none": ("--priors two", "not a valid prior", "two", "a file that anaphor wrote"),
    "no thread": ("--threads 0", "threads is 0", "aligner option threads", "from 1"),
}
FAULTY_CHOICES = {
    "an unknown aligner": ("--aligner fastalign", "unknown aligner", "--aligner", "did you mean fast_align?"),
    "an unknown symmetrization": (
        "--symmetrize grow-dia",
        "unknown symmetrization: grow-dia",
        "--symmetrize",
        "did you mean grow-diag?",
    ),
    "an unknown backoff": (
        "--aligner mgiza --backoff fastalign",
        "unknown backoff: fastalign",
        "--backoff",
        "did you mean fast_align?",
    ),
    "a model of another aligner": (
        "--aligner mgiza --method ibm1",
        "mgiza has no model ibm1",
        "--method",
        "model4 or hmm",
    ),
    "confidences without posteriors": (
        "--symmetrize union",
        "only links from posteriors or from one direction",
        "--scores",
        "--symmetrize posterior",
    ),
    "two results for one file": (
        "--scores ./links",
        "both be written to links",
        "--output, --scores",
        "two files",
    ),
    "a folder that does not exist": (
        "--output no/links",
        "cannot be written",
        "no/links",
        "existing, writable folder",
    ),
    "a folder for the confidences": ("--scores .", "cannot be written", ".", "existing, writable folder"),
}
IGNORED = {
    "--model model.of --train src.en ref.fr": "--train, --model",
    "--model model.of --priors none": "--priors, --model",
    "--model model.of --method ibm1": "--method, --model",
    "--model model.of --aligner eflomal": "--aligner, --model",
    "--model model.of --backoff fast_align": "--backoff, --model",
    "--backoff fast_align": "--backoff, --aligner",
    "--aligner fast_align --backoff anaphor": "--backoff, --aligner",
    "--aligner simalign --symmetrize union": "--symmetrize, --aligner",
    "--aligner eflomal --method ibm1": "--method, --aligner",
    "--aligner fast_align --priors none": "--priors, --aligner",
    "--aligner mgiza --threads 3": "--threads, --aligner",
    "--aligner simalign --train src.en ref.fr": "--train, --aligner",
}


@pytest.fixture(autouse=True)
def faulty_files(folder: Path) -> None:
    (folder / "two").write_text("It rains .\nThey laugh .\n", encoding="utf-8")
    (folder / "empty").write_bytes(b"")


@pytest.mark.parametrize("command", [RUN, TRAIN], ids=["run", "train"])
@pytest.mark.parametrize(
    ("options", "what", "where", "fix"), FAULTY_OPTIONS.values(), ids=FAULTY_OPTIONS.keys()
)
def test_a_faulty_text_or_option(
    anaphor: Command, command: tuple[str, ...], options: str, what: str, where: str, fix: str
) -> None:
    assert_refused(anaphor(*command, *options.split()), what=what, where=where, fix=fix)


@pytest.mark.parametrize(
    ("options", "what", "where", "fix"), FAULTY_CHOICES.values(), ids=FAULTY_CHOICES.keys()
)
def test_a_faulty_choice(anaphor: Command, options: str, what: str, where: str, fix: str) -> None:
    assert_refused(anaphor(*RUN, *options.split()), what=what, where=where, fix=fix)


@pytest.mark.parametrize(("options", "where"), IGNORED.items())
def test_an_option_that_would_be_ignored(anaphor: Command, options: str, where: str) -> None:
    outcome = anaphor("align", "run", *FILES, *options.split())
    assert_refused(outcome, what="would be ignored", where=where, fix="omit one of the two")


def test_another_aligner_has_no_posteriors(anaphor: Command) -> None:
    outcome = anaphor("align", "run", *FILES, "--aligner", "eflomal", "--symmetrize", "posterior")
    assert_refused(outcome, what="eflomal gives no posteriors", where="--symmetrize", fix="grow-diag")


def test_a_model_cannot_be_saved_in_a_folder_that_does_not_exist(anaphor: Command) -> None:
    assert_refused(anaphor(*TRAIN, "--save", "no/model"), what="cannot be written", where="no/model")


@pytest.mark.parametrize(
    ("program", "missing", "install"),
    [
        ("eflomal", "the program eflomal-align is not installed", "pip install eflomal"),
        ("fast_align", "the program fast_align is not installed", "github.com/clab/fast_align"),
        ("mgiza", "the program mkcls is not installed", "github.com/moses-smt/mgiza"),
        ("giza++", "the program mkcls is not installed", "github.com/moses-smt/giza-pp"),
        ("awesome-align", "the program awesome-align is not installed", "pip install awesome-align"),
    ],
)
def test_a_program_that_is_not_installed(
    anaphor: Command, monkeypatch: pytest.MonkeyPatch, program: str, missing: str, install: str
) -> None:
    monkeypatch.setenv("PATH", "")
    outcome = anaphor("align", "run", *FILES, "--aligner", program, "--output", "links")
    assert_refused(outcome, what=missing, where="PATH", fix=install)


def test_model_files_that_cannot_be_used(anaphor: Command, folder: Path) -> None:
    assert anaphor(*TRAIN, "--save", "good.model")[0] == 0
    content = (folder / "good.model").read_bytes()
    (folder / "cut.model").write_bytes(content[: len(content) // 2])
    write_arrays(folder / "new.model", {}, metadata={"kind": KIND, "version": str(VERSION + 1)})
    run = ("align", "run", *FILES, "--output", "links", "--model")
    refused = {
        "cut.model": "gzip file is broken or incomplete",
        "new.model": f"of version {VERSION + 1}, this program reads {VERSION}",
        "two": "not a valid alignment model",
        "none.model": "cannot read the alignment model",
    }
    for name, what in refused.items():
        assert_refused(anaphor(*run, name), what=what, where=name)
    turned = anaphor(*run, "good.model", "--pair", "fr-en")
    assert_refused(turned, what="the model is for en-fr, not fr-en", where="good.model")


def test_prior_files_that_cannot_be_used(anaphor: Command, folder: Path) -> None:
    prior = built_in_prior(LanguagePair("en", "fr"))
    write_prior(folder / "good.prior", prior, origin="the package")
    content = (folder / "good.prior").read_bytes()
    (folder / "cut.prior").write_bytes(content[: len(content) // 2])
    write_arrays(folder / "new.prior", {}, metadata={"kind": "prior", "version": str(PRIOR_VERSION + 1)})
    write_arrays(folder / "void.prior", {}, metadata={"kind": "prior", "version": str(PRIOR_VERSION)})
    refused = {
        "cut.prior": "gzip file is broken or incomplete",
        "new.prior": f"prior of version {PRIOR_VERSION + 1}, this program reads {PRIOR_VERSION}",
        "void.prior": "is inconsistent: it has no source_forms",
    }
    commands = (RUN, TRAIN, SCORE)
    for command in commands:
        for name, what in refused.items():
            assert_refused(anaphor(*command, "--priors", name), what=what, where=name)
        other = anaphor(*command, "--pair", "en-de", "--priors", "good.prior")
        assert_refused(other, what="the prior is for en-fr, the text is en-de", where="good.prior")
    turned = ("--pair", "fr-en", "--source", "ref.fr", "--target", "src.en")
    assert anaphor(*RUN, *turned, "--priors", "good.prior")[0] == 0


def test_a_prior_is_no_model_and_a_model_no_prior(anaphor: Command, folder: Path) -> None:
    write_prior(folder / "a.prior", built_in_prior(LanguagePair("en", "fr")), origin="the package")
    outcome = anaphor("align", "run", *FILES, "--model", "a.prior")
    assert_refused(outcome, what="wrong kind of file: expected alignment model, got prior", where="a.prior")
    assert anaphor(*TRAIN, "--save", "good.model")[0] == 0
    outcome = anaphor(*RUN, "--priors", "good.model")
    assert_refused(
        outcome, what="wrong kind of file: expected prior, got alignment model", where="good.model"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal and POSIX signals")
@pytest.mark.parametrize("command", [RUN, TRAIN], ids=["run", "train"])
def test_an_interruption_while_our_own_aligner_learns_leaves_no_file(
    folder: Path, command: tuple[str, ...]
) -> None:
    """Ctrl-C is pressed when the progress of a text that takes seconds is first shown."""
    for side in ("en", "fr"):
        words = [f"{side}{number * number % 9973}" for number in range(160_000)]
        lines = (" ".join(words[start : start + 20]) for start in range(0, len(words), 20))
        (folder / f"much.{side}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    before = sorted(folder.iterdir())
    terminal, end = os.openpty()
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *command, "--source", "much.en", "--target", "much.fr"], stderr=end, env=ENVIRONMENT
    )
    shown = b""
    while b"%" not in shown:
        shown += os.read(terminal, 10_000)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130
    for number in (terminal, end):
        os.close(number)
    assert b"Traceback" not in shown
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="limits of memory need POSIX")
def test_too_little_memory_is_an_error(folder: Path) -> None:
    """The source has 8 GB, none of them on the disk; the process may have 4."""
    with (folder / "huge.en").open("wb") as huge:
        huge.truncate(8 << 30)
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)); "
    limited += "from anaphor.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", limited, *RUN, "--source", "huge.en"]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    (folder / "huge.en").unlink()
    assert_refused(
        (done.returncode, done.stdout, done.stderr),
        what="not enough memory",
        where="this machine",
        fix="fewer",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a signal to the parent needs POSIX")
def test_an_interruption_leaves_no_file(folder: Path) -> None:
    """The program that stands for fast_align presses Ctrl-C, then waits to be ended."""
    programs = folder / "programs"
    programs.mkdir()
    body = f"import os, time\nos.kill(os.getppid(), {int(signal.SIGINT)})\ntime.sleep(600)\n"
    (programs / "fast_align").write_text(f"#!{sys.executable} -IS\n{body}", encoding="utf-8")
    (programs / "fast_align").chmod(0o755)
    before = sorted(folder.iterdir())
    options = ("--aligner", "fast_align", "--output", "links")
    done = subprocess.run(
        [*INTERRUPTIBLE, "align", "run", *FILES, *options],
        capture_output=True,
        env={**ENVIRONMENT, "PATH": str(programs)},
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_on_a_terminal_stays_off_stdout(folder: Path) -> None:
    output, shown = run_on_terminal([*ANAPHOR, "align", "run", *FILES, "--priors", "none"], ENVIRONMENT)
    assert b"aligning 6 sentence pairs, training on 6 ..." in shown
    assert re.search(rb"aligning 6 sentence pairs, training on 6: [a-z ]+, 100% \.\.\.", shown)
    assert shown.endswith(b"\r\x1b[K")  # the line is wiped
    assert len(output.splitlines()) == 6
