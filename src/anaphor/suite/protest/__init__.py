"""PROTEST databases: a suite written as one (`writer`), and a suite read from one (`reader`)."""

from anaphor.suite.protest.reader import ProtestMetadata, from_protest
from anaphor.suite.protest.writer import to_protest

__all__ = ["ProtestMetadata", "from_protest", "to_protest"]
