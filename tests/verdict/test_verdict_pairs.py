"""Pairs for which `accept` has no evidence say what is missing and what there is instead."""

from __future__ import annotations

import pytest

import anaphor
from anaphor.core import OptionError


@pytest.mark.parametrize(
    ("pair", "missing"),
    [
        ("en-zh", "agreement in Chinese"),
        ("en-ja", "agreement in Japanese"),
        ("zh-en", "pronouns in zh"),
        ("ja-en", "pronouns in ja"),
    ],
)
def test_a_pair_without_evidence_is_refused(pair: str, missing: str) -> None:
    with pytest.raises(OptionError, match=f"not available for {pair}") as raised:
        anaphor.evaluate(pair=pair, source=["他 来 了 it"], systems={"a": ["he came it"]}, tokenized=True)
    assert missing in raised.value.what
    assert "apt and autoprf" in raised.value.fix
    assert "en-de" in raised.value.fix
