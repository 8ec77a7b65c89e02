"""A small invented text in shards, and a real cluster of two processes for the tests that need one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anaphor.scale.cluster import ClusterAddress, ClusterExecutor, open_cluster
from anaphor.task.prepare.texts import TextPair
from tests.support.shards import write_shards


@pytest.fixture
def texts(tmp_path: Path) -> list[TextPair]:
    return write_shards(tmp_path, shards=5, pairs=60)


@pytest.fixture(scope="session")
def cluster() -> Iterator[ClusterExecutor]:
    """Two worker processes for the whole session; tests may kill workers, and others take their place."""
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'anaphor[cluster]'")
    with open_cluster(ClusterAddress(workers=2), patience=2.0) as executor:
        yield executor
