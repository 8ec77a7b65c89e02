"""GIZA++ and mgiza against scripts that check what they are given and write recorded output."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from anaphor.align.giza import Giza
from anaphor.align.programs import SentencePair
from anaphor.core import Alignment, InputWarning, UnknownNameError, UserError

PAIRS: list[SentencePair] = [(("the", "house"), ("das", "Haus")), ((), ("x",)), (("the",), ("das", "da"))]

# The words are numbers from 2 on, in the order in which they appear; NULL is 0.
VOCABULARY = "2 2 2\n3 3 1\n"
TEXT = "1\n2 3\n2 3\n1\n2\n2 4\n"
COOCCURRENCES = "0 2\n0 3\n0 4\n2 2\n2 3\n2 4\n3 2\n3 3\n"

# Both sentence pairs as Model 4 writes them, in each direction.
FIRST = "# Sentence pair (1) source length 2 target length 2 alignment score : 0.75\n"
FIRST += "2 3 \nNULL ({ }) 2 ({ 1 }) 3 ({ 2 }) \n"
AHEAD = "# Sentence pair (2) source length 1 target length 2 alignment score : 0.1\n"
AHEAD += "2 4 \nNULL ({ 2 }) 2 ({ 1 }) \n"
BACK = "# Sentence pair (2) source length 2 target length 1 alignment score : 0.2\n"
BACK += "2 \nNULL ({ }) 2 ({ }) 4 ({ 1 }) \n"

MKCLS = """
text, classes = sys.argv[3].removeprefix("-p"), sys.argv[4].removeprefix("-V")
assert classes == str(Path(text).with_suffix(".vcb")) + ".classes"
Path(classes).write_text("".join(f"{word}\\t2\\n" for word in Path(text).read_text().split()))
"""

GIZA = """
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
ahead = Path(given["-C"]).read_text() == {text!r}
if ahead:
    assert Path(given["-S"]).read_text() == {vocabulary!r}
    assert Path(given["-CoocurrenceFile"]).read_text() == {cooccurrences!r}
assert Path(given["-S"] + ".classes").exists() and Path(given["-T"] + ".classes").exists()
for suffix, content in {files!r}:
    Path(given["-o"] + suffix).write_text(content[0] if ahead else content[1])
"""


@pytest.fixture
def programs(programs: Path) -> Path:
    """The folder on the PATH with a stand-in for mkcls."""
    install(programs, "mkcls", MKCLS)
    return programs


def install(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable} -IS\nimport sys\nfrom pathlib import Path\n{body}", encoding="utf-8")
    path.chmod(0o755)


def install_giza(folder: Path, name: str, files: list[tuple[str, tuple[str, str]]]) -> None:
    """A stand-in that writes, for each suffix, one content in the first and one in the other direction."""
    body = GIZA.format(text=TEXT, vocabulary=VOCABULARY, cooccurrences=COOCCURRENCES, files=files)
    install(folder, name, body)


def links(found: Iterator[Alignment]) -> list[str]:
    return [" ".join(f"{link.source}-{link.target}" for link in each.links()) for each in found]


WHOLE = (FIRST + AHEAD, FIRST + BACK)


@pytest.mark.parametrize(
    ("program", "model", "files"),
    [
        ("GIZA++", "model4", [(".A3.final", WHOLE)]),
        ("GIZA++", "hmm", [(".Ahmm.5", WHOLE)]),
        # mgiza writes a file for each thread, with any of the sentences.
        ("mgiza", "model4", [(".A3.final.part000", (AHEAD, BACK)), (".A3.final.part001", (FIRST, FIRST))]),
        ("mgiza", "hmm", [(".Ahmm.005.part000", (AHEAD, BACK)), (".Ahmm.005.part001", (FIRST, FIRST))]),
    ],
)
def test_both_directions_are_read_and_symmetrized(
    programs: Path, program: str, model: str, files: list[tuple[str, tuple[str, str]]]
) -> None:
    install_giza(programs, program, files)
    expected = {"forward": "0-0", "reverse": "0-1"}
    for method, last in expected.items():
        aligner = Giza(program=program, model=model, symmetrization=method, timeout=120)
        assert links(aligner.align(PAIRS)) == ["0-0 1-1", "", last]


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ([], "0 segments"),
        ([(".A3.final", (FIRST, FIRST))], "1 segments"),
        (
            [(".A3.final", ("Killed\n2 3\n", "")), (".A3.final.x", ("a\nb\nc\n", ""))],
            "out.A3.final:1: 'Killed'",
        ),
        ([(".A3.final", (FIRST + AHEAD.replace("({ 1 })", "({ 3 })"), ""))], "target position 3"),
        ([(".A3.final", (FIRST + AHEAD + "Killed\n", ""))], "out.A3.final:7: 'Killed'"),
        ([(".A3.final", ("Warning\n" + FIRST + AHEAD, ""))], "out.A3.final:1: 'Warning'"),
        ([(".A3.final", (FIRST + AHEAD.rpartition("NULL")[0], ""))], "out.A3.final:4: '# Sentence pair (2)"),
        ([(".A3.final", (FIRST + AHEAD + FIRST, ""))], "out.A3.final:7: '# Sentence pair (1)"),
        ([(".A3.final", (FIRST + AHEAD.replace("(2)", "(3)"), ""))], "out.A3.final:4: '# Sentence pair (3)"),
        ([(".A3.final", (FIRST.replace("(1)", "(0)") + AHEAD, ""))], "out.A3.final:1: '# Sentence pair (0)"),
    ],
    ids=[
        "no file",
        "a sentence is missing",
        "not an alignment",
        "outside the sentence",
        "a surplus line at the end",
        "a surplus line at the start",
        "a sentence cut short",
        "a sentence twice",
        "a sentence that was never given",
        "sentences counted from 0",
    ],
)
def test_unusable_output_is_refused(
    programs: Path, files: list[tuple[str, tuple[str, str]]], what: str
) -> None:
    install_giza(programs, "mgiza", files)
    with pytest.raises(UserError) as caught:
        Giza().align(PAIRS)
    assert what in caught.value.what
    assert str(caught.value.where) == "mgiza"


# 101 tokens are too many, and so are ten for one; 100 for 100 and nine for one are not.
TOO_LONG: SentencePair = (("w",) * 101, ("v",) * 100)
TOO_UNEQUAL: SentencePair = (("w",), ("v",) * 10)


@pytest.mark.usefixtures("programs")
def test_the_limits_are_those_of_giza() -> None:
    """A pair that GIZA can align needs the program, which is not there; another one never reaches it."""
    longest: SentencePair = (("w",) * 100, ("v",) * 100)
    most_unequal: SentencePair = (("w",), ("v",) * 9)
    for pair in (longest, most_unequal):
        with pytest.raises(UserError, match="the program mgiza is not installed"):
            Giza().align([pair])
    for pair in (TOO_LONG, TOO_UNEQUAL):
        with pytest.warns(InputWarning, match="1 of 1 have no links"):
            assert links(Giza().align([pair])) == [""]


class LastWords:
    """A fallback that links the last words."""

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        return iter([Alignment((len(source) - 1,), (len(target) - 1,)) for source, target in pairs])


def test_pairs_giza_would_cut_are_left_out_with_a_warning(programs: Path) -> None:
    install_giza(programs, "mgiza", [(".A3.final", WHOLE)])
    with pytest.warns(InputWarning, match="mgiza cannot align .* 2 of 5 have no links, .* line 1"):
        found = links(Giza(symmetrization="union").align([TOO_LONG, *PAIRS, TOO_UNEQUAL]))
    assert found == ["", "0-0 1-1", "", "0-0 0-1", ""]


def test_pairs_giza_would_cut_are_aligned_by_the_fallback(programs: Path) -> None:
    install_giza(programs, "mgiza", [(".A3.final", WHOLE)])
    aligner = Giza(symmetrization="union", fallback=LastWords())
    found = links(aligner.align([TOO_LONG, *PAIRS, TOO_UNEQUAL]))
    assert found == ["100-99", "0-0 1-1", "", "0-0 0-1", "0-9"]


def test_unknown_names_are_refused_at_once() -> None:
    with pytest.raises(UnknownNameError, match="unknown program: giza"):
        Giza(program="giza")
    with pytest.raises(UnknownNameError, match="unknown model: model5"):
        Giza(model="model5")
