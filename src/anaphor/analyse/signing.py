"""The signature of an analyser."""

from __future__ import annotations

from anaphor import __version__
from anaphor.core import Signature


def signed(name: str, *, language: str, model: str, package: str = "") -> Signature:
    """Analyser, language, model and, where another package does the work, that package with its version."""
    fields = [("language", language), ("model", model)]
    if package:
        fields.append(("package", package))
    return Signature(name, tuple(fields), __version__)
