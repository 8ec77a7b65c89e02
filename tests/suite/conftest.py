"""A small English-French suite after the examples of protest-2016 and guillou-hardmeier-2018, in other words.

Marks in the texts say what an item points at: `{b.p:It}` is the pronoun of item b, `{b.h:bicycle}` the head
of its antecedent, `{b.s:a bicycle}` the whole antecedent (the head where this mark is missing).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from anaphor.core import (
    Antecedent,
    Category,
    Item,
    LanguagePair,
    ReferencePair,
    Span,
    Suite,
    SuiteDocument,
    TextPlace,
)
from anaphor.corpus import Text
from anaphor.suite import LoadedSuite, SuiteTexts, write_suite

_MARK = re.compile(r"\{(\w+)\.([phs]):([^{}]*)\}")

CATEGORIES = (
    Category("anaphoric_inter_subject_it", True, "it, antecedent in an earlier sentence, subject"),
    Category("anaphoric_intra_they", True, "they, antecedent in the same sentence"),
    Category("event_it", False, "it for an event"),
    Category("pleonastic_it", False, "it that refers to nothing"),
    Category("addressee_generic_you", False, "you for people in general"),
)
ITEMS = {
    "bicycle": "anaphoric_inter_subject_it",
    "war": "event_it",
    "rain": "pleonastic_it",
    "firms": "anaphoric_intra_they",
    "funeral": "anaphoric_inter_subject_it",
    "clips": "anaphoric_intra_they",
    "taxes": "addressee_generic_you",
}
#: For each document the lines of the source, of the first reference and, where there is one, of a second.
DOCUMENTS: dict[str, dict[str, str]] = {
    "bicycle": {
        "source": "I own {bicycle.s:a {bicycle.h:bicycle}}.\n{bicycle.p:It} is red.",
        "human": "J'ai un {bicycle.h:vélo}.\n{bicycle.p:Il} est rouge.",
    },
    "war": {
        "source": "The north invaded the south.\n{war.p:It} ended in a war.",
        "human": "Le nord a envahi le sud.\n{war.p:Cela} a fini par une guerre.",
    },
    "rain": {"source": "Today {rain.p:it} is raining.", "human": "Aujourd'hui {rain.p:il} pleut."},
    "firms": {
        "source": "You think that {firms.h:corporations} bring change if {firms.p:they} are well run.",
        "human": "Vous pensez que les {firms.h:entreprises} apportent le changement "
        "si {firms.p:elles} sont bien dirigées.",
    },
    "funeral": {
        "source": "The {funeral.h:funeral} of the queen is on Friday.\n{funeral.p:It} will be shown live.",
        "human": "Les {funeral.h:funérailles} de la reine sont vendredi.\n"
        "{funeral.p:Elles} seront montrées en direct.",
        "second": "L'{funeral.h:enterrement} de la reine est vendredi.\n"
        "{funeral.p:Il} sera montré en direct.",
    },
    "clips": {
        "source": "These {clips.h:clips} show the disease, but {clips.p:they} also tell us its pace.",
        "human": "Ces {clips.h:vidéos} montrent la maladie, "
        "mais {clips.p:elles} nous disent aussi son rythme.",
    },
    "taxes": {
        "source": "In this town {taxes.p:you} pay taxes on a house.",
        "human": "Dans cette ville {taxes.p:on} paie des impôts sur une maison.",
    },
}


#: What two systems make of the ten segments. After protest-2016: examples 3 and 5 (bicycle), 8 and 9
#: (corporations), 11 and 12 (funeral); after guillou-hardmeier-2018, section 6: clips.
ALPHA = """\
J'ai un vélo.
Il est rouge.
Le nord a envahi le sud.
Il a fini par une guerre.
Aujourd'hui il pleut.
Vous pensez que les entreprises apportent le changement, si elles sont bien gérées.
L'enterrement de la reine aura lieu vendredi.
Il sera diffusé en direct.
Ces extraits montrent la maladie, mais ils nous disent aussi son rythme.
Dans cette ville on paie des taxes sur une maison.
"""
BETA = """\
J'ai une bicyclette.
Elle est rouge.
Le nord a envahi le sud.
Cela a mené à une guerre.
Aujourd'hui il pleut.
Vous pensez que les entreprises apportent le changement s'ils sont bien gérés.
Les funérailles de la reine auront lieu vendredi.
Il sera montré en direct.
Ces vidéos montrent la maladie, mais ils nous disent aussi son rythme.
Dans cette ville vous payez des impôts sur une maison.
"""


def marked(text: str) -> tuple[str, dict[tuple[str, str], TextPlace]]:
    """The text without its marks, and the place of every mark; inner marks are read first."""
    found: dict[tuple[str, str], list[int]] = {}
    while match := _MARK.search(text):
        start, inside = match.start(), match.start(3)
        for bounds in found.values():
            for number, at in enumerate(bounds):
                bounds[number] = at - (inside - start) * (at >= inside) - (at > match.end(3))
        found[match[1], match[2]] = [start, start + len(match[3])]
        text = text[:start] + match[3] + text[match.end() :]
    return text, {key: (Span(start, end),) for key, (start, end) in found.items()}


def make_suite(
    documents: Mapping[str, Mapping[str, str]],
    items: Mapping[str, str],
    *,
    pair: str = "en-fr",
    categories: tuple[Category, ...] = CATEGORIES,
) -> LoadedSuite:
    """A suite of marked documents; `items` gives the category of every item, in their order."""
    plain = {name: {side: marked(text) for side, text in sides.items()} for name, sides in documents.items()}
    texts: dict[str, dict[str, Text]] = {}
    for name, sides in plain.items():
        for side, (text, _) in sides.items():
            texts.setdefault(side, {})[name] = Text.of(text.split("\n"), path=f"{side}/{name}")
    found = []
    for item, category in items.items():
        name = next(name for name, sides in plain.items() if (item, "p") in sides["source"][1])
        places = {side: places for side, (_, places) in plain[name].items()}
        found.append(_item(item, name, category, places))
    return LoadedSuite(
        Suite(
            "examples",
            "1.0",
            LanguagePair.parse(pair),
            "Apache-2.0",
            "Examples after two papers.",
            categories,
            tuple(
                SuiteDocument(
                    name,
                    len(text),
                    text.digest,
                    {side: texts[side][name].digest for side in plain[name] if side != "source"},
                )
                for name, text in texts["source"].items()
            ),
            tuple(found),
        ),
        SuiteTexts(texts["source"], {side: found for side, found in texts.items() if side != "source"}),
    )


def _item(
    name: str, document: str, category: str, places: dict[str, dict[tuple[str, str], TextPlace]]
) -> Item:
    source = places.pop("source")
    head = source.get((name, "h"))
    antecedents = () if head is None else (Antecedent(source.get((name, "s"), head), head),)
    return Item(
        name,
        document,
        category,
        source[name, "p"],
        antecedents,
        tuple(
            ReferencePair(side, found[name, "p"], () if head is None else (found[name, "h"],))
            for side, found in places.items()
        ),
    )


Maker = Callable[..., LoadedSuite]


@pytest.fixture
def make() -> Maker:
    """`make_suite`, for tests that bring their own documents."""
    return make_suite


@pytest.fixture
def alpha() -> Text:
    """The first system."""
    return Text.of(ALPHA.split("\n")[:-1], path="alpha.fr")


@pytest.fixture
def beta() -> Text:
    """The second system."""
    return Text.of(BETA.split("\n")[:-1], path="beta.fr")


@pytest.fixture
def loaded() -> LoadedSuite:
    """The suite of the examples: seven items in seven documents, ten segments."""
    return make_suite(DOCUMENTS, ITEMS)


@pytest.fixture
def folder(loaded: LoadedSuite, tmp_path: Path) -> Path:
    """The same suite on disk."""
    write_suite(loaded.suite, tmp_path / "suite", texts=loaded.texts)
    return tmp_path / "suite"
