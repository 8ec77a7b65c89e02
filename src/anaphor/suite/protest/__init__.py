"""PROTEST databases: a suite written as one (`writer`), and a suite read from one (`reader`)."""

from anaphor.suite.protest.reader import Naming, from_protest
from anaphor.suite.protest.writer import to_protest

__all__ = ["Naming", "from_protest", "to_protest"]
