"""The documentation site, `make site`: Sphinx reads the Markdown that is read in the repository, too.

The source folder is the repository itself, so that links from a page to CONTRIBUTING.md or to a benchmark
work in both places. Therefore the pages of this folder are under `docs/` in the site as well.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]

project = "anaphor"
author = copyright = "The anaphor authors"
(release,) = re.findall(
    r'__version__ = "(.+)"', (ROOT / "src/anaphor/__init__.py").read_text(encoding="utf-8")
)

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "benchmarks/**README.md"]
exclude_patterns = [".*", "build", "dist"]
myst_heading_anchors = 6  # as many levels as GitHub links to
nitpicky = True
smartquotes = False  # the kind of apostrophe is part of our subject

# Furo uses the fonts of the reader's system: nothing is loaded from elsewhere.
html_theme = "furo"
html_title = f"anaphor {release}"
html_copy_source = html_show_sourcelink = html_show_sphinx = False
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_logo = "logo.svg"
_project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
if repository := _project.get("urls", {}).get("Repository"):
    html_theme_options = {"source_repository": repository, "source_branch": "main", "source_directory": ""}

#: The pages below a page, by caption. The build fails for a page that is in no list.
NAVIGATION: dict[str, dict[str, list[str]]] = {
    "docs/index": {
        "Tutorial": ["Tutorial <tutorial>"],
        "How-to": [
            "Check translated files <howto/check>",
            "Score without a reference <howto/no-reference>",
            "Make a table for a paper <howto/paper>",
            "Guard a nightly build <howto/nightly>",
            "From a server to a report <howto/server>",
            "Test by category <howto/suite>",
            "Use it from Python <python>",
            "Score whole documents <segment>",
            "Align words <howto/align>",
            "Read a report <report>",
            "Judge a sample <semi-automatic>",
            "Use public test sets <bench>",
            "suites/README",
            "annotate/README",
            "meta/README",
            "predict/README",
            "Add a language pair <packs>",
            "Score large corpora <scale>",
            "howto/troubleshooting",
        ],
        "Reference": [
            "metrics/README",
            "pairs",
            "cli",
            "api",
            "formats",
            "analysers",
            "glossary",
            "bibliography",
        ],
        "Explanation": ["why", "metrics/choose", "metrics/evidence", "statistics", "align"],
        "Project": ["/CONTRIBUTING", "architecture", "/CHANGELOG", "/SECURITY", "/benchmarks/README"],
    },
    "docs/metrics/README": {"": ["accept", "apt", "autoprf", "judge", "overall", "legacy"]},
    "docs/suites/README": {
        "": ["shipped", "evaluate", "build", "categories", "agreement", "function-of-it", "format"]
    },
    "docs/annotate/README": {"": ["campaigns", "annotator", "lead", "growing", "exchange"]},
    "docs/meta/README": {
        "": [
            "Correlation <correlation>",
            "Cases and agreement <cases>",
            "Marked spans <spans>",
            "Gap filling <gaps>",
            "published",
        ]
    },
    "docs/predict/README": {
        "": [
            "Files and classes <../task/formats>",
            "Preparing data <../task/prepare>",
            "Scorer <../task/scorer>",
            "Published results <../task/published>",
            "Language-model baseline <../task/lm-baseline>",
            "../systems/README",
            "language-models",
            "Explanations <explanations>",
            "Post-editing <postedit>",
        ]
    },
    "docs/systems/README": {"": ["recipes", "features", "anaphor-2"]},
    "benchmarks/README": {"": ["*/README", "task/counts/README"]},
}


#: A list of which every entry begins with a bold link.
CARDS = re.compile(r"\n\n((?:- \*\*\[[^\n]+\n(?:  [^\n]+\n)*){2,})")


def prepare_page(_: Sphinx, page: str, source: list[str]) -> None:
    """Shows titles in place of file names, and adds the navigation; plain Markdown has neither."""
    source[0] = re.sub(r"\[[\w/-]+\.md\]\(", "[](", source[0])
    source[0] = CARDS.sub(r"\n\n::::{container} cards\n\1\n::::\n", source[0])
    for caption, pages in NAVIGATION.get(page, {}).items():
        options = [":hidden:", ":glob:", *([f":caption: {caption}"] if caption else [])]
        source[0] += "\n".join(["", "```{toctree}", *options, "", *pages, "```", ""])


def add_front_door(app: Sphinx, problem: Exception | None) -> None:
    """Leads from the top of the site to its first page."""
    if problem is None:
        redirect = f'<meta http-equiv="refresh" content="0; url={root_doc}.html">'
        text = f"<!doctype html><title>anaphor</title>{redirect}\n"
        (Path(app.outdir) / "index.html").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("source-read", prepare_page)
    app.connect("build-finished", add_front_door)
    for word in ("output", "tsv"):
        app.add_lexer(word, TextLexer)
