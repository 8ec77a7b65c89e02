"""Test sets in SGM: tolerant about characters, strict about structure."""

from __future__ import annotations

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


def test_line_breaks_in_segments_become_one_space_with_a_warning(write: Write) -> None:
    path = write(SOURCE.replace("They bark.", "They\n  bark.") + REFERENCE)
    with pytest.warns(InputWarning, match="joined the lines of 1 segments"):
        assert read_bundle(path, pair=PAIR).source.lines[2] == "They bark."


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("bark.</seg>", "bark.", "10:18", "<seg> is never closed"),
        ("4 </seg>", "4 ", "4:1", "<seg> is never closed"),
        ("</p>\n</doc>", "</doc>", "8:1", "</doc> closes what is not open"),
        ("</srcset>\n", "</srcset>\n</doc>\n", "12:1", "</doc> closes what is not open"),
        ("</doc>\n</srcset>\n", "</doc>\n", "1:1", "<srcset> is never closed"),
        ("<hl>", "<hl>stray", "3:5", "neither a tag nor in a segment: 'stray"),
        ("<hl>\n", "<hl>\n<b></b>", "4:1", "<b> cannot stand in <hl>"),
        ('docid="dog"', "", "10:1", "<doc> has no docid"),
        ('<seg id="2">', "<seg>", "7:1", "<seg> has no id"),
        ('<seg id="2">', '<seg id="1">', "7:1", "segment 1 occurs twice"),
        ("<p>", "<p " + "x" * 3000 + ">", "6:1", "neither a tag"),
        (
            '<srcset setid="s" srclang="any">',
            '<srcset><!DOCTYPE a [<!ENTITY b "c">]>',
            "1:9",
            "neither a tag",
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
    with pytest.raises(MismatchError, match="<refset> has trglang fr, the language pair says de"):
        read_bundle(write(SOURCE + REFERENCE), pair=LanguagePair("en", "de"))
