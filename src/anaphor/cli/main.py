"""The `anaphor` command: dispatch, and the one `except` for mistakes of users."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from anaphor import __version__
from anaphor.cli.commands import CommandParser

VERBS = {
    "score": "score one or several candidate translations by their pronouns",
    "align": "align the words of a text and its translation, train an aligner, judge alignments",
    "suite": "test suites: judge candidates item by item, build, check, show, import and export suites",
    "annotate": "people judge pronouns: make a campaign, serve its page, merge, export, approve",
    "task": "predict hidden pronouns: prepare data, run the baseline, score, compare with published results",
    "predict": "train, run, evaluate, compare and explain systems that predict pronouns",
    "meta": "does the metric agree with people? correlation, cases, published tables, gaps, equivalents",
    "estimate": "estimate the true accuracy from a few human judgements: plan what to judge, then estimate",
    "report": "show results: an HTML page with examples, Markdown and LaTeX tables, plots, a leaderboard",
    "demo": "score three invented systems on built-in English-French documents",
    "list": "list metrics, aligners, language pairs, languages and the forms that are compared",
    "check": "check packs and test sets: the reference must get full marks, shuffled output must not",
    "verify": "compute a result file again and name everything that differs",
    "legacy": "run the released APT and AutoPRF as they were, quirks included",
}

#: What the extra `annotate` installs; the annotation page is useless without its packages.
ANNOTATION_PACKAGES = ("sqlalchemy", "argon2", "litestar", "uvicorn", "jinja2", "psycopg")


def build_parser() -> CommandParser:
    """The whole command line; a command is imported when arguments reach it."""
    parser = CommandParser(
        prog="anaphor",
        description="How well does machine translation handle pronouns?",
        epilog="`anaphor demo` shows the main job on built-in documents; `anaphor VERB --help` has examples.",
    )
    parser.add_argument("-V", "--version", action="version", version=f"anaphor {__version__}")
    parser.add_commands("anaphor.cli", VERBS, placeholder="VERB")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 1 for a mistake that has been explained, 2 for usage.

    A verb may return another one: the released tools had their own.
    """
    code: int | None = 0
    options = build_parser().parse_args(arguments)
    # Imported after parsing: neither --help nor --version needs them.
    from anaphor.core.errors import InputWarning, UserError

    warnings.showwarning = _note
    warnings.simplefilter("always", InputWarning)
    try:
        code = options.run(options)
        sys.stdout.flush()
    except UserError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ANNOTATION_PACKAGES:
            raise
        print(_missing_package(package), file=sys.stderr)
        return UserError.exit_code
    except MemoryError:
        print(_out_of_memory(), file=sys.stderr)
        return UserError.exit_code
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return code or 0


def _missing_package(package: str) -> Exception:
    from anaphor.core.errors import UserError

    return UserError(
        f"annotation needs the package {package}, which is not installed",
        where="anaphor annotate",
        fix='install it: pip install "anaphor[annotate]"',
    )


def _out_of_memory() -> Exception:
    from anaphor.core.errors import UserError

    return UserError(
        "there is not enough memory",
        where="this machine",
        fix="give fewer or smaller texts (--train files first), or use a machine with more memory",
    )


def _note(
    message: Warning | str,
    category: type[Warning],
    filename: str,  # noqa: ARG001 - the signature is Python's
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    from anaphor.core.errors import InputWarning

    kind = "note" if issubclass(category, InputWarning) else "warning"
    print(f"{kind}: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
