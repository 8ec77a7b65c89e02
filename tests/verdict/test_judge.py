"""Documents, blocks and the order of pronouns. All sentences are invented."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from anaphor.antecedents import ResolvedDocument, Resolver
from anaphor.core import LanguagePair, OptionError, Outcome
from anaphor.languages import load_language
from anaphor.verdict import CandidateText, Judge, RenderingKind
from anaphor.verdict.document import Piece, blocks

TextMaker = Callable[..., CandidateText]
JudgeMaker = Callable[[str], Judge]

#: A unit whose pronouns find their antecedent in the unit: whatever comes before hardly matters.
SOURCE = ("We bought a lamp .", "It works and it shines .", "The boats are old .", "They leak .")
FRENCH = (
    "Nous achetons une lampe .",
    "Elle marche et il brille .",
    "Les bateaux sont vieux .",
    "Ils fuient .",
)
LINKS = ("0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2 3-3 4-4 5-5", "0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2")


def test_short_texts_are_one_piece() -> None:
    assert list(blocks(None, 3)) == [[Piece(0, 0, 3)]]
    assert list(blocks(("a", "a", "b"), 3)) == [[Piece(0, 0, 2), Piece(2, 2, 3)]]
    assert list(blocks(("a", "b", "a"), 3)) == [[Piece(0, 0, 1), Piece(1, 1, 2), Piece(2, 2, 3)]]


@pytest.mark.parametrize("segments", [1, 499, 500, 501, 1000, 1234])
def test_pieces_cover_every_segment_once(segments: int) -> None:
    documents = [f"{number // 700}" for number in range(segments)]
    for given in (None, documents):
        pieces = [piece for block in blocks(given, segments) for piece in block]
        assert [n for piece in pieces for n in range(piece.first, piece.end)] == list(range(segments))
        for piece in pieces:
            # Context is from the same document, 30 segments where it was cut.
            assert piece.first - piece.start in (0, 30)
            if given is not None:
                assert len(set(given[piece.start : piece.end])) == 1


def test_long_documents_are_judged_in_blocks_with_the_same_verdicts(
    text_of: TextMaker, judge_of: JudgeMaker
) -> None:
    units = 280
    text = text_of("en-fr", SOURCE * units, FRENCH * units, LINKS * units)
    own = tuple(str(number // 4) for number in range(4 * units))
    apart = replace(text, documents=own)
    judge = judge_of("en-fr")
    one_piece, pieces = judge.judge(text)[0], judge.judge(apart)[0]
    assert len(one_piece) == len(pieces) == 3 * units
    assert [one.verdict for one in one_piece[:3]] == [one.verdict for one in pieces[:3]]
    # Around the cuts at segments 500 and 1000 nothing changes.
    for cut in (500, 1000):
        first = cut // 4 * 3
        before, after = one_piece[first - 30 : first], one_piece[first : first + 30]
        assert [one.verdict for one in before] == [one.verdict for one in after]
        assert [one.value for one in before] == pytest.approx([one.value for one in after], abs=0.02)


def test_antecedents_are_counted_from_the_start_of_the_text(text_of: TextMaker, judge_of: JudgeMaker) -> None:
    units = 130
    text = text_of("en-fr", SOURCE * units, FRENCH * units, LINKS * units)
    scores, _ = judge_of("en-fr").judge(text)
    pronoun = 3 * 126
    assert text.pairs[pronoun].source.segment == 4 * 126 + 1
    assert scores[pronoun].antecedent == (4 * 126, 3)
    assert f"(line {4 * 126 + 1})" in scores[pronoun].reason


def test_candidates_share_a_source(
    text_of: TextMaker, judge_of: JudgeMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve, resolved = Resolver.resolve, []

    def counted(*given: Any) -> ResolvedDocument:
        resolved.append(given)
        return resolve(*given)

    monkeypatch.setattr(Resolver, "resolve", counted)
    one = text_of("en-fr", SOURCE, FRENCH, LINKS)
    worse = tuple(line.replace("Elle", "Il") for line in FRENCH)
    two = replace(text_of("en-fr", SOURCE, worse, LINKS), source=one.source)
    judge = judge_of("en-fr")
    first, second = judge.judge(one)[0], judge.judge(two)[0]
    assert len(resolved) == 1
    assert first[0].value is not None
    assert second[0].value is not None
    assert first[0].value > second[0].value
    # Another text is not judged by what is remembered of the last one.
    other = text_of(
        "en-fr", ("We bought a book .", *SOURCE[1:]), ("Nous achetons un livre .", *FRENCH[1:]), LINKS
    )
    assert "*book*" in judge.judge(other)[0][0].reason
    assert len(resolved) == 2
    assert judge.judge(one)[0] == first


def test_a_candidate_of_which_more_pronouns_are_judged(text_of: TextMaker, judge_of: JudgeMaker) -> None:
    text = text_of("en-fr", (*SOURCE, *SOURCE), (*FRENCH, *FRENCH), (*LINKS, *LINKS))
    assert len(text.pairs) > 1
    judge = judge_of("en-fr")
    weighed = [judge.weigh(replace(text, pairs=pairs)) for pairs in (text.pairs[:1], text.pairs)]
    assert weighed[0] == weighed[1][:1]
    assert weighed[1] == judge_of("en-fr").weigh(text)


def test_verdicts_are_in_the_order_of_the_pronouns(text_of: TextMaker, judge_of: JudgeMaker) -> None:
    text = text_of("en-fr", SOURCE, FRENCH, LINKS)
    places = [(one.source.segment, one.source.position) for one in text.pairs]
    assert places == [(1, 0), (1, 3), (3, 0)]
    elle, il, ils = judge_of("en-fr").judge(text)[0]
    assert elle.value is not None
    assert il.value is not None
    assert elle.value > il.value
    assert "*boats*" in ils.reason or ils.antecedent == (2, 1)


def test_outcomes_belong_to_their_pronouns(text_of: TextMaker, judge_of: JudgeMaker) -> None:
    text = text_of("en-fr", SOURCE, FRENCH, LINKS)
    outcomes = [[Outcome.DIFFERENT], [Outcome.IDENTICAL], [Outcome.CANDIDATE_MISSING, Outcome.IDENTICAL]]
    heard = list(judge_of("en-fr").evidence(replace(text, outcomes=outcomes)))
    said = [one.testimonies["reference"].signals for one in heard]
    assert [one["different"] for one in said] == [1, 0, 0]
    assert [one["same"] for one in said] == [0, 1, 1]
    assert all("reference" not in one.testimonies for one in judge_of("en-fr").evidence(text))


def test_only_the_witnesses_that_are_given_are_heard(text_of: TextMaker, judge_of: JudgeMaker) -> None:
    class Silent:
        name = "silent"

        def testify(self, case: object, rendering: object) -> None:
            return None

    known = judge_of("en-fr")
    judge = Judge(
        LanguagePair("en", "fr"), words=known._words, source_words=known._source_words, witnesses=[Silent()]
    )
    scores, ratios = judge.judge(text_of("en-fr", SOURCE, FRENCH, LINKS))
    assert len(set(ratios)) == 1
    assert {one.antecedent for one in scores} == {None}


def test_a_text_without_pronouns_has_no_verdicts(text_of: TextMaker, judge_of: JudgeMaker) -> None:
    text = replace(text_of("en-fr", SOURCE, FRENCH, LINKS), pairs=())
    assert judge_of("en-fr").judge(text) == ([], [])


def test_a_users_pack_of_the_target_language_is_used(
    tmp_path: Path, text_of: TextMaker, judge_of: JudgeMaker
) -> None:
    built_in = (files("anaphor.languages") / "packs" / "es.toml").read_text(encoding="utf-8")
    file = tmp_path / "es.toml"
    file.write_text(built_in.replace("null_subjects = true", "null_subjects = false"), encoding="utf-8")
    known = judge_of("en-es")
    own = Judge(
        LanguagePair("en", "es"),
        words=known._words,
        source_words=known._source_words,
        target=load_language("es", folder=tmp_path),
    )
    text = text_of("en-es", ["It works ."], ["Funciona ."], ["1-0 2-1"])
    (dropped,), (nothing,) = (list(judge.evidence(text)) for judge in (known, own))
    assert dropped.rendering.kind is RenderingKind.NULL_SUBJECT
    assert nothing.rendering.kind is RenderingKind.NOTHING


@pytest.mark.parametrize(
    ("pair", "before", "agrees", "differs"),
    [
        ("en-it", "La lampada è vecchia .", "È rotta .", "È rotto ."),
        ("en-pt", "A lâmpada é velha .", "Está quebrada .", "Está quebrado ."),
    ],
)
def test_a_dropped_subject_is_judged_by_what_agrees_with_it(
    text_of: TextMaker, judge_of: JudgeMaker, pair: str, before: str, agrees: str, differs: str
) -> None:
    source = ["The lamp is old .", "It is broken ."]
    links = ["0-0 1-1 2-2 3-3 4-4", "1-0 2-1 3-2"]
    verdicts = []
    for rendering in (agrees, differs):
        (score,), _ = judge_of(pair).judge(text_of(pair, source, [before, rendering], links))
        assert score.antecedent == (0, 1)
        verdicts.append((score.verdict, "(feminine)" in score.reason))
    assert verdicts == [("accepted", True), ("rejected", True)]


def test_a_pack_without_agreement_has_no_verdict() -> None:
    pack = replace(load_language("es"), agreement=None)
    with pytest.raises(OptionError, match="not available for en-es"):
        Judge(LanguagePair("en", "es"), words=str.split, source_words=str.split, target=pack)


@pytest.mark.parametrize(
    ("pair", "missing"),
    [
        ("en-ru", "genders of Russian nouns are not known and there is no analyser for Russian"),
        ("en-uk", "genders of Ukrainian nouns are not known and there is no analyser for Ukrainian"),
        ("en-pl", "genders of Polish nouns are not known and there is no analyser for Polish"),
        ("en-cs", "genders of Czech nouns are not known and there is no analyser for Czech"),
        ("en-nl", "genders of Dutch nouns are not known and there is no analyser for Dutch"),
        ("ru-en", "antecedents cannot be found in Russian texts"),
        ("uk-en", "antecedents cannot be found in Ukrainian texts"),
        ("pl-en", "antecedents cannot be found in Polish texts"),
        ("cs-en", "antecedents cannot be found in Czech texts"),
        ("nl-en", "antecedents cannot be found in Dutch texts"),
        (
            "nl-ru",
            "antecedents cannot be found in Dutch texts and genders of Russian nouns are not known "
            "and there is no analyser for Russian",
        ),
        ("en-sk", "there is no pack of the target language"),
    ],
)
def test_a_pair_that_cannot_be_judged_says_why_and_what_works(pair: str, missing: str) -> None:
    with pytest.raises(OptionError) as caught:
        Judge(LanguagePair.parse(pair), words=str.split, source_words=str.split)
    assert caught.value.what == f"acceptability is not available for {pair}: {missing}"
    assert "with a reference" in caught.value.fix
    assert "apt autoprf" in caught.value.fix


def test_a_pair_without_resolver_is_an_option_error() -> None:
    with pytest.raises(OptionError, match="not available for cs-en") as caught:
        Judge(LanguagePair("cs", "en"), words=str.split, source_words=str.split)
    assert "en-de" in caught.value.fix
