"""SRT, WebVTT and ASS. A translation is a separate file; cues are paired by their times, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from anaphor.check.formats.contract import Format, ReadOptions
from anaphor.check.units import Content, Escapes, LineIndex, Units
from anaphor.core import InputError, OptionError, Span, Where

#: Cues belong together if both begin within so many milliseconds of each other.
_TOLERANCE = 250
#: A longer silence begins another scene.
_SCENE = 30_000
_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
# Possessive where white space may repeat: a line of nothing else must not take the square of its length.
_TIMING = re.compile(rf"{_TIME}[ \t]*+-->[ \t]*+{_TIME}[^\r\n]*+")
_BLOCK = re.compile(r"(?:[^\r\n]++(?:\r?\n|\Z))++")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_LINE_END = re.compile(r"\r?\n?")
_NAMED = re.compile(r"\s*+(?:<[^<>]*+>)*+-?\s*+([A-ZÀ-Þ][\w'’. -]{0,30}?):\s")
_VOICE = re.compile(r"<v(?:\.[\w.]++)?\s++([^<>]++)>")
_VTT_ENTITIES = {
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "&nbsp;": "\u00a0",
    "&lrm;": "\u200e",
    "&rlm;": "\u200f",
}
VTT_ESCAPES = Escapes(
    re.compile("|".join(_VTT_ENTITIES)),
    lambda raw: _VTT_ENTITIES[raw],
    lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
)


class Cue(NamedTuple):
    """One subtitle: its times in milliseconds, and the position of its text in the file."""

    id: str
    start: int
    end: int
    text: Span
    speaker: str = ""


def _milliseconds(groups: tuple[str | None, ...]) -> int:
    hours, minutes, seconds, rest = groups
    return ((int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)) * 1000 + int(
        (rest or "0").ljust(3, "0")
    )


def _timed_cues(content: Content) -> Iterator[Cue]:
    """The cues of SRT and WebVTT: blocks with a line of times, then text."""
    text = content.text
    if lone := _LONE_RETURN.search(text):
        raise InputError(
            "a line ends with a lone carriage return",
            where=Where(content.path, *LineIndex(text).place(lone.start())),
            fix="save the file with the line ends of Unix or Windows",
        )
    for number, block in enumerate(_BLOCK.finditer(text)):
        timing = _TIMING.search(text, block.start(), block.end())
        before = text[block.start() : timing.start()] if timing else ""
        if timing is None or before.count("\n") > 1 or before.startswith("NOTE"):
            if number == 0 and text.lstrip("\ufeff").startswith("WEBVTT"):
                continue
            if text[block.start() : block.end()].startswith(("NOTE", "STYLE", "REGION")):
                continue
            line = LineIndex(text).line(block.start())
            what = f"not a cue with its times: {text[block.start() : block.start() + 40].splitlines()[0]!r}"
            fix = "write 00:00:01,000 --> 00:00:02,500 before a text, and blank lines between cues"
            raise InputError(what, where=Where(content.path, line), fix=fix)
        rest = _LINE_END.match(text, timing.end())
        start = rest.end() if rest else timing.end()
        end = max(start, start + len(text[start : block.end()].rstrip("\r\n")))
        groups = timing.groups()
        voice = _VOICE.search(text, start, end)
        yield Cue(
            before.strip() or str(number + 1),
            _milliseconds(groups[:4]),
            _milliseconds(groups[4:]),
            Span(start, end),
            voice[1].strip() if voice else "",
        )


_ANY_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


def _events(content: Content) -> Iterator[Cue]:
    """The dialogue lines of ASS and SSA, whose columns a line `Format:` names."""
    columns: list[str] = []
    events, at = False, 0
    # `splitlines` would also divide a text at a line separator inside it.
    for number, match in enumerate(_ANY_LINE.finditer(content.text), start=1):
        line = match[0]
        kind, _, rest = line.partition(":")
        if (bare := line.removeprefix("\ufeff")).startswith("["):
            events = bare.strip().lower() == "[events]"
        elif events and kind == "Format":
            columns = [name.strip().lower() for name in rest.split(",")]
        elif events and kind == "Dialogue":
            cells = rest.rstrip("\r\n").split(",", max(0, len(columns) - 1))
            if len(cells) != len(columns) or columns[-1:] != ["text"] or not {"start", "end"} <= set(columns):
                fix = "end the columns of the line Format: with Text, and write as many cells"
                raise InputError(
                    "a dialogue line without its columns", where=Where(content.path, number), fix=fix
                )
            row = dict(zip(columns, cells, strict=True))
            times = [re.fullmatch(_TIME, row[name].strip()) for name in ("start", "end")]
            if times[0] is None or times[1] is None:
                what = f"not a time: {row['start'].strip()} or {row['end'].strip()}"
                raise InputError(what, where=Where(content.path, number), fix="write times as 0:00:01.00")
            end = at + len(line.rstrip("\r\n"))
            speaker = row.get("name", row.get("actor", "")).strip()
            first, last = (_milliseconds(time.groups()) for time in times if time)
            yield Cue(str(number), first, last, Span(end - len(row["text"]), end), speaker)
        at += len(line)


def _read(
    content: Content, options: ReadOptions, units: Units, *, events: bool, escapes: Escapes
) -> tuple[str, str]:
    if options.source is None:
        what = "a subtitle file has only one language"
        raise OptionError(
            what,
            where=content.path,
            fix="add its source file and the languages: --source FILE --pair SRC-TGT",
        )
    cues = _events if events else _timed_cues
    own, other = list(cues(content)), list(cues(options.source))
    for side, path in ((own, content.path), (other, options.source.path)):
        if not side:
            raise InputError("the file has no cues", where=path, fix="pass SRT, WebVTT or ASS subtitles")
    index, text, source = LineIndex(content.text), content.text, options.source.text
    scene, last_end, first = 1, 0, 0
    for cue in own:
        while first < len(other) and other[first].start < cue.start - _TOLERANCE:
            first += 1
        near = [
            candidate
            for candidate in other[first : first + 4]
            if abs(candidate.start - cue.start) <= _TOLERANCE
            and abs(candidate.end - cue.end) <= 4 * _TOLERANCE
        ]
        line = index.line(cue.text.start)
        if cue.start - last_end > _SCENE and last_end:
            scene += 1
        last_end = max(last_end, cue.end)
        if len(near) != 1:
            units.skip(
                "no cue of the source at its time" if not near else "several cues at one time",
                line=line,
                id=cue.id,
            )
            continue
        partner = near[0]
        spoken = escapes.plain(source[partner.text.start : partner.text.end])
        named = _NAMED.match(spoken)
        units.add(
            id=cue.id,
            source=spoken,
            target=escapes.plain(text[cue.text.start : cue.text.end]),
            line=line,
            written=cue.text,
            document=f"scene {scene}",
            speaker=partner.speaker or cue.speaker or (named[1] if named else ""),
        )
    if (missing := len(other) - len(own)) > 0:
        for _ in range(missing):
            units.skip("a cue of the source without a translation", line=1)
    return "", ""


def _read_srt(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    return _read(content, options, units, events=False, escapes=Escapes())


def _read_vtt(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    return _read(content, options, units, events=False, escapes=VTT_ESCAPES)


def _read_ass(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    return _read(content, options, units, events=True, escapes=Escapes())


SRT = Format("srt", (".srt",), _read_srt, Escapes(), paired=True)
VTT = Format("vtt", (".vtt",), _read_vtt, VTT_ESCAPES, paired=True)
ASS = Format("ass", (".ass", ".ssa"), _read_ass, Escapes(), paired=True)
