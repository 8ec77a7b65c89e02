"""The public names are these and no others."""

from __future__ import annotations

import anaphor


def test_the_public_names_exist_and_are_all() -> None:
    assert len(anaphor.__all__) <= 20
    for name in anaphor.__all__:
        assert getattr(anaphor, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(anaphor, "no_such_name")


def test_dir_lists_the_public_names() -> None:
    assert set(anaphor.__all__) <= set(dir(anaphor))
