"""Models for anaphor trained on data for non-commercial use: files that `anaphor.core.learned` finds."""

__version__ = "0.1.0"
