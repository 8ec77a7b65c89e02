"""Pages from templates: everything that is put into one is escaped, without exception."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from anaphor.annotate.nouns import Campaign
from anaphor.report.escape import shown

#: Languages that are written from right to left, by their ISO 639 codes.
_RIGHT_TO_LEFT = frozenset(("ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi"))


def page_environment(campaign: Campaign) -> Environment:
    """The templates of the application; a misspelt name in one raises instead of showing nothing."""
    environment = Environment(
        loader=PackageLoader("anaphor.annotate.web", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(campaign=campaign, direction=direction)
    environment.filters.update(shown=shown, percent=percent, moment=moment, spelled=spelled)
    return environment


def direction(language: str) -> str:
    """The value of `dir` for a text: known where the language is, else left to its first letter."""
    return "rtl" if language in _RIGHT_TO_LEFT else "auto"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def moment(time: str | None) -> str:
    """A stored time without its fractions, such as 2024-05-23 14:05 UTC."""
    return "–" if time is None else time[:16].replace("T", " ") + " UTC"


def spelled(name: str) -> str:
    """A name of a category or tag as words."""
    return name.replace("_", " ")
