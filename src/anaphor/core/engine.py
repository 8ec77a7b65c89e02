"""Whether the compiled extension or Python does the work: the one place that decides.

Every kernel in `native/` has a counterpart in NumPy or plain Python with the same results. Whoever has both
imports `native` from here and takes the counterpart where it is None, so that an installation without a
compiler is complete, only slower. Setting ANAPHOR_ENGINE=python has the same effect on one that was compiled.
"""

from __future__ import annotations

import os
import warnings

__all__ = ["has_native", "native", "warn_without_native"]

try:
    if os.environ.get("ANAPHOR_ENGINE") == "python":
        raise ImportError
    from anaphor import _native as native
except ImportError:
    native = None  # type: ignore[assignment]


def has_native() -> bool:
    """Whether the compiled extension is there and used."""
    return native is not None


def warn_without_native() -> None:
    """Warn where the extension is missing: for programs that measure time, run from a source folder."""
    if native is None:
        warnings.warn(
            "the compiled extension is missing, so these are the times of Python and NumPy; install anaphor "
            "or copy _native into src/anaphor",
            RuntimeWarning,
            stacklevel=2,
        )
