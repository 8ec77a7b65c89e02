"""The `anaphor` command: dispatch, and the one place that reports user errors."""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

from anaphor import __version__
from anaphor.cli.commands import CommandParser

if TYPE_CHECKING:
    import argparse

    from anaphor.core.errors import UserError

VERBS = {
    "check": "check translated files for suspicious pronouns, contradictions of a cast file and inconsistent "
    "chains",
    "score": "score one or more candidate translations by their pronouns",
    "align": "word-align a text and its translation, train an aligner, evaluate alignments",
    "segment": "cut translations of whole documents at the source segments; find omissions",
    "suite": "test suites: evaluate candidates item by item; build, check, show, import and export suites",
    "bench": "public pronoun test sets: evaluate scores, translations or choices; measure the use of context",
    "annotate": "human annotation of pronouns: create a campaign, serve its pages, merge, export, approve",
    "task": "pronoun prediction tasks: prepare data, run the baseline, score, compare with published results",
    "predict": "train, run, evaluate, compare and explain systems that predict pronouns",
    "meta": "meta-evaluation against human judgements: correlation, cases, published tables, gap filling",
    "translate": "translate documents with a language model behind a server, with or without context",
    "judge": "let a language model judge pronouns, with cost limits and a cache; calibrate its verdicts",
    "estimate": "estimate the true accuracy from a few human judgements: plan what to judge, then estimate",
    "report": "show results: an HTML page with examples, Markdown and LaTeX tables, plots, a leaderboard",
    "demo": "score three fictional systems on built-in English-French documents",
    "pack": "your own language packs: write, check, learn an alignment prior",
    "list": "list metrics, aligners, language pairs, languages and the pronoun forms that are compared",
    "selfcheck": "check packs and test sets: the reference must get full marks, and shuffled output must not",
    "verify": "recompute a result file and report all differences",
    "completion": "print a script that completes commands and options in a shell",
    "legacy": "run APT and AutoPRF exactly as released, quirks included",
}

#: What the extra `annotate` installs; the annotation page is useless without its packages.
ANNOTATION_PACKAGES = ("sqlalchemy", "argon2", "litestar", "msgspec", "uvicorn", "jinja2", "psycopg")

#: What writing to the standard output can end in: a full disk or quota, a file too large, a lost disk.
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def build_parser() -> CommandParser:
    """The whole command line; a command is imported when arguments reach it."""
    parser = CommandParser(
        prog="anaphor",
        description="How well does machine translation handle pronouns?",
        epilog="`anaphor demo` shows the main use with built-in documents; `anaphor VERB --help` has "
        "examples.",
    )
    version = f"anaphor {__version__}"
    parser.add_argument(
        "-V", "--version", action="version", version=version, help="print the version and exit"
    )
    parser.set_defaults(quiet=False)
    parser.add_commands("anaphor.cli", VERBS, placeholder="VERB")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0; 1 for a user error that was reported; 2 for usage; 3 for a gate that failed. A verb may return another
    one: the released tools had their own.
    """
    code: int | None = 0
    _prepare_streams()
    try:
        try:
            options = build_parser().parse_args(arguments)
        except SystemExit:
            sys.stdout.flush()  # what --help or --version printed must be written before the end
            raise
        warnings.showwarning = _show_nothing if options.quiet else _show_note
        from anaphor.core.errors import (
            InputWarning,  # not for --help and --version: they end in the lines above
        )

        warnings.simplefilter("always", InputWarning)
        _check_standard_input(options)
        code = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing is left to say, not even at exit.
        _abandon_output()
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        explained = _explained(error)
        if explained is None:
            raise
        with suppress(OSError):
            print(explained.message, file=sys.stderr)
        return explained.exit_code
    return code or 0


def run_and_exit() -> NoReturn:
    """Run the command that the process was started with, and end the process."""
    sys.exit(main())


def _prepare_streams() -> None:
    """Make sure that everything can be printed: characters that the terminal cannot encode are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller (`>&-`)
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _abandon_output() -> None:
    """Discard what is left of standard output: at exit, Python would try to write it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check_standard_input(options: argparse.Namespace) -> None:
    """Raise if several files come from standard input, since the second would be empty."""
    from anaphor.core.errors import OptionError

    values = [value for name, value in vars(options).items() if name != "output"]
    for value in values:
        if isinstance(value, list):
            values += value
    if sum(isinstance(value, str) and (value == "-" or value.endswith("=-")) for value in values) > 1:
        what = "standard input can only be used for one file"
        raise OptionError(what, where="-", fix="write the other texts to files")


def _explained(error: Exception) -> UserError | None:
    """The error as users see it; None for an internal error."""
    from anaphor.core.errors import UserError

    if isinstance(error, UserError):
        return error
    if isinstance(error, MemoryError):
        return UserError(
            "there is not enough memory",
            where="this machine",
            fix="use fewer or smaller texts (--train files first), or use a machine with more memory",
        )
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        if error.filename is not None:  # such as a name that is too long
            return UserError(reason, where=os.fsdecode(error.filename), fix="check the path")
        if error.errno in _OUTPUT_ERRORS:
            _abandon_output()
            what = f"the output cannot be written ({reason})"
            return UserError(what, where="standard output", fix="free some space, or write it elsewhere")
    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if package not in ANNOTATION_PACKAGES:
        return None
    return UserError(
        f"annotation needs the package {package}, which is not installed",
        where="anaphor annotate",
        fix='install it: pip install "anaphor[annotate]"',
    )


def _show_note(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001 - the signature is Python's
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    from anaphor.core.errors import InputWarning, printable

    kind = "note" if issubclass(category, InputWarning) else "warning"
    print(printable(f"{kind}: {message}"), file=sys.stderr)


def _show_nothing(*_: object, **__: object) -> None:
    """For --quiet. Notes still reach the result file."""


if __name__ == "__main__":
    run_and_exit()
