"""The parser of all commands."""

from __future__ import annotations

from functools import cache

from anaphor.cli.commands import CommandParser
from anaphor.cli.main import build_parser


@cache
def whole_parser() -> CommandParser:
    """The parser with every command loaded; shared, so a test that changes it takes `__wrapped__()`."""
    parser = build_parser()
    parser.load_all()
    return parser
