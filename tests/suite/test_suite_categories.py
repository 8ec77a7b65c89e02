"""Categories as data, and the counts of ParCorFull that spec and golden files name."""

from __future__ import annotations

import re
import tarfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from anaphor.core import InputError, Span, UnknownNameError, Where
from anaphor.corpus import Text
from anaphor.corpus.mmax2 import Markable, Mmax2Document, read_mmax2
from anaphor.suite import load_categories
from anaphor.suite.build.mmax2 import AnnotatedPronoun, annotated_pronouns
from anaphor.suite.categories import FEATURES, known_packs, parse_categories

PROTEST = load_categories("protest")
ANAPHORIC_IT = {"function": "anaphoric", "form": "it"}


def test_the_plan_of_250_is_that_of_the_paper() -> None:
    """protest-2016, Table 2, from top to bottom."""
    plan = PROTEST.plan("protest-250")
    assert list(plan.values()) == [25, 15, 25, 5, 25, 25, 15, 10, 30, 30, 20, 15, 10]
    assert sum(plan.values()) == 250
    assert list(plan) == [category.name for category in PROTEST.categories]


def test_the_antecedent_counts_for_anaphoric_categories_alone() -> None:
    """protest-2016, section 5.2."""
    assert PROTEST.categories
    for category in PROTEST.categories:
        assert category.antecedent is category.name.startswith("anaphoric")


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({**ANAPHORIC_IT, "distance": "intra", "position": "subject"}, ["anaphoric_intra_subject_it"]),
        (
            {**ANAPHORIC_IT, "distance": "inter", "position": "non-subject"},
            ["anaphoric_inter_non-subject_it"],
        ),
        (ANAPHORIC_IT, []),
        (
            {**ANAPHORIC_IT, "distance": "intra", "position": "subject", "group": "yes"},
            ["anaphoric_intra_subject_it", "anaphoric_group_it-they"],
        ),
        ({"function": "anaphoric", "form": "they", "distance": "inter"}, ["anaphoric_inter_they"]),
        (
            {"function": "anaphoric", "form": "they", "distance": "inter", "number": "singular"},
            ["anaphoric_singular_they"],
        ),
        ({"function": "event", "form": "it", "distance": "inter"}, ["event_it"]),
        ({"function": "event", "form": "this"}, []),
        ({"function": "pleonastic", "form": "it"}, ["pleonastic_it"]),
        ({"function": "addressee", "form": "you", "audience": "generic"}, ["addressee_generic_you"]),
        (
            {"function": "addressee", "form": "you", "audience": "deictic", "number": "plural"},
            ["addressee_deictic_plural_you"],
        ),
        ({"function": "addressee", "form": "your", "audience": "generic"}, []),
    ],
)
def test_features_decide_the_category(features: Mapping[str, str], expected: list[str]) -> None:
    assert list(PROTEST.categories_of(features)) == expected


def test_the_pack_of_parcor_has_a_category_for_every_function() -> None:
    pack = load_categories("parcor")
    assert FEATURES["function"]
    for function in FEATURES["function"]:
        assert pack.categories_of({"function": function}) == ((function,) if function != "other" else ())


PACK = """name = "mine"
source = "de"
facts = "none"
licence = "CC0-1.0"
[[category]]
name = "es"
antecedent = false
description = "expletive es"
when = { function = ["pleonastic"], form = ["es"] }
"""


def test_a_pair_defines_its_own_categories_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(PACK, encoding="utf-8")
    pack = load_categories(str(tmp_path / "mine.toml"))
    assert pack.categories_of({"function": "pleonastic", "form": "es"}) == ("es",)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"pleonastic"', '"expletive"', "category[0].when.function: unknown value: expletive"),
        ("form =", "lemma =", "category[0].when.lemma: unknown key"),
        ("antecedent = false\n", "", "category[0].antecedent: missing"),
        ('name = "mine"', 'colour = "red"', "colour: unknown key"),
        ("[[category]]", "[category]", "category: expected a list"),
        (
            "[[category]]",
            PACK[PACK.index("[[") :] + "[[category]]",
            "category: none, or two with the same name",
        ),
        ("\n[[", "\nplan = { small = { er = 3 } }\n[[", "plan.small.er: unknown key"),
    ],
)
def test_a_pack_with_mistakes_is_refused(old: str, new: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_categories(Text.of(PACK.replace(old, new, 1).split("\n"), path="mine.toml"))
    assert what in caught.value.what


def test_unknown_packs_and_plans_are_refused() -> None:
    assert known_packs() == ("parcor", "protest")
    with pytest.raises(UnknownNameError, match="protets"):
        load_categories("protets")
    with pytest.raises(UnknownNameError, match="protest-300"):
        PROTEST.plan("protest-300")


WORDS = ["The", "firm", "says", "it", "grew", ".", "They", "hired", "Anne", ".", "It", "rained", "."]


def annotated(*mentions: tuple[int, int, dict[str, str]]) -> list[AnnotatedPronoun]:
    markables = [
        Markable(f"m{n}", tuple(range(start, end)), attributes, Where("x"))
        for n, (start, end, attributes) in enumerate(mentions)
    ]
    sentences = (Span(0, 6), Span(6, 10), Span(10, 13))
    return list(annotated_pronouns(Mmax2Document("d", tuple(WORDS), sentences, tuple(markables))))


def test_a_noun_phrase_that_begins_with_the_pronoun_is_no_antecedent_of_it() -> None:
    chain = {"coref_class": "set_1"}
    (its,) = annotated(
        (0, 2, {**chain, "mention": "np"}),
        (3, 4, {**chain, "mention": "pronoun", "type": "anaphoric"}),
        (3, 5, {**chain, "mention": "np"}),
    )
    assert its.antecedent is not None
    assert its.antecedent.id == "m0"


def test_the_antecedent_is_the_nearest_earlier_noun_phrase_of_the_chain() -> None:
    chain = {"coref_class": "set_1"}
    pronoun = {**chain, "mention": "pronoun", "type": "anaphoric"}
    it, they = annotated(
        (0, 2, {**chain, "mention": "np"}),
        (3, 4, {**pronoun, "position": "subject", "agreement": "none"}),
        (6, 7, {**pronoun, "agreement": "plural"}),
    )
    assert it.antecedent is not None
    assert it.antecedent.id == "m0"
    assert it.features == {
        "function": "anaphoric",
        "form": "it",
        "position": "subject",
        "antecedent": "noun",
        "group": "yes",
        "distance": "intra",
    }
    assert (they.features["distance"], they.features["number"]) == ("inter", "plural")


@pytest.mark.parametrize(
    ("attributes", "function"),
    [
        ({"type": "anaphoric", "antetype": "event"}, "event"),
        ({"type": "event"}, "event"),
        ({"type": "cataphoric", "antetype": "event"}, "cataphoric"),
        ({"type": "pleonastic"}, "pleonastic"),
        ({"type": "extratextual reference"}, "extra-textual"),
        ({"type": "speaker reference"}, "speaker"),
        ({"type": "addressee reference"}, "addressee"),
        ({"type": "not sure. help!"}, "other"),
        ({}, "other"),
    ],
)
def test_the_types_of_both_releases_become_functions(attributes: dict[str, str], function: str) -> None:
    (found,) = annotated((10, 11, {**attributes, "mention": "pronoun"}))
    assert found.features["function"] == function


@pytest.fixture(scope="module")
def corpus(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = data_dir / "parcorfull" / "parcor-full-corpus.tar.gz"
    if not archive.is_file():
        pytest.skip(f"{archive} is not there")
    folder = tmp_path_factory.mktemp("parcorfull")
    with tarfile.open(archive) as file:
        members = [m for m in file.getmembers() if "/EN/" in m.name and m.name.count("news") == 0]
        file.extractall(folder, members=members, filter="data")
    return folder / "corpus"


#: spec/original-tools.md, section 7.2. The last is the proxy for group nouns: 17 it and 30 they, 3 and 1.
COUNTS = {
    "DiscoMT": [106, 86, 150, 52, 98, 114, 33, 47, 102, 126],
    "TED": [66, 59, 133, 67, 68, 114, 10, 4, 65, 71],
}


@pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")
@pytest.mark.parametrize("part", COUNTS)
def test_the_categories_of_parcorfull(corpus: Path, part: str) -> None:
    found = Counter(
        name
        for document in read_mmax2(corpus / part / "EN")
        for pronoun in annotated_pronouns(document)
        for name in PROTEST.categories_of(pronoun.features)
    )
    assert [found[category.name] for category in PROTEST.categories] == [*COUNTS[part], 0, 0, 0]


def kind(pronoun: AnnotatedPronoun) -> str:
    """The name that the golden files give to a kind of pronoun."""
    features, written = pronoun.features, pronoun.markable.attributes.get("type", "none")
    if features["function"] == "event":
        return "event"
    if features["function"] == "cataphoric" and features.get("referent") == "event":
        return "cataphoric/event"
    if features["function"] != "anaphoric":
        return written
    return {
        "noun": features.get("distance", ""),
        "implied": "no specific antecedent",
        "clause": "entity-but-clause/vp antecedent only",
        "pronoun": "linked to another pronoun",
        "later": "np only later in chain",
        "none": "no chain at all",
    }[features["antecedent"]]


@pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")
@pytest.mark.parametrize("part", COUNTS)
def test_the_kinds_of_pronouns_of_parcorfull(corpus: Path, golden_dir: Path, part: str) -> None:
    """spec, section 7.3, and golden/parcorfull: every kind, also those that no category takes."""
    golden = (golden_dir / "parcorfull" / f"cats.{part}.EN.txt").read_text("utf-8")
    rows = re.findall(r"^(\d+) (.+)$", golden.partition("total")[0], re.MULTILINE)
    found = Counter(
        kind(pronoun)
        for document in read_mmax2(corpus / part / "EN")
        for pronoun in annotated_pronouns(document)
    )
    assert found == {name: int(count) for count, name in rows}
    assert found.total() == {"DiscoMT": 2127, "TED": 1645}[part]
