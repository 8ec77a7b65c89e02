"""Whole documents: a translation returned as one text, cut into the translations of its source segments.

`documents` has the public functions, `result` what they return, `search` the dynamic program.
"""

from anaphor.segment.documents import segment_document, segment_documents
from anaphor.segment.result import Addition, Boundary, Move, Omission, Segmentation

__all__ = [
    "Addition",
    "Boundary",
    "Move",
    "Omission",
    "Segmentation",
    "segment_document",
    "segment_documents",
]
