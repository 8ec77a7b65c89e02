"""The HTML report: one self-contained page that makes no requests; its script and style are allowed by
hash."""

from anaphor.report.html.data import ReportView
from anaphor.report.html.page import page_date, report_page

__all__ = ["ReportView", "page_date", "report_page"]
