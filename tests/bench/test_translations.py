"""Translations judged by the official rules, faults included, and where the form should stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.bench import (
    Bench,
    BenchItem,
    BenchOutcome,
    evaluate_translations,
    judge_translations,
    write_bench,
)
from anaphor.bench.linked import LinkedRule
from anaphor.bench.official import winomt_german
from anaphor.cli.main import main
from anaphor.core import LanguagePair, MismatchError, OptionError, Span
from anaphor.corpus import Text

R, W, T, A = BenchOutcome.RIGHT, BenchOutcome.WRONG, BenchOutcome.TIE, BenchOutcome.ABSENT
N = BenchOutcome.NEUTRAL


def bench(kind: str, pair: str, *items: BenchItem) -> Bench:
    return Bench("mine", LanguagePair.parse(pair), kind, items)


def outcomes(bench: Bench, lines: Sequence[str], rule: str, **options: object) -> list[BenchOutcome]:
    return list(judge_translations(bench, lines, rules=(rule,), **options).outcomes[rule])  # type: ignore[arg-type]


LIKES = BenchItem(
    "likes",
    ("She likes you.",),
    variants=("Sie mag Sie.",),
    expected=("sie", "ihnen"),
    wrong=("dich", "dir", "du"),
    pronoun="you",
    slot=Span(10, 13),
)
HAVE = BenchItem("have", ("I do.",), variants=("J'ai dit oui.",), expected=("ai",), pronoun="do")


def test_ctxpro_searches_between_blanks_after_deleting_punctuation() -> None:
    pytest.importorskip("sentence_splitter")
    formality = bench("ctxpro", "en-de", LIKES)
    # *Sie* is *she* here: the rule cannot know, and calls it right.
    assert outcomes(formality, ["Sie mag dich."], "official") == [R]
    assert outcomes(formality, ["Sie mag Sie. Er mag dich."], "official") == [W]
    assert outcomes(formality, ["Er mag jeden."], "official") == [A]
    # The apostrophe is deleted, so that its own reference is not found.
    auxiliary = bench("ctxpro", "en-fr", HAVE)
    assert outcomes(auxiliary, ["J'ai dit oui."], "official") == [A]
    assert outcomes(auxiliary, ["Moi, je ai dit oui."], "official") == [R]


def test_linked_looks_at_the_counterpart_and_understands_elision() -> None:
    formality = bench("ctxpro", "en-de", LIKES)
    assert outcomes(formality, ["Sie mag dich."], "linked") == [W]
    assert outcomes(formality, ["Sie mag Sie."], "linked") == [R]
    assert outcomes(formality, ["Sie hilft Ihnen."], "linked") == [R]
    assert outcomes(bench("ctxpro", "en-fr", HAVE), ["J'ai dit oui."], "linked") == [R]


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("Je crois qu'elle est là.", R),
        ("Où va-t-elle ?", R),
        ("Où va-t-il ?", W),
        ("Je crois qu’il est là.", W),
        ("Rien du tout.", A),
    ],
)
def test_clitics_and_apostrophes(line: str, outcome: BenchOutcome) -> None:
    item = BenchItem(
        "car",
        ("I think it is there.",),
        variants=("Je crois qu'elle est là.", "Je crois qu'il est là."),
        expected=("elle",),
        wrong=("il",),
        pronoun="it",
    )
    assert outcomes(bench("disceval", "en-fr", item), [line], "linked") == [outcome]


def test_an_elided_object_fits_either_gender() -> None:
    item = BenchItem(
        "see",
        ("I saw it.",),
        variants=("Je la vois.", "Je le vois."),
        expected=("la",),
        wrong=("le",),
        pronoun="it",
    )
    found = bench("disceval", "en-fr", item, *())
    assert outcomes(found, ["Je l'ai vue."], "linked") == [R]
    assert outcomes(found, ["Je le vois."], "linked") == [W]


def test_an_article_is_not_the_pronoun() -> None:
    item = BenchItem(
        "kids",
        ("One of the kids took it.",),
        variants=("La cogió uno de los niños.",),
        expected=("la", "ella"),
        wrong=("lo", "los", "él"),
        pronoun="it",
    )
    assert outcomes(bench("ctxpro", "en-es", item), ["La cogió uno de los niños."], "linked") == [R]
    assert outcomes(bench("ctxpro", "en-es", item), ["Lo cogió uno de los niños."], "linked") == [W]


def test_pecore_asks_for_one_differing_word() -> None:
    item = BenchItem(
        "0", ("They left.",), variants=("Elles sont parties.", "Ils sont partis."), expected=("elles",)
    )
    disceval = bench("disceval", "en-fr", item)
    lines = {"Elles partirent.": R, "Nous sommes parties.": R, "Ils partirent.": W, "On part.": A}
    for line, outcome in lines.items():
        assert outcomes(disceval, [line], "official") == [outcome]
    assert outcomes(disceval, ["Les femmes. <brk> Ils partirent."], "official", separator="<brk>") == [W]


def test_scat_wants_the_form_and_not_its_opposite() -> None:
    item = BenchItem("0", ("They left.",), variants=("Elles.", "Ils."), expected=("elles",), wrong=("ils",))
    lines = {"Elles partirent.": R, "Ils et elles.": T, "Ils partirent.": W, "On part.": A}
    for line, outcome in lines.items():
        assert outcomes(bench("scat", "en-fr", item), [line], "official") == [outcome]


def test_mtgeneval_refuses_words_of_the_other_reference_alone() -> None:
    item = BenchItem(
        "0",
        ("The actor left.",),
        variants=("L'actrice est partie.", "L'acteur est parti."),
        expected=("actrice",),
    )
    lines = {"L'actrice est partie.": R, "Elle est partie, l'acteur !": W, "Tout va bien.": R}
    for line, outcome in lines.items():
        assert outcomes(bench("mtgeneval", "en-fr", item), [line], "official") == [outcome]


def test_winomt_german_takes_the_nearest_word_of_its_table() -> None:
    item = BenchItem("0", ("The nurse slept.",), category="female", pronoun="clerk")
    words = ("Der", "Beamte", "sah", "die", "Chefin")
    assert winomt_german(item, words, [1], ["Beamte"]) == "male"
    assert winomt_german(item, words, [3, 4], ["die", "Chefin"]) == "female"
    assert winomt_german(item, words, [3], ["die"]) == "female"
    assert winomt_german(item, words, [], []) == "male"
    assert winomt_german(replace(item, pronoun="nurse"), words, [], []) == "female"


def test_linked_tells_the_gender_of_a_person() -> None:
    source = "The developer slept."
    item = BenchItem("0", (source,), category="female", pronoun="developer", slot=Span(0, 13))
    for pair, right, wrong in (
        ("en-de", "Die Entwicklerin schlief.", "Der Entwickler schlief."),
        ("en-es", "La desarrolladora dormía.", "El desarrollador dormía."),
    ):
        found = bench("winomt", pair, item)
        assert outcomes(found, [right], "linked") == [R]
        assert outcomes(found, [wrong], "linked") == [W]


def test_the_tested_sentence_is_cut_from_a_whole_translation() -> None:
    item = BenchItem(
        "0",
        ("The lamp is old.", "My father bought the lamp in Paris.", "It still works."),
        variants=("Sie funktioniert noch.", "Er funktioniert noch."),
        expected=("sie",),
        wrong=("er",),
        pronoun="it",
    )
    found = bench("contrapro", "en-de", item)
    line = "Die Lampe ist alt. Mein Vater kaufte die Lampe in Paris. Ja, sie funktioniert noch. Wirklich."
    assert LinkedRule(found).last_sentences([line]) == ["Ja, sie funktioniert noch. Wirklich."]
    judged = judge_translations(found, [line], whole=True)
    assert judged.outcomes == {"linked": (R,)}
    assert judged.sentences == ("Ja, sie funktioniert noch. Wirklich.",)


def test_a_whole_translation_is_not_cut_after_an_elided_word() -> None:
    item = BenchItem("cats", ("The cats", "They were not bad."), expected=("ils",), pronoun="they")
    line = "Les chats de la ville, ils n'étaient pas mauvais."
    assert LinkedRule(bench("scat", "en-fr", item)).last_sentences([line]) == [line]


def test_a_whole_translation_is_cut_where_the_signs_of_the_source_or_many_links_say_so() -> None:
    lamp = BenchItem(
        "lamp",
        ("The old lamp is in the kitchen;", "it works."),
        variants=("sie funktioniert.", "er funktioniert."),
        expected=("sie",),
        wrong=("er",),
        pronoun="it",
    )
    house = replace(lamp, id="house", source=("The old lamp is in the big kitchen", "It works."))
    lines = [
        "Die alte Lampe ist in der Küche; sie funktioniert.",
        "Die alte Lampe ist in der großen Küche Sie funktioniert.",
    ]
    found = LinkedRule(bench("contrapro", "en-de", lamp, house)).last_sentences(lines)
    assert found == ["sie funktioniert.", "Sie funktioniert."]


def test_a_wrong_form_that_the_reference_has_beside_the_right_one_is_no_error() -> None:
    world = BenchItem(
        "world",
        ("Treat this world as it deserves.",),
        variants=("Behandle diese Welt, wie sie es verdient.", "Behandle diese Welt, wie er es verdient."),
        expected=("sie",),
        wrong=("er", "es"),
        pronoun="it",
    )
    found = bench("contrapro", "en-de", *(replace(world, id=str(at)) for at in range(3)))
    lines = [*world.variants, "Behandle diese Welt, wie es verdient ist."]
    assert outcomes(found, lines, "linked") == [R, W, W]


def test_an_elided_article_is_no_evidence_of_the_wrong_gender() -> None:
    """MT-GenEval: *la* is wrong, but *l'* may as well be *le*; *t'* can only be informal."""
    judge = BenchItem("judge", ("The judge left.",), wrong=("la",), category="m", pronoun="")
    other = BenchItem("other", ("It left.",), expected=("le",), wrong=("la",), pronoun="it")
    found = bench("mtgeneval", "en-fr", judge, other)
    assert outcomes(found, ["Le juge a quitté l'usine.", "Il l'a quitté."], "linked") == [R, R]
    you = BenchItem("you", ("I see you.",), expected=("vous",), wrong=("te", "tu"), pronoun="you")
    assert outcomes(bench("ctxpro", "en-fr", you), ["Je t'ai vu."], "linked") == [W]


def test_a_language_without_a_pack_is_judged_by_words() -> None:
    item = BenchItem("0", ("I see you.",), variants=("Ti vedo.", "La vedo."), expected=("ti",), wrong=("la",))
    found = bench("contrapro", "en-it", item)
    with pytest.warns(match="no built-in priors"):
        assert outcomes(found, ["Ti vedo."], "linked") == [R]


def test_bad_requests() -> None:
    contrastive = bench("contrapro", "en-de", LIKES)
    with pytest.raises(MismatchError, match="has 2 lines, the bench mine has 1"):
        judge_translations(contrastive, ["a", "b"])
    with pytest.raises(OptionError, match="no official rule for translations"):
        judge_translations(contrastive, ["a"], rules=("official",))
    with pytest.raises(OptionError, match="unknown rule: strict"):
        judge_translations(contrastive, ["a"], rules=("strict",))
    with pytest.raises(OptionError, match="genders of nouns are not known"):
        judge_translations(bench("winomt", "en-ru", LIKES), ["a"])


def test_both_rules_side_by_side_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [
        BenchItem(
            name,
            (f"The {name} is new.", "It works."),
            context=(f"{noun} est neuf.",),
            variants=(f"{right} marche.", f"{wrong} marche."),
            expected=(right.lower(),),
            wrong=(wrong.lower(),),
            pronoun="it",
        )
        for name, noun, right, wrong in (("car", "La voiture", "Elle", "Il"), ("bus", "Le bus", "Il", "Elle"))
    ]
    found = bench("disceval", "en-fr", *items)
    write_bench(tmp_path / "b.jsonl", found)
    (tmp_path / "a.fr").write_text("Il marche.\nIl marche.\n", encoding="utf-8")
    (tmp_path / "whole.fr").write_text(
        "La voiture est neuve. Elle marche.\nLe bus est neuf. Il marche.\n", encoding="utf-8"
    )
    result = evaluate_translations(found, {"a": Text.of(["Il marche."] * 2, path="a")})
    assert [score.total.accuracy for score in result.scores] == [0.5, 0.5]
    # A note says that lines are the source itself, if more than half of them are.
    sources = [item.source[-1] for item in found.items]
    for lines, noted in ((sources, True), ([sources[0], "Il marche."], False)):
        copied = evaluate_translations(found, {"a": Text.of(lines, path="a")})
        assert any("are the source" in note for note in copied.notes) is noted
    paths = [str(tmp_path / name) for name in ("b.jsonl", "a.fr", "whole.fr")]
    assert main(["bench", "score", paths[0], "--translations", paths[1]]) == 0
    told = capsys.readouterr().out
    assert "official" in told
    assert "linked" in told
    command = ["bench", "context", paths[0], "--with", paths[2], "--without", paths[1], "--translations"]
    assert main([*command, "--whole", "--rule", "linked", "--json"]) == 0
    assert '"won": 1' in capsys.readouterr().out


HE = BenchItem(
    "he", ("Er schläft.",), variants=("He sleeps.",), expected=("he",), wrong=("she", "it"), pronoun="Er"
)


@pytest.mark.parametrize(
    ("line", "default", "one"),
    [
        ("He sleeps.", R, R),
        ("She sleeps.", W, W),
        ("Ze sleeps.", N, N),
        ("They sleep.", A, N),
        ("Sleep well.", A, A),
    ],
)
def test_neutral_pronouns_are_an_outcome_of_their_own(
    line: str, default: BenchOutcome, one: BenchOutcome
) -> None:
    for policy in ("default", "plural"):
        assert outcomes(bench("ctxpro", "de-en", HE), [line], "linked", they=policy) == [default]
    for policy in ("singular", "either"):
        assert outcomes(bench("ctxpro", "de-en", HE), [line], "linked", they=policy) == [one]


def test_neutral_pronouns_are_for_people_and_official_rules_do_not_know_them() -> None:
    lamp = replace(HE, expected=("it",), wrong=("he", "she"), variants=("It works.",))
    assert outcomes(bench("ctxpro", "de-en", lamp), ["They work."], "linked", they="singular") == [A]
    judge = BenchItem("j", ("The judge left.",), variants=("Il est parti.", "Elle est partie."))
    assert outcomes(bench("mtgeneval", "en-fr", judge), ["Iel est parti."], "official") == [R]
    listed = replace(HE, wrong=("she", "they"))
    assert outcomes(bench("ctxpro", "de-en", listed), ["They sleep."], "linked") == [W]
    assert outcomes(bench("ctxpro", "de-en", listed), ["They sleep."], "linked", they="either") == [N]
    with pytest.raises(OptionError, match="unknown policy: many"):
        outcomes(bench("ctxpro", "de-en", HE), ["He."], "linked", they="many")


def test_the_policy_is_signed_where_it_is_not_the_default() -> None:
    texts = {"a": Text.of(["They sleep."], path="a")}
    for policy, signed in (("default", False), ("either", True)):
        result = evaluate_translations(bench("suite", "de-en", HE), texts, they=policy)
        assert ("they:either" in str(result.signatures["linked"])) == signed
    assert "neutral" in str(result.accuracy_table().columns)
