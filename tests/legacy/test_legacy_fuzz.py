"""Whatever the files hold, only a `UserError` comes out, and APT's outputs stay well formed."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import UserError
from anaphor.legacy import run_apt, run_autoprf
from anaphor.legacy.python27 import parse_ini

CONFIG = """[lang]
source: en
target: fr
source_word_separator: -
target_word_separator: -
[files]
source: src
reference: ref
target: tgt
alignment_source_reference: sr
alignment_source_target: st
list_source_pronouns: list_src
input_type: word
list_target_pronouns: list_tgt
[dictionary]
equal: equal
similar: similar
source_pronouns: list_src
target_pronouns: list_tgt
[cases]
cases_to_use: 1,2,3,4,5,6
weigths_per_case: 1,0.5,0,0,0,0
count_OTHER_as_equal: false
[output]
output_file: out
counting_multiword_in_matrix: true
max_length_matrix: 3
"""
LINES = st.lists(st.sampled_from(["it", "They", "il", "Il", "dit-il", "ce", "x", "", " "]), max_size=5)
TEXT = st.lists(LINES.map(" ".join), max_size=4).map("\n".join)
LINKS = st.lists(st.sampled_from(["0-0", "1-0", "0-1", "1-2", "2-1", "9-9", "x"]), max_size=4)
ALIGNMENT = st.lists(LINKS.map(" ".join), max_size=4).map("\n".join)
NOISE = st.one_of(st.binary(max_size=20), TEXT.map(str.encode))
APT_FILES = st.fixed_dictionaries(
    {
        "src": TEXT,
        "ref": TEXT,
        "tgt": TEXT,
        "sr": ALIGNMENT,
        "st": ALIGNMENT,
        "list_src": TEXT,
        "list_tgt": TEXT,
    },
    optional={"equal": TEXT, "similar": TEXT},
).map(lambda files: {name: content.encode() for name, content in files.items()})
STEM_FILES = ("ref.en", "ref.fr", "ref.en-fr.alig", "cand.en", "cand.fr", "cand.en-fr.alig", "docs")


@contextlib.contextmanager
def written(files: Mapping[str, bytes]) -> Iterator[Path]:
    """A folder with the files, in which warnings are not raised."""
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for file, content in files.items():
            (Path(name) / file).write_bytes(content)
        yield Path(name)


@given(
    APT_FILES, st.dictionaries(st.sampled_from(["src", "tgt", "sr", "list_tgt", "config"]), NOISE, max_size=1)
)
def test_apt_gives_one_line_per_pronoun_or_a_user_error(
    files: dict[str, bytes], noise: dict[str, bytes]
) -> None:
    with written({"config": CONFIG.encode(), **files, **noise}) as folder, contextlib.suppress(UserError):
        run = run_apt(folder / "config", folder=folder)
        assert len(run.detail_text.splitlines()) == len(run.judged) + 1
        assert sum(run.counts) == len(run.judged)


@given(
    st.tuples(TEXT, TEXT, ALIGNMENT, TEXT),
    st.dictionaries(st.sampled_from(STEM_FILES), NOISE, max_size=1),
)
def test_autoprf_prints_its_total_or_a_user_error(
    texts: tuple[str, str, str, str], noise: dict[str, bytes]
) -> None:
    source, reference, links, candidate = (text.encode() for text in texts)
    contents = (source, reference, links, source, candidate, links, b"0\n")
    with written({**dict(zip(STEM_FILES, contents, strict=True)), **noise}) as folder:
        names = [str(folder / name) for name in ("ref", "cand", "docs")]
        with contextlib.suppress(UserError):
            assert run_autoprf(*names, verbosity=2).splitlines()[-1].startswith("TOTAL ")


@given(st.text(alphabet='[]ab:=;# \n\r"', max_size=40))
def test_any_text_is_a_configuration_with_clean_keys_or_a_user_error(text: str) -> None:
    with contextlib.suppress(UserError):
        for section in parse_ini(text, "c").sections.values():
            for key, entry in section.items():
                assert key == key.strip().lower()
                assert 1 <= entry.line <= text.count("\n") + 1
