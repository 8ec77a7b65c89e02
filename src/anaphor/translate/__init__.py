"""Translations of documents by a language model behind a server, with or without context."""

from anaphor.translate.translation import (
    MODES,
    Translation,
    first_lines,
    translation_options,
    translation_queries,
    translations,
    write_translation,
)

__all__ = [
    "MODES",
    "Translation",
    "first_lines",
    "translation_options",
    "translation_queries",
    "translations",
    "write_translation",
]
