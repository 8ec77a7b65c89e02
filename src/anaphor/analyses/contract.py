"""What an analysis is: a name, options, and from a result something with tables and content."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from anaphor.core.options import check_type

if TYPE_CHECKING:  # help lists the options of analyses, and needs nothing else
    from anaphor.core import Bound, Progress, Result, Settings
    from anaphor.core.table import Block
    from anaphor.evaluation.experiment import Experiment


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisOption:
    """An option of an analysis, on the command line and from Python.

    `python` is its keyword in `anaphor.evaluate` if it differs from its name. With `many` the value is a
    list. An option that `asks` requests the analysis; the others only modify it. The short help omits `rare`
    options.
    """

    name: str
    help: str
    type: type[bool] | type[str] | type[float] = bool
    default: Any = False
    many: bool = False
    metavar: str | None = None
    python: str = ""
    asks: bool = True
    rare: bool = False

    @property
    def dest(self) -> str:
        """Its name among the parsed options of the command line."""
        return self.name.replace("-", "_")

    @property
    def keyword(self) -> str:
        return self.python or self.dest

    def checked(self, value: Any) -> Any:
        """The value; OptionError if its type is wrong."""
        optional = (type(None),) if self.default is None else ()
        check_type(value, *((list, tuple) if self.many else (self.type, *optional)), name=self.keyword)
        return value


class Scored(NamedTuple):
    """The input of an analysis: an experiment, its result, and the findings of earlier analyses."""

    experiment: Experiment
    result: Result
    findings: Mapping[str, Any]
    progress: Progress


class ScoreAnalysis(ABC):
    """An analysis in addition to the scores, which it does not change. An instance holds the values of its
    options by keyword. The result of `run` is passed to `tables` and `to_dict`.
    """

    #: The key of what it finds, in result files and in `ScoreReport.findings`.
    name: ClassVar[str]
    options: ClassVar[tuple[AnalysisOption, ...]]
    #: The heading above its options in help.
    group: ClassVar[str] = "output"
    #: Looks at the alignments that scores are made with.
    needs_alignment: ClassVar[bool] = False

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def check(self, settings: Settings) -> None:  # noqa: B027 - most can analyse any
        """Raise, before anything is read, if these settings cannot be analysed."""

    def check_texts(self, experiment: Experiment) -> None:  # noqa: B027 - most can analyse any
        """Raise, before anything is aligned, if these texts cannot be analysed."""

    @abstractmethod
    def run(self, scored: Scored) -> Any:
        """The findings; None if there are none."""

    def bounds(self, finding: Any) -> Sequence[Bound]:  # noqa: ARG002 - most have none
        """Rows below those of the systems in the table of scores."""
        return ()

    def tables(self, finding: Any) -> Sequence[Block]:  # noqa: ARG002 - some have none
        """The tables printed below the scores."""
        return ()

    def to_dict(self, finding: Any) -> Any:  # noqa: ARG002 - some have none
        """The content of the result file under its name; None for nothing."""
        return None
