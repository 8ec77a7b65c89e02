"""JUnit XML: a test suite per file, a failed test per finding."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from anaphor.check.report import CheckReport
from anaphor.core.errors import UNPRINTABLE

#: Characters that XML 1.0 cannot hold.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(report: CheckReport) -> str:
    """A file without findings has one test that passed."""
    suites = []
    for file in report.files:
        own = [finding for finding in report.findings if finding.path == file.path]
        skipped = sum(file.skipped.values())
        cases = [
            f"    <testcase classname={_attribute(file.path)} "
            f"name={_attribute(f'line {finding.line}: {finding.kind.value}')}>\n"
            f"      <failure type={_attribute(finding.kind.value)} message={_attribute(finding.message)}>"
            f"{_text(finding.source)}\n{_text(finding.target)}</failure>\n"
            "    </testcase>"
            for finding in own
        ] or [f"    <testcase classname={_attribute(file.path)} name={_attribute(f'{file.units} units')}/>"]
        suites.append(
            f'  <testsuite name={_attribute(file.path)} tests="{max(1, len(own))}" failures="{len(own)}" '
            f'errors="0" skipped="0">\n'
            f'    <properties><property name="skipped units" value="{skipped}"/></properties>\n'
            + "\n".join(cases)
            + "\n  </testsuite>"
        )
    body = "\n".join(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="anaphor check">\n{body}\n</testsuites>'


def _attribute(text: str) -> str:
    return _shown(quoteattr(_FORBIDDEN.sub("�", text)))


def _text(text: str) -> str:
    return _shown(escape(_FORBIDDEN.sub("�", text)))


def _shown(xml: str) -> str:
    """XML with references in place of what a terminal would obey but line ends; parsers read the same."""
    return UNPRINTABLE.sub(lambda match: match[0] if match[0] == "\r" else f"&#{ord(match[0])};", xml)
