"""awesome-align and simalign against stand-ins with the interface of the real ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from anaphor.align.external import AwesomeAlign, SimAlign
from anaphor.align.programs import Aligner, SentencePair
from anaphor.core import Alignment, InputWarning, OptionError, UnknownNameError, UserError

PAIRS: list[SentencePair] = [
    (("the", "house"), ("das", "Haus")),
    ((), ("leer",)),
    (("a", "1\u00a0000", "|||"), ("", "1 000", "x")),
]
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
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is alone on the PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


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


def links(alignment: Alignment) -> str:
    return " ".join(f"{link.source}-{link.target}" for link in alignment.links())


@pytest.mark.usefixtures("awesome_align")
@pytest.mark.parametrize(("model", "last"), [("my-model", "0-2"), ("another", "")])
def test_awesome_align_is_run_without_workers_and_with_the_model(model: str, last: str) -> None:
    found = AwesomeAlign(model=model).align(PAIRS)
    assert [links(alignment) for alignment in found] == ["0-0 1-1", "", last]


@pytest.mark.usefixtures("simalign")
@pytest.mark.parametrize("matching", ["inter", "itermax", "mwmf"])
def test_simalign_is_asked_for_one_matching_method(matching: str) -> None:
    found = list(SimAlign(matching=matching).align(PAIRS))
    assert [links(alignment) for alignment in found] == ["0-0 1-1", "", "0-0 1-1"]


@pytest.mark.usefixtures("simalign")
def test_a_model_simalign_cannot_load_is_named() -> None:
    with pytest.raises(UserError, match="cannot load the model absent"):
        SimAlign(model="absent").align(PAIRS)


@pytest.mark.usefixtures("simalign", "awesome_align")
@pytest.mark.parametrize("make", [AwesomeAlign, SimAlign])
def test_pairs_that_the_model_cannot_read_whole_are_told_or_go_to_the_fallback(
    make: type[AwesomeAlign] | type[SimAlign],
) -> None:
    with pytest.warns(InputWarning, match="cannot align .* 1 of 4 have no links, the first is segment 4"):
        *_, told = make().align([*PAIRS, LONG])
    *_, aligned = make(fallback=FirstWords()).align([*PAIRS, LONG])
    assert (links(told), links(aligned)) == ("", "0-0")


@pytest.mark.parametrize(
    ("aligner", "fix"),
    [(AwesomeAlign(), "pip install awesome-align"), (SimAlign(), "pip install simalign")],
    ids=["awesome-align", "simalign"],
)
@pytest.mark.usefixtures("programs")
def test_a_missing_aligner_is_named_with_its_install_line(
    aligner: Aligner, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "simalign", None)
    with pytest.raises(UserError) as caught:
        aligner.align(PAIRS)
    assert caught.value.fix == fix


def test_options_are_checked_at_once() -> None:
    with pytest.raises(OptionError, match="not a time-out"):
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
