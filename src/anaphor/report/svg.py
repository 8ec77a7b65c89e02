"""Pieces of SVG. Colours are classes, so that a page can have a light and a dark side."""

from __future__ import annotations

from collections.abc import Iterable

from anaphor.report.escape import escaped


def number(value: float) -> str:
    """A coordinate, short and the same on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(tag: str, content: str = "", /, **attributes: str | float) -> str:
    """An element; an underscore in the name of an attribute is written as a hyphen, `kind` as `class`."""
    parts = [
        f" {'class' if key == 'kind' else key.replace('_', '-')}="
        f'"{number(value) if isinstance(value, int | float) else escaped(value)}"'
        for key, value in attributes.items()
    ]
    return f"<{tag}{''.join(parts)}>{content}</{tag}>"


def text(content: str, **attributes: str | float) -> str:
    return element("text", escaped(content), **attributes)


def titled(shape: str, title: str, /, **attributes: str | float) -> str:
    """A shape that tells its meaning when it is pointed at."""
    return element(shape, element("title", escaped(title)), **attributes)


def drawing(parts: Iterable[str], *, width: float, height: float, label: str, style: str = "") -> str:
    """A whole drawing. The label is what a screen reader says; `style` makes it stand alone as a file."""
    paper = element("rect", width=width, height=height, fill="#ffffff") if style else ""
    inside = (element("style", style) + paper if style else "") + "".join(parts)
    size: dict[str, str | float] = {"viewBox": f"0 0 {number(width)} {number(height)}", "width": width}
    return element(
        "svg",
        element("title", escaped(label)) + inside,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        height=height,
        **size,
    )
