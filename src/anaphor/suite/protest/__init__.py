"""PROTEST databases: writing a suite (`writer`) and reading one (`reader`)."""

from anaphor.suite.protest.reader import ProtestMetadata, from_protest
from anaphor.suite.protest.writer import to_protest

__all__ = ["ProtestMetadata", "from_protest", "to_protest"]
