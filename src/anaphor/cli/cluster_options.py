"""`--cluster`, for the verbs that can give their work to one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice
    from anaphor.scale.crew import Crew


def add_cluster(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--cluster",
        metavar="WHERE",
        help="do the work on a Dask cluster: local or local:N (processes here), tcp://host:port, or a "
        "scheduler file; in this process if not given",
    )


@contextmanager
def crew_of(options: argparse.Namespace) -> Iterator[Crew]:
    """Who does the work; where a cluster does it, what it was and what it took is told on stderr."""
    from anaphor.scale.crew import Accounted, ThisProcess

    if options.cluster is None:
        yield ThisProcess()
        return
    from anaphor.scale.address import Address
    from anaphor.scale.cluster import open_cluster

    with open_cluster(Address.parse(options.cluster)) as cluster:
        print(f"cluster: {cluster.name}, dashboard {cluster.dashboard}", file=sys.stderr)
        crew = Accounted(cluster)
        yield crew
        print(f"cluster: {crew}", file=sys.stderr)


@contextmanager
def aligner_of(options: argparse.Namespace, choice: AlignerChoice) -> Iterator[AlignerChoice]:
    """The choice, its training done by the cluster where one is named.

    Until the end, results lie in a folder of the working directory, which all workers must see.
    """
    if options.cluster is None:
        yield choice
        return
    from anaphor.scale.aligning import CrewChoice
    from anaphor.scale.kept import Kept

    with TemporaryDirectory(prefix=".anaphor-", dir=Path.cwd()) as folder, crew_of(options) as crew:
        yield CrewChoice.of(choice, crew, Kept(Path(folder)))
