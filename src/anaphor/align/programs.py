"""Third-party aligners: running their programs, reading their links, and reporting their versions.

Few of these programs report a version. The version of a Python package comes from its metadata; a compiled
program is identified by a hash of its file. Both are looked up once per process, and only when links are
signed.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from anaphor.align.symmetrize import DEFAULT_METHOD, Directions, LinkSet, check_method, symmetrize
from anaphor.core import Alignment, InputWarning, OptionError, UserError, digest
from anaphor.corpus import read_alignments, within_range

SentencePair = tuple[Sequence[str], Sequence[str]]

UNKNOWN = "unversioned"

_SPACE = re.compile(r"\s")
_LAST_LINES = 8
_ASK_VERSION = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
_START_SECONDS = 20  # for an interpreter to start on a busy machine


class Aligner(Protocol):
    """The interface of every aligner."""

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """Return one alignment per pair of source and target tokens, in order; without links if a side is
        empty.
        """
        ...


@runtime_checkable
class Directional(Protocol):
    """An aligner that exposes both directions, so that one run can be symmetrized in several ways."""

    def directions(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        """Return the links of both directions for every pair, in order."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """An aligner that knows its version."""

    def version(self) -> str:
        """The version shown in a signature."""
        ...


@dataclass(frozen=True, slots=True)
class ExternalProgram:
    """A program on the PATH, with installation instructions; `package` is the Python package that provides
    it.
    """

    name: str
    install: str
    package: str = ""

    def path(self) -> str:
        """The path of the program; raises an error with the installation command if it is missing."""
        path = shutil.which(self.name)
        if path is None:
            raise UserError(f"the program {self.name} is not installed", where="PATH", fix=self.install)
        return path

    def version(self) -> str:
        """The version of its package, or else a hash of the program."""
        return script_version(self.path(), self.package) if self.package else program_version(self.path())

    def run(self, *arguments: str | Path, timeout: float | None, output: Path | None = None) -> None:
        """Run to completion with stdout in `output`; raise if it fails or exceeds `timeout` seconds."""
        command = [self.path(), *map(str, arguments)]
        with tempfile.TemporaryFile() as messages, Path(output or os.devnull).open("wb") as printed:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=messages,
                    # GIZA++ and mgiza crash without USER, which containers often lack.
                    env={"USER": "anaphor", **os.environ},
                    # In a session of its own, so that the processes it starts can be ended with it.
                    start_new_session=True,
                )
            except OSError as error:
                raise self._failed(f"cannot be started ({error.strerror or error})", "") from error
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired as error:
                raise UserError(
                    f"{self.name} did not finish within {timeout:g} seconds",
                    where=self.name,
                    fix="allow more time, or align fewer segments",
                ) from error
            finally:
                _kill(process)
            if code != 0:
                messages.seek(0)
                how = f"failed with exit code {code}" if code > 0 else f"was ended by {_signal_name(-code)}"
                raise self._failed(how, messages.read().decode("utf-8", "replace"))

    def _failed(self, how: str, messages: str) -> UserError:
        last = messages.strip().splitlines()[-_LAST_LINES:]
        return UserError(
            "\n  ".join([f"{self.name} {how}", *last]),
            where=self.name,
            fix=f"fix what it reports, or reinstall it: {self.install}",
        )


def _signal_name(number: int) -> str:
    return f"signal {number} ({signal.Signals(number).name})"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a running program and all processes that it started."""
    if process.poll() is None:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


def package_version(package: str) -> str:
    """The version of a package installed for this Python."""
    from importlib import metadata  # slow to import, for one line of a signature

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return UNKNOWN


def program_version(*paths: str) -> str:
    """A hash of compiled programs, which do not report their versions."""
    return _hash(tuple((path, Path(path).stat().st_mtime_ns) for path in paths))


@cache
def _hash(files: tuple[tuple[str, int], ...]) -> str:
    """Hash a file; modification times are part of the cache key, so a replaced program is read again."""
    return digest(Path(path).read_bytes() for path, _ in files)


def script_version(path: str, package: str) -> str:
    """The version of the package that installed a script, or a hash of the script if it cannot be determined.

    The script may belong to another Python installation, named in its first line.
    """
    with Path(path).open("rb") as script:
        first = script.readline(1024).decode("utf-8", "replace")
    # The interpreter of the script knows its package, even in another environment.
    command = tuple(first.removeprefix("#!").split())
    if not (first.startswith("#!") and command and "python" in " ".join(command)):
        return program_version(path)
    return _version_elsewhere(command, package) or program_version(path)


@cache
def _version_elsewhere(command: tuple[str, ...], package: str) -> str:
    """The version reported by another Python; empty if it lacks the package or does not run."""
    try:
        answer = subprocess.run(
            [*command, "-c", _ASK_VERSION, package],
            capture_output=True,
            text=True,
            timeout=_START_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()


def check_timeout(timeout: float | None) -> None:
    """Raise unless a timeout is positive and finite; None means no limit."""
    if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
        raise OptionError(
            f"invalid timeout: {timeout}", where="--timeout", fix=("use a positive number of seconds")
        )


def line_of(tokens: Iterable[str]) -> str:
    """The tokens joined by single spaces, so that splitting the line gives the same number of tokens.

    White space inside a token, including the no-break space at which Python and Perl split, becomes `_`, as
    do empty tokens and the `|||` separator of some formats.
    """
    return " ".join("_" if token in ("", "|||") else _SPACE.sub("_", token) for token in tokens)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def read_program_links(path: Path, pairs: Sequence[tuple[Sized, Sized]], *, program: str) -> list[LinkSet]:
    """Read the links that a program wrote for these pairs: one line per pair, with every link inside its
    pair.
    """
    try:
        alignments = read_alignments(path, segments=len(pairs))
        within_range(
            alignments,
            source_lengths=np.array([len(source) for source, _ in pairs]),
            target_lengths=np.array([len(target) for _, target in pairs]),
        )
    except UserError as error:
        raise unusable_output(program, error.what) from error
    return [links_of(each) for each in alignments]


def unusable_output(program: str, what: str) -> UserError:
    """The error for a program that reported success but wrote no alignment of the text."""
    return UserError(
        f"{program} succeeded, but its output is not an alignment of the text: {what}",
        where=program,
        fix="check the installed version and the free disk space",
    )


def links_of(alignment: Alignment) -> LinkSet:
    """The links of an alignment as a set."""
    return frozenset(zip(alignment.sources, alignment.targets, strict=True))


def symmetrized(directions: Iterable[Directions], method: str) -> Iterator[Alignment]:
    """Combine the two directions of every pair: links in ascending order, all sure."""
    for forward, reverse in directions:
        links = sorted(symmetrize(forward, reverse, method))
        yield Alignment(tuple(source for source, _ in links), tuple(target for _, target in links))


def undirected(links: LinkSet) -> Directions:
    """Use the same links for both directions, so symmetrization has no effect."""
    return links, links


@dataclass(frozen=True, slots=True, kw_only=True)
class ThirdPartyAligner(ABC):
    """A third-party aligner that aligns both directions at once.

    A pair with an empty side never has links. Pairs that the aligner does not accept are aligned by
    `fallback`, which is trained on all pairs; without it they get no links, with a warning.
    """

    #: Pairs with more tokens than this on one side are not accepted.
    most_tokens: ClassVar[float] = math.inf

    fallback: Aligner | None = None

    @property
    @abstractmethod
    def label(self) -> str:
        """The name of the aligner in warnings."""

    @abstractmethod
    def version(self) -> str:
        """The version shown in a signature."""

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment per pair."""
        return symmetrized(self._links(pairs), "union")

    @abstractmethod
    def _run(self, pairs: Sequence[SentencePair]) -> Iterable[Directions]:
        """The links of pairs that are accepted."""

    def _accepts(self, pair: SentencePair) -> bool:
        return max(map(len, pair)) <= self.most_tokens

    def _links(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        """Both directions of every pair."""
        aligned = [undirected(frozenset())] * len(pairs)
        full = [number for number, (source, target) in enumerate(pairs) if source and target]
        accepted = [number for number in full if self._accepts(pairs[number])]
        refused = sorted(set(full) - set(accepted))
        if accepted:
            for number, links in zip(accepted, self._run([pairs[n] for n in accepted]), strict=True):
                aligned[number] = links
        if refused and self.fallback is not None:
            # All pairs, not the refused ones alone: a few long sentences teach an aligner nothing.
            others = list(self.fallback.align(pairs))
            for number in refused:
                aligned[number] = undirected(links_of(others[number]))
        elif refused:
            warnings.warn(
                f"{self.label} cannot align segments of this length: {len(refused)} of {len(pairs)} have no "
                f"links, the first is line {refused[0] + 1}; --backoff names an aligner for these",
                InputWarning,
                stacklevel=4,
            )
        return iter(aligned)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoWayAligner(ThirdPartyAligner):
    """A program that aligns each direction separately; we symmetrize its links.

    `timeout` is in seconds and applies to each run of the program.
    """

    symmetrization: str = DEFAULT_METHOD
    timeout: float | None = None

    def __post_init__(self) -> None:
        check_method(self.symmetrization)
        check_timeout(self.timeout)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        return symmetrized(self.directions(pairs), self.symmetrization)

    def directions(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        """The links of either direction before symmetrization."""
        return self._links(pairs)
