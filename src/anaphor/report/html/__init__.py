"""The HTML report: one page without any request, script and style inside it and named by their hashes."""

from anaphor.report.html.data import ReportView
from anaphor.report.html.page import page_date, report_page

__all__ = ["ReportView", "page_date", "report_page"]
