"""Equivalent pronouns from judged pairs, and the piece of a pack that comes of them."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, OptionError, Outcome, UserError
from anaphor.languages import load_pair
from anaphor.meta.equivalents import JudgedPair, pack_fragment, pairs_of, propose, read_pairs
from anaphor.meta.judgements import JudgedCase, JudgedPronoun, Judgement, ScoredCase

PAIR = LanguagePair("en", "fr")
PACK = load_pair(PAIR)

#: A sample of 100 like that of apt-2017, section 2.5, invented so that its Table 2 comes out: p = 0.6 twice.
SAMPLE = (
    JudgedPair("il", "il", correct=True, times=50),
    JudgedPair("il", "C'", correct=True, times=4),
    JudgedPair("ce", "il", correct=True, times=2),
    JudgedPair("il", "ce", correct=False, times=4),
    JudgedPair("ça", "ce", correct=True, times=3),
    JudgedPair("ç'", "c'", correct=False, times=2),
    JudgedPair("ils", "elles", correct=False, times=20),
    JudgedPair("on", "ils", correct=True, times=4),
    JudgedPair("cela", "ça", correct=True, times=3),
    JudgedPair("leur", "leur", correct=True, times=7),
    JudgedPair("", "il", correct=False, times=1),
)


def test_table_2_of_2017_comes_out_of_a_sample_made_for_it() -> None:
    found = propose(SAMPLE, PACK)
    assert found.sample == 100
    assert [(count.forms, count.probability) for count in found.proposed] == [
        (("ce", "il"), 0.6),
        (("ce", "ça"), 0.6),
    ]


def test_rare_and_improbable_pairs_are_seen_and_not_proposed() -> None:
    counts = {count.forms: count for count in propose(SAMPLE, PACK).counts}
    assert (counts["ils", "on"].share, counts["ils", "on"].probability) == (0.04, 1.0)
    assert counts["elles", "ils"].probability == 0.0
    assert ("cela", "ça") not in counts  # one identical set, so no pair


@pytest.mark.parametrize(("times", "proposed"), [(4, False), (5, True)])
def test_a_pair_of_exactly_five_percent_is_kept(times: int, proposed: bool) -> None:
    pairs = [
        JudgedPair("on", "ils", correct=True, times=times),
        JudgedPair("il", "il", correct=True, times=100 - times),
    ]
    assert bool(propose(pairs, PACK).proposed) is proposed


def test_a_probability_of_one_half_is_not_enough() -> None:
    pairs = [JudgedPair("on", "ils", correct=True), JudgedPair("on", "ils", correct=False)]
    assert propose(pairs, PACK).proposed == ()


def test_forms_are_found_inside_words() -> None:
    found = propose([JudgedPair("qu'elle", "disent-ils", correct=True)], PACK)
    assert found.counts[0].forms == ("elle", "ils")


def test_the_fragment_fits_into_a_pack_that_the_loader_accepts(tmp_path: Path) -> None:
    built_in = (files("anaphor.languages") / "packs" / "en-fr.toml").read_text(encoding="utf-8")
    fragment = pack_fragment(propose(SAMPLE, PACK))
    changed, count = re.subn(r"equivalent = \[.*?\n\]\n", lambda _: fragment, built_in, flags=re.DOTALL)
    assert count == 1
    (tmp_path / "en-fr.toml").write_text(changed, encoding="utf-8")
    pack = load_pair(PAIR, folder=tmp_path)
    assert [(entry.forms, entry.probability) for entry in pack.equivalent] == [
        (("ce", "il"), 0.6),
        (("ce", "ça"), 0.6),
    ]


def test_an_empty_proposal_is_an_empty_list() -> None:
    assert pack_fragment(propose(SAMPLE[:1], PACK)).endswith("equivalent = [\n]\n")


def test_judged_items_become_pairs_unless_they_are_bad() -> None:
    def one(answer: Judgement, candidate: str | None) -> JudgedCase:
        judged = JudgedPronoun("s", "1", answer, category=None, reason=None, annotator="")
        return JudgedCase(judged, ScoredCase(Outcome.DIFFERENT, "Il", candidate))

    joined = [one(Judgement.CORRECT, "Ce"), one(Judgement.BAD, "Ce"), one(Judgement.INCORRECT, None)]
    assert pairs_of(joined) == (
        JudgedPair("Ce", "Il", correct=True),
        JudgedPair("", "Il", correct=False),
    )


def test_pairs_are_read_with_and_without_counts(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(
        "candidate\treference\tjudgement\ttimes\nil\tce\tcorrect\t3\nil\tce\tbad\t9\nce\til\tincorrect\t\n",
        encoding="utf-8",
    )
    assert read_pairs(path) == (
        JudgedPair("il", "ce", correct=True, times=3),
        JudgedPair("ce", "il", correct=False, times=1),
    )


@pytest.mark.parametrize(
    ("row", "error", "words"),
    [
        ("il\tce\tright\t1", InputError, "judgement: unknown value: right"),
        ("il\tce\tcorrect\t-2", InputError, "expected an integer of at least 0"),
        ("il\t\tcorrect\t1", InputError, "reference"),
    ],
)
def test_broken_pairs_are_refused(tmp_path: Path, row: str, error: type[UserError], words: str) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(f"candidate\treference\tjudgement\ttimes\n{row}\n", encoding="utf-8")
    with pytest.raises(error, match=words):
        read_pairs(path)


@pytest.mark.parametrize(("share", "threshold"), [(1.0, 0.5), (-0.1, 0.5), (0.05, 1.0)])
def test_limits_are_shares(share: float, threshold: float) -> None:
    with pytest.raises(OptionError, match="not a share"):
        propose(SAMPLE, PACK, share=share, threshold=threshold)


def test_pairs_that_are_equally_frequent_stand_in_the_order_of_the_alphabet() -> None:
    pairs = [JudgedPair("on", "ils", True), JudgedPair("il", "ce", True), JudgedPair("ça", "ce", True)]
    found = propose(pairs, load_pair(LanguagePair("en", "fr")))
    assert [one.forms for one in found.counts] == sorted(one.forms for one in found.counts)
    assert found.counts[0].forms != ("ils", "on")
