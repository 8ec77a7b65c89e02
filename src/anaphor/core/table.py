"""Results as tables, before they are rendered as text, JSON, Markdown, LaTeX or TSV.

Packages below `report` describe their results with these types and never format them; `report/emit.py`
renders them. Values stay raw until then: shares between 0 and 1, None or NaN if undefined.

    @dataclass(frozen=True, slots=True)
    class Accuracy(JsonFields):
        system: str
        size: int
        right: int

        json_keys: ClassVar = {"size": "items", "right": None}
        json_extra = ("accuracy",)

        @property
        def accuracy(self) -> float:
            return self.right / self.size

        def tables(self) -> Sequence[Block]:
            columns = (text("system"), count("items"), percent("accuracy"))
            return [Table(columns, [(self.system, self.size, self.accuracy)], notes=["over all items"])]

`to_dict()` of it gives `{"system": "baseline", "items": 120, "accuracy": 0.615}`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from anaphor.core.experiment import Interval

Style = Literal["", "good", "bad", "mark", "dim", "bold"]
Kind = Literal["text", "count", "percent", "number", "interval", "p-value"]

#: What an undefined value looks like, unless a column says otherwise.
MISSING = "n/a"


#: Smaller p-values are not told apart.
SMALLEST_P = 0.0001


def format_percent(
    share: float | None, digits: int = 1, *, signed: bool = False, missing: str = MISSING
) -> str:
    """Format a share between 0 and 1 as percent, without the sign: 0.615 is `61.5`."""
    return format_number(None if share is None else 100 * share, digits, signed=signed, missing=missing)


def format_number(
    value: float | None, digits: int = 3, *, signed: bool = False, missing: str = MISSING
) -> str:
    """Format a number with a fixed number of decimals."""
    if value is None or math.isnan(value):
        return missing
    return f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"


def format_p(value: float | None) -> str:
    """Format a p-value with four decimals; smaller values as `<0.0001`, undefined ones as an empty string."""
    if value is None or math.isnan(value):
        return ""
    return f"<{SMALLEST_P}" if value < SMALLEST_P else f"{value:.4f}"


def p_equation(value: float) -> str:
    """Format a p-value for a sentence: `p = 0.0123`, or `p < 0.0001`."""
    return f"p {'<' if value < SMALLEST_P else '='} {max(value, SMALLEST_P):.4f}"


@dataclass(frozen=True, slots=True)
class Styled:
    """Text with a terminal colour; other formats print the text alone."""

    text: str
    style: Style

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Cell:
    """A value with additional information: an interval, a colour, a mark such as `*` for significance."""

    value: str | float | None
    interval: Interval | tuple[float, float] | None = None
    style: Style = ""
    mark: str = ""


#: What a row may hold; text is printed as it is in a column of any kind.
CellValue = str | float | None | Interval | Styled | Cell


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and the format of the values below it. Use the functions `text`, `count`, ... below.

    The first column of a table is left-aligned, the others right-aligned.
    """

    heading: str
    kind: Kind = "text"
    digits: int = 1
    signed: bool = False
    missing: str = MISSING

    def format(self, content: CellValue) -> str:
        """Format a cell, with its interval in brackets and its mark."""
        cell = content if isinstance(content, Cell) else None
        value = cell.value if cell else content
        text = value if isinstance(value, str) else self._value(value)
        if cell is not None and cell.interval is not None:
            text += f" {self._value(cell.interval)}"
        return text + (cell.mark if cell else "")

    def _value(self, value: Any) -> str:
        if isinstance(value, Styled):
            return value.text
        if isinstance(value, Interval):
            value = (value.low, value.high)
        if isinstance(value, tuple):
            return f"[{self._number(value[0])}, {self._number(value[1])}]"
        return self._number(value)

    def _number(self, value: float | None) -> str:
        if value is None or math.isnan(value):
            return self.missing
        if self.kind == "percent":
            return format_percent(value, self.digits, signed=self.signed)
        if self.kind == "p-value":
            return format_p(value)
        if self.kind in ("number", "interval"):
            return format_number(value, self.digits, signed=self.signed)
        return str(value)


def counted(number: int, noun: str) -> str:
    """A number and the noun it counts: `1 system`, `2 systems`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def text(heading: str) -> Column:
    """A column of text."""
    return Column(heading, "text", missing="")


def count(heading: str, *, missing: str = MISSING) -> Column:
    """A column of whole numbers."""
    return Column(heading, "count", missing=missing)


def percent(heading: str, digits: int = 1, *, signed: bool = False, missing: str = MISSING) -> Column:
    """A column of shares between 0 and 1, printed as percent."""
    return Column(heading, "percent", digits, signed, missing)


def number(heading: str, digits: int = 3, *, signed: bool = False, missing: str = MISSING) -> Column:
    """A column of numbers with a fixed number of decimals."""
    return Column(heading, "number", digits, signed, missing)


def interval(heading: str) -> Column:
    """A column of intervals; a value with an interval is a `Cell` in a column of the value's type."""
    return Column(heading, "interval", 3, missing="")


def p_value(heading: str, *, missing: str = "") -> Column:
    """A column of p-values."""
    return Column(heading, "p-value", missing=missing)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines of text between tables; a line may mix plain and styled pieces.

    `heading` marks a title: a second-level heading in Markdown, bold on a terminal.
    """

    lines: Sequence[str | Sequence[str | Styled]]
    style: Style = ""
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows, with an optional title above and notes below. Every row has one value per column.

    Most tables need no title: the heading of the first column says what they show.
    """

    columns: Sequence[Column]
    # Each a CellValue; Any, because mypy joins the mixed types of a row to `object`.
    rows: Sequence[Sequence[Any]]
    title: str = ""
    notes: Sequence[str | Paragraph] = ()
    #: Rows from this one on stand below a rule in LaTeX; 0 for no rule.
    rule_before: int = 0
    #: What a paper prints below the table; with one, LaTeX gets a `table` environment.
    caption: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{len(self.columns)} columns, but a row of {len(row)}: {list(row)}")


Block = Table | Paragraph | str


@runtime_checkable
class Emittable(Protocol):
    """A result that can be printed in every format."""

    def to_dict(self) -> dict[str, Any] | list[Any]:
        """Return everything for programs. Dataclasses, enumerations, tuples and NaN are allowed."""
        ...

    def tables(self) -> Sequence[Block]:
        """Return what people read, in order; a plain string is a paragraph."""
        ...


@dataclass(frozen=True, slots=True)
class Listing:
    """A result that is only printed: `content` for programs, `blocks` for people."""

    content: dict[str, Any] | list[Any]
    blocks: Sequence[Block]

    def to_dict(self) -> dict[str, Any] | list[Any]:
        return self.content

    def tables(self) -> Sequence[Block]:
        return self.blocks


class JsonFields:
    """Base of dataclasses whose `to_dict()` returns their fields in order, followed by `json_extra`."""

    # Without it the subclasses, which have slots, would get a dictionary as well.
    __slots__ = ()

    #: Fields whose key is not their name; None leaves the field out.
    json_keys: ClassVar[Mapping[str, str | None]] = {}
    #: Properties, and methods without arguments, that stand behind the fields.
    json_extra: ClassVar[Sequence[str]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON types."""
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        content = {}
        for name in (*names, *self.json_extra):
            if (key := self.json_keys.get(name, name)) is not None:
                value = getattr(self, name)
                content[key] = plain(value() if callable(value) else value)
        return content


def plain(value: Any) -> Any:
    """Convert a value to JSON types: NaN and infinity, which JSON cannot represent, become None."""
    if type(value) is str:  # most values of long results
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(entry) for key, entry in value.items()}
    if isinstance(value, JsonFields):
        return value.to_dict()
    if isinstance(value, Interval):  # the level stands once, beside all results of a file
        return [plain(value.low), plain(value.high)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, set | frozenset):
        return [plain(entry) for entry in sorted(value)]
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        return plain(value.tolist())
    return [plain(entry) for entry in value]
