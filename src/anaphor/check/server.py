"""`anaphor check --lsp`: findings while typing, as diagnostics of a language server.

Editors use the Language Server Protocol over standard input and output. The extra `check` brings pygls.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlparse

from anaphor import __version__
from anaphor.check.checking import CheckOptions, check_languages, check_units, read_content
from anaphor.check.findings import Finding
from anaphor.check.formats import find_format
from anaphor.check.units import Content, UnitFile
from anaphor.core import InputError, LanguagePair, OptionError, UserError, Where

#: Seconds without a change before a text is checked again.
_PAUSE = 0.7
#: Of a longer file, the units around the last change are checked: a judged unit needs those before it.
_MOST_UNITS, _AROUND = 400, 120
#: Editors send texts as JSON, whose escapes can spell halves of characters.
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A finding in the coordinates of the protocol: lines from 0, columns in UTF-16 units."""

    line: int
    start: int
    end: int
    code: str
    message: str
    is_error: bool = False


def diagnose(
    path: str, text: str, options: CheckOptions, pair: LanguagePair | None, *, line: int = 0
) -> list[Diagnosis]:
    """The findings in a text that is being edited; `line` is the line of the latest change.

    A mistake in the file itself is one diagnostic at its place.
    """
    try:
        if half := _SURROGATE.search(text):
            place = Where(path, text.count("\n", 0, half.start()) + 1)
            raise InputError("half of a surrogate pair", where=place, fix="delete it, or write the character")
        file, own_pair = read_content(Content(path, text), find_format(path), pair)
        if own_pair is None:
            raise OptionError("the file does not name both languages", where=path, fix="set the pair")
        check_languages(file, own_pair)
        report = check_units([(_around(file, line), own_pair)], options)
    except UserError as error:
        where = error.where if isinstance(error.where, Where) else Where(path)
        at = (where.line or 1) - 1
        return [Diagnosis(at, 0, 1, "file", f"{error.what}; {error.fix}", is_error=True)]
    lines = text.split("\n")
    return [_diagnosis(finding, lines) for finding in report.findings]


def _around(file: UnitFile, line: int) -> UnitFile:
    if len(file.units) <= _MOST_UNITS:
        return file
    nearest = min(range(len(file.units)), key=lambda number: abs(file.units[number].line - line))
    return replace(file, units=file.units[max(0, nearest - _AROUND) : nearest + _AROUND])


def _diagnosis(finding: Finding, lines: list[str]) -> Diagnosis:
    line = lines[finding.line - 1]
    start = finding.column - 1
    end = start + max(1, len(finding.word))
    message = f"{finding.message} ({finding.confidence:.2f})"
    return Diagnosis(finding.line - 1, _utf16(line[:start]), _utf16(line[:end]), finding.kind.value, message)


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def serve(options: CheckOptions, pair: LanguagePair | None) -> None:
    """Serve an editor on standard input and output until it disconnects."""
    make_server(options, pair).start_io()


def make_server(options: CheckOptions, pair: LanguagePair | None) -> Any:
    """The server with its handlers."""
    try:
        from lsprotocol import types
        from pygls.lsp.server import LanguageServer
    except ImportError as error:
        raise OptionError(
            "the language server needs the package pygls, which is not installed",
            where="--lsp",
            fix='install it: pip install "anaphor[check]"',
        ) from error
    server = LanguageServer("anaphor", __version__)
    waiting: dict[str, threading.Timer] = {}
    working = threading.Lock()

    def publish(uri: str, line: int) -> None:
        document = server.workspace.get_text_document(uri)
        version = document.version
        with working:
            diagnoses = diagnose(_path_of(uri), document.source, options, pair, line=line)
        if server.workspace.get_text_document(uri).version != version:
            return  # changed meanwhile: the next check answers
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=uri,
                version=version,
                diagnostics=[
                    types.Diagnostic(
                        range=types.Range(
                            types.Position(diagnosis.line, diagnosis.start),
                            types.Position(diagnosis.line, diagnosis.end),
                        ),
                        message=diagnosis.message,
                        severity=types.DiagnosticSeverity.Error
                        if diagnosis.is_error
                        else types.DiagnosticSeverity.Warning,
                        code=diagnosis.code,
                        source="anaphor",
                    )
                    for diagnosis in diagnoses
                ],
            )
        )

    def check_soon(uri: str, line: int = 0, pause: float = _PAUSE) -> None:
        if uri in waiting:
            waiting[uri].cancel()
        timer = threading.Timer(pause, publish, (uri, line))
        timer.daemon = True
        waiting[uri] = timer
        timer.start()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)  # type: ignore[untyped-decorator, unused-ignore]
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        check_soon(params.text_document.uri, pause=0.0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)  # type: ignore[untyped-decorator, unused-ignore]
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        ranges = [change.range for change in params.content_changes if hasattr(change, "range")]
        line = ranges[-1].start.line + 1 if ranges and ranges[-1] is not None else 0
        check_soon(params.text_document.uri, line)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)  # type: ignore[untyped-decorator, unused-ignore]
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if timer := waiting.pop(uri, None):
            timer.cancel()
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    return server


def _path_of(uri: str) -> str:
    try:
        return unquote(urlparse(uri).path) or uri
    except ValueError:  # not an address
        return uri
