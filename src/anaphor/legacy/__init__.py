"""The released tools as they were, quirks included. For new work use `anaphor score`."""

from anaphor.legacy.apt import run_apt
from anaphor.legacy.apt_files import AptRun, write
from anaphor.legacy.autoprf import run_autoprf

__all__ = ["AptRun", "run_apt", "run_autoprf", "write"]
