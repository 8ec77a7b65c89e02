"""The steps of `anaphor check`: read units, align them, apply verdict, cast and chains, report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from anaphor.check.baseline import is_ignored
from anaphor.check.cast import Cast, cast_findings
from anaphor.check.cast.proposal import ProposedCast
from anaphor.check.chains import chain_findings
from anaphor.check.doubts import doubts
from anaphor.check.findings import Finding, Kind
from anaphor.check.formats import parse_units, read_units, stated_pair
from anaphor.check.formats.contract import Format
from anaphor.check.linking import LinkedBlock, linked_blocks
from anaphor.check.report import CheckReport, FileSummary
from anaphor.check.units import Content, UnitFile
from anaphor.check.verdicts import Examined, examine, verdict_findings
from anaphor.core import LanguagePair, MismatchError, OptionError, Progress, Settings
from anaphor.languages.identify import other_language

#: From this probability on, findings are reported. `benchmarks/check/threshold.py` prints precision by
#: confidence on judged machine translations. People leave pronouns out by saying it in another way, so a
#: missing one must be surer.
DEFAULT_CONFIDENCE = 0.65
DEFAULT_CONFIDENCES = {kind: 0.9 if kind is Kind.MISSING else DEFAULT_CONFIDENCE for kind in Kind}
#: Kinds of findings that need the verdict, which takes most of the time.
_JUDGED = frozenset({Kind.AGREEMENT, Kind.MISSING, Kind.NUMBER, Kind.CHAIN})
#: Less probable findings are not looked at again; a chain can raise them by little.
_DOUBTFUL = 0.2
#: Units of a file that its language is told from.
_LANGUAGE_UNITS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """How files are checked.

    Attributes:
        min_confidence: The minimum confidence of a reported finding; None for the default of its kind.
        kinds: The kinds of findings to look for.
        fast: Judge without the detector and the pointer: several times faster, less precise.
        baseline: Fingerprints of known findings.
        cast: The pronouns of characters, and how they address each other.
        packs: A folder with your own language packs.
    """

    min_confidence: float | None = None
    kinds: frozenset[Kind] = frozenset(Kind)
    fast: bool = False
    baseline: frozenset[str] = frozenset()
    cast: Cast = field(default_factory=Cast)
    packs: str | None = None

    def __post_init__(self) -> None:
        if self.min_confidence is not None and not 0 <= self.min_confidence <= 1:
            what = f"a confidence must be between 0 and 1, got {self.min_confidence}"
            raise OptionError(what, where="--min-confidence", fix="use a number such as 0.7")

    def least(self, kind: Kind) -> float:
        """The minimum confidence for a kind of finding."""
        return DEFAULT_CONFIDENCES[kind] if self.min_confidence is None else self.min_confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInput:
    """One file to check: its path, its pair unless the file names it, and its source if that is a separate
    file.

    `columns` maps roles to column names, for tables; `format` is the name of the format unless the suffix
    identifies it.
    """

    path: str
    pair: LanguagePair | None = None
    source: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None


def read_input(file: CheckInput) -> tuple[UnitFile, LanguagePair]:
    """The units of a file and their language pair."""
    read = partial(read_units, file.path, source=file.source, columns=file.columns, format=file.format)
    units, languages = read(pair=file.pair)
    pair = file.pair or stated_pair(languages)
    if pair is None:
        what = "the file does not name both languages"
        raise OptionError(what, where=file.path, fix="name them: --pair en-de")
    if file.pair is None and units.mixed:
        units, _ = read(pair=pair)  # without the units in other languages
    check_languages(units, pair)
    return units, pair


def read_content(
    content: Content, format: Format, pair: LanguagePair | None
) -> tuple[UnitFile, LanguagePair | None]:
    """The units of text in memory, with the pair if known."""
    units, languages = parse_units(content, format, pair=pair)
    return units, pair or stated_pair(languages)


def check_languages(file: UnitFile, pair: LanguagePair) -> None:
    """Reject a file whose texts are clearly not in the languages of its pair."""
    units = file.units[:_LANGUAGE_UNITS]
    for side, expected in (("source", pair.source), ("target", pair.target)):
        actual = other_language((getattr(unit, side) for unit in units), expected)
        if actual is not None:
            raise MismatchError(
                f"the {side} is {actual}, but the language pair is {pair}",
                where=file.path,
                fix="check --pair, and whether source and target are swapped",
            )


def check_files(
    files: Sequence[CheckInput],
    options: CheckOptions | None = None,
    progress: Progress = lambda _: None,
) -> CheckReport:
    """Check translated files.

    Args:
        files: The files.
        options: What to look for and report.
        progress: Called with the name of each step.

    Returns:
        The findings, most probable first, with what was read and skipped.

    Raises:
        UserError: A file is malformed or in the wrong language, or its pair is not supported.
    """
    return check_units(read_inputs(files, progress), options or CheckOptions(), progress)


def read_inputs(
    files: Sequence[CheckInput], progress: Progress = lambda _: None
) -> list[tuple[UnitFile, LanguagePair]]:
    """The units of several files, each with its pair."""
    progress("reading")
    return [read_input(file) for file in files]


def propose_cast(read: Sequence[tuple[UnitFile, LanguagePair]], progress: Progress = lambda _: None) -> str:
    """A draft of a cast file from the names, speakers and pronouns of some files."""
    proposed = ProposedCast()
    for pair in dict.fromkeys(pair for _, pair in read):
        settings = Settings(pair=str(pair), metrics=("accept",), samples=0)
        for block in linked_blocks([file for file, its in read if its == pair], settings, progress):
            proposed.add(block)
    return proposed.toml()


def check_units(
    read: Sequence[tuple[UnitFile, LanguagePair]],
    options: CheckOptions,
    progress: Progress = lambda _: None,
) -> CheckReport:
    """The same for units that have already been read."""
    findings: list[Finding] = []
    pronouns = 0
    for pair in dict.fromkeys(pair for _, pair in read):
        own = [file for file, its in read if its == pair]
        for block, judged in _checked_blocks(own, pair, options, progress):
            pronouns += judged
            findings += block
    units = {file.path: file.units for file, _ in read}
    reported, known, ignored = [], 0, 0
    for finding in findings:
        if finding.confidence < options.least(finding.kind) or finding.kind not in options.kinds:
            continue
        if is_ignored(units[finding.path][finding.number], finding.kind):
            ignored += 1
        elif finding.fingerprint in options.baseline:
            known += 1
        else:
            reported.append(finding)
    # The order of the text decides among equals.
    reported.sort(key=lambda finding: -round(finding.confidence, 2))
    summaries = [_summary(file, pair) for file, pair in read]
    return CheckReport(tuple(reported), summaries, pronouns, known, ignored, options.min_confidence)


def _checked_blocks(
    files: Sequence[UnitFile], pair: LanguagePair, options: CheckOptions, progress: Progress
) -> Iterator[tuple[list[Finding], int]]:
    networks = ("accept_detector", "accept_pointer")
    ignored = dict.fromkeys(networks, "ignore") if options.fast else {}
    settings = Settings(pair=str(pair), metrics=("accept",), options=ignored, samples=0, packs=options.packs)
    # `map` drops a block before the next one is linked.
    yield from map(
        partial(_checked, options=options, progress=progress), linked_blocks(files, settings, progress)
    )


def _checked(block: LinkedBlock, options: CheckOptions, progress: Progress) -> tuple[list[Finding], int]:
    """The findings in a block, and the number of pronouns judged."""
    examined = examine(block, progress) if options.kinds & _JUDGED else []
    return list(_block_findings(block, examined, options)), len(examined)


def _block_findings(block: LinkedBlock, examined: list[Examined], options: CheckOptions) -> Iterable[Finding]:
    findings, decided = cast_findings(block, options.cast)
    yield from findings
    open_questions = [
        pronoun._replace(doubts=tuple(doubt.reason for doubt in doubts(block, pronoun, options.cast)))
        if pronoun.confidence >= _DOUBTFUL
        else pronoun
        for pronoun in examined
        if (pronoun.row, pronoun.token) not in decided
    ]
    yield from verdict_findings(block, open_questions, least=options.least(Kind.AGREEMENT))
    yield from chain_findings(block, open_questions, cast=options.cast, least=options.least(Kind.AGREEMENT))


def _summary(file: UnitFile, pair: LanguagePair) -> FileSummary:
    first: dict[str, str] = {}
    for entry in file.skipped:
        first.setdefault(entry.reason, f"line {entry.line}{f', unit {entry.id}' if entry.id else ''}")
    return FileSummary(file.path, file.format, pair, len(file.units), file.skipped_counts(), first)
