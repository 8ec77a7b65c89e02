"""The demo: seven built-in English-French documents, a reference and three invented systems."""

from __future__ import annotations

from importlib.resources import files as resources
from pathlib import Path

from anaphor.core import Files, Settings

SYSTEMS = ("baldur", "cormoran", "dahlia")
#: First without a reference, as most users start, then with one.
WITHOUT_REFERENCE = Settings(pair="en-fr", metrics=("accept",))
WITH_REFERENCE = Settings(pair="en-fr", metrics=("apt", "accept", "bleu"), paired=True)


def files(*, alignments: bool = False, reference: bool = True) -> Files:
    """The paths of the documents in the installed package; with manual alignments on request."""
    folder = resources("anaphor") / "demo"
    return Files(
        source=str(folder / "source.en"),
        references=(str(folder / "reference.fr"),) if reference else (),
        candidates=tuple((name, str(folder / f"{name}.fr")) for name in SYSTEMS),
        documents=str(folder / "documents"),
        reference_alignments=(str(folder / "reference.align"),) if alignments else (),
        candidate_alignments=tuple(str(folder / f"{n}.align") for n in SYSTEMS) if alignments else (),
    )


def write_files(folder: str | Path) -> tuple[str, ...]:
    """Write texts, document names and manual alignments into a new folder; return the file names."""
    from anaphor.files.writing import atomic_folder  # here: a help text needs no reader of files

    paths = sorted({*files(alignments=True).paths(), str(resources("anaphor") / "demo" / "README.md")})
    with atomic_folder(folder) as place:
        for path in paths:
            (place / Path(path).name).write_bytes(Path(path).read_bytes())
    return tuple(Path(path).name for path in paths)
