"""The released tools as they were, quirks included. For new work use `anaphor score` and `anaphor task`."""

from anaphor.legacy.apt import AptRun, run_apt, write
from anaphor.legacy.autoprf import run_autoprf
from anaphor.legacy.wmt16 import ScorerRun, run_discomt15, run_wmt16

__all__ = ["AptRun", "ScorerRun", "run_apt", "run_autoprf", "run_discomt15", "run_wmt16", "write"]
