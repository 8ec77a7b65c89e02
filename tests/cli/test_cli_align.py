"""`anaphor align run` and `train`: links, confidences, models, other aligners, and every mistake.

The words of COLOURS cross. Each pair of words that belong together occurs in the same two segments, no
other pair does, so a model without word order must find `0-1 1-0` in every segment.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import anaphor as package
from anaphor.align import AlignerChoice, built_in_prior
from anaphor.align.priors import write_prior
from anaphor.cli.align_options import DEFAULTS
from anaphor.core import LanguagePair

Command = Callable[..., tuple[int, str, str]]

COLOURS = (
    "red houses\nblue houses\nred cars\nblue cars\n",
    "maisons rouges\nmaisons bleues\nvoitures rouges\nvoitures bleues\n",
)
CROSSED = "0-1 1-0\n"
FILES = ("--pair", "en-fr", "--source", "src.en", "--target", "ref.fr")
RUN = ("align", "run", *FILES, "--priors", "none")
COLOURED = ("--pair", "en-fr", "--source", "colours.en", "--target", "colours.fr", "--method", "ibm1")


@pytest.fixture
def colours(folder: Path) -> Path:
    """The folder of the experiment with COLOURS and their first segment alone."""
    for side, text in zip(("en", "fr"), COLOURS, strict=True):
        (folder / f"colours.{side}").write_text(text, encoding="utf-8")
        (folder / f"one.{side}").write_text(text.partition("\n")[0] + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is alone on the PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, name: str, body: str) -> None:
    """A program in Python that stands for another one."""
    path = folder / name
    path.write_text(f"#!{sys.executable} -IS\n{body}", encoding="utf-8")
    path.chmod(0o755)


def links(line: str) -> set[tuple[int, ...]]:
    return {tuple(map(int, link.split("-"))) for link in line.split()}


def test_a_line_of_links_for_every_segment_inside_its_sentence(anaphor: Command, folder: Path) -> None:
    code, out, err = anaphor(*RUN)
    assert (code, err) == (0, "")
    sides = [(folder / name).read_text(encoding="utf-8").splitlines() for name in ("src.en", "ref.fr")]
    assert links(out.replace("\n", " "))
    for source, target, line in zip(*sides, out.splitlines(), strict=True):
        assert all(i < len(source.split()) and j < len(target.split()) for i, j in links(line))


def test_a_model_without_word_order_finds_words_that_cross(anaphor: Command, colours: Path) -> None:
    assert anaphor("align", "run", *COLOURED, "--priors", "none") == (0, 4 * CROSSED, "")


def test_raw_text_is_cut_into_the_tokens_that_are_scored(anaphor: Command, folder: Path) -> None:
    (folder / "raw.en").write_text("It rains.\n", encoding="utf-8")
    (folder / "raw.fr").write_text("Il pleut.\n", encoding="utf-8")
    command = (
        "align",
        "run",
        "--pair",
        "en-fr",
        "--source",
        "raw.en",
        "--target",
        "raw.fr",
        "--priors",
        "none",
    )
    assert max(links(anaphor(*command)[1])) == (2, 2)  # the full stop is a token
    assert max(links(anaphor(*command, "--tokenized")[1])) == (1, 1)


def test_an_empty_segment_keeps_its_line(anaphor: Command, folder: Path) -> None:
    text = (folder / "ref.fr").read_text(encoding="utf-8")
    (folder / "ref.fr").write_text(text.replace("Elles rient .", ""), encoding="utf-8")
    lines = anaphor(*RUN)[1].split("\n")
    assert (len(lines), lines[2], lines[6]) == (7, "", "")


def test_text_comes_compressed_and_from_the_standard_input(colours: Path) -> None:
    (colours / "colours.fr.gz").write_bytes(gzip.compress(COLOURS[1].encode()))
    files = ("--source", "-", "--target", "colours.fr.gz")
    done = subprocess.run(
        [sys.executable, "-m", "anaphor.cli.main", "align", "run", *COLOURED, *files, "--priors", "none"],
        input=COLOURS[0].encode(),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, 4 * CROSSED.encode(), b"")


def test_output_goes_to_the_file_alone(anaphor: Command, folder: Path) -> None:
    printed = anaphor(*RUN)[1]
    assert anaphor(*RUN, "--output", "links") == (0, "", "")
    assert (folder / "links").read_text(encoding="utf-8") == printed


def test_scores_stand_in_the_order_of_the_links(anaphor: Command, folder: Path) -> None:
    printed = anaphor(*RUN, "--scores", "scores")[1]
    lines = (folder / "scores").read_text(encoding="utf-8").splitlines()
    assert lines
    for line, scores in zip(printed.splitlines(), lines, strict=True):
        assert len(scores.split()) == len(line.split())
        assert all(re.fullmatch(r"0\.\d{4}|1\.0000", score) for score in scores.split())


def test_json_has_the_same_links_and_what_made_them(anaphor: Command, folder: Path) -> None:
    printed = anaphor(*RUN, "--scores", "scores")[1].splitlines()
    content = json.loads(anaphor(*RUN, "--json")[1])
    assert content["aligner"] == "anaphor-hmm-4+posterior+prior-none"
    assert (content["pair"], content["segments"]) == ("en-fr", 6)
    assert content["links"] == len(" ".join(printed).split())
    written = [" ".join(f"{i}-{j}" for i, j in segment["links"]) for segment in content["alignments"]]
    assert written == printed
    scores = [" ".join(f"{c:.4f}" for c in segment["confidence"]) for segment in content["alignments"]]
    assert scores == (folder / "scores").read_text(encoding="utf-8").splitlines()


def test_json_and_a_file_of_links_go_together(anaphor: Command, folder: Path) -> None:
    printed = anaphor(*RUN)[1]
    assert anaphor(*RUN, "--output", "links", "--json")[1].startswith("{")
    assert (folder / "links").read_text(encoding="utf-8") == printed


def test_more_text_decides_what_one_segment_leaves_open(anaphor: Command, colours: Path) -> None:
    (colours / "more.fr.gz").write_bytes(gzip.compress(COLOURS[1].encode()))
    one = ("align", "run", *COLOURED, "--priors", "none", "--source", "one.en", "--target", "one.fr")
    assert anaphor(*one)[1] != CROSSED
    assert anaphor(*one, "--train", "colours.en", "more.fr.gz")[1] == CROSSED
    more = ("--train", "colours.en", "colours.fr")
    assert anaphor(*one, "--train", "src.en", "ref.fr", *more)[1] == CROSSED


def test_the_number_of_threads_changes_nothing(anaphor: Command) -> None:
    outputs = [anaphor(*RUN, "--json", "--threads", number)[1] for number in "123"]
    assert outputs[0] == outputs[1] == outputs[2]


def test_symmetrizations_of_the_two_directions_lie_inside_each_other(anaphor: Command) -> None:
    found = {
        method: [links(line) for line in anaphor(*RUN, "--symmetrize", method)[1].splitlines()]
        for method in ("forward", "reverse", "intersection", "union", "grow-diag", "grow-diag-final-and")
    }
    assert any(found["intersection"])
    for forward, reverse, both, either, grown, final in zip(*found.values(), strict=True):
        assert len({j for _, j in forward}) == len(forward)  # a target word chooses one source word
        assert len({i for i, _ in reverse}) == len(reverse)
        assert (both, either) == (forward & reverse, forward | reverse)
        assert both <= grown <= final <= either


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_one_direction_alone_has_confidences_too(anaphor: Command, folder: Path, direction: str) -> None:
    printed = anaphor(*RUN, "--symmetrize", direction, "--scores", "scores")[1]
    lines = (folder / "scores").read_text(encoding="utf-8").splitlines()
    assert lines
    for line, scores in zip(printed.splitlines(), lines, strict=True):
        assert len(scores.split()) == len(line.split())
        assert all(0 < float(score) <= 1 for score in scores.split())


@pytest.mark.parametrize("method", ["hmm", "ibm1"])
def test_directions_that_learn_apart_do_not_agree_as_well(anaphor: Command, method: str) -> None:
    """Learning from each other, the two directions come to believe in the same links."""
    belief = {}
    for name in (method, f"{method}-apart"):
        lines = json.loads(anaphor(*RUN, "--priors", "none", "--method", name, "--json")[1])["alignments"]
        sure = [value for line in lines for value in line["confidence"]]
        belief[name] = sum(sure) / len(sure)
    assert belief[f"{method}-apart"] < belief[method]


def test_posteriors_are_the_way_of_our_own_aligner(anaphor: Command) -> None:
    assert anaphor(*RUN, "--symmetrize", "posterior") == anaphor(*RUN)


def test_priors_are_built_in_or_come_from_a_file(anaphor: Command, folder: Path) -> None:
    write_prior(folder / "en-fr.prior", built_in_prior(LanguagePair("en", "fr")), origin="the package")
    built_in = anaphor("align", "run", *FILES, "--json")
    assert built_in[::2] == (0, "")
    assert re.search(r'\+prior-[0-9a-f]{12}"', built_in[1])
    assert anaphor("align", "run", *FILES, "--json", "--priors", "en-fr.prior") == built_in


def test_a_pair_without_pack_and_priors_takes_tokenised_text_with_a_note(
    anaphor: Command, colours: Path
) -> None:
    code, out, err = anaphor("align", "run", *COLOURED, "--pair", "en-fi", "--tokenized")
    assert (code, out) == (0, 4 * CROSSED)
    assert err.startswith("note: there are no built-in priors for en-fi")


def test_a_pack_of_the_user_cuts_raw_text_of_its_language(anaphor: Command, folder: Path) -> None:
    """The pack is that of French with another code."""
    french = Path(package.__file__).parent / "languages" / "packs" / "fr.toml"
    (folder / "packs").mkdir()
    (folder / "packs" / "sk.toml").write_bytes(french.read_bytes())
    (folder / "raw.en").write_text("It rains.\n", encoding="utf-8")
    (folder / "raw.sk").write_text("Il pleut.\n", encoding="utf-8")
    command = (
        "align",
        "run",
        "--pair",
        "en-sk",
        "--source",
        "raw.en",
        "--target",
        "raw.sk",
        "--priors",
        "none",
    )
    assert max(links(anaphor(*command, "--packs", "packs")[1])) == (2, 2)
    code, _, err = anaphor(*command)
    assert (code, err.splitlines()[0]) == (1, "error: there is no tokenizer for the language sk")


def test_a_saved_model_aligns_as_it_did_when_it_was_trained(anaphor: Command, folder: Path) -> None:
    code, out, err = anaphor("align", "train", *FILES, "--priors", "none", "--save", "model")
    assert (code, out, err) == (0, "model: a model of en-fr, trained on 6 sentence pairs\n", "")
    assert anaphor("align", "run", *FILES, "--model", "model") == anaphor(*RUN)
    union = ("--symmetrize", "union")
    assert anaphor("align", "run", *FILES, "--model", "model", *union) == anaphor(*RUN, *union)


def test_a_saved_model_knows_the_text_of_every_train(anaphor: Command, colours: Path) -> None:
    one = ("--source", "one.en", "--target", "one.fr")
    train = ("align", "train", *COLOURED, "--priors", "none", *one, "--train", "colours.en", "colours.fr")
    assert "trained on 5 sentence pairs" in anaphor(*train, "--save", "model")[1]
    found = json.loads(anaphor("align", "run", "--pair", "en-fr", *one, "--model", "model", "--json")[1])
    assert found["alignments"][0]["links"] == [[0, 1], [1, 0]]
    assert re.fullmatch(r"anaphor-4\+posterior\+model-[0-9a-f]{12}", found["aligner"])


def test_another_aligner_learns_from_more_text_whose_links_are_dropped(
    anaphor: Command, colours: Path, programs: Path
) -> None:
    # Says which words it was given: one link for every line, from the number of its words less one.
    body = "import sys\nfor line in open(sys.argv[2]): print(f'{len(line.split()) // 2 - 1}-0')\n"
    install(programs, "fast_align", body)
    given = ("align", "run", *FILES, "--source", "one.en", "--target", "one.fr", "--aligner", "fast_align")
    assert anaphor(*given, "--train", "src.en", "ref.fr") == (0, "1-0\n", "")
    content = json.loads(anaphor(*given, "--json", "--symmetrize", "union")[1])
    assert re.fullmatch(r"fast_align-[0-9a-f]{12}\+union", content["aligner"])
    assert content["alignments"] == [{"links": [[1, 0]], "confidence": None}]


# Links the first word of every pair to the last by Model 4, to the first by HMM.
MGIZA = """
import sys
from pathlib import Path
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
hmm = given["-m4"] == "0"
with Path(given["-o"] + (".Ahmm.5" if hmm else ".A3.final")).open("w") as out:
    lines = Path(given["-C"]).read_text().splitlines()
    for number, (chosen, choosing) in enumerate(zip(lines[1::3], lines[2::3]), 1):
        first, *rest = chosen.split()
        place = 1 if hmm else len(choosing.split())
        words = [f"{first} ({{ {place} }})", *(f"{word} ({{ }})" for word in rest)]
        lengths = f"source length {len(words)} target length {len(choosing.split())}"
        print(f"# Sentence pair ({number}) {lengths} alignment score : 0.5", choosing, sep="\\n", file=out)
        print("NULL ({ })", *words, file=out)
"""
MKCLS = "import sys\nopen(sys.argv[4].removeprefix('-V'), 'w').close()\n"


def test_giza_is_run_as_the_papers_ran_it(anaphor: Command, colours: Path, programs: Path) -> None:
    """Model 4, or HMM; fast_align for the segment that is too long (wmt16-findings, section 3.3.1)."""
    install(programs, "mgiza", MGIZA)
    install(programs, "mkcls", MKCLS)
    install(programs, "fast_align", "import sys\nfor line in open(sys.argv[2]): print('1-1')\n")
    for side, word in (("en", "long"), ("fr", "longue")):
        with (colours / f"one.{side}").open("a", encoding="utf-8") as text:
            text.write(f"{word} " * 101 + "\n")
    one = ("--pair", "en-fr", "--source", "one.en", "--target", "one.fr")
    run = ("align", "run", *one, "--aligner", "mgiza", "--symmetrize", "forward", "--backoff", "fast_align")
    assert anaphor(*run) == (0, "0-1\n1-1\n", "")
    assert anaphor(*run, "--method", "hmm") == (0, "0-0\n1-1\n", "")
    signed = json.loads(anaphor(*run, "--method", "hmm", "--json")[1])["aligner"]
    hashed = "[0-9a-f]{12}"
    assert re.fullmatch(rf"mgiza-hmm-{hashed}\+forward\+backoff-fast_align-{hashed}\+forward", signed)


def test_without_a_backoff_a_segment_that_is_too_long_is_reported(
    anaphor: Command, colours: Path, programs: Path
) -> None:
    install(programs, "mgiza", MGIZA)
    install(programs, "mkcls", MKCLS)
    with (colours / "one.en").open("a", encoding="utf-8") as text:
        text.write("long " * 101 + "\n")
    (colours / "one.fr").write_text("maisons rouges\nlongue\n", encoding="utf-8")
    one = ("--pair", "en-fr", "--source", "one.en", "--target", "one.fr", "--aligner", "mgiza")
    code, out, err = anaphor("align", "run", *one)
    assert (code, out) == (0, "0-1 1-0\n\n")
    assert err.startswith("note: mgiza cannot align segments of this length: 1 of 2 have no links")
    assert "--backoff" in err


def test_the_defaults_are_those_of_the_aligner() -> None:
    choice = AlignerChoice(pair=LanguagePair("en", "fr"))
    names = {"aligner": "name", "symmetrize": "symmetrization", "method": "model"}
    for option in ("aligner", "symmetrize", "method", "priors", "backoff", "threads"):
        assert DEFAULTS[option] == getattr(choice, names.get(option, option))
