"""Files that others write: translated files, texts, links, marked spans, casts, prices, batches."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.core import LanguagePair, Span
from tests.fuzz.harness import Reader
from tests.fuzz.study_readers import ask_all

if TYPE_CHECKING:
    from anaphor.predict.server.client import Query, ServerOptions

PAIR = LanguagePair("en", "de")
_XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2"><file original="tale" source-language="en" target-language="de"><body><group resname="pier">
<trans-unit id="1"><source>The rope &amp; the <g id="1">hook</g>.</source><target>Das Seil &amp; der <g id="1">Haken</g>.</target><note>Speaker: Ada</note></trans-unit>
<trans-unit id="2"><source><![CDATA[It holds.]]></source><target>Er hält.</target><alt-trans><target>Es hält.</target></alt-trans></trans-unit>
</group><trans-unit id="3" translate="no"><source>x</source><target/></trans-unit></body></file></xliff>
"""
_XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="u">
<notes><note>listener: Bo</note></notes><segment id="s"><source>It is <ph id="1"/>.</source><target>Er ist <ph id="1"/>.</target></segment></unit></file></xliff>
"""
_TMX = """<tmx version="1.4"><header srclang="en"/><body><tu tuid="a"><note>Scene: 2</note><tuv xml:lang="en-US"><seg>It floats.</seg></tuv>
<tuv xml:lang="de"><seg>Es schwimmt.</seg></tuv></tu></body></tmx>
"""
_PO = r"""msgid ""
msgstr "Language: de\nContent-Type: text/plain; charset=UTF-8\n"

#. Speaker: Bo
#: a.c:1
msgctxt "menu"
msgid "The net is \"%s\"."
msgstr "Das Netz ist "
"»%s«.\n"

#, c-format
msgid "%d net"
msgid_plural "%d nets"
msgstr[0] "%d Netz"
msgstr[1] "%d Netze"

#~ msgid "old"
#~ msgstr "alt"
"""
_SRT = "1\n00:00:01,000 --> 00:00:02,000\nADA: {}\n\n2\n00:00:03,000 --> 00:00:04,500\n<i>{}</i>\n"
_VTT = "WEBVTT\n\nNOTE\nx\n\nc1\n00:01.000 --> 00:02.000 align:start\n<v Ada>{}\n\n00:03.000 --> 00:04.000\n{} &amp;\n"
_ASS = """[Script Info]
Title: x
[Events]
Format: Layer, Start, End, Name, Text
Dialogue: 0,0:00:01.00,0:00:02.00,Ada,{}
Dialogue: 0,0:00:03.00,0:00:04.00,Bo,{{\\i1}}{}
"""
_EN, _DE = ("It holds.", "She left."), ("Er hält.", "Sie ging.")
#: Files with both languages; then formats of one, which are written twice.
_BOTH = {
    "a.xlf": _XLIFF,
    "b.xliff": _XLIFF_2,
    "c.tmx": _TMX,
    "d.po": _PO,
    "e.csv": 'id,speaker,source,target,note\r\n1,Ada,"It ""holds"".","Er ""hält"".",scene: 3\r\n2,Bo,It sank.,Es sank.,\r\n',
    "f.tsv": "key\tsource\ttarget\n1\tIt holds.\tEr hält.\n2\tIt sank.\tEs sank.\n",
    "g.json": '[{"id": "a", "source": "It \\u0022holds\\u0022.", "target": "Er \\"hält\\".\\n", "speaker": "Ada"}]\n',
}
_ONE = {
    "h.srt": _SRT,
    "i.vtt": _VTT,
    "j.ass": _ASS,
    "k.txt": "{}\n\n{}\n",
    "l.json": '{{"a": {{"b": "{}"}}, "c": ["{}"]}}\n',
}


def _make_translated(folder: Path) -> None:
    (folder / "en").mkdir()
    for name, text in _BOTH.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    for name, text in _ONE.items():
        (folder / name).write_text(text.format(*_DE), encoding="utf-8")
        (folder / "en" / name).write_text(text.format(*_EN), encoding="utf-8")


def _read_translated(folder: Path, damaged: Path | None = None) -> None:
    """Units with a finding in each: all reports, and copies with notes and with another word."""
    from anaphor.check.baseline import baseline_text, is_ignored
    from anaphor.check.copies import Fixes, annotated
    from anaphor.check.findings import Finding, Kind
    from anaphor.check.formats import read_units
    from anaphor.check.markup_in_text import hidden
    from anaphor.check.output import WRITERS
    from anaphor.check.report import CheckReport, FileSummary

    def read(name: str) -> None:
        source = str(folder / "en" / name) if name in _ONE else None
        file, _ = read_units(str(folder / name), pair=PAIR, source=source)
        findings = []
        for unit in file.units:
            is_ignored(unit, Kind.CAST)
            if (len(hidden(unit.source)), len(hidden(unit.target))) != (len(unit.source), len(unit.target)):
                raise AssertionError("hidden tags move the text")
            line, column = file.place(unit, len(unit.target) - 1)
            finding = Finding(
                kind=Kind.CAST,
                path=file.path,
                unit=unit.id,
                number=unit.number,
                line=line,
                column=column,
                source=unit.source,
                target=unit.target,
                source_span=Span(0, 1),
                target_span=Span(0, 1),
                reason=unit.speaker or "x",
                confidence=0.9,
            )
            findings.append(finding)
        reasons = file.skipped_counts()
        first = {skipped.reason: f"line {skipped.line}, {skipped.id}" for skipped in file.skipped}
        summary = FileSummary(file.path, file.format, PAIR, len(file.units), reasons, first)
        report = CheckReport(findings, [summary], 0, 0, 0, None)
        for write in WRITERS.values():
            write(report).encode()
        json.dumps(report.to_dict(), ensure_ascii=False).encode()
        baseline_text(findings).encode()
        text = file.with_changes([file.replacement(unit, Span(0, 1), '»&\\"x') for unit in file.units])
        Fixes(file, text, findings, []).diff().encode()
        if file.annotate is not None:
            annotated(file, findings).encode()

    names = [*_BOTH, *_ONE]
    ask_all(*(partial(read, name) for name in names if damaged is None or damaged.name == name))


def _make_settings(folder: Path) -> None:
    cast = """[[member]]
name = "Ada"
aliases = ["Captain"]
pronouns = "she"
forms = { de = ["Kapitänin"] }

[[member]]
name = "Hook"
pronouns = "it"
thing = true
gender = { de = "masculine" }

[[address]]
from = "Ada"
to = "Hook"
form = "formal"
mutual = true
"""
    (folder / "cast.toml").write_text(cast, encoding="utf-8")
    known = [{"fingerprint": "0123456789ab", "kind": "cast", "file": "a.xlf", "unit": "1", "word": "er"}]
    (folder / "known.json").write_text(json.dumps({"format": "anaphor-baseline-1", "findings": known}))
    (folder / "prices.toml").write_text('currency = "EUR"\n[models."m"]\nprompt = 0.5\nanswer = 1\n')
    from anaphor.predict.server.client import CompletionClient

    options, queries = _batch(folder)
    body = {"choices": [{"message": {"content": "Er hält."}, "finish_reason": "stop"}], "usage": {}}
    rows = [
        {"custom_id": CompletionClient(options).key(query), "response": {"status_code": 200, "body": body}}
        for query in queries
    ]
    (folder / "batch.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _batch(folder: Path) -> tuple[ServerOptions, list[Query]]:
    from anaphor.predict.server.client import Query, ServerOptions

    options = ServerOptions(server="http://localhost/v1", model="m", cache=str(folder / ".answers"))
    return options, [Query("It holds."), Query("She left.")]


def _read_settings(folder: Path, damaged: Path | None = None) -> None:
    from anaphor.check.baseline import read_baseline
    from anaphor.check.cast import read_cast
    from anaphor.predict.server.asking import Meter, RequestPlan, read_batch, read_price

    options, queries = _batch(folder)

    def cast() -> None:
        read = read_cast(str(folder / "cast.toml"))
        for member in read.members:
            (member.described("de"), [read.address_of(member, other) for other in read.members])

    def price() -> None:
        read = read_price(folder / "prices.toml", "m")
        plan = RequestPlan.of(options, queries, price=read)
        (plan.tables(), plan.to_dict(), Meter(read, 1.0).cost)

    def batch() -> None:
        shutil.rmtree(folder / ".answers", ignore_errors=True)
        read_batch(folder / "batch.jsonl", options, queries)

    asked = {
        "cast.toml": cast,
        "known.json": lambda: read_baseline(str(folder / "known.json")),
        "prices.toml": price,
        "batch.jsonl": batch,
    }
    ask_all(*(ask for name, ask in asked.items() if damaged is None or damaged.name == name))


_TEXTS: Mapping[str, str] = {
    "source.txt": "It holds .\nThey\u2028look .\n",
    "documents.txt": "0 pier\n1 boat\n",
    "pharaoh.align": "0-0 1?1 2p2 \n10-11\n",
    "giza.align": """# Sentence pair (1) source length 2 target length 2 alignment score : 0.5
er hält
NULL ({ }) it ({ 1 }) holds ({ 2 })
# Sentence pair (2) source length 1 target length 3 alignment score : 1e-05
ja , ja
NULL ({ 2 }) yes ({ 1 3 })
""",
    "set.tsv": "docid\tsource\treference\npier\tIt .\tEr .\nboat\tThey .\tSie .\n",
    "set.xml": """<?xml version="1.0" encoding="utf-8"?>
<dataset id="x"><collection><doc id="pier" origlang="en" testsuite="t"><src lang="en"><p>
<seg id="1">It &amp; &#233; .</seg></p></src><ref lang="de" translator="A"><seg id="1">Er .</seg></ref>
<hyp system="X" language="de"><seg id="1">Es\n.</seg></hyp></doc></collection></dataset>
""",
    "set.sgm": """<!DOCTYPE mteval SYSTEM "x.dtd"><srcset setid="s" srclang="any"><doc docid="pier"><p>
<seg id="1">It & &#233; .</seg></p></doc></srcset>
<refset trglang="de"><DOC docid='pier' sysid=ref><seg id=1>Er .</seg></DOC></refset>
<tstset sysid="X"><doc docid="pier"><seg id="1">Es .</seg></doc></tstset>
""",
}


def _make_texts(folder: Path) -> None:
    for name, text in _TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


def _read_texts(folder: Path, damaged: Path | None = None) -> None:
    from anaphor.corpus import read_alignments, read_bundle, read_documents, read_text

    def read(name: str) -> object:
        path = folder / name
        if name.startswith("set"):
            return read_bundle(path, pair=PAIR)
        if name.endswith("align"):
            return list(read_alignments(path, segments=2))
        return read_documents(path, segments=2) if name == "documents.txt" else read_text(path)

    ask_all(*(partial(read, name) for name in _TEXTS if damaged is None or damaged.name == name))


def _make_spans(folder: Path) -> None:
    columns = [
        "system",
        "doc",
        "doc_id",
        "seg_id",
        "rater",
        "source",
        "target",
        "category",
        "severity",
        "comment",
    ]
    rows = [
        columns,
        ["a", "pier", "1", "1", "r1", "It holds .", "<v>Es</v> hält .", "Fluency/Grammar", "Major", ""],
        ["a", "pier", "1", "2", "r1", "It sank .", "Es sank .", "No-error", "No-error", ""],
        ["b", "pier", "1", "1", "r2", "It holds .", "Er hält .", "No-error", "No-error", ""],
        ["b", "pier", "1", "2", "r2", "It sank .", "Er <v>sank</v> .", "Style", "Minor", "x"],
    ]
    (folder / "mqm.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    error = {"term": "Es", "startIndex": 0, "endIndex": 1, "error_category": "Accuracy", "severity": "Major"}
    bio = [
        {
            "system": system,
            "DOC_ID": "pier",
            "SEG_ID": str(segment),
            "source": f"It {segment}.",
            "target": f"Es {segment}.",
            "target_errors": [error] * (segment - 1),
            "Annotator_ID": "r",
        }
        for system in ("a", "b")
        for segment in (1, 2)
    ]
    (folder / "bio.jsonl").write_text("".join(json.dumps(row) + "\n" for row in bio))


def _read_spans(folder: Path, damaged: Path | None = None) -> None:
    from anaphor.meta.annotation import write_texts
    from anaphor.meta.spans import read_annotation

    def read(name: str) -> None:
        option = {"mqm.tsv": "mqm", "bio.jsonl": "bio_mqm"}[name]
        annotation = read_annotation(pair="en-de", **{option: str(folder / name)})
        if annotation is not None:
            write_texts(annotation, folder / ".texts")

    shutil.rmtree(folder / ".texts", ignore_errors=True)
    names = ("mqm.tsv", "bio.jsonl")
    ask_all(*(partial(read, name) for name in names if damaged is None or damaged.name == name))


def _make_archives(folder: Path) -> None:
    """Archives of dialogues, with every compression and with names that need a header of their own."""
    contents = {
        "a.json": b'{"utterances": {}}',
        f"{'long/' * 30}b.json": bytes(range(256)),
        "\N{GREEK SMALL LETTER OMEGA}.json": b"text " * 200,
    }
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(folder / f"{method}.zip", "w", method) as archive:
            for name, content in contents.items():
                archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    for ending, layout in (
        ("", tarfile.PAX_FORMAT),
        (":gz", tarfile.GNU_FORMAT),
        (":xz", tarfile.PAX_FORMAT),
    ):
        with tarfile.open(folder / f"a.tar{ending.replace(':', '.')}", f"w{ending}", format=layout) as tar:  # type: ignore[call-overload]
            for name, content in contents.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))


def _read_archives(folder: Path, damaged: Path | None = None) -> None:
    from anaphor.files.compression import read_tar, read_zip

    def read(path: Path) -> None:
        unpack = read_zip if path.suffix == ".zip" else read_tar
        unpack(path.read_bytes(), where=str(path))

    paths = sorted(folder.iterdir()) if damaged is None else [damaged]
    ask_all(*(partial(read, path) for path in paths))


TEXT_FILES: tuple[Reader, ...] = (
    Reader("translated files", _make_translated, _read_translated, _read_translated),
    Reader("cast, baseline, prices, batch", _make_settings, _read_settings, _read_settings),
    Reader("texts, links and documents", _make_texts, _read_texts, _read_texts),
    Reader("marked spans", _make_spans, _read_spans, _read_spans),
    Reader("archives", _make_archives, _read_archives, _read_archives),
)
