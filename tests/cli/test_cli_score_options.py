"""`anaphor score`: what each option does to the numbers of conftest.py, counted by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor import __version__
from anaphor.core import digest

Command = Callable[..., tuple[int, str, str]]
ONLY_A = ("--candidate", "a.fr", "--alignment-candidate", "a.align")
TOY_PAIR = """
source_pronouns = ["it", "they"]
target_pronouns = ["il", "elle", "ils", "elles", "ce", "c'"]
object_pronouns = []
identical = [["ce", "c'"]]
equivalent = [{ forms = ["il", "elle"] }]
[likely]
it = ["il"]
they = ["ils"]
[about]
facts = "made up for a test"
licence = "Apache-2.0"
"""
XML = """<dataset id="t"><doc id="d1" origlang="en">
<src lang="en"><p><seg id="1">It rains .</seg><seg id="2">They laugh .</seg></p></src>
<ref lang="fr" translator="A"><seg id="1">Il pleut .</seg><seg id="2">Elles rient .</seg></ref>
<hyp lang="fr" system="inside"><seg id="1">Il pleut .</seg><seg id="2">Ils rient .</seg></hyp>
</doc></dataset>
"""


def values(out: str) -> dict[str, float]:
    """The score of every system and metric."""
    return {
        f"{system['system']} {metric['name']}": metric["score"]
        for system in json.loads(out)["systems"]
        for metric in system["metrics"]
    }


@pytest.mark.parametrize(
    ("options", "a", "b"),
    [
        ("", 3.5 / 7, 4 / 7),
        ("--tokenized", 3.5 / 7, 4 / 7),
        ("--repair none", 3.5 / 7, 3 / 7),
        ("--weights 1,1,0,0,0,0", 4 / 7, 4 / 7),
        ("--weights 1,0,0,0,0,0", 3 / 7, 4 / 7),
        ("--weights 1,0.5,0,0,0.25,1", 3.75 / 7, 5 / 7),
        ("--discard 5", 3.5 / 6, 4 / 7),
        ("--discard 3,4,5,6", 3.5 / 4, 4 / 4),
        ("--other identical", 4.5 / 7, 4 / 7),
        ("--other same-word", 4.5 / 7, 4 / 7),
        ("--objects", 4.5 / 7, 4 / 7),
        ("--pronouns they", 1 / 3, 2 / 3),
        ("--pronouns IT", 2.5 / 4, 2 / 4),
    ],
)
def test_options_that_move_apt(score: Command, options: str, a: float, b: float) -> None:
    code, out, err = score("--json", *options.split())
    assert (code, err) == (0, "")
    found = values(out)
    assert (found["a apt"], found["b apt"]) == pytest.approx((a, b))


def test_identical_takes_any_two_words_and_same_word_only_equal_ones(score: Command, folder: Path) -> None:
    """Segment 4: le in the reference, la in the candidate, both outside the list."""
    a = folder / "a.fr"
    a.write_text(a.read_text(encoding="utf-8").replace("Marie le", "Marie la"), encoding="utf-8")
    assert values(score("--json", "--other", "identical")[1])["a apt"] == pytest.approx(4.5 / 7)
    assert values(score("--json", "--other", "same-word")[1])["a apt"] == pytest.approx(3.5 / 7)


def test_positions_choose_the_pronouns(score: Command, folder: Path) -> None:
    (folder / "positions").write_text("1 4\n3 0\n", encoding="utf-8")  # a: identical, equivalent
    result = json.loads(score("--json", "--positions", "positions")[1])
    assert result["pronouns"] == 2
    assert values(json.dumps(result))["a apt"] == pytest.approx(1.5 / 2)


def test_clipping_over_the_corpus_forgives_words_in_the_wrong_place(score: Command, folder: Path) -> None:
    """Il and il change places: no match for either pronoun, both over the corpus."""
    a = folder / "a.fr"
    swapped = a.read_text(encoding="utf-8").replace("Il pleut", "il pleut").replace("car il", "car Il")
    a.write_text(swapped, encoding="utf-8")
    clipped = values(score("--json")[1])["a autoprf"]
    over_corpus = values(score("--json", "--clip", "corpus")[1])["a autoprf"]
    assert (clipped, over_corpus) == pytest.approx((4 / 13, 8 / 13))


def test_several_references_give_the_best_outcome_and_name_it(score: Command, folder: Path) -> None:
    """The second reference has Ils in segment 2 as well, which a has."""
    second = (folder / "ref.fr").read_text(encoding="utf-8").replace("Elles", "Ils")
    (folder / "ref2.fr").write_text(second, encoding="utf-8")
    both = ("--reference", "ref.fr", "ref2.fr", "--alignment-reference", "ref.align", "ref.align")
    code, out, _ = score("--json", "--items", "items.tsv", *both)
    assert code == 0
    found = values(out)
    assert (found["a apt"], found["b apt"]) == pytest.approx((4.5 / 7, 4 / 7))
    assert "|refs:2|" in json.loads(out)["systems"][0]["metrics"][0]["signature"]
    rows = (folder / "items.tsv").read_text(encoding="utf-8").splitlines()
    assert rows[3].startswith("a\t-\t2\t0\tthey\t1\tIls\tIls\t0\t-\t-\tidentical\t3\t")


def test_a_tsv_test_set_brings_source_reference_and_documents(anaphor: Command, folder: Path) -> None:
    names = ("docs", "src.en", "ref.fr")
    columns = [(folder / name).read_text(encoding="utf-8").splitlines() for name in names]
    rows = "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))
    (folder / "set.tsv").write_text(rows, encoding="utf-8")
    command = "score --pair en-fr --set set.tsv --alignment-reference ref.align --samples 0 --json"
    code, out, _ = anaphor(*command.split(), *ONLY_A)
    assert code == 0
    assert values(out)["a apt"] == pytest.approx(3.5 / 7)
    assert json.loads(out)["documents"] == 3


def test_an_xml_test_set_brings_systems_too(anaphor: Command, folder: Path) -> None:
    """it is identical for both, they is for the one of its own only."""
    (folder / "set.xml").write_text(XML, encoding="utf-8")
    (folder / "own.fr").write_text("Il pleut .\nElles rient .\n", encoding="utf-8")
    (folder / "links").write_text("0-0 1-1 2-2\n" * 2, encoding="utf-8")
    command = "score --pair en-fr --set set.xml --candidate own.fr --samples 0 --json"
    links = ("--alignment-reference", "links", "--alignment-candidate", "links", "links")
    code, out, _ = anaphor(*command.split(), *links)
    assert code == 0
    assert [(name, value) for name, value in values(out).items() if "apt" in name] == [
        ("inside apt", 0.5),
        ("own apt", 1.0),
    ]


def test_documents_may_be_start_lines(score: Command, folder: Path) -> None:
    (folder / "starts").write_text("0 first\n4\n", encoding="utf-8")
    result = json.loads(score("--json", "--documents", "starts")[1])
    parts = result["systems"][0]["metrics"][0]["by_document"]
    assert parts == pytest.approx({"first": 2.5 / 4, "document-1": 1 / 3})


def test_metrics_of_whole_texts_need_no_alignment(anaphor: Command) -> None:
    command = "score --pair en-fr --source src.en --reference ref.fr --candidate ref.fr --samples 0 --json"
    code, out, _ = anaphor(*command.split(), "--metrics", "bleu", "chrf")
    assert code == 0
    assert values(out) == pytest.approx({"ref bleu": 1.0, "ref chrf": 1.0})
    assert json.loads(out)["pronouns"] == 0


def test_packs_of_the_user_replace_the_built_in_ones(score: Command, folder: Path) -> None:
    """In this pack il and elle are equivalent, ce and il are not: 3 / 7 for a, 4.5 / 7 for b."""
    (folder / "packs").mkdir()
    (folder / "packs" / "en-fr.toml").write_text(TOY_PAIR, encoding="utf-8")
    found = values(score("--json", "--packs", "packs")[1])
    assert (found["a apt"], found["b apt"]) == pytest.approx((3 / 7, 4.5 / 7))


def test_scores_of_systems_and_documents_in_the_layout_of_mt_metrics_eval(
    score: Command, folder: Path
) -> None:
    """By documents, a: rain 2 / 2, party 0.5 / 2, trial 1 / 3; b: 1 / 2, 2 / 2, 1 / 3."""
    assert score("--metrics", "apt", "--documents", "docs", "--mtme", "scores")[::2] == (0, "")
    place = folder / "scores" / "metric-scores" / "en-fr"
    assert sorted(path.name for path in place.iterdir()) == ["apt-ref.doc.score", "apt-ref.sys.score"]
    written = (place / "apt-ref.sys.score").read_text(encoding="utf-8").splitlines()
    assert written == [f"a\t{3.5 / 7}", f"b\t{4 / 7}"]
    lines = (place / "apt-ref.doc.score").read_text(encoding="utf-8").splitlines()
    expected = [("a", 1.0), ("a", 0.25), ("a", 1 / 3), ("b", 0.5), ("b", 1.0), ("b", 1 / 3)]
    assert [(name, float(value)) for name, value in (line.split("\t") for line in lines)] == expected


def test_document_scores_that_the_layout_cannot_hold_are_left_out_with_a_note(
    score: Command, folder: Path
) -> None:
    (folder / "docs").write_text("rain\n" * 3 + "party\ntrial\ntrial\n", encoding="utf-8")
    (folder / "positions").write_text("0 0\n3 0\n", encoding="utf-8")
    options = ("--metrics", "apt", "--documents", "docs", "--positions", "positions", "--mtme", "scores")
    code, _, err = score(*options)
    assert code == 0
    assert err.startswith("note: --mtme: no document scores of apt: 2 documents have nothing to score")
    written = sorted(path.name for path in (folder / "scores" / "metric-scores" / "en-fr").iterdir())
    assert written == ["apt-ref.sys.score"]


TEXTS = ("score", "-p", "en-fr", "-s", "src.en", "-r", "ref.fr", "--samples", "0", "--json")


@pytest.fixture
def model(anaphor: Command, folder: Path) -> tuple[str, str]:
    """A model of twenty times the reference, in a file, and the option that names it."""
    for name in ("src.en", "ref.fr"):
        (folder / f"more-{name}").write_text(
            20 * (folder / name).read_text(encoding="utf-8"), encoding="utf-8"
        )
    train = ("align", "train", "-p", "en-fr", "-s", "more-src.en", "--target", "more-ref.fr")
    assert anaphor(*train, "--save", "en-fr.model")[0] == 0
    return ("--model", "en-fr.model")


def test_with_a_model_a_score_does_not_depend_on_who_else_is_scored(
    anaphor: Command, model: tuple[str, str]
) -> None:
    def first(*words: str) -> Any:
        code, out, err = anaphor(*TEXTS, "-c", "a.fr", *words)
        assert code == 0, err
        return json.loads(out)["systems"][0]

    assert first("b.fr", *model) == first(*model)
    train = ("--train", "more-src.en", "more-ref.fr")
    assert first("b.fr", *train) == first(*train)
    assert [one["score"] for one in first(*train)["metrics"]] == [
        one["score"] for one in first(*model)["metrics"]
    ]
    # Aligned jointly, the same candidate gets another signature: its links may have moved.
    assert first("b.fr")["metrics"][0]["signature"] != first()["metrics"][0]["signature"]


@pytest.mark.parametrize("train", [True, False])
def test_a_result_with_a_model_is_verified(
    anaphor: Command, folder: Path, model: tuple[str, str], train: bool
) -> None:
    how = ("--train", "more-src.en", "more-ref.fr") if train else model
    assert anaphor(*TEXTS, "-c", "a.fr", *how, "-o", "r.json")[0] == 0
    assert anaphor("verify", "r.json")[:2] == (0, "r.json: 2 scores recomputed, all equal\n")
    stored = json.loads((folder / "r.json").read_text(encoding="utf-8"))["settings"]
    assert (stored["aligner_model"] is None, stored["aligner_training"] != []) == (train, train)
    retrain = ("align", "train", "-p", "en-fr", "-s", "src.en", "--target", "ref.fr", "--save", "en-fr.model")
    assert anaphor(*retrain)[0] == 0
    (folder / "more-src.en").write_text((folder / "more-src.en").read_text("utf-8").upper(), encoding="utf-8")
    code, _, err = anaphor("verify", "r.json")
    assert code == 1
    assert "recomputing these files gives a different result" in err


@pytest.mark.parametrize(
    ("words", "what", "where"),
    [
        ("--model absent", "cannot read the alignment model", "absent"),
        ("--model en-fr.model --train a b", "--train would be ignored", "--train, --model"),
        ("--model en-fr.model --priors none", "--priors would be ignored", "--priors, --model"),
        ("--model en-fr.model --aligner eflomal", "--model would be ignored", "--model, --aligner"),
        ("--train src.en absent", "the file cannot be read", "absent"),
        ("--model src.en", "alignment model", "src.en"),
    ],
)
@pytest.mark.usefixtures("model")
def test_a_model_that_cannot_be_used(anaphor: Command, words: str, what: str, where: str) -> None:
    code, out, err = anaphor(*TEXTS, "-c", "a.fr", *words.split())
    assert (code, out) == (1, "")
    assert what in err
    assert f"\nwhere: {where}\n" in err


def test_signatures_are_short_and_full_on_request(score: Command) -> None:
    short = score("--weights", "1,1,0,0,0,0", "--metrics", "apt")[1].splitlines()[-1]
    full = score("--weights", "1,1,0,0,0,0", "--metrics", "apt", "--signature", "full")[1].splitlines()[-1]
    begin, end = (
        "apt|weights:1,1,0,0,0,0|pair:en-fr|refs:1|tok:anaphor-fr|aligner:given|sig:",
        f"|version:{__version__}",
    )
    assert short == f"{begin}{digest([full.encode()])}{end}"
    assert "|packs:" in full
    assert "|test:" in full
    stored = json.loads(score("--weights", "1,1,0,0,0,0", "--metrics", "apt", "--json")[1])
    assert full.removesuffix(end) in stored["systems"][0]["metrics"][0]["signature"]
