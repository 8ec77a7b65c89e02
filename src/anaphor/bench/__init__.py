"""Public pronoun test sets as data: scores of variants, generated translations and choices, judged.

Read in this order: `items` (what a bench is), `catalogue` and `readers` (where benches come from), then the
modes of evaluation: `scores`, `translations` (judged by `official` and `linked`) and `choice`; `result` has
the figures, `context` the effect of context, `export` the files for other tools. Names are loaded on first
use, since few modes need an aligner.
"""

from __future__ import annotations

from anaphor.bench.items import KINDS, Bench, BenchItem, BenchOutcome, read_bench, write_bench
from anaphor.core.lazy import lazy_names

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.bench.catalogue import bench_sets, check_files, list_sets, make_from_files
    from anaphor.bench.translations import JudgedTranslations, evaluate_translations, judge_translations

__all__ = [
    "KINDS",
    "Bench",
    "BenchItem",
    "BenchOutcome",
    "JudgedTranslations",
    "bench_sets",
    "check_files",
    "evaluate_translations",
    "judge_translations",
    "list_sets",
    "make_from_files",
    "read_bench",
    "write_bench",
]

__getattr__ = lazy_names(
    __name__,
    {
        "anaphor.bench.catalogue": "bench_sets check_files list_sets make_from_files",
        "anaphor.bench.translations": "JudgedTranslations evaluate_translations judge_translations",
    },
)
