"""Test sets in SGM and WMT XML: tolerant about characters in SGM, strict about structure."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError
from anaphor.corpus import read_bundle

Write = Callable[..., Path]
PAIR = LanguagePair("en", "fr")

SOURCE = """\
<srcset setid="s" srclang="any">
<doc sysid="src" docid="cat" genre="news">
<hl>
<seg id="1"> It & they: Q&A, 3 < 4 </seg>
</hl>
<p>
<seg id="2">It &lt;sleeps&gt; &amp;amp; &#233;t&#xE9;.</seg>
</p>
</doc>
<doc docid="dog"><seg id="1">They bark.</seg></doc>
</srcset>
"""
REFERENCE = """\
<!DOCTYPE mteval SYSTEM "elsewhere.dtd">
<mteval><!-- a comment
over two lines -->
<REFSET setid="s" srclang="any" trglang="fr">
<DOC sysid="ref" docid='cat'><SEG id=2>Il dort.</SEG ><seg id=1>Il et eux.</seg></DOC>
<DOC sysid="ref" docid="dog"><seg id="1">Ils aboient.</seg></DOC>
</REFSET></mteval>
"""
SYSTEMS = """\
<tstset setid="s" srclang="en" trglang="fr" sysid="X">
<doc docid="dog"><seg id="1">Elles aboient.</seg></doc>
<doc docid="cat"><seg id="1">Elle.</seg><seg id="2">Ça dort.</seg></doc>
</tstset>
<tstset setid="s" srclang="en" trglang="fr">
<doc docid="dog" sysid="Y"><seg id="1"></seg></doc>
<doc docid="cat" sysid="Y"><seg id="1">Eux.</seg><seg id="2">&nbsp; &#0; &#xD800; fin</seg></doc>
</tstset>
"""


def check(path: Path) -> None:
    bundle = read_bundle(path, pair=PAIR)
    assert bundle.documents == ("cat", "cat", "dog")
    assert bundle.source.lines == ("It & they: Q&A, 3 < 4", "It <sleeps> &amp; été.", "They bark.")
    assert [reference.lines for reference in bundle.references] == [
        ("Il et eux.", "Il dort.", "Ils aboient.")
    ]
    assert {name: text.lines for name, text in bundle.candidates.items()} == {
        "X": ("Elle.", "Ça dort.", "Elles aboient."),
        "Y": ("Eux.", "&nbsp; &#0; &#xD800; fin", ""),
    }


def test_sets_of_one_file_are_read_together(write: Write) -> None:
    reference = REFERENCE.replace('<!DOCTYPE mteval SYSTEM "elsewhere.dtd">\n', "")
    check(write(SOURCE + reference + SYSTEMS, "set.sgm"))


def test_files_of_one_folder_are_read_together(write: Write) -> None:
    write(SOURCE, "set/src.en.sgm")
    write(REFERENCE, "set/ref.fr.sgm")
    check(write(SYSTEMS, "set/systems.sgm").parent)


def test_several_references_keep_their_names(write: Write) -> None:
    second = REFERENCE.replace('sysid="ref"', 'sysid="ref2"').partition("\n")[2]
    bundle = read_bundle(write(SOURCE + REFERENCE + second), pair=PAIR)
    assert [text.path.rpartition(" ")[2] for text in bundle.references] == ["ref]", "ref2]"]


@pytest.mark.parametrize(
    ("entity", "character"),
    [
        ("&#xD7FF;", "\ud7ff"),
        ("&#xD801;", "&#xD801;"),  # lone surrogate is not a character
        ("&#xDFFF;", "&#xDFFF;"),
        ("&#xE000;", "\ue000"),
        ("&#x10FFFF;", "\U0010ffff"),
        ("&#x110000;", "&#x110000;"),  # past the last one
        ("&#1114112;", "&#1114112;"),
    ],
)
def test_numbers_are_replaced_by_characters_where_there_is_one(
    write: Write, entity: str, character: str
) -> None:
    bundle = read_bundle(write(SOURCE.replace("bark", entity) + REFERENCE + SYSTEMS, "set.sgm"), pair=PAIR)
    assert bundle.source.lines[2] == f"They {character}."


def test_entities_in_attributes_are_replaced(write: Write) -> None:
    text = (SOURCE + REFERENCE + SYSTEMS).replace('"dog"', '"cat &amp; dog"')
    assert read_bundle(write(text, "set.sgm"), pair=PAIR).documents == ("cat", "cat", "cat & dog")


def test_the_name_of_a_document_comes_before_that_of_its_set_and_sysid_before_refid(write: Write) -> None:
    systems = SYSTEMS.replace('trglang="fr">', 'trglang="fr" sysid="Z" refid="R">')
    systems = systems.replace('sysid="Y"', 'refid="S" sysid="Y"')
    bundle = read_bundle(write(SOURCE + REFERENCE + systems, "set.sgm"), pair=PAIR)
    assert list(bundle.candidates) == ["X", "Y"]


def test_line_breaks_in_segments_become_one_space_with_a_warning(write: Write) -> None:
    path = write(SOURCE.replace("They bark.", "They\n  bark.") + REFERENCE)
    with pytest.warns(InputWarning, match="joined the lines of 1 segment "):
        assert read_bundle(path, pair=PAIR).source.lines[2] == "They bark."


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("bark.</seg>", "bark.", "10:18", "<seg> is never closed"),
        ("4 </seg>", "4 ", "4:1", "<seg> is never closed"),
        ("</p>\n</doc>", "</doc>", "8:1", "</doc> does not match an open tag"),
        ("</srcset>\n", "</srcset>\n</doc>\n", "12:1", "</doc> does not match an open tag"),
        ("</doc>\n</srcset>\n", "</doc>\n", "1:1", "<srcset> is never closed"),
        ("<hl>", "<hl>stray", "3:5", "text outside a segment: 'stray"),
        ("<hl>\n", "<hl>\n<b></b>", "4:1", "<b> is not allowed in <hl>"),
        ('docid="dog"', "", "10:1", "<doc> has no docid"),
        ('<seg id="2">', "<seg>", "7:1", "<seg> has no id"),
        ('<seg id="2">', '<seg id="1">', "7:1", "segment 1 occurs twice"),
        ("<p>", "<p " + "x" * 3000 + ">", "6:1", "text outside a segment"),
        (
            '<srcset setid="s" srclang="any">',
            '<srcset><!DOCTYPE a [<!ENTITY b "c">]>',
            "1:9",
            "text outside a segment",
        ),
        ("<p>", "<p>" * 40, "6:91", "nested too deeply"),
    ],
)
def test_faults_of_structure_are_named_with_line_and_column(
    write: Write, old: str, new: str, place: str, what: str
) -> None:
    assert old in SOURCE
    path = write(SOURCE.replace(old, new, 1), "set.sgm")
    with pytest.raises(InputError, match=what) as caught:
        read_bundle(path, pair=PAIR)
    assert str(caught.value.where) == f"{path}:{place}"


def test_a_missing_document_names_the_file_of_the_source(write: Write) -> None:
    source = write(SOURCE, "set/a.sgm")
    lines = [line for line in REFERENCE.splitlines(keepends=True) if "dog" not in line]
    write("".join(lines), "set/b.sgm")
    with pytest.raises(InputError, match="document dog has no reference ref") as caught:
        read_bundle(source.parent, pair=PAIR)
    assert str(caught.value.where) == f"{source}:10:1"


def test_a_candidate_needs_a_name(write: Write) -> None:
    with pytest.raises(InputError, match="<doc> has no sysid"):
        read_bundle(write(SOURCE + REFERENCE + SYSTEMS.replace(' sysid="X"', "")), pair=PAIR)


def test_another_language_pair_is_a_mismatch(write: Write) -> None:
    with pytest.raises(MismatchError, match="<refset> has trglang fr, but the language pair says de"):
        read_bundle(write(SOURCE + REFERENCE), pair=LanguagePair("en", "de"))


SET = """\
<?xml version='1.0' encoding='utf-8'?>
<dataset id="invented">
  <collection id="one">
    <doc id="cat" origlang="en">
      <src lang="en"><p>
        <seg id="1">It sleeps &amp; purrs.</seg>
        <seg id="2">They look at it.</seg></p>
        <p><seg id="3">So.</seg>
      </p></src>
      <ref lang="fr" translator="A"><seg id="1">Il.</seg><seg id="2">Ils.</seg><seg id="3">Voilà.</seg></ref>
      <ref lang="fr" translator="B"><seg id="3">Si.</seg><seg id="2">Elles.</seg><seg id="1">Lui.</seg></ref>
      <ref lang="de" translator="A"><seg id="1">Sie schläft.</seg></ref>
      <hyp system="X-1" language="fr"><seg id="1">Elle.</seg><seg id="2">Ils.</seg><seg id="3"></seg></hyp>
      <supplemental><any><thing/></any> goes</supplemental>
    </doc>
  </collection>
  <collection id="two">
    <doc id="dog" origlang="en">
      <src lang="en_GB"><p><seg id="1">It barks.</seg></p></src>
      <ref lang="fr" translator="A"><p><seg id="1">Il aboie.</seg></p></ref>
      <ref lang="fr" translator="B"><p><seg id="1">Elle aboie.</seg></p></ref>
      <hyp system="X-1" language="fr"><p><seg id="1">Ça aboie.</seg></p></hyp>
    </doc>
  </collection>
</dataset>
"""


def test_documents_of_all_collections_follow_each_other(write: Write) -> None:
    path = write(SET, "set.xml")
    bundle = read_bundle(path, pair=PAIR)
    assert bundle.documents == ("cat", "cat", "cat", "dog")
    assert bundle.source.lines == ("It sleeps & purrs.", "They look at it.", "So.", "It barks.")
    assert [reference.lines for reference in bundle.references] == [
        ("Il.", "Ils.", "Voilà.", "Il aboie."),
        ("Lui.", "Elles.", "Si.", "Elle aboie."),
    ]
    assert {name: text.lines for name, text in bundle.candidates.items()} == {
        "X-1": ("Elle.", "Ils.", "", "Ça aboie.")
    }
    assert bundle.source.path == f"{path} [source]"
    assert bundle.references[1].path == f"{path} [reference B]"
    assert bundle.candidates["X-1"].path == f"{path} [candidate X-1]"


def test_languages_are_compared_without_case_and_region(write: Write) -> None:
    text = SET.replace('lang="fr"', 'lang="FR_ca"').replace('lang="en"', 'lang="EN"')
    bundle = read_bundle(write(text, "set.xml"), pair=PAIR)
    assert len(bundle.references) == len(read_bundle(write(SET, "same.xml"), pair=PAIR).references) > 0


def test_collections_and_the_name_of_an_only_translator_may_be_missing(write: Write) -> None:
    content = (
        '<dataset><doc id="d"><src><seg id="1">It</seg></src><ref><seg id="1">Il</seg></ref></doc></dataset>'
    )
    bundle = read_bundle(write(content), pair=PAIR)
    assert bundle.references[0].lines == ("Il",)
    assert bundle.candidates == {}


def test_line_breaks_in_segments_become_one_space_with_one_warning(write: Write) -> None:
    content = SET.replace("It sleeps", "\n  It \n\n  sleeps").replace("Il aboie.", "Il\naboie.")
    with pytest.warns(InputWarning, match="joined the lines of 2 segments") as caught:
        bundle = read_bundle(write(content), pair=PAIR)
    assert len(caught) == 1
    assert bundle.source.lines[0] == "It sleeps & purrs."
    assert bundle.references[0].lines[3] == "Il aboie."


def test_a_line_separator_inside_a_segment_stays(write: Write) -> None:
    bundle = read_bundle(write(SET.replace("It barks.", " It\u2028barks.")), pair=PAIR)
    assert bundle.source.lines[3] == " It\u2028barks."


def test_test_suite_documents_without_reference_are_left_out_with_a_warning(write: Write) -> None:
    suite = '<doc id="s" testsuite="t"><src lang="en"><seg id="1">It?</seg></src></doc></dataset>'
    with pytest.warns(InputWarning, match="left out 1 test-suite documents"):
        bundle = read_bundle(write(SET.replace("</dataset>", suite)), pair=PAIR)
    assert len(bundle.source) == 4


def test_test_suite_documents_with_a_reference_are_kept(write: Write) -> None:
    bundle = read_bundle(write(SET.replace('<doc id="dog"', '<doc testsuite="t" id="dog"')), pair=PAIR)
    assert len(bundle.source) == 4


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ('<seg id="3">Voilà.</seg>', "", "10:7", "the reference A of document cat has no segment 3"),
        ('<seg id="1">Ça', '<seg id="9">Ça', "22:7", "the candidate X-1 of document dog has no segment 1"),
        ('<seg id="3">So.</seg>', "", "5:7", "the source of document cat has no segment 3"),
        ('system="X-1" language="fr"><p><seg id="1">Ça', 'system="Y" language="fr"><p><seg id="1">Ça', "19:7",
         "document dog has no candidate X-1"),
        ('<seg id="2">They', '<seg id="1">They', "7:9", "segment 1 occurs twice"),
        ('<seg id="2">They', "<seg>They", "7:9", "<seg> has no id"),
        ('<doc id="dog"', '<doc id="cat"', "19:7", "document cat has two versions of the source"),
        ('<doc id="dog"', '<doc id=" "', "18:5", "<doc> has no id"),
        ('<hyp system="X-1" language="fr"><p><seg id="1">Ça', '<hyp language="fr"><p><seg id="1">Ça', "22:7",
         "<hyp> has no system"),
        ("So.", "So <b>bold</b>.", "8:27", "<b> is not allowed in <seg>"),
        ('<src lang="en_GB">', 'stray<src lang="en_GB">', "18:5", "text in <doc> outside a segment: 'stray'"),
        ('<src lang="en_GB"><p>', '<src lang="en_GB"><q/><p>', "19:25", "<q> is not allowed in <src>"),
        ("</collection>\n</dataset>", "</collection>\n", "26:1", "not well-formed XML"),
        ("&amp;", "&", "6:32", "not well-formed XML"),
        ("&amp;", "&undefined;", "6:31", "not well-formed XML: undefined entity"),
    ],
)  # fmt: skip
def test_faults_are_named_with_line_and_column(
    write: Write, old: str, new: str, place: str, what: str
) -> None:
    assert old in SET
    path = write(SET.replace(old, new, 1), "set.xml")
    with pytest.raises(InputError, match=what) as caught:
        read_bundle(path, pair=PAIR)
    assert str(caught.value.where) == f"{path}:{place}"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("", "no source segments"),
        ('<doc id="d"><src lang="en"/></doc>', "no source segments"),
        ('<doc id="d"><src lang="en"><seg id="1">It</seg></src></doc>', "no reference"),
        (
            '<doc id="d"><src><seg id="1">It</seg></src><ref lang="de"><seg id="1">Es</seg></ref></doc>',
            "no reference in the target language",
        ),
    ],
)
def test_a_set_needs_source_and_reference(write: Write, body: str, what: str) -> None:
    path = write(f"<dataset>{body}</dataset>")
    with pytest.raises(InputError, match=what) as caught:
        read_bundle(path, pair=PAIR)
    assert str(caught.value.where) == str(path)


def test_a_document_the_source_lacks_is_refused(write: Write) -> None:
    extra = '<doc id="new"><ref lang="fr" translator="A"><seg id="1">Il</seg></ref></doc></dataset>'
    with pytest.raises(InputError, match="document new of the reference A is not in the source"):
        read_bundle(write(SET.replace("</dataset>", extra)), pair=PAIR)


def test_another_source_language_is_a_mismatch(write: Write) -> None:
    path = write(SET)
    with pytest.raises(MismatchError, match="the source is in en, the language pair is de-fr") as caught:
        read_bundle(path, pair=LanguagePair("de", "fr"))
    assert str(caught.value.where) == f"{path}:5:7"


BOMB = """<?xml version="1.0"?>
<!DOCTYPE dataset [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
<dataset><doc id="&c;"/></dataset>"""
OUTSIDE = """<!DOCTYPE dataset [<!ENTITY file SYSTEM "file:///etc/hostname">]>
<dataset><doc id="d"><src><seg id="1">&file;</seg></src></doc></dataset>"""
DTD = '<!DOCTYPE dataset SYSTEM "http://example.org/wmt.dtd"><dataset/>'


@pytest.mark.parametrize("content", [BOMB, OUTSIDE, DTD], ids=["billion laughs", "external entity", "dtd"])
def test_document_types_and_entities_are_refused(write: Write, content: str) -> None:
    with pytest.raises(InputError, match="refused for safety"):
        read_bundle(write(content), pair=PAIR)


def test_deep_nesting_is_refused(write: Write) -> None:
    content = "<dataset>" + "<doc>" * 100_000
    with pytest.raises(InputError, match="nested too deeply"):
        read_bundle(write(content), pair=PAIR)


def test_utf8_is_required_whatever_the_file_declares(write: Write) -> None:
    content = SET.replace("utf-8", "iso-8859-1").encode()
    assert read_bundle(write(content), pair=PAIR).references[0].lines[2] == "Voilà."
    with pytest.raises(InputError, match="not valid UTF-8"):
        read_bundle(write(content.replace("Voilà".encode(), "Voilà".encode("latin-1"))), pair=PAIR)


def test_the_french_german_set_of_2021_is_read(data_dir: Path, write: Write) -> None:
    # 1,026 segments, 74 documents, 9 systems, 1 reference: counted in the file with grep.
    archive = next((data_dir / "wmt21-news").glob("*.tar.gz"))
    with tarfile.open(archive) as packed:
        member = packed.extractfile("./xml/newstest2021.fr-de.all.xml")
        assert member is not None
        path = write(member.read(), "set.xml")
    bundle = read_bundle(path, pair=LanguagePair("fr", "de"))
    assert len(bundle.source) == 1026
    assert len(set(bundle.documents or ())) == 74
    assert len(bundle.references) == 1
    assert len(bundle.candidates) == 9
    assert {len(text) for text in (*bundle.references, *bundle.candidates.values())} == {1026}
