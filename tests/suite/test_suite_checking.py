"""A suite is trusted when its own references get full marks, and refused when they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair, Span, TextPlace
from anaphor.scoring.selfcheck import CheckFinding, check_suite, reference_marks
from anaphor.suite import EvaluationOptions, LoadedSuite

OPTIONS = EvaluationOptions(aligner=AlignerChoice(pair=LanguagePair("en", "fr")))


def with_pronoun(loaded: LoadedSuite, name: str, place: TextPlace) -> LoadedSuite:
    """The suite with another place for the pronoun of one item in its first reference."""
    items = tuple(
        replace(item, references=(replace(item.references[0], pronoun=place), *item.references[1:]))
        if item.id == name
        else item
        for item in loaded.suite.items
    )
    return LoadedSuite(replace(loaded.suite, items=items), loaded.texts)


def failed(findings: list[CheckFinding]) -> list[str]:
    return [finding.what for finding in findings if not finding.holds]


def test_the_references_of_the_examples_get_full_marks(loaded: LoadedSuite) -> None:
    human, second = reference_marks(loaded, OPTIONS)
    assert (human.reference, human.items, human.wrong, human.wordless) == ("human", 7, (), ())
    assert (second.reference, second.items, second.wrong) == ("second", 1, ())
    assert human.exchanged < 7
    assert failed(list(check_suite(loaded, OPTIONS))) == []


def test_a_place_with_punctuation_alone_is_found(loaded: LoadedSuite) -> None:
    stop = len("Aujourd'hui il pleut")
    findings = list(check_suite(with_pronoun(loaded, "rain", (Span(stop, stop + 1),)), OPTIONS))
    assert failed(findings) == ["human: every place in it has a word"]
    assert findings[0].items == ("rain",)


def test_offsets_that_are_off_are_found_by_the_aligner(make: Callable[..., LoadedSuite]) -> None:
    """The reference agrees with itself whatever it points at; links made without it do not."""
    documents = {
        f"d{n}": {"source": f"{{i{n}.p:It}} is {word}.", "human": f"{wrong}"}
        for n, (word, wrong) in enumerate(
            [
                ("red", "Il est {i0.p:rouge}."),
                ("old", "Il est {i1.p:vieux}."),
                ("here", "Il est {i2.p:ici}."),
            ]
        )
    }
    loaded = make(documents, {f"i{n}": "pleonastic_it" for n in range(3)})
    findings = list(check_suite(loaded, OPTIONS))
    assert "human: the aligner alone finds its words in 0 of 3 items" in failed(findings)


def test_a_suite_whose_items_all_expect_one_word_fails_the_check(
    make: Callable[..., LoadedSuite],
) -> None:
    documents = {
        f"d{n}": {"source": f"{{i{n}.p:It}} is {word}.", "human": f"{{i{n}.p:Il}} est {french}."}
        for n, (word, french) in enumerate([("red", "rouge"), ("old", "vieux")])
    }
    loaded = make(documents, {"i0": "pleonastic_it", "i1": "pleonastic_it"})
    assert failed(list(check_suite(loaded, OPTIONS))) == [
        "human: with the words of other items, it matches 2 of 2"
    ]
