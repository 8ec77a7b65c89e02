"""The `anaphor` command: dispatch, and the one `except` for mistakes of users."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from anaphor import __version__
from anaphor.cli import (
    align,
    annotate,
    check,
    demo,
    estimate,
    legacy,
    listing,
    meta,
    predict,
    report,
    score,
    suite,
    task,
    verify,
)
from anaphor.core.errors import InputWarning, UserError

_VERBS = {
    "score": score,
    "align": align,
    "suite": suite,
    "annotate": annotate,
    "task": task,
    "predict": predict,
    "meta": meta,
    "estimate": estimate,
    "report": report,
    "demo": demo,
    "list": listing,
    "check": check,
    "verify": verify,
    "legacy": legacy,
}


def build_parser() -> argparse.ArgumentParser:
    """The whole command line, without any heavy import."""
    parser = argparse.ArgumentParser(
        prog="anaphor",
        description="How well does machine translation handle pronouns?",
        epilog="`anaphor demo` shows the main job on built-in documents; `anaphor VERB --help` has examples.",
    )
    parser.add_argument("-V", "--version", action="version", version=f"anaphor {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, module in _VERBS.items():
        verb = verbs.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY[0].upper() + module.SUMMARY[1:] + ".",
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(verb)
        verb.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 1 for a mistake that has been explained, 2 for usage.

    A verb may return another one: the released tools had their own.
    """
    code: int | None = 0
    options = build_parser().parse_args(arguments)
    warnings.showwarning = _note
    warnings.simplefilter("always", InputWarning)
    try:
        code = options.run(options)
        sys.stdout.flush()
    except UserError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except MemoryError:
        print(_out_of_memory(), file=sys.stderr)
        return UserError.exit_code
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return code or 0


def _out_of_memory() -> UserError:
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
    kind = "note" if issubclass(category, InputWarning) else "warning"
    print(f"{kind}: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
