"""The old place of what `report/emit.py` holds."""

from anaphor.report.emit import Paint
from anaphor.report.emit import text_table as table

__all__ = ["Paint", "table"]
