"""Tests of Chinese and Japanese need the extra `[cjk]`, which `[dev]` includes."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

needs_cjk = pytest.mark.skipif(
    not all(map(find_spec, ("jieba", "sudachipy", "sudachidict_core"))), reason="pip install 'anaphor[cjk]'"
)
