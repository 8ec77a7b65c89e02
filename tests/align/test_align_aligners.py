"""Which aligner with which options: what is refused, what a signature says, what stands in for what."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.align import ALIGNERS, AlignerChoice
from anaphor.align.aligners import align_with_each
from anaphor.align.choice import BACKOFFS, POSTERIOR, VERSION, Capabilities, capabilities_of
from anaphor.align.priors import built_in_prior, write_prior
from anaphor.align.programs import SentencePair
from anaphor.align.symmetrize import DEFAULT_METHOD
from anaphor.core import Alignment, InputWarning, LanguagePair, MismatchError, OptionError, UnknownNameError

PAIR = LanguagePair("en", "fr")
PAIRS: list[SentencePair] = [
    (("red", "houses"), ("maisons", "rouges")),
    (("blue", "houses"), ("maisons", "bleues")),
    (("red", "cars"), ("voitures", "rouges")),
    (("blue", "cars"), ("voitures", "bleues")),
]
#: Over 1,023 tokens: eflomal cannot align it.
LONG: SentencePair = (("long",) * 1024, ("longue",))

# Both write a line for every pair and append one letter a run to a file beside them.
COUNTED = f"#!{sys.executable} -IS\nimport sys\nfrom pathlib import Path\n"
COUNTED += "with open(sys.argv[0] + '.runs', 'a') as runs: runs.write('x')\n"
FAST_ALIGN = COUNTED + "for _ in open(sys.argv[2]): print('0-0')\n"
EFLOMAL = (
    COUNTED
    + """
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
lines = Path(given["-s"]).read_text().count("\\n")
Path(given["-f"]).write_text("0-1 1-0\\n" * lines)
Path(given["-r"]).write_text("0-1\\n" * lines)
"""
)


@pytest.fixture
def programs(programs: Path) -> Path:
    """The folder on the PATH with stand-ins for eflomal and fast_align."""
    for name, body in {"eflomal-align": EFLOMAL, "fast_align": FAST_ALIGN}.items():
        (programs / name).write_text(body, encoding="utf-8")
        (programs / name).chmod(0o755)
    return programs


def choice(**options: object) -> AlignerChoice:
    return AlignerChoice(pair=PAIR, **options)  # type: ignore[arg-type]


def links(alignment: Alignment) -> str:
    return " ".join(f"{link.source}-{link.target}" for link in alignment.links())


def test_every_aligner_of_the_registry_is_in_the_table() -> None:
    told = {name for name in ALIGNERS if capabilities_of(name) != Capabilities()}
    assert told == set(ALIGNERS) - {"eflomal"}  # eflomal is what the table takes a stranger for
    assert set(BACKOFFS) == {name for name in ALIGNERS if capabilities_of(name).any_length}


@pytest.mark.parametrize(
    ("options", "model", "method"),
    [
        ({}, "hmm", POSTERIOR),
        ({"model": "ibm1", "symmetrization": "union"}, "ibm1", "union"),
        ({"name": "mgiza"}, "model4", DEFAULT_METHOD),
        ({"name": "giza++", "model": "hmm", "symmetrization": "intersection"}, "hmm", "intersection"),
        ({"name": "eflomal"}, "", DEFAULT_METHOD),
        ({"name": "simalign"}, "", ""),
    ],
)
def test_every_aligner_has_defaults_of_its_own(options: dict[str, str], model: str, method: str) -> None:
    assert (choice(**options).chosen_model, choice(**options).chosen_symmetrization) == (model, method)


IGNORED = {
    "--method": {"name": "eflomal", "model": "hmm"},
    "--symmetrize": {"name": "awesome-align", "symmetrization": "union"},
    "--priors": {"name": "mgiza", "priors": "none"},
    "--threads": {"name": "fast_align", "threads": 3},
    "--backoff": {"name": "fast_align", "backoff": "anaphor"},
}


@pytest.mark.parametrize(("option", "options"), IGNORED.items())
def test_an_option_that_would_be_ignored_is_refused(option: str, options: dict[str, object]) -> None:
    with pytest.raises(OptionError) as caught:
        choice(**options)
    assert f"{option} would be ignored" in caught.value.message
    assert str(caught.value.where) == f"{option}, --aligner"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"name": "giza"}, "unknown aligner: giza"),
        ({"model": "model4"}, "anaphor has no model model4"),
        ({"model": "hmm-"}, "anaphor has no model hmm-"),
        ({"name": "mgiza", "model": "ibm1"}, "mgiza has no model ibm1"),
        ({"symmetrization": "grow"}, "unknown symmetrization: grow"),
        ({"name": "eflomal", "symmetrization": "posterior"}, "eflomal gives no posteriors"),
        ({"name": "mgiza", "backoff": "eflomal"}, "unknown backoff: eflomal"),
    ],
)
def test_a_value_that_the_aligner_does_not_know_is_refused(options: dict[str, str], what: str) -> None:
    with pytest.raises((OptionError, UnknownNameError), match=what):
        choice(**options)


def test_only_aligners_that_learn_take_more_text() -> None:
    choice(name="eflomal").check_trainable()
    with pytest.raises(OptionError) as caught:
        choice(name="simalign").check_trainable()
    assert "--train would be ignored: simalign is not trained" in caught.value.message


HASH = "[0-9a-f]{12}"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"priors": "none"}, rf"anaphor-hmm-{VERSION}\+posterior\+prior-none"),
        ({"model": "ibm1", "symmetrization": "union"}, rf"anaphor-ibm1-{VERSION}\+union\+prior-{HASH}"),
        ({"name": "fast_align"}, rf"fast_align-{HASH}\+{DEFAULT_METHOD}"),
        (
            {"name": "eflomal", "symmetrization": "union", "backoff": "fast_align"},
            rf"eflomal-{HASH}\+union\+backoff-fast_align-{HASH}\+union",
        ),
        (
            {"name": "eflomal", "backoff": "anaphor", "priors": "none"},
            rf"eflomal-{HASH}\+{DEFAULT_METHOD}\+backoff-anaphor-hmm-{VERSION}\+posterior\+prior-none",
        ),
    ],
)
@pytest.mark.usefixtures("programs")
def test_a_signature_has_versions_and_all_that_moves_links(options: dict[str, str], expected: str) -> None:
    assert re.fullmatch(expected, choice(**options).signature())


def test_every_part_of_a_prior_moves_the_signature(tmp_path: Path) -> None:
    given = built_in_prior(PAIR)
    others = [
        replace(given, source_forms=(*given.source_forms[:-1], "zzzz")),
        replace(given, target_forms=(*given.target_forms[:-1], "zzzz")),
        replace(given, count=given.count * 2),
        replace(given, source_total=given.source_total * 2),
        replace(given, target_total=given.target_total * 2),
        replace(given, forward_jumps=given.forward_jumps[::-1].copy()),
        replace(given, reverse_jumps=given.reverse_jumps[::-1].copy()),
    ]
    signed = {choice().signature()}
    for number, prior in enumerate(others):
        write_prior(tmp_path / f"{number}.prior", prior, origin="a test")
        signed.add(choice(priors=str(tmp_path / f"{number}.prior")).signature())
    assert len(signed) == 1 + len(others)


def test_every_text_that_is_trained_on_moves_the_signature(tmp_path: Path) -> None:
    names = ("one.en", "one.fr", "two.en", "two.fr")
    for name in names:
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    paths = [str(tmp_path / name) for name in names]
    trained = choice(training=((paths[0], paths[1]), (paths[2], paths[3])))
    signed = {trained.signature(), choice().signature()}
    for name in names:
        (tmp_path / name).write_text("another text\n", encoding="utf-8")
        signed.add(trained.signature())
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    assert len(signed) == 2 + len(names)


def test_a_backoff_aligns_what_the_aligner_cannot(programs: Path) -> None:
    found = [
        links(each) for each in choice(name="eflomal", backoff="fast_align").build().align([*PAIRS, LONG])
    ]
    assert found == [*(["0-1 1-0"] * 4), "0-0"]
    assert (programs / "fast_align.runs").read_text() == "xx"  # once in each direction


def test_a_backoff_that_is_not_needed_is_not_made(programs: Path) -> None:
    finnish = AlignerChoice(pair=LanguagePair("en", "fi"), name="eflomal", backoff="anaphor")
    assert len(list(finnish.build().align(PAIRS))) == 4  # and no word of missing priors
    with pytest.warns(InputWarning, match="no built-in priors for en-fi"):
        assert len(list(finnish.build().align([*PAIRS, LONG]))) == 5


def test_one_run_of_another_aligner_is_read_under_several_symmetrizations(programs: Path) -> None:
    found = align_with_each(choice(name="eflomal"), PAIRS, ("intersection", "union"))
    assert {method: links(each[0]) for method, each in found.items()} == {
        "intersection": "0-1",
        "union": "0-1 1-0",
    }
    assert (programs / "eflomal-align.runs").read_text() == "x"


def test_one_model_gives_the_same_links_under_each_symmetrization_as_alone() -> None:
    methods = ("intersection", POSTERIOR, DEFAULT_METHOD, "forward")
    found = align_with_each(choice(priors="none"), PAIRS, methods)
    alone = {
        method: list(choice(priors="none", symmetrization=method).build().align(PAIRS)) for method in methods
    }
    assert found == alone


@pytest.mark.usefixtures("programs")
def test_an_aligner_without_directions_cannot_be_read_under_several_symmetrizations() -> None:
    with pytest.raises(OptionError, match="simalign does not expose its two directions"):
        align_with_each(choice(name="simalign"), PAIRS, ("union", "intersection"))


def test_progress_is_reported_in_percent_until_all_is_done() -> None:
    told: list[str] = []
    list(choice(priors="none").with_progress("aligning", told.append).build().align(PAIRS))
    assert told
    assert all(re.fullmatch(r"aligning: .+, [0-9]{1,3}%", text) for text in told)
    shares = [int(re.findall("[0-9]+(?=%)", text)[0]) for text in told]
    assert shares == sorted(shares)
    assert shares[-1] == 100


def test_a_prior_of_the_opposite_direction_is_reversed(tmp_path: Path) -> None:
    path = tmp_path / "fr-en.prior"
    write_prior(path, built_in_prior(PAIR).reversed(), origin="a test")
    found, given = choice(priors=str(path)).prior(), built_in_prior(PAIR)
    assert found is not None
    assert found.pair == PAIR
    assert (found.source_forms, found.target_forms) == (given.source_forms, given.target_forms)
    assert found.forward_jumps.tolist() == given.forward_jumps.tolist()
    assert choice(priors=str(path)).signature() == choice().signature()
    with pytest.raises(MismatchError, match="the prior is for fr-en, the text is en-de"):
        AlignerChoice(pair=LanguagePair("en", "de"), priors=str(path)).prior()
