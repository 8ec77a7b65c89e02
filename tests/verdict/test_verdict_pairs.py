"""Pairs for which `accept` has no evidence say so, and what there is instead."""

from __future__ import annotations

import pytest

import anaphor
from anaphor.core import OptionError


@pytest.mark.parametrize("pair", ["en-zh", "en-ja", "zh-en", "ja-en"])
def test_a_pair_without_evidence_is_refused(pair: str) -> None:
    with pytest.raises(OptionError, match=f"not available for {pair}") as raised:
        anaphor.evaluate(pair=pair, source=["他 来 了 it"], systems={"a": ["he came it"]}, tokenized=True)
    assert "apt" in raised.value.fix
    assert "en-de" in raised.value.fix
