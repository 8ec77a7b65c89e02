"""Scores from any file that `anaphor meta correlate` takes, and cases from result files and tables."""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import LanguagePair
from anaphor.corpus.text import is_folder
from anaphor.meta.grid import CaseCounts, join_counts, read_case_counts
from anaphor.meta.mtme_scores import ENDING, read_score_file, read_score_folder
from anaphor.meta.results import require_same_version, result_columns, result_counts
from anaphor.meta.scores import ScoreColumn, join_columns, read_score_table
from anaphor.report.result_file import read_result


def read_columns(paths: Sequence[str], *, pair: str | None, human: bool) -> tuple[ScoreColumn, ...]:
    """The columns of all files; those of the same name are joined."""
    _check_versions(paths)
    found = [column for path in paths for column in _columns(path, pair=pair, human=human)]
    return join_columns(found)


def read_counts(paths: Sequence[str]) -> tuple[CaseCounts, ...]:
    """The cases in all files, by repair."""
    _check_versions(paths)
    found: list[CaseCounts] = []
    for path in paths:
        if _is_result(path):
            found.append(result_counts(read_result(path).content, path=path))
        else:
            found += read_case_counts(path)
    return join_counts(found)


def follows_layout(path: str) -> bool:
    """Whether a path is in the layout of mt-metrics-eval, whose human scores may be any number."""
    return is_folder(path) or path.endswith(ENDING)


def _columns(path: str, *, pair: str | None, human: bool) -> tuple[ScoreColumn, ...]:
    if is_folder(path):
        parsed = None if pair is None else LanguagePair.parse(pair)
        return read_score_folder(path, pair=parsed, human=human)
    if path.endswith(ENDING):
        return (read_score_file(path, human=human),)
    if _is_result(path):
        return result_columns(read_result(path).content, path=path)
    return read_score_table(path)


def _is_result(path: str) -> bool:
    return path.endswith(".json")


def _check_versions(paths: Sequence[str]) -> None:
    results = [path for path in paths if _is_result(path)]
    require_same_version({path: str(read_result(path).content["version"]) for path in results})
