"""Many objects from columns."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass

import pytest

from anaphor.core import Pronoun, instances


def test_objects_from_columns_are_those_that_calls_make() -> None:
    columns = ([0, 0, 7], (3, 5, 1), ["it", "they", "it"])
    made = instances(Pronoun, *columns)
    assert made == list(map(Pronoun, *columns))
    assert len(set(made)) == 3
    assert instances(Pronoun, [], [], []) == []
    with pytest.raises(FrozenInstanceError):
        made[0].form = "he"  # type: ignore[misc]


@pytest.mark.parametrize("columns", [(), ([1], [2]), ([1], [2], ["it"], [4]), ([1, 2], [3], ["it", "it"])])
def test_columns_that_do_not_fit_the_class_are_refused(columns: tuple[list[object], ...]) -> None:
    with pytest.raises(TypeError, match="Pronoun cannot be made"):
        instances(Pronoun, *columns)


@dataclass(frozen=True, slots=True)
class _Checked:
    value: int

    def __post_init__(self) -> None:
        raise AssertionError("never reached")


def test_a_class_that_checks_its_fields_is_refused() -> None:
    with pytest.raises(TypeError, match="_Checked cannot be made"):
        instances(_Checked, [1])
