"""Third-party aligners: real ones if installed, otherwise stand-ins with their interface."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from anaphor.align.external import AwesomeAlign, Eflomal, FastAlign, SimAlign
from anaphor.align.giza import Giza
from anaphor.align.programs import Aligner, SentencePair
from anaphor.align.symmetrize import METHODS
from anaphor.core import Alignment, InputWarning, OptionError, UnknownNameError, UserError

PAIRS: list[SentencePair] = [
    (("the", "house"), ("das", "Haus")),
    ((), ("leer",)),
    (("a", "1\u00a0000", "|||"), ("", "1 000", "x")),
]

# What the two directions print for the two full pairs of PAIRS; they agree on all links but one each.
FORWARD = "0-0 1-1\\n0-0 1-1 1-2\\n"
REVERSE = "0-0 1-1\\n0-0 1-1 2-2\\n"


def install(folder: Path, name: str, body: str) -> None:
    """A program in Python that has its options as a dictionary `given`."""
    start = f"#!{sys.executable} -IS\nimport sys\nfrom pathlib import Path\n"
    options = "given = dict(zip(sys.argv[1:], [*sys.argv[2:], '']))\n"
    path = folder / name
    path.write_text(start + options + body, encoding="utf-8")
    path.chmod(0o755)


def links(alignment: Alignment) -> str:
    return " ".join(f"{link.source}-{link.target}" for link in alignment.links())


def install_eflomal(programs: Path) -> None:
    install(
        programs,
        "eflomal-align",
        f"""
assert Path(given["-s"]).read_text("utf-8") == "the house\\na 1_000 _\\n"
assert Path(given["-t"]).read_text("utf-8") == "das Haus\\n_ 1_000 x\\n"
Path(given["-f"]).write_text("{FORWARD}")
Path(given["-r"]).write_text("{REVERSE}")
""",
    )


def install_fast_align(programs: Path) -> None:
    install(
        programs,
        "fast_align",
        f"""
assert Path(given["-i"]).read_text("utf-8") == "the house ||| das Haus\\na 1_000 _ ||| _ 1_000 x\\n"
assert all(option in given for option in ("-d", "-o", "-v"))
sys.stdout.write("{REVERSE}" if "-r" in given else "{FORWARD}")
""",
    )


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("forward", "0-0 1-1 1-2"),
        ("reverse", "0-0 1-1 2-2"),
        ("intersection", "0-0 1-1"),
        ("union", "0-0 1-1 1-2 2-2"),
        # From 1-1 the side 1-2 is tried before the corner 2-2; both bring a word without link.
        ("grow-diag-final-and", "0-0 1-1 1-2 2-2"),
    ],
)
def test_both_directions_are_read_and_symmetrized(programs: Path, method: str, expected: str) -> None:
    install_eflomal(programs)
    install_fast_align(programs)
    for aligner in (Eflomal(symmetrization=method), FastAlign(symmetrization=method, timeout=120)):
        assert [links(found) for found in aligner.align(PAIRS)] == ["0-0 1-1", "", expected]


def test_atools_symmetrizes_for_fast_align_on_request(programs: Path) -> None:
    install_fast_align(programs)
    install(
        programs,
        "atools",
        f"""
assert given["-c"] == "intersect"
assert Path(given["-i"]).read_text() == "{FORWARD}"
assert Path(given["-j"]).read_text() == "{REVERSE}"
sys.stdout.write("0-0 1-1 \\n0-0 \\n")
""",
    )
    aligner = FastAlign(symmetrization="intersection", atools=True)
    assert [links(found) for found in aligner.align(PAIRS)] == ["0-0 1-1", "", "0-0"]


def test_atools_is_not_needed_for_one_direction(programs: Path) -> None:
    install_fast_align(programs)
    aligner = FastAlign(symmetrization="forward", atools=True)
    assert [links(found) for found in aligner.align(PAIRS)][2] == "0-0 1-1 1-2"


def test_eflomal_does_not_see_sentences_it_would_drop_in_silence(programs: Path) -> None:
    install_eflomal(programs)
    long: SentencePair = (("w",) * 1024, ("v",))
    with pytest.warns(InputWarning, match="eflomal-align cannot align .* the first is line 4"):
        found = list(Eflomal().align([*PAIRS, long]))
    assert [len(alignment) for alignment in found] == [2, 0, 4, 0]


class LastWords:
    """A fallback that links the last words."""

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        return iter([Alignment((len(source) - 1,), (len(target) - 1,)) for source, target in pairs])


@pytest.mark.parametrize("method", METHODS)
def test_such_sentences_have_the_links_of_the_fallback_however_directions_are_joined(
    programs: Path, method: str
) -> None:
    install_eflomal(programs)
    long: SentencePair = (("w",) * 1024, ("v",))
    *_, found = Eflomal(symmetrization=method, fallback=LastWords()).align([*PAIRS, long])
    assert links(found) == "1023-0"


@pytest.mark.parametrize(
    ("aligner", "fix"),
    [
        (Eflomal(), "pip install eflomal"),
        (FastAlign(), "build github.com/clab/fast_align"),
        (Giza(program="mgiza"), "build github.com/moses-smt/mgiza"),
        (Giza(program="GIZA++"), "build github.com/moses-smt/giza-pp"),
    ],
    ids=["eflomal", "fast_align", "mgiza", "giza++"],
)
@pytest.mark.usefixtures("programs")
def test_a_missing_aligner_is_named_with_its_install_line(aligner: Aligner, fix: str) -> None:
    with pytest.raises(UserError) as caught:
        aligner.align(PAIRS)
    assert caught.value.fix.startswith(fix)


def test_options_are_checked_at_once() -> None:
    for make in (Eflomal, FastAlign, Giza):
        with pytest.raises(UnknownNameError, match="unknown symmetrization: grow"):
            make(symmetrization="grow")
        with pytest.raises(OptionError, match="invalid timeout"):
            make(timeout=0)


# Word for word, so that every statistical aligner must find the diagonal of the last two pairs.
WORDS = {"the": "das", "a": "ein", "house": "Haus", "book": "Buch", "big": "große", "old": "alte"}
PHRASES = [
    f"{article} {adjective} {noun}".split()
    for article in ("the", "a")
    for adjective in ("big", "old")
    for noun in ("house", "book")
]
EASY: Sequence[SentencePair] = [
    (phrase[skip:], [WORDS[word] for word in phrase[skip:]]) for phrase in PHRASES for skip in (0, 1, 2)
] * 10


@pytest.mark.parametrize(
    ("program", "aligner"),
    [
        ("eflomal-align", Eflomal(timeout=120)),
        ("fast_align", FastAlign(timeout=120)),
        ("atools", FastAlign(atools=True, timeout=120)),
        ("GIZA++", Giza(program="GIZA++", timeout=120)),
        ("GIZA++", Giza(program="GIZA++", model="hmm", timeout=120)),
        ("mgiza", Giza(program="mgiza", timeout=120)),
        ("mgiza", Giza(program="mgiza", model="hmm", timeout=120)),
    ],
    ids=["eflomal", "fast_align", "atools", "giza++", "giza++ hmm", "mgiza", "mgiza hmm"],
)
def test_the_real_program_aligns_an_easy_text(program: str, aligner: Aligner) -> None:
    if shutil.which(program, path=os.environ.get("PATH")) is None:
        pytest.skip(f"{program} is not on the PATH")
    odd: list[SentencePair] = [((), ("leer",)), (("1\u00a0000", "house"), ("1 000", "Haus")), (("a",), ())]
    found = list(aligner.align([*EASY, *odd]))
    assert [len(alignment) for alignment in found[-3:]] == [0, 2, 0]
    right = sum(links(alignment) == "0-0 1-1 2-2" for alignment in found[: len(EASY) : 3])
    assert right >= 0.9 * len(EASY) / 3


#: 511 tokens are at least 513 pieces with the two marks around them: one more than a model reads.
LONG: SentencePair = (("w",) * 511, ("v",))

AWESOME_ALIGN = f"""#!{sys.executable} -IS
import sys
from pathlib import Path
given = dict(zip(sys.argv[1:], [*sys.argv[2:], '']))
assert Path(given["--data_file"]).read_text("utf-8") == "the house ||| das Haus\\na 1_000 _ ||| _ 1_000 x\\n"
assert given["--num_workers"] == "0"
last = "0-2" if given["--model_name_or_path"] == "my-model" else ""
Path(given["--output_file"]).write_text("1-1 0-0\\n" + last + "\\n")
"""
SIMALIGN = """
class SentenceAligner:
    def __init__(self, model, token_type, matching_methods, device):
        if model == "absent":
            raise OSError("absent is not a local folder")
        assert (token_type, device) == ("bpe", "cpu")
        self.method = {"a": "inter", "i": "itermax", "m": "mwmf"}[matching_methods]

    def get_word_aligns(self, source, target):
        assert isinstance(source, list) and isinstance(target, list)
        return {self.method: [(1, 1), (0, 0)]}
"""


@pytest.fixture
def awesome_align(programs: Path) -> None:
    (programs / "awesome-align").write_text(AWESOME_ALIGN, encoding="utf-8")
    (programs / "awesome-align").chmod(0o755)


@pytest.fixture
def simalign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of that name with the interface of the real one, and its metadata."""
    (tmp_path / "simalign.py").write_text(SIMALIGN, encoding="utf-8")
    metadata = tmp_path / "simalign-0.4.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: simalign\nVersion: 0.4\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "simalign", raising=False)


class FirstWords:
    """A fallback that links the first words."""

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        return iter([Alignment((0,), (0,))] * len(pairs))


@pytest.mark.usefixtures("awesome_align")
@pytest.mark.parametrize(("model", "last"), [("my-model", "0-2"), ("another", "")])
def test_awesome_align_is_run_without_workers_and_with_the_model(model: str, last: str) -> None:
    found = AwesomeAlign(model=model).align(PAIRS)
    assert [links(alignment) for alignment in found] == ["0-0 1-1", "", last]


@pytest.mark.usefixtures("simalign")
@pytest.mark.parametrize("matching", ["inter", "itermax", "mwmf"])
def test_simalign_gets_one_matching_method(matching: str) -> None:
    found = list(SimAlign(matching=matching).align(PAIRS))
    assert [links(alignment) for alignment in found] == ["0-0 1-1", "", "0-0 1-1"]


@pytest.mark.usefixtures("simalign")
def test_a_model_simalign_cannot_load_is_named() -> None:
    with pytest.raises(UserError, match="cannot load the model absent"):
        SimAlign(model="absent").align(PAIRS)


@pytest.mark.usefixtures("simalign", "awesome_align")
@pytest.mark.parametrize("make", [AwesomeAlign, SimAlign])
def test_pairs_too_long_for_the_model_are_reported_or_go_to_the_fallback(
    make: type[AwesomeAlign] | type[SimAlign],
) -> None:
    with pytest.warns(InputWarning, match="cannot align .* 1 of 4 have no links, the first is line 4"):
        *_, told = make().align([*PAIRS, LONG])
    *_, aligned = make(fallback=FirstWords()).align([*PAIRS, LONG])
    assert (links(told), links(aligned)) == ("", "0-0")


@pytest.mark.parametrize(
    ("aligner", "fix"),
    [(AwesomeAlign(), "pip install awesome-align"), (SimAlign(), "pip install simalign")],
    ids=["awesome-align", "simalign"],
)
@pytest.mark.usefixtures("programs")
def test_a_missing_neural_aligner_is_named_with_its_install_line(
    aligner: Aligner, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "simalign", None)
    with pytest.raises(UserError) as caught:
        aligner.align(PAIRS)
    assert caught.value.fix == fix


def test_options_of_neural_aligners_are_checked_at_once() -> None:
    with pytest.raises(OptionError, match="invalid timeout"):
        AwesomeAlign(timeout=-1)
    with pytest.raises(UnknownNameError, match="unknown matching method: argmax"):
        SimAlign(matching="argmax")


@pytest.mark.usefixtures("simalign")
def test_the_version_of_simalign_names_what_moves_its_links() -> None:
    assert SimAlign(model="xlmr", matching="inter").version() == "0.4-xlmr-inter"


@pytest.mark.usefixtures("awesome_align")
def test_the_version_of_awesome_align_names_its_model() -> None:
    """The stand-in belongs to no package, so that a hash stands for its version."""
    version, _, model = AwesomeAlign(model="my-model").version().partition("-")
    assert (len(version), model) == (12, "my-model")
