"""`--cluster`, for the commands that can run on one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser, OptionGroup

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice
    from anaphor.evaluation.experiment import AlignerSource
    from anaphor.scale.executor import Executor
    from anaphor.scale.judging import DistributedWeigher
    from anaphor.segment.candidate import Cutter


def add_cluster(group: CommandParser | OptionGroup) -> None:
    group.add_argument(
        "--cluster",
        rare=True,
        metavar="WHERE",
        help="run on a Dask cluster: local or local:N (processes here), tcp://host:port, or a "
        "scheduler file (default: in this process)",
    )


@contextmanager
def executor_from(options: argparse.Namespace) -> Iterator[Executor]:
    """The executor of the work; a cluster and the cost of its tasks are reported on stderr."""
    from anaphor.scale.executor import LocalExecutor

    if options.cluster is None:
        yield LocalExecutor()
        return
    from anaphor.scale.cluster import ClusterAddress, open_cluster

    with open_cluster(ClusterAddress.parse(options.cluster)) as cluster:
        if not options.quiet:
            print(f"cluster: {cluster.name}, dashboard {cluster.dashboard}", file=sys.stderr)
        yield cluster
        if not options.quiet:
            print(f"cluster: {cluster}", file=sys.stderr)


@contextmanager
def aligner_from(options: argparse.Namespace, choice: AlignerChoice) -> Iterator[AlignerChoice]:
    """The aligner choice, with training on the cluster if one is given.

    Until the end, results are in a folder of the working directory, which all workers must be able to read.
    """
    if options.cluster is None:
        yield choice
        return
    from tempfile import TemporaryDirectory

    from anaphor.scale.result_store import ResultStore
    from anaphor.scale.training import DistributedAlignerChoice

    with TemporaryDirectory(prefix=".anaphor-", dir=Path.cwd()) as folder, executor_from(options) as executor:
        yield DistributedAlignerChoice.of(choice, executor, ResultStore(Path(folder)))


@contextmanager
def scoring_from(
    options: argparse.Namespace,
) -> Iterator[tuple[AlignerSource | None, DistributedWeigher | None]]:
    """The objects that train the aligner and judge pronouns for `anaphor score`; two Nones for this process.
    Results are in `FILE.parts`, where FILE is that of --items or --output, and are removed at the end; after
    an interruption, the same command continues with them. Without such a file they are in the working
    directory.
    """
    if options.cluster is None:
        yield None, None
        return
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    from anaphor.scale.judging import DistributedWeigher
    from anaphor.scale.result_store import ResultStore
    from anaphor.scale.training import DistributedAlignerChoice

    with ExitStack() as stack:
        executor = stack.enter_context(executor_from(options))
        if named := options.items or options.output:
            path = Path(named).absolute()
            store = ResultStore(path.with_name(f"{path.name}.parts"))
            store.open()
        else:
            folder = stack.enter_context(TemporaryDirectory(prefix=".anaphor-", dir=Path.cwd()))
            store = ResultStore(Path(folder))

        @contextmanager
        def aligner(choice: AlignerChoice) -> Iterator[AlignerChoice]:
            yield DistributedAlignerChoice.of(choice, executor, store)

        yield aligner, DistributedWeigher(executor, store)
        if named:
            store.remove()


@contextmanager
def cutter_from(options: argparse.Namespace, *, threads: int = 1) -> Iterator[Cutter]:
    """The executor that cuts whole documents: this process, or a cluster if one is given."""
    from anaphor.cli.options import packs_of
    from anaphor.segment.candidate import DocumentCutter

    how = DocumentCutter(options.priors, packs_of(options), threads)
    if options.cluster is None:
        yield how
        return
    from tempfile import TemporaryDirectory

    from anaphor.scale.result_store import ResultStore
    from anaphor.scale.segmenting import DistributedCutter

    with TemporaryDirectory(prefix=".anaphor-", dir=Path.cwd()) as folder, executor_from(options) as executor:
        yield DistributedCutter(executor, ResultStore(Path(folder)), how)
