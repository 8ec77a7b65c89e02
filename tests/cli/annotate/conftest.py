"""The small campaign of tests/annotate, for tests of the commands."""

from tests.annotate.conftest import answer_all, candidates, loaded

__all__ = ["answer_all", "candidates", "loaded"]
