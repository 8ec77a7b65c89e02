"""Public pronoun test sets as data: scores of variants, generated translations and choices, judged.

Read in this order: `items` (what a bench is), `catalogue` and `readers` (where benches come from), then the
ways of asking: `scores`, `translations` (judged by `official` and `linked`) and `choice`; `result` has the
figures, `context` what context does, `export` the files for other tools.
"""

from anaphor.bench.catalogue import bench_sets, check_files, list_sets, make_from_files
from anaphor.bench.items import KINDS, Bench, BenchItem, BenchOutcome, read_bench, write_bench
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
