"""The common parts of all pages: a title with links to the sections, and articles about single items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anaphor.report.charts import element
from anaphor.report.escape import escaped
from anaphor.report.html.page import document, section


def page_of(title: str, size: str, parts: Sequence[tuple[str, str, str]]) -> str:
    """A page with a title, links to its sections, and the sections: name, heading, content."""
    links = "".join(f'<li><a href="#{name}">{escaped(heading)}</a></li>' for name, heading, _ in parts)
    return document(
        title,
        f"<header><h1>{escaped(title)}</h1>{element('p', escaped(size), kind='faint')}"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>'
        f'<main id="main">{"".join(section(*part) for part in parts)}</main>',
    )


def article(heading: str, lines: Iterable[tuple[str, str]]) -> str:
    """One item: a heading, then terms, each with its description, which is HTML already."""
    body = "".join(f"<dt>{escaped(term)}</dt><dd>{description}</dd>" for term, description in lines)
    return element("article", element("h3", escaped(heading)) + element("dl", body))
