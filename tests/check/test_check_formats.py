"""Readers of translated files: units with their places, copies that differ in nothing but what was changed."""

# ruff: noqa: E501 - lines of files as they are written
from __future__ import annotations

import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import polib
import pysubs2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.check.checking import CheckInput, read_input
from anaphor.check.formats import FORMATS, read_units, stated_pair
from anaphor.check.formats.json import JSON_ESCAPES
from anaphor.check.formats.markup import XML_ESCAPES
from anaphor.check.formats.po import PO_ESCAPES
from anaphor.check.formats.subtitles import VTT_ESCAPES
from anaphor.check.formats.tables import CSV_ESCAPES
from anaphor.check.markup_in_text import hidden
from anaphor.check.units import UnitFile
from anaphor.core import LanguagePair, Span, UserError

PAIR = LanguagePair("en", "de")

XLIFF_1 = """<?xml version="1.0" encoding="UTF-8"?>
<!-- kept -->
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original="story.txt" source-language="en-GB" target-language="de-AT" datatype="plaintext"><body>
  <group resname="scene 1">
   <trans-unit id="1"><source>The lamp &amp; the <g id="1">oil</g>.</source>
     <target state="final">Die Lampe &amp; das <g id="1">Öl</g>.</target><note>Speaker: Mira</note></trans-unit>
   <trans-unit id="2"><source>It smells.</source><target>Sie riecht.</target>
     <alt-trans><target>Er riecht.</target></alt-trans></trans-unit>
  </group>
  <trans-unit id="3"><source>Gone.</source><target/></trans-unit>
  <trans-unit id="4" translate="no"><source>OK</source><target>OK</target></trans-unit>
 </body></file>
 <file original="x" source-language="en" target-language="fr" datatype="plaintext"><body>
  <trans-unit id="5"><source>It works.</source><target>Ça marche.</target></trans-unit>
 </body></file>
</xliff>
"""
XLIFF_2 = """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de">
 <file id="f1"><unit id="u1"><notes><note>listener: Jon</note></notes>
   <segment id="s1"><source>It is <ph id="1"/>.</source><target>Es ist <ph id="1"/>.</target></segment>
   <ignorable><source> </source></ignorable>
   <segment id="s2"><source>She left.</source><target>Sie ging.</target></segment></unit>
  <unit id="u2"><segment><source>They left.</source><target>Sie gingen.</target></segment></unit>
 </file></xliff>"""
TMX = """<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu tuid="a"><note>Scene: 2</note><tuv xml:lang="en-US"><seg>It works.</seg></tuv><tuv xml:lang="de"><seg>Es geht.</seg></tuv></tu>
<tu tuid="b"><tuv xml:lang="en"><seg>Only English.</seg></tuv></tu>
</body></tmx>"""
PO = r"""# Translators
msgid ""
msgstr ""
"Language: de\n"
"Content-Type: text/plain; charset=UTF-8\n"

#. Speaker: Jon
#: src/a.c:12 src/b.c:1
msgctxt "menu"
msgid "The file is \"%s\"."
msgstr "Die Datei ist "
"»%s«.\n"

#: src/a.c:14
#, c-format
msgid "%d file: it is old"
msgid_plural "%d files: they are old"
msgstr[0] "%d Datei: sie ist alt"
msgstr[1] "%d Dateien: sie sind alt"

#, fuzzy
msgid "It works."
msgstr "Er geht."

msgid "Not yet."
msgstr ""

#~ msgid "Old"
#~ msgstr "Alt"
"""
SRT_EN = "1\n00:00:01,000 --> 00:00:02,000\nMIRA: It is <i>old</i>.\n\n2\n00:00:03,000 --> 00:00:04,500\nShe left\nthe ship.\n\n3\n00:01:00,000 --> 00:01:01,000\nThey ran.\n"
SRT_DE = (
    SRT_EN.replace("MIRA: It is <i>old</i>.", "MIRA: Es ist <i>alt</i>.")
    .replace("She left\nthe ship.", "Sie verließ\r\ndas Schiff.")
    .replace("00:01:00,000 --> 00:01:01,000\nThey ran.", "00:01:05,000 --> 00:01:06,000\nSie rannten.")
)
VTT_EN = "WEBVTT - a film\n\nNOTE\nnothing\n\nc1\n00:01.000 --> 00:02.000 align:start\n<v Mira>Salt &amp; oil.\n\n00:03.000 --> 00:04.000\nIt is gone.\n"
VTT_DE = VTT_EN.replace("Salt &amp; oil.", "Salz &amp; Öl.").replace("It is gone.", "Es ist fort.")
ASS_EN = "[Script Info]\nScriptType: v4.00+\nTitle: x\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:01.00,0:00:02.00,Default,Mira,0,0,0,,It is old, very old.\nDialogue: 0,0:00:03.00,0:00:04.00,Default,Jon,0,0,0,,{\\i1}She\\Nleft.\n"
ASS_DE = ASS_EN.replace("It is old, very old.", "Es ist alt, sehr alt.").replace("She\\Nleft.", "Sie\\Nging.")
CSV = 'id,speaker,text,german\r\n1,Mira,"It ""smells"", he said.","Es ""riecht"", sagte er."\r\n2,Jon,It works.,Es geht.\r\n3,Jon,Broken\r\n'
TSV = "key\tsource\ttarget\n1\tIt works.\tEs geht.\n2\tIt fails.\t\n"
JSON = '[{"id": "a", "source": "It \\u0022works\\u0022.", "target": "Es \\"geht\\".\\n"},\n {"id": "b", "source": "They ran.", "target": ""}]\n'
TEXT_EN, TEXT_DE = "It works.\n\nThey ran.\n", "Es geht.\r\n\r\nSie rannten.\r\n"

DOCUMENT_EN = "# The lamp\n\nThe lamp stood on the table.\nIt was old.\n\n```sh\nrun it\n```\n\n- It smelled of oil.\n- Nobody had cleaned it.\n\nMira sold the lamp in the harbour.\n"
DOCUMENT_DE = "# Die Lampe\n\nDie Lampe stand auf dem\r\nTisch. Sie war alt. \n\n```sh\nrun it\n```\n\n- Sie roch nach Öl.\n- Niemand hatte sie gereinigt.\n\nMira verkaufte die Lampe im Hafen.\n"

#: Suffix, file, source file, and the (id, source, target, line, speaker) of its units.
FILES = {
    "xliff 1": (
        *("xlf", XLIFF_1, None),
        [
            ("1", 'The lamp & the <g id="1">oil</g>.', 'Die Lampe & das <g id="1">Öl</g>.', 7, "Mira"),
            ("2", "It smells.", "Sie riecht.", 8, ""),
        ],
    ),
    "xliff 2": (
        *("xliff", XLIFF_2, None),
        [
            ("u1/s1", 'It is <ph id="1"/>.', 'Es ist <ph id="1"/>.', 4, ""),
            ("u1/s2", "She left.", "Sie ging.", 6, ""),
            ("u2", "They left.", "Sie gingen.", 7, ""),
        ],
    ),
    "tmx": ("tmx", TMX, None, [("a", "It works.", "Es geht.", 3, "")]),
    "po": (
        *("po", PO, None),
        [
            ('menu|The file is "%s".', 'The file is "%s".', "Die Datei ist »%s«.\n", 11, "Jon"),
            ("%d file: it is old[0]", "%d file: it is old", "%d Datei: sie ist alt", 18, ""),
            ("%d file: it is old[1]", "%d files: they are old", "%d Dateien: sie sind alt", 19, ""),
        ],
    ),
    "srt": (
        *("srt", SRT_DE, SRT_EN),
        [
            ("1", "MIRA: It is <i>old</i>.", "MIRA: Es ist <i>alt</i>.", 3, "MIRA"),
            ("2", "She left\nthe ship.", "Sie verließ\r\ndas Schiff.", 7, ""),
        ],
    ),
    "vtt": (
        *("vtt", VTT_DE, VTT_EN),
        [
            ("c1", "<v Mira>Salt & oil.", "<v Mira>Salz & Öl.", 8, "Mira"),
            ("4", "It is gone.", "Es ist fort.", 11, ""),
        ],
    ),
    "ass": (
        *("ass", ASS_DE, ASS_EN),
        [
            ("7", "It is old, very old.", "Es ist alt, sehr alt.", 7, "Mira"),
            ("8", "{\\i1}She\\Nleft.", "{\\i1}Sie\\Nging.", 8, "Jon"),
        ],
    ),
    "csv": (
        *("csv", CSV, None),
        [
            ("1", 'It "smells", he said.', 'Es "riecht", sagte er.', 2, "Mira"),
            ("2", "It works.", "Es geht.", 3, "Jon"),
        ],
    ),
    "tsv": ("tsv", TSV, None, [("1", "It works.", "Es geht.", 2, "")]),
    "json": ("json", JSON, None, [("a", 'It "works".', 'Es "geht".\n', 1, "")]),
    "text": (
        "txt",
        TEXT_DE,
        TEXT_EN,
        [("1", "It works.", "Es geht.", 1, ""), ("3", "They ran.", "Sie rannten.", 3, "")],
    ),
    "document": (
        *("md", DOCUMENT_DE, DOCUMENT_EN),
        [
            ("1", "# The lamp", "# Die Lampe", 1, ""),
            (
                *("2", "The lamp stood on the table. It was old."),
                *("Die Lampe stand auf dem\r\nTisch. Sie war alt.", 3, ""),
            ),
            ("3", "- It smelled of oil.", "- Sie roch nach Öl.", 10, ""),
            ("4", "- Nobody had cleaned it.", "- Niemand hatte sie gereinigt.", 11, ""),
            ("5", "Mira sold the lamp in the harbour.", "Mira verkaufte die Lampe im Hafen.", 13, ""),
        ],
    ),
}
COLUMNS = {"csv": {"source": "text", "target": "german"}}
ESCAPES = {"vtt": VTT_ESCAPES, "xml": XML_ESCAPES, "po": PO_ESCAPES, "csv": CSV_ESCAPES, "json": JSON_ESCAPES}


def read(folder: Path, name: str) -> UnitFile:
    suffix, text, source, _ = FILES[name]
    path, other = folder / f"de.{suffix}", folder / f"en.{suffix}"
    path.write_bytes(text.encode())
    if source is not None:
        other.write_bytes(source.encode())
    return read_units(str(path), pair=PAIR, source=source and str(other), columns=COLUMNS.get(name))[0]


@pytest.mark.parametrize("name", FILES)
def test_units_are_read_with_their_places(name: str, tmp_path: Path) -> None:
    file = read(tmp_path, name)
    assert [(u.id, u.source, u.target, u.line, u.speaker) for u in file.units] == FILES[name][3]


@pytest.mark.parametrize("name", FILES)
def test_a_copy_without_changes_is_the_file(name: str, tmp_path: Path) -> None:
    file = read(tmp_path, name)
    path = Path(file.path)
    assert file.with_changes([]).encode() == path.read_bytes()
    # Every word of every target, written again as it was read, is the same bytes, tags and quotes included.
    for unit in file.units:
        words = [
            file.replacement(unit, Span(at, at + 1), letter)
            for at, letter in enumerate(unit.target)
            if letter.isalnum()
        ]
        assert file.with_changes(words).encode() == path.read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_a_changed_word_changes_nothing_else(name: str, tmp_path: Path) -> None:
    file = read(tmp_path, name)
    unit = file.units[-1]
    at = next(at for at, letter in enumerate(unit.target) if letter.isalpha() and "<" not in unit.target[:at])
    changed = file.with_changes([file.replacement(unit, Span(at, at + 1), 'Ö"&')])
    Path(file.path).write_bytes(changed.encode())
    again, _ = read_units(
        file.path,
        pair=PAIR,
        source=str(tmp_path / f"en{Path(file.path).suffix}") if FILES[name][2] else None,
        columns=COLUMNS.get(name),
    )
    expected = f'{unit.target[:at]}Ö"&{unit.target[at + 1 :]}'
    if name == "tsv":  # has no way to quote
        expected = expected.replace("\t", " ")
    assert again.units[-1].target == expected
    assert [other.target for other in again.units[:-1]] == [other.target for other in file.units[:-1]]


def test_what_is_not_checked_is_counted_with_its_reason(tmp_path: Path) -> None:
    skipped = {name: [(s.reason, s.line) for s in read(tmp_path, name).skipped] for name in FILES}
    assert skipped["xliff 1"] == [
        ("not translated", 11),
        ("marked translate=no", 12),
        ("its target language is fr", 15),
    ]
    assert skipped["tmx"] == [("no variant in de", 4)]
    assert skipped["po"] == [("marked fuzzy", 23), ("not translated", 26)]
    assert skipped["srt"] == [("no cue of the source at its time", 12)]
    assert skipped["csv"] == [("the row and the header differ in their number of cells (4)", 4)]
    assert skipped["tsv"] == [("not translated", 3)]
    assert skipped["json"] == [("not translated", 2)]


def test_scenes_and_listeners_are_read(tmp_path: Path) -> None:
    assert [unit.document for unit in read(tmp_path, "xliff 1").units] == ["story.txt/scene 1"] * 2
    assert read(tmp_path, "xliff 2").units[0].listener == "Jon"
    assert read(tmp_path, "tmx").units[0].document == "2"
    assert [unit.document for unit in read(tmp_path, "po").units] == ["src/a.c"] * 3
    assert [unit.document for unit in read(tmp_path, "text").units] == ["1", "2"]


def test_the_first_reference_of_a_string_is_its_document_and_the_charset_may_be_in_small_letters(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.po"
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n'
    path.write_text(f'{header}\n#: a.c:1\n#: b.c:2\nmsgid "It"\nmsgstr "Es"\n')
    file, _ = read_units(str(path), pair=PAIR)
    assert [unit.document for unit in file.units] == ["a.c"]


TWICE = (
    '<tmx version="1.4"><header/><body><tu tuid="a"><tuv xml:lang="en"><seg>It</seg></tuv>'
    '<tuv xml:lang="de"><seg>Es</seg></tuv><tuv xml:lang="de"><seg>Er</seg></tuv></tu></body></tmx>'
)


@pytest.mark.parametrize(
    ("suffix", "text", "expected"),
    [
        ("json", '{"source": "It", "target": "Es"}\n{"source": "She", "target": "Sie"}\n', ["Es", "Sie"]),
        ("csv", "source,target,Target\nIt,Es,x\n", ["Es"]),
        ("tmx", TWICE, ["Es"]),
    ],
)
def test_every_line_is_a_unit_and_the_first_of_two_counts(
    suffix: str, text: str, expected: list[str], tmp_path: Path
) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_text(text)
    file, _ = read_units(str(path), pair=PAIR)
    assert [unit.target for unit in file.units] == expected


def test_one_column_is_not_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\nIt,Es\n")
    with pytest.raises(UserError, match="no column looks like the target"):
        read_units(str(path), pair=PAIR, columns={"source": "a", "target": "a"})


def test_columns_named_after_languages_ask_for_the_pair(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("page\ten\tfr\n1\tIt\tIl\n")
    with pytest.raises(UserError) as caught:
        read_units(str(path))
    assert "--pair" in caught.value.fix
    path.write_text("page\ta\tb\n1\tIt\tIl\n")
    with pytest.raises(UserError) as caught:
        read_units(str(path))
    assert "--pair" not in caught.value.fix


CUE = "1\n00:00:01,000 --> 00:00:02,000\nIt is.\n\n"


def test_two_cues_at_one_time_are_not_paired_by_a_guess(tmp_path: Path) -> None:
    own, source = tmp_path / "de.srt", tmp_path / "en.srt"
    own.write_text(CUE)
    source.write_text(CUE + CUE)
    file, _ = read_units(str(own), pair=PAIR, source=str(source))
    assert not file.units
    assert file.skipped[0].reason == "several cues at one time"


def test_a_long_silence_begins_another_scene(tmp_path: Path) -> None:
    path = tmp_path / "de.srt"
    path.write_text(CUE + CUE.replace("00:00:0", "00:00:3") + CUE.replace("00:00:0", "00:01:1"))
    file, _ = read_units(str(path), pair=PAIR, source=str(path))
    assert [unit.document for unit in file.units] == ["scene 1", "scene 1", "scene 2"]


def test_a_group_ends_and_a_proposal_is_no_translation(tmp_path: Path) -> None:
    path = tmp_path / "x.xlf"
    path.write_text(
        '<xliff version="1.2"><file original="f" source-language="en" target-language="de"><body><group id="g">'
        '<trans-unit id="1"><source>It</source><target>Es</target></trans-unit></group>'
        '<trans-unit id="2"><source>It</source><alt-trans><target>Er</target></alt-trans></trans-unit>'
        '<trans-unit id="3"><source>She</source><target>Sie</target></trans-unit></body></file></xliff>'
    )
    file, _ = read_units(str(path), pair=PAIR)
    assert [(unit.id, unit.document) for unit in file.units] == [("1", "f/g"), ("3", "f")]
    assert [skipped.reason for skipped in file.skipped] == ["not translated"]


XLIFF = (
    '<xliff version="1.2"><file source-language="en" target-language="de" original="x"><body><trans-unit id="1">'
    "<source>{}</source><target>Er</target><note>{}</note></trans-unit></body></file></xliff>"
)


def test_marks_of_a_format_are_written_as_its_escapes() -> None:
    assert VTT_ESCAPES.encode("a & <b>") == XML_ESCAPES.encode("a & <b>") == "a &amp; &lt;b&gt;"


def test_numbers_of_characters_are_read_and_a_narrator_is_nobody(tmp_path: Path) -> None:
    path = tmp_path / "x.xlf"
    path.write_text(XLIFF.format("&#x49;&#116;", "Speaker: Narrator"))
    (unit,) = read_units(str(path), pair=PAIR)[0].units
    assert (unit.source, unit.speaker) == ("It", "")


NO_CHARACTERS = ["&#99999999999;", "&#x110000;", "&#xd800;", "&#0;", f"&#{'9' * 5000};", f"&#x{'f' * 5000};"]


@pytest.mark.parametrize("number", NO_CHARACTERS)
def test_a_number_of_no_character_stays_as_it_is_written(number: str, tmp_path: Path) -> None:
    path = tmp_path / "x.xlf"
    path.write_text(XLIFF.format("It", f"<![CDATA[{number} &#000000000105;]]>"))
    (unit,) = read_units(str(path), pair=PAIR)[0].units
    assert unit.notes == (f"{number} i",)
    path = tmp_path / "x.tmx"
    path.write_text(TMX.replace("Scene: 2", f"<![CDATA[{number}]]>"))
    assert read_units(str(path), pair=PAIR)[0].units[0].notes == (number,)


def test_a_message_with_variants_is_skipped_and_a_placeholder_is_not(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("source\ttarget\nIt has {n, plural, one {a} other {b}} left.\tEs\n{it} is\tEs\n")
    file, _ = read_units(str(path), pair=PAIR)
    assert [unit.source for unit in file.units] == ["{it} is"]
    assert [skipped.reason for skipped in file.skipped] == ["a message with several variants (ICU)"]


BILLION = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><xliff version="1.2">&b;</xliff>'
)
BROKEN = {
    "not closed": ("xlf", "<xliff version='1.2'>\n<file>", "not well-formed XML", 2),
    "entities": ("xlf", BILLION, "document type", 1),
    "outside file": ("tmx", '<!DOCTYPE tmx SYSTEM "file:///etc/passwd"><tmx/>', "document type", 1),
    "too deep": ("xlf", "<a>" * 200 + "</a>" * 200, "nested too deeply", 1),
    "a unit in a unit": (
        "xlf",
        XLIFF_2.replace("Sie ging.", "\n<unit id='u3'></unit>"),
        "inside the unit u1",
        7,
    ),
    "a memory unit in another": (
        "tmx",
        TMX.replace("</tu>", "</tu>\n</tu>", 1).replace("<tu ", "<tu>\n<tu ", 1),
        "two units have the same piece",
        4,
    ),
    "other encoding": ("xlf", '<?xml version="1.0" encoding="UTF-16"?>\n<xliff/>', "encoding UTF-16", 1),
    "other root": ("xlf", "<html/>", "not <xliff>", None),
    "half a string": ("po", 'msgid "a"\nmsgstr "b\n', "not a string", 2),
    "twice": ("po", 'msgid "a"\nmsgid "b"\nmsgstr "c"\n', "occurs twice", 2),
    "latin header": (
        "po",
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n',
        "ISO-8859-1",
        None,
    ),
    "open cell": ("csv", 'source,target\n"a,b\n', "a quoted cell is never closed", 2),
    "no column": ("csv", "a,b\n1,2\n", "no column looks like the source", None),
    "cut off": ("json", '[{"source": "a"', "not valid JSON", 1),
    "a key twice": ("json", '{"source": "a", "source": "b", "target": "c"}', "twice", 1),
    "deep": ("json", "[" * 5000 + "]" * 5000, "", None),
    "levels": ("json", "[" * 100 + '"a"' + "]" * 100, "nested too deeply", 1),
    "half a character": (
        "json",
        '[{"source": "a",\n"target": "\\\\ \\ud83d"}]',
        "half of a surrogate pair",
        2,
    ),
    "old line ends": ("srt", "1\r00:00:01,000 --> 00:00:02,000\rIt.\r", "lone carriage return", 1),
    "no times": ("srt", "1\nnot a time\ntext\n", "not a cue", 1),
    "text before times": (
        "ass",
        "[Events]\nFormat: Text, Start, End\nDialogue: It is.,0:00:01.00,0:00:02.00\n",
        "without its columns",
        3,
    ),
    "a dialogue too short": (
        "ass",
        "[Events]\nFormat: Start, End, Text\nDialogue: 0\n",
        "without its columns",
        3,
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_and_hostile_files_are_refused_with_their_line(name: str, tmp_path: Path) -> None:
    suffix, text, what, line = BROKEN[name]
    path = tmp_path / f"x.{suffix}"
    path.write_text(text, encoding="utf-8")
    source = str(path) if FORMATS.get(suffix) and FORMATS[suffix].paired else None
    with pytest.raises(UserError) as caught:
        read_units(str(path), pair=PAIR, source=source)
    assert what in caught.value.what
    assert caught.value.fix
    assert line is None or caught.value.where.line == line


LONG = {
    "white space for times": ("srt", f"{CUE}{' ' * 20_000}x\n"),
    "a return in a long line": ("srt", f"{CUE}{'a' * 20_000}\rb\n"),
    "many cues": ("srt", "".join(CUE.replace("01,0", f"01,{n % 9}") for n in range(20_000))),
    "white space for a voice": ("vtt", f"WEBVTT\n\n{CUE.replace('It', '<v' + ' ' * 20_000)}"),
    "white space for a speaker": ("srt", CUE.replace("It", " " * 20_000)),
    "comments that do not end": ("xlf", XLIFF.format(f"<![CDATA[{'<!--' * 10_000}]]>", "")),
    "lines of a note": ("xlf", XLIFF.format("It", "\n" * 10_000)),
    "white space in a note": ("xlf", XLIFF.format("It", f"speaker: a{' ' * 20_000}b")),
}


@pytest.mark.parametrize("name", LONG)
def test_time_grows_with_the_file_and_not_with_its_square(name: str, tmp_path: Path) -> None:
    suffix, text = LONG[name]
    path = tmp_path / f"x.{suffix}"
    path.write_text(text, encoding="utf-8", newline="")
    begun = time.process_time()
    with suppress(UserError):
        read_units(str(path), pair=PAIR, source=None if suffix == "xlf" else str(path))
    assert time.process_time() - begun < 10  # up to a minute where each character looks at all that follow


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("csv", 'source,target\n"It","{}"\n'),
        ("po", 'msgid "It"\nmsgstr "{}"\n'),
        ("json", '[{{"source": "It", "target": "{}"}}]'),
    ],
)
def test_a_long_text_takes_a_small_multiple_of_its_memory(suffix: str, text: str, tmp_path: Path) -> None:
    path, size = tmp_path / f"x.{suffix}", 1_000_000
    path.write_text(text.format("b" * size), encoding="utf-8")
    tracemalloc.start()
    file, _ = read_units(str(path), pair=PAIR)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * size
    assert [skipped.reason for skipped in file.skipped] == ["longer than 20,000 characters"]


def test_a_unit_of_tags_that_do_not_end_takes_no_time() -> None:
    begun = time.process_time()
    assert len(hidden("<it>" * 5000)) == 20_000
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("data", [b"a\xff\n", "It".encode("utf-16"), b"a\0b"])
@pytest.mark.parametrize("suffix", ["xlf", "po", "srt", "csv", "tsv", "json", "txt"])
def test_files_that_are_not_utf_8_are_refused(data: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(data)
    with pytest.raises(UserError):
        read_units(str(path), pair=PAIR, source=str(path) if suffix in ("srt", "txt") else None)


def test_a_mark_before_the_events_and_a_line_separator_in_a_text_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.ass"
    events = "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,It\u2028is.\n"
    path.write_text(f"\ufeff{events}", encoding="utf-8")
    file, _ = read_units(str(path), pair=PAIR, source=str(path))
    assert [(unit.target, unit.line) for unit in file.units] == [("It\u2028is.", 3)]


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    with path.open("wb") as file:
        file.truncate(1 << 33)  # a hole: 8 GiB that take no space
    tracemalloc.start()
    with pytest.raises(UserError, match="8192 MiB"):
        read_units(str(path), pair=PAIR)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_text_that_translates_nothing_is_no_unit(tmp_path: Path) -> None:
    own, source = tmp_path / "de.md", tmp_path / "en.md"
    source.write_text("The lamp was old.\n\nMira sold the ship in the harbour.\n")
    own.write_text("Mira verkaufte das Schiff im Hafen.\n")
    file, _ = read_units(str(own), pair=PAIR, source=str(source))
    assert [(unit.id, unit.target) for unit in file.units] == [("2", "Mira verkaufte das Schiff im Hafen.")]
    assert len(file.skipped) == 1
    with pytest.raises(UserError, match="does not name its languages"):
        read_units(str(own), source=str(source))


@pytest.mark.parametrize(
    ("suffix", "text", "unit"),
    [
        ("xlf", '<xliff><trans-unit id="7"><source>It</trans-unit></xliff>', "unit 7"),
        ("tmx", '<tmx><body><tu tuid="9"><tuv></tu></body></tmx>', "unit 9"),
        ("po", 'msgid "It works."\nmsgstr "Es geht.\n', "entry of 'It works.'"),
    ],
)
def test_a_broken_unit_is_named(suffix: str, text: str, unit: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_text(text)
    with pytest.raises(UserError, match=unit):
        read_units(str(path), pair=PAIR)


def test_unequal_plain_texts_are_refused(tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("a\nb\n")
    (tmp_path / "de.txt").write_text("a\n")
    with pytest.raises(UserError, match="has 1 lines"):
        read_units(str(tmp_path / "de.txt"), pair=PAIR, source=str(tmp_path / "en.txt"))


def test_our_reader_of_po_agrees_with_polib(tmp_path: Path) -> None:
    file = read(tmp_path, "po")
    expected = []
    for entry in polib.pofile(file.path):
        if entry.obsolete or entry.fuzzy:
            continue
        expected += list(entry.msgstr_plural.values()) or [entry.msgstr]
    assert [unit.target for unit in file.units] == [text for text in expected if text]


# The file has no styles, which pysubs2 misses.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["srt", "ass"])
def test_our_readers_of_subtitles_agree_with_pysubs2(name: str, tmp_path: Path) -> None:
    file = read(tmp_path, name)
    own = [unit.target.replace("\r\n", "\n") for unit in file.units]
    theirs = [event.text for event in pysubs2.load(file.path, format_=name, keep_html_tags=True)]
    assert own == [text.replace("\\N", "\n") if name == "srt" else text for text in theirs[: len(own)]]


@pytest.mark.parametrize("name", ESCAPES)
@given(
    text=st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n"\\&<>'), max_size=30)
)
def test_what_is_escaped_is_read_back_with_its_places(name: str, text: str) -> None:
    escapes = ESCAPES[name]
    raw = escapes.encode(text)
    if name == "xml" and "]]" in text:
        return
    assert escapes.plain(raw) == text
    offsets = escapes.offsets(raw)
    assert len(offsets) == len(text) + 1
    assert offsets[-1] == len(raw)
    assert offsets == sorted(offsets)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Open {name} now", "Open Xxxxxx now"),
        ("%d of %(total)s", "Xx of Xxxxxxxxx"),
        ('<g id="1">It</g> runs', "          It     runs"),
        ("{\\i1}Sie\\Nging.", "     Sie  ging."),
        ('a <x id="2"/> b', "a Xxxxxxxxxxx b"),
        ("50 % of it", "50 % of it"),
        ("$player is {b}here{/b}", "Xxxxxxx is    here    "),
    ],
)
def test_placeholders_are_one_word_and_tags_are_spaces(text: str, expected: str) -> None:
    assert hidden(text) == expected
    assert len(hidden(text)) == len(text)


@pytest.mark.parametrize(
    ("header", "pair"),
    [
        ("Language: de_AT\\n", "en-de"),
        ("Language: de\\nX-Source-Language: fr\\n", "fr-de"),
        ("X-Source-Language: fr\\n", None),
        ("", None),
    ],
)
def test_the_header_of_a_po_file_names_its_pair(header: str, pair: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.po"
    path.write_text(f'msgid ""\nmsgstr "{header}"\n\nmsgid "It."\nmsgstr "Es."\n', encoding="utf-8")
    _, languages = read_units(str(path))
    stated = stated_pair(languages)
    assert (None if stated is None else str(stated)) == pair


def test_units_in_other_languages_are_skipped_without_a_pair(tmp_path: Path) -> None:
    path = tmp_path / "x.xlf"
    path.write_text(XLIFF_1, encoding="utf-8")
    file, pair = read_input(CheckInput(path=str(path)))
    assert str(pair) == "en-fr"  # that of the last file element
    assert [unit.id for unit in file.units] == ["5"]
    assert "its target language is de-AT" in file.skipped_counts()
