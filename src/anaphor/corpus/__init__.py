"""Texts, alignments and documents, read from and written to files: one module per format."""

from anaphor.corpus.alignments import AlignmentFile, Around, format_alignment, within_range
from anaphor.corpus.bundle import Inputs
from anaphor.corpus.inputs import (
    check_candidates,
    paths_by_name,
    read_alignments,
    read_bundle,
    read_documents,
    read_inputs,
    read_test_set,
)
from anaphor.corpus.mtme import write_mtme_scores
from anaphor.corpus.text import Text, read_text

__all__ = [
    "AlignmentFile",
    "Around",
    "Inputs",
    "Text",
    "check_candidates",
    "format_alignment",
    "paths_by_name",
    "read_alignments",
    "read_bundle",
    "read_documents",
    "read_inputs",
    "read_test_set",
    "read_text",
    "within_range",
    "write_mtme_scores",
]
