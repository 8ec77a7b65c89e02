"""One request per segment, per segment with the ones before it, or per document.

    segment    the segment alone
    window     the segment after the source segments before it, which are context
    document   all segments of a document at once; `anaphor.segment` cuts the result

In the first two modes, replies become one line each: anything that is not part of a translation (reasoning,
chatter, Markdown) is removed, as from whole documents. Models without a chat format continue `English: ...
German:`, and only the first line they write counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair, UnknownNameError
from anaphor.core.progress import ShareProgress, no_progress
from anaphor.core.table import Block, Paragraph
from anaphor.files.writing import write_atomically
from anaphor.languages import load_language
from anaphor.predict.server.asking import Meter, answers_in_order
from anaphor.predict.server.client import Completion, Query, ServerOptions
from anaphor.segment.notes import find_notes, scored_text

#: What a request has, with the longest answer in tokens where the user gives none.
MODES = {"segment": 512, "window": 512, "document": 8192}
_TASK = "Translate from {source} into {target}. Return the translation only, without comments."
_WINDOW = """Translate from {source} into {target}. Lines that begin with a bar are context; \
the last line, after LAST LINE, is the text. Return the translation of the last line only, without comments.

{before}
LAST LINE
{line}"""


@dataclass(frozen=True, slots=True)
class Translation:
    """The output of a model: one text per unit, a segment or a document. `names` are the documents in the
    mode `document`. `empty` units have no text, `cut` ones reached the maximum length, and text other than
    the translation was removed from `cleaned` ones.
    """

    mode: str
    texts: tuple[str, ...]
    names: tuple[str, ...]
    empty: int
    cut: int
    cleaned: int

    def content(self) -> str:
        """The text of a file: a line per segment, or a line of JSON per document."""
        if self.mode != "document":
            return "".join(f"{text}\n" for text in self.texts)
        rows = zip(self.names, self.texts, strict=True)
        return "".join(
            json.dumps({"document": name, "text": text}, ensure_ascii=False) + "\n" for name, text in rows
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "units": len(self.texts),
            "empty": self.empty,
            "cut": self.cut,
            "cleaned": self.cleaned,
        }

    def tables(self) -> list[Block]:
        units = "documents" if self.mode == "document" else "segments"
        parts = [f"{len(self.texts)} {units} translated in the mode {self.mode}"]
        parts += [f"{self.empty} are empty"] * bool(self.empty)
        parts += [f"{self.cut} reached the maximum answer length (--tokens)"] * bool(self.cut)
        parts += [f"chatter was removed from {self.cleaned}"] * bool(self.cleaned)
        return [Paragraph(["; ".join(parts)])]


def translation_options(options: ServerOptions, mode: str, *, tokens: int | None = None) -> ServerOptions:
    """The options with the mode's maximum answer length, or with `tokens` if given."""
    if mode not in MODES:
        raise UnknownNameError.among(mode, MODES, kind="mode", where="--mode")
    return replace(options, tokens=MODES[mode] if tokens is None else tokens)


def translation_queries(
    source: Sequence[str],
    documents: Sequence[str] | None,
    pair: LanguagePair,
    *,
    mode: str,
    before: int = 3,
    is_chat: bool = True,
) -> list[Query]:
    """One query per segment, or per document; nothing is sent.

    Args:
        source: The segments.
        documents: The document of each; by default all are one document.
        pair: The language pair.
        mode: One of `MODES`.
        before: Segments of context in the mode `window`.
        is_chat: Whether the model has a chat format.

    Returns:
        The queries in the order of the text.
    """
    names = {"source": load_language(pair.source).name, "target": load_language(pair.target).name}
    queries = []
    for first, last in _units(source, documents, mode):
        lines = [" ".join(line.split()) for line in source[first:last]]
        context: list[str] = []
        if mode == "window":
            start = max(0, first - before)
            context = [
                " ".join(source[place].split())
                for place in range(start, first)
                if documents is None or documents[place] == documents[first]
            ]
        if not is_chat:
            text = " ".join((*context, *lines))
            queries.append(Query(f"{names['source']}: {text}\n{names['target']}:", raw=True))
        elif context:
            # Behind a bar, no line of a text can pass for the one that separates the two.
            prompt = _WINDOW.format(**names, before="\n".join(f"| {text}" for text in context), line=lines[0])
            queries.append(Query(prompt))
        else:
            queries.append(Query("\n\n".join((_TASK.format(**names), "\n".join(lines)))))
    return queries


def first_lines(
    source: Sequence[str], documents: Sequence[str] | None, *, mode: str, units: int | None
) -> int:
    """The number of lines in the first units, segments or documents; of all if `units` is None."""
    return max((last for _, last in [*_units(source, documents, mode)][:units]), default=0)


def _units(source: Sequence[str], documents: Sequence[str] | None, mode: str) -> Iterator[tuple[int, int]]:
    """The first and the last segment of every unit."""
    if mode != "document":
        yield from ((segment, segment + 1) for segment in range(len(source)))
        return
    names = documents or [""] * len(source)
    for _, group in groupby(range(len(source)), key=lambda segment: names[segment]):
        segments = list(group)
        yield segments[0], segments[-1] + 1


def translations(
    source: Sequence[str],
    documents: Sequence[str] | None,
    pair: LanguagePair,
    options: ServerOptions,
    *,
    mode: str,
    before: int = 3,
    meter: Meter | None = None,
    progress: ShareProgress = no_progress,
) -> Translation:
    """Translate a text; answers are cached on disk, and no prompt is sent twice.

    Args:
        source: The segments.
        documents: The document of each; by default all are one document.
        pair: The language pair.
        options: The server, the model, and the options of `translation_options`.
        mode: One of `MODES`.
        before: Segments of context in the mode `window`.
        meter: Counts requests, tokens and cost, and has the budget.
        progress: Called with the share of units that are translated.

    Returns:
        The texts, and how many are empty, cut, or had chatter.

    Raises:
        UserError: The server cannot be reached or refuses a request; answers so far are cached.
    """
    is_chat = options.endpoint == "chat"
    queries = translation_queries(source, documents, pair, mode=mode, before=before, is_chat=is_chat)
    units = list(_units(source, documents, mode))
    texts, names = [], []
    cut = cleaned = 0
    for (first, last), (_, answer) in zip(
        units, answers_in_order(options, queries, meter=meter), strict=True
    ):
        written = _written(answer, is_chat=is_chat)
        text = written
        if mode != "document" and written:
            notes = find_notes(source[first:last], written, pair)
            text = " ".join(scored_text(written, notes).split())
            cleaned += text != " ".join(written.split())
        texts.append(text)
        names.append("1" if documents is None else documents[first])
        cut += answer.is_cut and is_chat
        progress("translating", len(texts) / len(units))
    empty = sum(not text for text in texts)
    return Translation(mode, tuple(texts), tuple(names) if mode == "document" else (), empty, cut, cleaned)


def _written(answer: Completion, *, is_chat: bool) -> str:
    """The part of a reply that counts."""
    text = answer.text.rpartition("</think>")[2].strip()
    return text if is_chat else text.partition("\n")[0].strip()


def write_translation(path: str | Path, translation: Translation) -> None:
    """Write a translation as `anaphor score` and `anaphor segment` read it."""
    write_atomically(path, translation.content())
