"""The one place that decides between the compiled extension and Python.

Every kernel in `native/` has a counterpart in NumPy or plain Python with the same results. Modules with both
implementations import `native` from here and use the Python counterpart if it is None, so an installation
without a compiler is complete, only slower. ANAPHOR_ENGINE=python disables the compiled extension.
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
    """Whether the compiled extension is installed and enabled."""
    return native is not None


def warn_without_native() -> None:
    """Warn if the extension is missing, for programs that measure time in a source folder."""
    if native is None:
        warnings.warn(
            "the compiled extension is missing, so these are the times of Python and NumPy; install anaphor "
            "or copy _native into src/anaphor",
            RuntimeWarning,
            stacklevel=2,
        )
