"""Files that the program itself writes, damaged by somebody who knows their formats (see `mutations`).

`make fuzz` runs the same with 100,000 mutations a reader.
"""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path

import pytest

from tests.fuzz.harness import FuzzedFolder, Reader, close_databases
from tests.fuzz.mutations import MEMORY
from tests.fuzz.readers import READERS

SEED = 27
#: Together they take a sixth of a minute of one core, those of `make test-long` a quarter of an hour.
MUTATIONS = (20, pytest.param(2000, marks=pytest.mark.slow))
#: Of a reader that takes long; fewer might all be harmless.
FEWEST = 6


@pytest.mark.parametrize("mutations", MUTATIONS)
@pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])
def test_only_user_errors_come_out_of_damaged_files(reader: Reader, mutations: int) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        fuzzed = FuzzedFolder(reader, Path(folder), SEED)
        outcomes = set()
        for number in range(max(mutations // reader.slow, FEWEST)):
            outcomes.add(fuzzed.attempt(number))
            close_databases(reader)
    assert "refused" in outcomes


def test_an_error_closes_the_database_it_came_from() -> None:
    """This damage is found while a cursor is open, which kept the file locked until garbage was collected."""
    (reader,) = (one for one in READERS if one.name == "campaign database")
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        fuzzed = FuzzedFolder(reader, Path(folder), SEED)
        gc.disable()
        try:
            assert fuzzed.attempt(40_044) == "refused"
            assert fuzzed.attempt(40_045) == "read"
        finally:
            gc.enable()
