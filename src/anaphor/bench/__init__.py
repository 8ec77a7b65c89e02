"""Public pronoun test sets as data: scores of variants, generated translations and choices, judged.

Read in this order: `items` (what a bench is), then the ways of asking.
"""

from anaphor.bench.items import KINDS, Bench, BenchItem, BenchOutcome, read_bench, write_bench

__all__ = ["KINDS", "Bench", "BenchItem", "BenchOutcome", "read_bench", "write_bench"]
