"""What a reason says of the referent, by the probabilities of the resolver. All sentences are invented."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from anaphor.antecedents import Mention, PronounAntecedents
from anaphor.verdict import Case
from anaphor.verdict.referents import NO_NOUN, NOTHING, NOUN, NOUNS, Referents, likely_nouns
from anaphor.verdict.rendering import rendering_of

CaseMaker = Callable[..., list[Case]]
SOURCE = ("We need a lamp , a door and a table .", "It costs too much .")
TARGET = ("Nous cherchons une lampe , une porte et un bureau .",)
LINKS = ("0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8 9-9 10-10", "0-0 1-1 3-2")
LAMP, DOOR, TABLE = (3, "lamp"), (6, "door"), (9, "table")


def mention(position: int, form: str) -> Mention:
    return Mention(0, position, position - 1, "noun", form, form, False, "a", "object", 1)


def referents(
    cases_of: CaseMaker,
    line: str,
    nouns: dict[tuple[int, str], float],
    *,
    pair: str = "en-fr",
    target: tuple[str, ...] = TARGET,
    **functions: float,
) -> Referents:
    """The evidence on a pronoun whose resolver gives these probabilities."""
    *_, case = cases_of(pair, SOURCE, (*target, line), LINKS)
    heads = {mention(*place): share for place, share in nouns.items()}
    uses = {"event": 0.0, "pleonastic": 0.0} | functions
    found = PronounAntecedents(tuple(heads.items()), heads, **uses)  # type: ignore[arg-type]
    source = replace(case.document.source, antecedents={case.place: found})
    case = replace(case, document=replace(case.document, source=source))
    return Referents(case, rendering_of(case), number="s", fits=0.0, differs=0.0)


def clauses(*given: object, **more: object) -> tuple[str, str]:
    found = referents(*given, **more)  # type: ignore[arg-type]
    return found.clause(accepts=True), found.clause(accepts=False)


@pytest.mark.parametrize(("form", "fits"), [("Elle", True), ("Il", False)])
def test_a_noun_is_named_as_the_antecedent_from_a_limit_on(
    cases_of: CaseMaker, form: str, fits: bool
) -> None:
    # Nothing here supports or contradicts the verdict but the noun, so that its probability stays as it is.
    for share in (NOUN + 0.01, NOUN - 0.01):
        accepts, rejects = clauses(cases_of, f"{form} coûte trop .", {LAMP: share})
        outcome = "agrees" if fits else "does not agree"
        named = f"*it* = *lamp* (line 1) → *lampe* (feminine); *{form.lower()}* {outcome}"
        assert (accepts if fits else rejects) == (named if share > NOUN else "")
        assert (rejects if fits else accepts) == ""


def test_a_form_that_agrees_with_one_of_two_nouns_makes_it_likelier(cases_of: CaseMaker) -> None:
    nouns = {LAMP: 0.5, TABLE: 0.5}
    accepts, rejects = clauses(cases_of, "Elle coûte trop .", nouns)
    assert accepts == "*it* = *lamp* (line 1) → *lampe* (feminine); *elle* agrees"
    # If the form is wrong, then because the other noun is meant.
    assert rejects == "*it* = *table* (line 1) → *bureau* (masculine); *elle* does not agree"


def test_two_nouns_are_named_if_one_of_them_is_almost_certain(cases_of: CaseMaker) -> None:
    lamp, door = "*lamp* (line 1) → *lampe* (feminine)", "*door* (line 1) → *porte* (feminine)"
    for form, outcome, at in (("Elle", "agrees with both", 0), ("Il", "agrees with neither", 1)):
        found = clauses(cases_of, f"{form} coûte trop .", {LAMP: NOUNS / 2 + 0.01, DOOR: NOUNS / 2})
        assert found[at] == f"*it* = {lamp} or {door}; *{form.lower()}* {outcome}"
        assert not found[1 - at]
        less = {LAMP: NOUNS / 2 - 0.01, DOOR: NOUNS / 2}
        assert clauses(cases_of, f"{form} coûte trop .", less) == ("", "")


def test_without_a_noun_the_function_is_named(cases_of: CaseMaker) -> None:
    for form, can in (("Il", True), ("Elle", False)):
        accepts, rejects = clauses(cases_of, f"{form} coûte trop .", {LAMP: 0.4}, pleonastic=NOTHING)
        said = f"*it* refers to nothing; *{form.lower()}* {'can' if can else 'cannot'} do so"
        assert (accepts, rejects) == ((said, "") if can else ("", said))
    said = "*it* refers to no noun; *cela* can do so"
    assert clauses(cases_of, "Cela coûte trop .", {}, event=NO_NOUN - 0.2, pleonastic=0.2) == (said, "")
    # An event is rarely certain enough to be told from nothing.
    accepts, _ = clauses(cases_of, "Cela coûte trop .", {}, event=0.7)
    assert "what was said" not in accepts
    accepts, _ = clauses(cases_of, "Cela coûte trop .", {}, event=0.9)
    assert accepts == "*it* refers to what was said; *cela* can do so"


def test_of_a_form_without_gender_only_its_number_is_compared(cases_of: CaseMaker) -> None:
    target = ("Nosotros necesitamos una lámpara , una puerta y un escritorio .",)
    more = {"pair": "en-es", "target": target}
    nouns = {LAMP: 0.4, TABLE: 0.3}
    assert clauses(cases_of, "Cuesta demasiado .", nouns, **more) == (
        "the verb *Cuesta* is singular like *it*",
        "",
    )
    assert clauses(cases_of, "Cuestan demasiado .", nouns, **more) == (
        "",
        "the verb *Cuestan* is plural, *it* singular",
    )


def test_mentions_of_one_noun_count_together(cases_of: CaseMaker) -> None:
    *_, case = cases_of("en-fr", SOURCE, (*TARGET, "Elle coûte trop ."), LINKS)
    again = mention(6, "door")._replace(lemma="lamp")
    heads = {mention(*LAMP): 0.3, again: 0.4, mention(*TABLE): 0.2}
    nouns = likely_nouns(PronounAntecedents((), heads, 0.0, 0.0), case.document.target)
    assert [(noun.mention.form, noun.word) for noun in nouns] == [("door", "porte"), ("table", "bureau")]
    assert nouns[0].share == pytest.approx(0.7)
