"""Gates as JUnit XML, which build servers show beside the other tests."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from anaphor.report.escape import shown
from anaphor.report.gates import Gate


def junit_xml(gates: Sequence[Gate]) -> str:
    """One test suite with a test case for every system at every gate."""
    failed = sum(not gate.passed for gate in gates)
    counts = {"tests": str(len(gates)), "failures": str(failed), "errors": "0"}
    root = Element("testsuites", counts)
    suite = SubElement(root, "testsuite", {"name": "anaphor", **counts, "skipped": "0", "time": "0"})
    for gate in gates:
        name = f"{gate.option} {gate.metric}"
        case = SubElement(suite, "testcase", {"classname": shown(gate.system), "name": name, "time": "0"})
        if gate.passed:
            SubElement(case, "system-out").text = shown(gate.told)
        else:
            SubElement(case, "failure", {"message": shown(gate.told), "type": gate.option})
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
