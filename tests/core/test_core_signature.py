"""Signatures name everything that moved a number; digests tell inputs apart."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Signature, digest


def test_a_signature_is_one_line_with_the_version_last() -> None:
    signature = Signature("apt", (("weights", "1,0.5"), ("pair", "en-fr")), "0.1.0")
    assert str(signature) == "apt|weights:1,0.5|pair:en-fr|version:0.1.0"


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a|b", "a%7Cb"), ("a:b", "a%3Ab"), ("50%", "50%25"), ("%7C", "%257C"), ("c'", "c'"), ("ça", "ça")],
)
def test_separators_inside_values_are_escaped(value: str, shown: str) -> None:
    assert str(Signature("apt", (("pronouns", value),), "1")) == f"apt|pronouns:{shown}|version:1"


@given(st.text())
def test_two_different_values_never_print_alike(value: str) -> None:
    def printed(text: str) -> str:
        return str(Signature("m", (("k", text),), "1"))

    assert printed(value + "|") != printed(value + "%7C")
    assert printed(value).count("|") == 2


def test_the_fields_for_json_are_not_escaped() -> None:
    signature = Signature("apt", (("pronouns", "a|b"),), "0.1.0")
    assert signature.as_dict() == {"name": "apt", "pronouns": "a|b", "version": "0.1.0"}


def test_a_digest_is_twelve_hex_digits_of_sha_256_over_parts_and_lengths() -> None:
    expected = hashlib.sha256(b"ab" + (2).to_bytes(8, "big")).hexdigest()[:12]
    assert digest([b"ab"]) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([b"ab"], [b"a", b"b"]),
        ([b"a", b"bc"], [b"ab", b"c"]),
        ([b"a"], [b"a", b""]),
        ([], [b""]),
        ([b"a", b"b"], [b"b", b"a"]),
    ],
)
def test_a_digest_does_not_merge_parts(one: list[bytes], other: list[bytes]) -> None:
    assert digest(one) != digest(other)
