"""Every group of features on one context, its features counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from anaphor.core import (
    Alignment,
    Analysis,
    LanguagePair,
    OptionError,
    Slot,
    TaskSegment,
    Tree,
    UnknownNameError,
)
from anaphor.recipes.features import GROUPS, build_groups, group_table
from anaphor.recipes.features.context import AnalysedSegment, SlotContext
from anaphor.recipes.features.syntax import head_of
from anaphor.recipes.features.tokens import AnnotatedTokens

BEFORE = AnalysedSegment(
    TaskSegment(
        ("The", "houses", "are", "here", "."),
        ("les", "maisons", "sont", "ici", "."),
        (),
        Alignment((0, 1, 2, 3, 4), (0, 1, 2, 3, 4)),
        "made",
    ),
    AnnotatedTokens(
        "en",
        ("the", "houses", "are", "here", "."),
        Analysis(("the", "house", "be", "here", "."), ("DET", "NOUN", "AUX", "ADV", "PUNCT"), frozenset({1})),
        nouns=(1,),
        determiners=(0,),
    ),
    AnnotatedTokens(
        "fr",
        ("les", "maisons", "sont", "ici", "."),
        Analysis(("le", "maison", "être", "ici", "."), ("DET", "NOUN", "VERB", "ADV", "PUNCT")),
        nouns=(1,),
        determiners=(0,),
    ),
)
HERE = AnalysedSegment(
    TaskSegment(
        ("and", "They", "are", "big"),
        ("et", "REPLACE_1", "sont", "grandes"),
        (Slot(1, 1),),
        Alignment((0, 1, 2, 2, 3), (0, 1, 1, 2, 3)),
        "made",
    ),
    AnnotatedTokens(
        "en",
        ("and", "they", "are", "big"),
        Analysis(("and", "they", "be", "big"), ("CCONJ", "PRON", "AUX", "ADJ"), frozenset({1})),
    ),
    AnnotatedTokens(
        "fr",
        ("et", "<gap>", "sont", "grandes"),
        Analysis(("et", "<gap>", "être", "grand"), ("CCONJ", "PRON", "VERB", "ADJ")),
    ),
)
SCENE = SlotContext(HERE, HERE.segment.slots[0], 0, (BEFORE,))

EXPECTED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("source-pronoun", {}, {"sp=they"}),
    (
        "source-pronoun",
        {"role": True},
        {"sp=they", "sp.subject=True&they", "sp.expletive=False&they"},
    ),
    ("source-window", {"before": 1, "after": 2}, {"s.w-1=and", "s.w+1=are", "s.w+2=big"}),
    (
        "source-window",
        {"before": 2, "after": 1, "layers": ["tag"], "longest": 2},
        {
            "s.p-2=<>",
            "s.p-1=CCONJ",
            "s.p+1=AUX",
            "s.p-2:-1=<>_CCONJ",
            "s.p-1:+0=CCONJ_PRON",
            "s.p+0:+1=PRON_AUX",
        },
    ),
    (
        "target-window",
        {"before": 1, "after": 1, "layers": ["ending"], "longest": 3},
        {"t.e-1=et", "t.e+1=ont", "t.e-1:+0=et_they", "t.e+0:+1=they_ont", "t.e-1:+1=et_they_ont"},
    ),
    (
        "target-window",
        {"before": 0, "after": 1, "layers": ["lemma"], "with_pronoun": True, "bag": 2},
        {"they&t.l+1=être", "they&t.b=et", "they&t.b=sont", "they&t.b=grandes"},
    ),
    (
        "target-tags",
        {"sets": ["fine"], "longest": 1},
        {"tt.f-1:-1=et", "tt.f+1:+1=VERB", "tt.f-1:+1=et_they_VERB", "tt.f-2:+2=<>_et_they_VERB_ADJ"},
    ),
    (
        "antecedents",
        {"nouns": 1, "names": 1, "determiners": 1, "sentences": 1},
        {"an.n1=maisons", "an.n1.gender=f", "an.n1.number=p", "an.n1.det=les", "an.n1.away=1", "an.d1=les"},
    ),
    (
        "antecedents",
        {"side": "source", "nouns": 1, "determiners": 0, "words": False},
        {"as.n1.gender=?", "as.n1.number=p", "as.n1.det=the", "as.n1.away=1"},
    ),
    (
        "closest-noun",
        {},
        {
            "cn.source=house",
            "cn.away=1&they",
            "cn.target=maisons",
            "cn.gender=f&they",
            "cn.number=p&they",
            "cn.det=les&they",
        },
    ),
    (
        "head",
        {},
        {
            "hd.relation=subject&they",
            "hd.lemma=be",
            "hd.lemma=be&subject&they",
            "hd.tag=AUX&they",
            "hd.target=<gap>&they",
            "hd.target=sont&they",
            "hd.said=big&they",
            "hd.said.tag=ADJ&they",
            "hd.said.target=grandes&they",
        },
    ),
    (
        "alignment",
        {},
        {"al.fertility=1", "al.sources=2", "al.before=and", "al.after=are"},
    ),
    ("position", {}, {"po.source=1", "po.target=1", "po.share=1", "po.end=2", "po.slot=1/1"}),
    ("function-of-it", {}, set()),  # they is no it
    ("lm", {}, set()),  # a model that has not learned says nothing
]


@pytest.mark.parametrize(("name", "options", "expected"), EXPECTED)
def test_the_features_of_a_group_for_a_context(
    name: str, options: dict[str, Any], expected: set[str]
) -> None:
    group = build_groups({name: options})[name]
    assert set(group.features(SCENE)) == expected


def test_every_group_is_tested_here() -> None:
    assert {name for name, _, _ in EXPECTED} == set(GROUPS)


def test_a_pronoun_that_nothing_agrees_with_has_no_closest_noun() -> None:
    alone = SlotContext(HERE, HERE.segment.slots[0], 0)
    assert set(build_groups({"closest-noun": {}})["closest-noun"].features(alone)) == {"cn.none&they"}


def test_a_noun_of_the_wrong_number_is_skipped() -> None:
    """*it* stands for one thing, and there are only houses."""
    words = ("and", "it", "is", "big")
    source = AnnotatedTokens("en", words, Analysis(words, HERE.source.tags, frozenset({1})))
    context = SlotContext(
        AnalysedSegment(HERE.segment, source, HERE.target), HERE.segment.slots[0], 0, (BEFORE,)
    )
    assert "cn.none&it" in set(build_groups({"closest-noun": {}})["closest-noun"].features(context))


def test_an_it_has_a_function() -> None:
    """*It is important to go*: the textbook case of an *it* that stands for nothing."""
    words = ("it", "is", "important", "to", "go", ".")
    lemmas = ("it", "be", "important", "to", "go", ".")
    tags = ("PRON", "AUX", "ADJ", "PART", "VERB", "PUNCT")
    segment = TaskSegment(words, ("REPLACE_0", "faut", "aller"), (Slot(0, 0),), Alignment((0,), (0,)))
    source = AnnotatedTokens("en", words, Analysis(lemmas, tags, frozenset({0}), frozenset({0})))
    context = SlotContext(
        AnalysedSegment(segment, source, AnnotatedTokens("fr", ("<gap>", "faut", "aller"))),
        segment.slots[0],
        0,
    )
    found = list(build_groups({"function-of-it": {}})["function-of-it"].features(context))
    assert found[0] == "fi=pleonastic"
    assert isinstance(found[1], tuple)
    assert found[1][0] == "fi.share&pleonastic"
    assert 1 / 3 <= found[1][1] <= 1


def test_a_tree_is_preferred_to_the_rule() -> None:
    tree = Tree((2, 2, None), ("expl", "aux", "root"))
    analysis = Analysis(("it", "may", "rain"), ("PRON", "AUX", "VERB"), tree=tree)
    assert head_of(AnnotatedTokens("en", ("it", "may", "rain"), analysis), 0) == (2, "expl")


@pytest.mark.parametrize(
    ("features", "error", "message"),
    [
        ({}, OptionError, "has no features"),
        ({"windows": {}}, UnknownNameError, "unknown feature group: windows"),
        ({"position": {"place": 1}}, UnknownNameError, "unknown option: place"),
        ({"source-window": {"before": "3"}}, OptionError, "not a whole number: '3'"),
        ({"source-window": {"before": True}}, OptionError, "not a whole number: True"),
        ({"source-window": {"before": 99}}, OptionError, "before must be between 0 and 20, got 99"),
        ({"source-window": {"layers": "word"}}, OptionError, "not a list of names"),
        ({"source-window": {"layers": ["shape"]}}, UnknownNameError, "unknown value of layers: shape"),
        ({"antecedents": {"side": "left"}}, UnknownNameError, "unknown value of side: left"),
        ({"position": 3}, OptionError, "not a table"),
    ],
)
def test_an_invalid_recipe_is_an_error(features: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build_groups(features)


def test_the_table_documents_every_group_and_option() -> None:
    rows = [*group_table()]
    assert rows
    for row in rows:
        assert "`" in row.about, row.name
        assert all(option.help for option in row.options), row.name


def test_null_subjects_are_named_by_their_verb() -> None:
    """Spanish leaves the pronoun out; the slot then points at the verb."""
    assert LanguagePair.parse("es-en").source == "es"
    segment = TaskSegment(("Llueve",), ("REPLACE_0",), (Slot(0, 0),), Alignment())
    context = SlotContext(
        AnalysedSegment(segment, AnnotatedTokens("es", ("llueve",)), AnnotatedTokens("en", ("<gap>",))),
        segment.slots[0],
        0,
    )
    assert context.pronoun == "llueve"
