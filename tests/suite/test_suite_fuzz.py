"""Whatever happens to a file, a reader returns or raises `UserError`; nothing else comes out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphor.core import InputWarning, UserError
from anaphor.corpus import Text
from anaphor.corpus.mmax2 import read_mmax2
from anaphor.suite import LoadedSuite, ProtestMetadata, from_protest, load_suite, to_protest
from anaphor.suite.categories import parse_categories
from anaphor.suite.protest.database import read_protest, write_protest

FIXTURE_STAYS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
#: Where a file is cut, what is put there, and how many bytes it replaces.
DAMAGE = st.tuples(
    st.floats(0, 1),
    st.one_of(
        st.binary(max_size=8),
        st.sampled_from(
            [b"\xff", b"\0", b"[[", b"]]", b'"', b"-1", b"1e999", b"null", b"\\ud800", b"99999999"]
        ),
    ),
    st.integers(0, 12),
)


def damaged(data: bytes, damage: tuple[float, bytes, int]) -> bytes:
    share, put, length = damage
    at = int(share * len(data))
    return data[:at] + put + data[at + length :]


def survives(read: Callable[[], object]) -> None:
    with warnings.catch_warnings(), suppress(UserError):
        warnings.simplefilter("ignore", InputWarning)
        read()


@pytest.mark.parametrize("name", ["suite.toml", "items.jsonl", "documents/source/funeral.txt"])
@FIXTURE_STAYS
@given(damage=DAMAGE)
def test_a_damaged_suite(folder: Path, name: str, damage: tuple[float, bytes, int]) -> None:
    path = folder / name
    whole = path.read_bytes()
    # Without the hash, damage to an item reaches the checks of the item.
    header = (folder / "suite.toml").read_bytes()
    try:
        if name == "items.jsonl":
            kept = [line for line in header.split(b"\n") if not line.startswith(b"hash")]
            (folder / "suite.toml").write_bytes(b"\n".join(kept))
        path.write_bytes(damaged(path.read_bytes(), damage))
        survives(lambda: load_suite(folder))
    finally:
        path.write_bytes(whole)
        (folder / "suite.toml").write_bytes(header)


@pytest.mark.parametrize("own", [True, False])
@FIXTURE_STAYS
@given(damage=DAMAGE)
def test_a_damaged_database(
    loaded: LoadedSuite, tmp_path: Path, own: bool, damage: tuple[float, bytes, int]
) -> None:
    path = tmp_path / "suite.db"
    if not path.exists():
        database = to_protest(loaded)
        if not own:
            database = database._replace(anaphor_suite=(), anaphor_items=(), anaphor_texts=())
        write_protest(path, database)
    whole = path.read_bytes()
    naming = ProtestMetadata(pair=loaded.suite.pair, references=("human",))
    try:
        path.write_bytes(damaged(whole, damage))
        survives(lambda: from_protest(read_protest(path), naming, path=path))
    finally:
        path.write_bytes(whole)


MARKABLES = b'<markables><markable id="m1" span="word_1..word_2" coref_class="set_1"/></markables>'


@FIXTURE_STAYS
@given(damage=DAMAGE)
def test_a_damaged_markable_file(tmp_path: Path, damage: tuple[float, bytes, int]) -> None:
    for name in ("Basedata", "Markables"):
        (tmp_path / name).mkdir(exist_ok=True)
    (tmp_path / "a.mmax").write_bytes(b"<mmax_project><words>a_words.xml</words></mmax_project>")
    words = b'<words><word id="word_1">It</word><word id="word_2">is</word></words>'
    (tmp_path / "Basedata" / "a_words.xml").write_bytes(words)
    (tmp_path / "Markables" / "a_sentence_level.xml").write_bytes(MARKABLES)
    (tmp_path / "Markables" / "a_coref_level.xml").write_bytes(damaged(MARKABLES, damage))
    survives(lambda: read_mmax2(tmp_path))


@given(st.text(max_size=80))
def test_any_text_as_a_pack_of_categories(text: str) -> None:
    survives(lambda: parse_categories(Text.of(text.split("\n"), path="pack.toml")))
