"""Small cases for the two re-created tools, written to a fresh folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.legacy import AptRun, run_apt, run_autoprf

TEXTS = {
    "src": "it works\n",
    "ref": "il marche\n",
    "tgt": "il marche\n",
    "sr": "0-0 1-1\n",
    "st": "0-0 1-1\n",
    "list_src": "it\nthey\n",
    "list_tgt": "il\nelle\nils\nelles\nce\nc'\non\nça\nç'\ncela\n",
    "equal": "ce,c'\nça,ç',cela\n",
    "similar": "ce,il\nce,ça\n",
}
SETTINGS = {
    "lang": {"source": "en", "target": "fr", "source_word_separator": "", "target_word_separator": ""},
    "files": {
        "source": "src",
        "reference": "ref",
        "target": "tgt",
        "alignment_source_reference": "sr",
        "alignment_source_target": "st",
        "list_source_pronouns": "list_src",
        "input_type": "word",
        "list_target_pronouns": "list_tgt",
    },
    "dictionary": {"equal": "equal", "similar": "similar", "source_pronouns": "", "target_pronouns": ""},
    "cases": {
        "cases_to_use": "1,2,3,4,5,6",
        "weigths_per_case": "1,0.5,0,0,0,0",
        "count_OTHER_as_equal": "false",
    },
    "output": {"output_file": "out", "counting_multiword_in_matrix": "false", "max_length_matrix": "15"},
}
CORPUS = {
    "ref.en": "it works\nthey work\n",
    "ref.fr": "il marche\nils marchent\n",
    "ref.en-fr.alig": "0-0 1-1\n0-0 1-1\n",
    "cand.en": "it works\nthey work\n",
    "cand.fr": "il marche\nelles marchent\n",
    "cand.en-fr.alig": "0-0 1-1\n0-0 1-1\n",
    "docs": "0\n",
}


def _write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def _config(changes: dict[str, str | None]) -> str:
    """A configuration; a changed value of None leaves the key out."""
    lines = []
    for section, keys in SETTINGS.items():
        lines.append(f"[{section}]")
        values = {key: changes.get(f"{section}.{key}", value) for key, value in keys.items()}
        lines.extend(f"{key}: {value}" for key, value in values.items() if value is not None)
    return "\n".join(lines) + "\n"


@pytest.fixture
def apt(tmp_path: Path) -> Callable[..., AptRun]:
    """Runs APT on the files of one good case, changed by `files` and by `settings` (`section.key`)."""

    def run(files: dict[str, str | bytes], settings: dict[str, str | None] | None = None) -> AptRun:
        _write(tmp_path, {"config": _config(settings or {}), **TEXTS, **files})
        return run_apt(tmp_path / "config", folder=tmp_path)

    return run


@pytest.fixture
def autoprf(tmp_path: Path) -> Callable[..., str]:
    """Runs AutoPRF on the files of one good case, changed by `files`."""

    def run(files: dict[str, str | bytes], **options: object) -> str:
        _write(tmp_path, {**CORPUS, **files})
        names = (str(tmp_path / name) for name in ("ref", "cand", "docs"))
        return run_autoprf(*names, **options)  # type: ignore[arg-type]  # options are what is tested

    return run
