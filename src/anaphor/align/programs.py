"""Which version of other people's work made the links, for signatures.

Few of these programs tell their version. A Python package has one in its metadata; a compiled program is
named by a hash of its file. Everything is asked once in a process, and only when something is signed.
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
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from anaphor.align.symmetrize import Directions, LinkSet, symmetrize
from anaphor.core import Alignment, InputWarning, OptionError, UserError, digest
from anaphor.corpus import read_alignments, within_range

UNKNOWN = "unversioned"

_ASK = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
_PATIENCE = 20  # seconds for an interpreter to start on a busy machine


def package_version(package: str) -> str:
    """The version of a package of this Python."""
    try:
        return version(package)
    except PackageNotFoundError:
        return UNKNOWN


def program_version(*paths: str) -> str:
    """A hash of compiled programs, which do not tell their versions."""
    return _hash(tuple((path, Path(path).stat().st_mtime_ns) for path in paths))


def script_version(path: str, package: str) -> str:
    """The version of the package that brought a script; a hash of the script where it cannot be known.

    The script may belong to another Python than this one: its first line names that Python.
    """
    with Path(path).open("rb") as script:
        first = script.readline(1024).decode("utf-8", "replace")
    command = tuple(first.removeprefix("#!").split())
    if not (first.startswith("#!") and command and "python" in " ".join(command)):
        return program_version(path)
    return _asked(command, package) or program_version(path)


@cache
def _hash(files: tuple[tuple[str, int], ...]) -> str:
    """Files are given with their times of change: one that was replaced is read again."""
    return digest(Path(path).read_bytes() for path, _ in files)


@cache
def _asked(command: tuple[str, ...], package: str) -> str:
    """What another Python answers; empty where it does not know the package or does not run."""
    try:
        answer = subprocess.run(
            [*command, "-c", _ASK, package], capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()


SentencePair = tuple[Sequence[str], Sequence[str]]

_SPACE = re.compile(r"\s")
_LAST_LINES = 8


class Aligner(Protocol):
    """What every aligner can do."""

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment for every pair of source and target tokens, in order; none without tokens."""
        ...


@runtime_checkable
class Directional(Protocol):
    """An aligner that shows its two directions, so that one run can be symmetrised in several ways."""

    def directions(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        """The links of either direction for every pair, in order."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """An aligner that knows its version."""

    def version(self) -> str:
        """What a signature says beside the aligner's name."""
        ...


@dataclass(frozen=True, slots=True)
class ExternalProgram:
    """A program by its name on the PATH, and how to get it; `package` is the Python package it is part of."""

    name: str
    install: str
    package: str = ""

    def path(self) -> str:
        """Where the program lies; raises with the install line if it is not there."""
        found = shutil.which(self.name)
        if found is None:
            raise UserError(f"the program {self.name} is not installed", where="PATH", fix=self.install)
        return found

    def version(self) -> str:
        """The version of its package; a hash of the program where it has none."""
        return script_version(self.path(), self.package) if self.package else program_version(self.path())

    def run(self, *arguments: str | Path, timeout: float | None, output: Path | None = None) -> None:
        """Run to the end, what it prints going to `output`; raises for a failure or after `timeout` s."""
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
                    start_new_session=True,
                )
            except OSError as error:
                raise self._failed(f"cannot be started ({error.strerror})", "") from error
            code = self._wait(process, timeout)
            messages.seek(0)
            if code != 0:
                raise self._failed(_ending(code), messages.read().decode("utf-8", "replace"))

    def _wait(self, process: subprocess.Popen[bytes], timeout: float | None) -> int:
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise UserError(
                f"{self.name} did not end within {timeout:g} seconds",
                where=self.name,
                fix="give it more time, or fewer segments",
            ) from error
        finally:
            _end(process)

    def _failed(self, how: str, messages: str) -> UserError:
        last = messages.strip().splitlines()[-_LAST_LINES:]
        return UserError(
            "\n  ".join([f"{self.name} {how}", *last]),
            where=self.name,
            fix=f"mend what it complains about, or install it again: {self.install}",
        )


def check_timeout(timeout: float | None) -> None:
    """Raise for a time-out that cannot be; None is none."""
    if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
        raise OptionError(f"not a time-out: {timeout}", where="--timeout", fix="give seconds above 0")


def line_of(tokens: Iterable[str]) -> str:
    """The tokens with one space between, and as many when the line is split again.

    White space inside a token, also the no-break space that Python and Perl split at, becomes `_`, as
    do an empty token and the `|||` that separates the two sides in some formats.
    """
    return " ".join("_" if token in ("", "|||") else _SPACE.sub("_", token) for token in tokens)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def read_program_links(path: Path, pairs: Sequence[tuple[Sized, Sized]], *, program: str) -> list[LinkSet]:
    """The links that a program wrote for these pairs, checked: one line a pair, none outside of it."""
    try:
        found = read_alignments(path, segments=len(pairs))
        within_range(
            found,
            source_lengths=np.array([len(source) for source, _ in pairs]),
            target_lengths=np.array([len(target) for _, target in pairs]),
        )
    except UserError as error:
        raise UserError(
            f"{program} ended well, but its output is not an alignment of the text: {error.what}",
            where=program,
            fix="check which version is installed, and that the disk is not full",
        ) from error
    return [links_of(each) for each in found]


def links_of(alignment: Alignment) -> LinkSet:
    """The links of an alignment, each once."""
    return frozenset(zip(alignment.sources, alignment.targets, strict=True))


def alignment_of(links: LinkSet) -> Alignment:
    """The links in ascending order, all sure."""
    ordered = sorted(links)
    return Alignment(tuple(source for source, _ in ordered), tuple(target for _, target in ordered))


def joined(found: Iterable[Directions], method: str) -> Iterator[Alignment]:
    """One alignment out of the two directions of every pair."""
    return (alignment_of(symmetrize(forward, reverse, method)) for forward, reverse in found)


def alike(links: LinkSet) -> Directions:
    """LinkSet that are the same in both directions, so that no way of joining them changes any."""
    return links, links


def align_acceptable(
    pairs: Sequence[SentencePair],
    run: Callable[[Sequence[SentencePair]], Iterable[Directions]],
    *,
    accepts: Callable[[SentencePair], bool],
    program: str,
    fallback: Aligner | None = None,
) -> Iterator[Directions]:
    """Both directions of every pair from a program that does not accept every pair.

    A pair with an empty side never has links. The others that the program does not accept are aligned
    by `fallback`, which sees all pairs to learn from; without it they get no links, with a warning.
    """
    aligned = [alike(frozenset())] * len(pairs)
    full = [number for number, (source, target) in enumerate(pairs) if source and target]
    taken = [number for number in full if accepts(pairs[number])]
    refused = sorted(set(full) - set(taken))
    if taken:
        for number, found in zip(taken, run([pairs[number] for number in taken]), strict=True):
            aligned[number] = found
    if refused and fallback is not None:
        others = list(fallback.align(pairs))
        for number in refused:
            aligned[number] = alike(links_of(others[number]))
    elif refused:
        warnings.warn(
            f"{program} cannot align segments of such length: {len(refused)} of {len(pairs)} have no "
            f"links, the first is segment {refused[0] + 1}; --backoff names an aligner for these",
            InputWarning,
            stacklevel=4,
        )
    return iter(aligned)


def _ending(code: int) -> str:
    if code > 0:
        return f"ended with exit code {code}"
    return f"was ended by signal {-code} ({signal.Signals(-code).name})"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that still runs, with all that it started itself."""
    if process.poll() is None:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
