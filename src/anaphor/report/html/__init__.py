"""The HTML report: one page without any request, script and style inside it and named by their hashes."""

from anaphor.report.html.page import report_page
from anaphor.report.html.view import ReportView

__all__ = ["ReportView", "report_page"]
